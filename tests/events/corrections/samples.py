"""Sections to correct, and helpers for documents and changes."""

from datetime import date
from typing import Any

from django.contrib.auth.models import Permission

from events.corrections.changes import Change, changed_document
from events.corrections.services.requests import ask_for_correction
from events.models import CorrectionRequest, Event, Section
from events.models.documents import (
    EntryLine,
    GameLine,
    OfficialLine,
    SectionDocument,
    UnplayedLine,
)
from ratings_site.common.models import User
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_event,
    section_report,
)

# Four players, three rounds: 1 and 2 drew in round 3.
ROWS = ["W4W W3B D2W", "W3W D4B D1B", "L2B L1W W4W", "L1B D2W L3B"]


def document(**changes: Any) -> SectionDocument:
    """Return four players: the first two drew, 4 had a bye in round 2."""
    return SectionDocument(
        **{
            "name": "Open",
            "kind": "swiss",
            "starts": date(2024, 5, 4),
            "ends": date(2024, 5, 5),
            "time_control": "G/90;d5",
            "is_online": False,
            "rounds": 3,
            "officials": (OfficialLine("event", "chief", "12000001"),),
            "entries": tuple(
                EntryLine(number, f"2000000{number}", 100 + number, f"NAME {number}")
                for number in range(1, 5)
            ),
            "games": (
                GameLine(1, 1, 1, 2, "W", "D", "D"),
                GameLine(1, 1, 3, 4, "B", "W", "L"),
                GameLine(2, 1, 1, 3, "", "L", "W"),
            ),
            "unplayed": (UnplayedLine(4, 2, "H", None),),
            "event_name": "May Open",
            "city": "Springfield",
            "state": "IL",
            **changes,
        }
    )


def apply_change(kind: str, change: Change, before: SectionDocument) -> SectionDocument:
    """Apply a change; members 30000001 to 30000009 have primary keys 1 to 9."""

    def find_member(member_id: str) -> int | None:
        return int(member_id[-1]) if member_id.startswith("3000000") else None

    return changed_document(before, kind, change, find_member=find_member)


def cell(number: int, round_number: int, result: str, opponent=None, **other) -> Change:
    return {
        "number": number,
        "round_number": round_number,
        "result": result,
        "opponent": opponent,
        "color": "",
        "theirs": "",
        **other,
    }


def result(*cells: Change) -> Change:
    return {"cells": list(cells)}


def make_event(
    td: User | None = None, *, rated: bool = True, sections: int = 1, **report: Any
) -> Event:
    """Create an event with four established players in each section."""
    td = td or make_td()
    reports = [
        section_report(
            [
                make_player(
                    given_name=f"Given{number}{place}",
                    family_name=f"Family{number}{place}",
                    ratings={"OTBR": (1500.0 + 100 * place, 40)},
                )
                for place in range(4)
            ],
            ROWS,
            number=number,
        )
        for number in range(1, sections + 1)
    ]
    enter = rated_event if rated else accepted_event
    return enter(td, event_report(td, reports, **report))


def make_section(
    td: User | None = None, *, rated: bool = True, **report: Any
) -> Section:
    return make_event(td, rated=rated, **report).sections.get()


def make_member(**fields: Any) -> User:
    """Create an account of a member who is not a TD."""
    user = make_user(email="member@example.org", **fields)
    make_player(given_name="Mia", family_name="Member", account=user)
    return user


def make_decider() -> User:
    """Create a staff account that may decide on corrections."""
    staff = make_staff()
    staff.user_permissions.add(Permission.objects.get(codename="decide_correction"))
    return staff


def request_correction(
    section: Section, actor: User, kind: str = "result", change: Change | None = None
) -> CorrectionRequest:
    """Create a request, by default for a draw of 4 with 1 in round 1."""
    return ask_for_correction(
        section=section,
        kind=kind,
        change=change or result(cell(4, 1, "D", 1, color="B")),
        text="The score sheet says so.",
        version=section.version,
        actor=actor,
    )
