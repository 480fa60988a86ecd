"""A TD whose certification has ended reads the own reports and sends none."""

from datetime import date, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from events.access import require_certified, why_not_send
from events.importers.dbf.write import write_report
from events.models import Official, Submission
from events.reports.services.submissions import submit_report
from ratings_site.common.looks.figures import day_in_words
from tests.events.reports.test_desk import everything, quad, text_of, url
from tests.factories import make_player, make_staff, make_td, make_user, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def today() -> date:
    return timezone.localdate()


@pytest.fixture
def yesterday(today) -> date:
    return today - timedelta(days=1)


def end_certification(on, td) -> None:
    td.player.official.certified_until = on
    td.player.official.save()


@pytest.fixture
def td():
    return make_td("td")


def test_certification_lasts_through_its_last_day(td, today, yesterday):
    end_certification(today, td)
    assert why_not_send(td) == ""
    require_certified(td)
    end_certification(yesterday, td)
    with pytest.raises(PermissionDenied, match=f"ended on {day_in_words(yesterday)}"):
        require_certified(td)


def test_staff_who_are_no_td_or_a_lapsed_one_may_send(yesterday):
    staff = make_staff()
    assert why_not_send(staff) == ""
    player = make_player(account=staff)
    Official.objects.create(player=player, level="club", certified_until=yesterday)
    assert why_not_send(staff) == ""
    assert why_not_send(make_user()) == ""  # who is no TD is turned away otherwise


def test_a_lapsed_td_reads_everything_and_changes_nothing(client, td, yesterday):
    submission = upload(td, quad(td))
    report = quad(td, name="Next Open")
    end_certification(yesterday, td)
    client.force_login(td)
    sentence = (
        "Your certification as a tournament director ended on "
        f"{day_in_words(yesterday)}."
    )
    words = text_of(client.get(reverse("events:desk")))
    assert sentence in words
    assert "May Open" in words
    assert "Send a report" not in words
    assert "May Open" in text_of(client.get(submission.get_absolute_url()))

    before = everything()
    files = [content for _, content in write_report(report).items()]
    assert files
    for response in (
        client.get(reverse("events:upload")),
        client.post(reverse("events:upload"), {"files": files}),
        client.post(url("submit", submission)),
        client.post(url("withdraw", submission), {"reason": "Wrong."}),
        client.post(url("override", submission), {"finding": "x", "reason": "y"}),
    ):
        assert response.status_code == 403
        assert sentence in text_of(response)
    assert everything() == before


def test_renewing_opens_the_desk_again(client, td, today, yesterday):
    submission = upload(td, quad(td))
    end_certification(yesterday, td)
    end_certification(today, td)
    client.force_login(td)
    assert "Send a report" in text_of(client.get(reverse("events:desk")))
    client.post(url("submit", submission))
    submission.refresh_from_db()
    assert submission.state == Submission.State.SUBMITTED


def test_the_report_itself_is_judged_by_its_last_day(td):
    """Who was certified when the event ended may have lapsed since."""
    submission = upload(td, quad(td))
    end_certification(submission.ends, td)
    assert submit_report(submission_id=submission.pk, actor=td).state == "submitted"
