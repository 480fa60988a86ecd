"""A small federation to read through the API, created once per session."""

from collections.abc import Iterator
from datetime import date

from django.db import transaction

from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.lists.helpers import JULY, JUNE, make_publisher, published

ROOT = "/api/v1"


class World:
    """Five members, three events one after the other, and two official lists.

    In the second event a child is unrated.
    """

    def __init__(self) -> None:
        self.td = make_td("api td", "12345670")
        self.staff = make_staff()
        names = ("Ana", "Ben", "Cleo", "Dov")
        self.members = [
            make_player(
                str(30_000_001 + at),
                name,
                "Quill",
                state="OH",
                ratings={"OTBR": (1500.25 + 100 * at, 40)},
            )
            for at, name in enumerate(names)
        ]
        self.newcomer = make_player(
            "30000009", "Nia", "Quill", birth_date=date(2013, 7, 19), state="OH"
        )
        self.merged = make_player(
            "30000010", "Ana", "Quill", status="duplicate", merged_into=self.members[0]
        )
        self.plain = self._event(date(2024, 3, 2), self.members, name="Plain Open")
        players = [*self.members[:3], self.newcomer]
        self.hidden = self._event(date(2024, 4, 6), players, name="Newcomers’ Open")
        self.after = self._event(date(2024, 5, 4), self.members, name="After Open")
        publisher = make_publisher()
        self.lists = [published(month, actor=publisher) for month in (JUNE, JULY)]

    def _event(self, day: date, players: list, *, name: str):
        section = section_report(players, swiss_rows(4, 3))
        report = event_report(self.td, [section], starts=day, ends=day, name=name)
        return rated_event(self.td, report, staff=self.staff)


def world_in_transaction(django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield World()
        transaction.set_rollback(True)
