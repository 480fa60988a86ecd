"""Other work of the demo's office: lists, a rerate, FIDE."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone

from events.foreign.services.results import Facts
from events.models import CorrectionRequest, Game, Section
from players.models import Player
from ratings.lists.months import months_before
from ratings.lists.queries.official import next_month_due
from ratings_site.common.models import User
from ratings_site.demo.actions import (
    FideListLine,
    approve,
    ask_for_draw,
    game_abroad,
    opt_in_by_letter,
    rate_abroad,
    read_fide_list,
    rerate,
)
from ratings_site.demo.circuit import Circuit
from ratings_site.demo.clubs import CASTLE, RIVERSIDE, SUMMIT, Club
from ratings_site.demo.dates import saturday

LISTS = 6
FIRST_FIDE_ID = 2_099_101
FIDE_RATINGS = (2291, 2187, 2104, 2056, 1988)
ABROAD_WEEKS_AGO = 12
OPPONENTS = (
    FideListLine(4_199_011, "NOR", 2214, 11, 1994, "Fjordvik, Aslak"),
    FideListLine(4_199_012, "IND", 2133, 9, 2006, "Malhotraj, Devan"),
    FideListLine(4_199_013, "GEO", 2302, 7, 1987, "Tsivadelli, Nanuka", "F"),
    FideListLine(4_199_014, "ESP", 2078, 10, 2001, "Olmedal, Begona", "F"),
    FideListLine(4_199_015, "GER", 2245, 8, 1979, "Brackwede, Ottmar"),
)
HALF_POINTS = (1, 2, 0, 2, 1)


@dataclass(frozen=True, slots=True)
class Office:
    """The accounts of staff, manager and TDs."""

    staff: User
    manager: User
    directors: Mapping[Club, User]

    @property
    def director(self) -> User:
        return self.directors[CASTLE]


def months_to_publish() -> list[date]:
    """Return the months of the last lists, up to the one that is due."""
    due = next_month_due(timezone.now())
    return [months_before(due, before) for before in reversed(range(LISTS))]


def apply_corrections(circuit: Circuit, office: Office) -> None:
    """Correct a result, rate a foreign event, and rerate.

    The late report has added its pending rerate already.
    """
    _correct("Federation Championship", SUMMIT, office)
    _play_abroad(circuit, office.staff)
    rerate(
        staff=office.staff,
        manager=office.manager,
        reason="A late report, a corrected result and games abroad.",
    )
    _ask("Federation Championship", SUMMIT, office, number=1)


def _correct(event: str, club: Club, office: Office) -> None:
    request = _ask(event, club, office, number=2)
    approve(request, note="Both score sheets show a draw.", staff=office.staff)


def _ask(event: str, club: Club, office: Office, *, number: int) -> CorrectionRequest:
    """Request a correction of the first decisive game of round 2 to a draw."""
    section = Section.objects.get(event__name=event, number=number)
    game = Game.objects.filter(
        section=section, round_number=2, first_outcome__in=("W", "L")
    ).order_by("first__pairing_number")[0]
    return ask_for_draw(
        section,
        number=game.first.pairing_number,
        round_number=game.round_number,
        opponent=game.second.pairing_number,
        color=game.first_color,
        text="Both score sheets say draw.",
        actor=office.directors[club],
    )


def _play_abroad(circuit: Circuit, staff: User) -> None:
    """Import FIDE lists, link all listed members but one, rate a foreign event.

    Riverside's members were rated before the older list, so no list changes their
    initial ratings.
    """
    members = circuit.members[RIVERSIDE][1:6]
    starts = saturday(ABROAD_WEEKS_AGO)
    for day in sorted({starts.replace(day=1), timezone.localdate().replace(day=1)}):
        people = [*_on_list(members, day), *OPPONENTS]
        read_fide_list(people, day=day, staff=staff)
    for place, member in enumerate(members[:-1]):
        fide_id = FIRST_FIDE_ID + place
        opt_in_by_letter(member, fide_id, before=starts, days=60, staff=staff)
    facts = Facts(
        name="Open of Three Capes",
        federation="ESP",
        city="Cabo Trespicos",
        starts=starts,
        ends=starts + timedelta(days=8),
        fide_code="399101",
    )
    games = [
        game_abroad(number, one.fide_id, one.name.split(",")[0], half_points)
        for number, (one, half_points) in enumerate(
            zip(OPPONENTS, HALF_POINTS, strict=True), start=1
        )
    ]
    rate_abroad(members[0], facts, games, staff=staff)


def _on_list(members: list[Player], day: date) -> list[FideListLine]:
    """Return the members' lines on the list of *day*; ratings vary by month."""
    return [
        FideListLine(
            FIRST_FIDE_ID + place,
            "USA",
            rating + (day.month + 3 * place) % 9 - 4,
            6 + place,
            member.birth_date.year if member.birth_date else 0,
            f"{member.family_name}, {member.given_name}",
        )
        for place, (member, rating) in enumerate(
            zip(members, FIDE_RATINGS, strict=True)
        )
    ]
