"""People for the office to decide on: ``create_people(links=30, newcomers=10)``."""

from dataclasses import replace
from datetime import date, timedelta

from django.utils import timezone

from tests.e2e.report_queue import FIRST
from tests.events.newcomers.reports import (
    SAM,
    report_newcomer,
    report_with_newcomer,
    submit,
)
from tests.factories import make_player, make_td
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list


def next_list_date() -> date:
    """Return the day of the next FIDE list: the demo has that of this month."""
    today = timezone.localdate()
    return date(today.year + today.month // 12, today.month % 12 + 1, 1)


def create_people(*, links: int, newcomers: int) -> None:
    """Let a FIDE list name members of ours, and reports name new members."""
    people = [
        Person(7_700_000 + one, f"Monday{one:02}, Ada", 2000 + one)
        for one in range(1, links + 1)
    ]
    for one in range(1, links + 1):
        make_player(
            given_name="Ada", family_name=f"Monday{one:02}", birth_date=date(1982, 3, 3)
        )
    import_list(people, next_list_date())
    td = make_td("monday-people")
    for one in range(1, newcomers + 1):
        day = FIRST + timedelta(days=one)
        report = report_with_newcomer(td, name=f"Monday Quads {one}")
        report = replace(report, starts=day, ends=day)
        details = replace(SAM, given_name=f"Kim{one:02}", family_name="Monday")
        submit(td, report_newcomer(td, report, details))
