"""A Monday's reports, handed in by one director: ``fill_queue(40)``."""

from datetime import date, timedelta

from events.models import Submission
from events.reports.services.submissions import return_report
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    handed_in,
    make_player,
    make_td,
    section_report,
    swiss_rows,
)

FIRST = date(2026, 9, 5)


def fill_queue(number: int) -> None:
    """Hand in so many reports, and return those of the demo that wait already."""
    staff = User.objects.get(username="staff")
    for report in Submission.objects.filter(state=Submission.State.SUBMITTED):
        return_report(submission_id=report.pk, actor=staff, note="Not on a Monday.")
    submit_one(number)


def submit_one(number: int, *, players: int = 4) -> list[Submission]:
    """Hand in small reports without faults, "Monday Open 1" and so on."""
    td = make_td("monday")
    reports = []
    for one in range(1, number + 1):
        day = FIRST + timedelta(days=one % 28)
        members = [
            make_player(
                given_name=f"Player{place}",
                family_name=f"Monday{one}",
                ratings={"OTBR": (1500.0 + 10 * place, 30)},
            )
            for place in range(players)
        ]
        section = section_report(members, swiss_rows(players, players - 1))
        reports.append(
            handed_in(
                td,
                event_report(
                    td, [section], starts=day, ends=day, name=f"Monday Open {one}"
                ),
            )
        )
    return reports
