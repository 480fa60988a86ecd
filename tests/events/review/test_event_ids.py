"""The number in an event ID decides the order of a day's events; no click moves it."""

from itertools import permutations

import pytest

from events.models import Event, Submission
from events.records.exceptions import NotPossible
from events.review.services.acceptance import accept_report
from tests.factories import (
    event_report,
    handed_in,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def reports() -> list[Submission]:
    """Create three reports of one day, in the order of submission."""
    td = make_td()
    return [
        handed_in(
            td,
            event_report(
                td,
                [section_report([make_player(), make_player()], swiss_rows(2, 1))],
                name=name,
            ),
        )
        for name in ("One", "Two", "Three")
    ]


@pytest.mark.parametrize("clicks", list(permutations(range(3))))
def test_events_of_a_day_are_numbered_as_their_reports_were_handed_in(reports, clicks):
    clerk = make_staff()
    ids = {
        place: accept_report(submission_id=reports[place].pk, actor=clerk).event_id
        for place in clicks
    }
    assert [ids[place] for place in range(3)] == [
        f"20240505{number:03}4" for number in range(3)
    ]


def test_report_handed_in_later_comes_after_all_that_are_numbered(reports):
    clerk = make_staff()
    last = accept_report(submission_id=reports[2].pk, actor=clerk)
    reports[1].refresh_from_db()
    Submission.objects.filter(pk=reports[0].pk).update(state="open")
    middle = accept_report(submission_id=reports[1].pk, actor=clerk)
    assert (middle.event_id, last.event_id) == ("202405050004", "202405050024")


def test_a_day_has_a_thousand_event_ids(reports):
    clerk = make_staff()
    first = accept_report(submission_id=reports[0].pk, actor=clerk)
    Event.objects.filter(pk=first.pk).update(event_id="202405059984")

    last = accept_report(submission_id=reports[1].pk, actor=clerk)

    assert last.event_id == "202405059994"
    with pytest.raises(NotPossible):
        accept_report(submission_id=reports[2].pk, actor=clerk)
