"""A TD whose certification has ended can read own reports but not send any."""

from datetime import date, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from events.access import require_certified, submission_denial_reason
from events.formats.dbf.writer import write_report
from events.models import Official, Submission
from events.reports.services.submissions import submit_report
from ratings_site.common.ui.formatting import long_day
from tests.events.reports.test_report_pages import database_state, quad, text_of, url
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
    assert submission_denial_reason(td) == ""
    require_certified(td)
    end_certification(yesterday, td)
    with pytest.raises(PermissionDenied, match=f"ended on {long_day(yesterday)}"):
        require_certified(td)


def test_staff_who_are_no_td_or_a_lapsed_one_may_send(yesterday):
    staff = make_staff()
    assert submission_denial_reason(staff) == ""
    player = make_player(account=staff)
    Official.objects.create(player=player, level="club", certified_until=yesterday)
    assert submission_denial_reason(staff) == ""
    assert (
        submission_denial_reason(make_user()) == ""
    )  # accounts that are not TDs get another answer


def test_a_lapsed_td_reads_everything_and_changes_nothing(client, td, yesterday):
    submission = upload(td, quad(td))
    report = quad(td, name="Next Open")
    end_certification(yesterday, td)
    client.force_login(td)
    sentence = f"Your TD certification ended on {long_day(yesterday)}."
    words = text_of(client.get(reverse("events:desk")))
    assert sentence in words
    assert "May Open" in words
    assert "Upload a report" not in words
    assert "May Open" in text_of(client.get(submission.get_absolute_url()))

    before = database_state()
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
    assert database_state() == before


def test_renewing_restores_access_to_reports(client, td, today, yesterday):
    submission = upload(td, quad(td))
    end_certification(yesterday, td)
    end_certification(today, td)
    client.force_login(td)
    assert "Upload a report" in text_of(client.get(reverse("events:desk")))
    client.post(url("submit", submission))
    submission.refresh_from_db()
    assert submission.state == Submission.State.SUBMITTED


def test_the_report_itself_is_judged_by_its_last_day(td):
    """A TD certified when the event ended may have lapsed since."""
    submission = upload(td, quad(td))
    end_certification(submission.ends, td)
    assert submit_report(submission_id=submission.pk, actor=td).state == "submitted"
