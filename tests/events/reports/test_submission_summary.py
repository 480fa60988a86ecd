"""The summary before a report is submitted."""

import re
from datetime import date
from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse

from events.models import RatingFee, Submission
from events.reports.services.submissions import set_event
from tests.events.newcomers.reports import report_newcomer, report_with_newcomer
from tests.factories import (
    event_report,
    make_player,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td(client):
    td = make_td("td")
    client.force_login(td)
    return td


def clean_report(td, sections: int = 1) -> Submission:
    """A report without open issues."""
    parts = [
        section_report(
            [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)],
            swiss_rows(2, 1),
            number=number,
        )
        for number in range(1, sections + 1)
    ]
    return upload(td, event_report(td, parts))


def address(submission) -> str:
    return reverse("events:submit", args=[submission.pk])


def words(response) -> str:
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    text = re.sub(r"<[^>]*>", " ", main)
    return re.sub(r"\s+", " ", unescape(text))


def test_summary_says_what_is_submitted_and_what_follows(client, td):
    text = words(client.get(address(clean_report(td, sections=2))))
    assert "Submit May Open?" in text
    assert "Section 1 2 1 G/90;d5 Regular" in text
    assert "2 sections, 4 players, 2 games" in text
    assert "For now, only you and the office." in text
    assert "Within seconds after the office accepts it." in text
    assert "wait" not in text.partition("When it is rated")[2]


def test_without_a_fee_there_is_no_word_of_one(client, td):
    text = words(client.get(address(clean_report(td))))
    assert (" fee" in text.lower(), "$" in text) == (False, False)
    assert "fee" not in words(client.get("/desk/")).lower()


def test_fee_is_shown_by_section_and_in_total(client, td):
    RatingFee.objects.create(
        starts=date(2024, 1, 1), amount=Decimal("0.35"), minimum=Decimal("3.00")
    )
    text = words(client.get(address(clean_report(td, sections=2))))
    assert "$0.35 (1 × $0.35)" in text
    assert "$3.00 (includes $2.30 to reach the minimum for an event)" in text
    assert "Charged to Castle Chess Club when the office accepts the report." in text


def test_other_currency_is_named(client, td, settings):
    settings.RATING_FEE_CURRENCY = "CAD"
    RatingFee.objects.create(starts=date(2024, 1, 1), amount=Decimal("2.00"))
    assert "CAD 2.00" in words(client.get(address(clean_report(td))))


def test_section_that_waits_for_an_id_is_counted(client, td):
    submission = report_newcomer(td, report_with_newcomer(td))
    response = client.get(address(submission))
    text = words(response)
    sentence = "1 section waits until the office has assigned IDs to its new members."
    assert sentence in text


def test_report_with_issues_has_no_summary(client, td):
    submission = upload(td, report_with_newcomer(td))
    response = client.get(address(submission))
    assert response["Location"] == submission.get_absolute_url()


def test_stranger_sees_no_summary(client, td):
    submission = clean_report(td)
    client.force_login(make_td("other"))
    assert client.get(address(submission)).status_code == 404
    assert client.post(address(submission)).status_code == 404
    assert Submission.objects.get().state == "open"


def test_report_that_changed_meanwhile_is_shown_again(client, td):
    submission = clean_report(td)
    was = submission.version
    set_event(
        submission_id=submission.pk,
        actor=td,
        version=was,
        changes={"name": "June Open"},
    )
    response = client.post(address(submission), {"version": was})
    assert "The report has changed since you opened this page" in words(response)
    assert Submission.objects.get().state == "open"
    client.post(address(submission), {"version": was + 1})
    assert Submission.objects.get().state == "submitted"


@pytest.mark.parametrize("sections", [1, 6])
def test_summary_takes_the_same_queries_for_any_size(
    client, td, sections, django_assert_num_queries
):
    RatingFee.objects.create(starts=date(2024, 1, 1), amount=1)
    submission = clean_report(td, sections)
    client.get(address(submission))
    with django_assert_num_queries(26):
        response = client.get(address(submission))
    assert response.content.count(b"1 \xc3\x97 $1.00") == sections
