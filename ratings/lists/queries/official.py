"""What was official on a day: the published lists, and what has been revised since."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Prefetch, QuerySet

from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published import (
    official_number,
    published_for,
    published_number,
)
from ratings.lists.months import CutOffRule, months_before
from ratings.models import (
    Calculation,
    OfficialList,
    OfficialListFile,
    OfficialRating,
    RatingChange,
    Run,
)
from ratings_site.common.looks.figures import day_in_words

# The calendar


def cut_off_for(month: date) -> datetime:
    """Return when the books are cut off for the list of *month*, by the setting."""
    return _rule().for_list_of(month)


def next_month_due(now: datetime) -> date:
    """Return the month of the newest list whose cut-off has passed."""
    month = months_before(now.date(), -1)
    return month if cut_off_for(month) <= now else months_before(month, 1)


def listed_members_since(month: date) -> date:
    """Return the day on or after which a membership has to end to be listed."""
    return months_before(month, settings.LIST_MEMBERSHIP_MONTHS)


def written_moment(moment: datetime) -> str:
    """Write a moment by the clocks of the cut-off: 17 December 2025, 23:45 CST."""
    there = moment.astimezone(_rule().zone)
    return f"{day_in_words(there.date())}, {there:%H:%M %Z}"


def _rule() -> CutOffRule:
    return CutOffRule.parse(settings.LIST_CUT_OFF)


# The lists


def latest_list() -> OfficialList | None:
    """Return the newest list, which may come into force only next month."""
    return OfficialList.objects.first()


def lists_with_files() -> QuerySet[OfficialList]:
    """Return the lists with what their files are called, without the files."""
    files = OfficialListFile.objects.defer("content", "compressed")
    return OfficialList.objects.prefetch_related(Prefetch("files", files))


def list_of_month(month: str) -> OfficialList | None:
    """Return the list of a month such as "2026-12", None also for nonsense."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", month, re.ASCII):
        return None
    try:
        return OfficialList.objects.filter(month=f"{month}-01").first()
    except ValidationError:  # the year has no such month
        return None


def official_rating(player: Player, system: System, *, on: date) -> int | None:
    """Return the rating on the list in force on a day, None if there is none on it."""
    value = published_for([player.pk], system, on=on).get(player.pk)
    return value.rating if value else None


# What has been revised since


@dataclass(frozen=True, slots=True)
class Value:
    """An official rating beside what the same list would say from today's ledger.

    *revised* is None if the ledger has no such rating any more; *rerate* is the number
    of the rerate that changed it.
    """

    rating: float
    games: int
    is_provisional: bool
    revised: float | None
    rerate: int | None = None

    @property
    def is_revised(self) -> bool:
        return self.revised != self.rating


def revised_values(rows: Iterable[OfficialRating]) -> dict[int, Value]:
    """Return by row what today's ledger says in its place (two queries).

    That is the rating after the last of all that had been rated at the cut-off; of a
    number whose ledger line still counts it is that line's, whatever came in late. Some
    lists of 2026 hold numbers that were rounded more than the rule says today.
    """
    rows = list(rows)
    lines = _current_lines(rows)
    places = _places_of(rows)
    return {
        row.pk: _value(row, lines[row.player_id, row.system], places.get(row.latest_id))
        for row in rows
    }


Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _LedgerLine:
    pk: int
    place: Place
    rating: float
    rerate: int | None


def _value(row: OfficialRating, lines: list[_LedgerLine], place: Place | None) -> Value:
    listed = (official_number(row), row.games, row.is_provisional)
    same = next((line for line in lines if line.pk == row.change_id), None)
    if same is not None:
        return Value(*listed, same.rating)
    if place is None:
        return Value(*listed, listed[0])
    before = [line for line in lines if line.place <= place]
    if not before:
        return Value(*listed, None)
    last = max(before, key=lambda line: (line.place, line.pk))
    return Value(*listed, last.rating, last.rerate)


def _current_lines(
    rows: list[OfficialRating],
) -> defaultdict[tuple[int, str], list[_LedgerLine]]:
    """The lines that count now, under the number they were published for.

    Those of a member merged into another one stand under the other number now.
    """
    numbers = _numbers_now({row.player_id for row in rows})
    found: defaultdict[tuple[int, str], list[_LedgerLine]] = defaultdict(list)
    changes = RatingChange.objects.filter(
        player__in=numbers,
        calculation__is_current=True,
        calculation__system__in={row.system for row in rows},
    ).values_list(
        "player_id",
        "calculation__system",
        "pk",
        "post_rating",
        "age_start",
        "calculation__run_id",
        "calculation__run__kind",
        *(f"calculation__{name}" for name in Calculation.ORDER),
    )
    for player, system, pk, exact, age_start, run, kind, *place in changes:
        rating = published_number(exact, age_start)
        rerate = run if kind == Run.Kind.RERATE else None
        for published in numbers[player]:
            found[published, system].append(
                _LedgerLine(pk, tuple(place), rating, rerate)
            )
    return found


def _numbers_now(players: set[int]) -> defaultdict[int, set[int]]:
    """Map each number that goes on to those under which it was published."""
    numbers: defaultdict[int, set[int]] = defaultdict(set)
    pairs = Player.objects.filter(pk__in=players).values_list("pk", "merged_into_id")
    for pk, merged_into in pairs:
        numbers[pk].add(pk)
        if merged_into is not None:
            numbers[merged_into].add(pk)
    return numbers


def _places_of(rows: list[OfficialRating]) -> dict[int, Place]:
    return {
        pk: tuple(place)
        for pk, *place in Calculation.objects.filter(
            pk__in={row.latest_id for row in rows}
        ).values_list("pk", *Calculation.ORDER)
    }


# A member's lists


@dataclass(frozen=True, slots=True)
class MemberOnList:
    """A list, and what a member had on it, by system."""

    list: OfficialList
    values: dict[System, Value] = field(default_factory=dict)

    def in_systems(self, systems: Iterable[System]) -> list[Value | None]:
        return [self.values.get(system) for system in systems]


def list_history(player: Player, *, limit: int | None = None) -> list[MemberOnList]:
    """Return the lists a member is on, newest first (a fixed number of queries).

    The lists of a number that was merged into the member's count too.
    """
    numbers = same_person_ids([player.pk])[player.pk]
    rows = (
        OfficialRating.objects.filter(player__in=numbers)
        .select_related("list")
        .order_by("-list__month")
    )
    if limit is not None:
        rows = rows.filter(list__in=_newest_lists(numbers, limit))
    lines: dict[date, MemberOnList] = {}
    rows = list(rows)
    values = revised_values(rows)
    for row in rows:
        line = lines.setdefault(row.list.month, MemberOnList(row.list))
        line.values.setdefault(System(row.system), values[row.pk])
    return list(lines.values())


def _newest_lists(numbers: list[int], limit: int) -> list[int]:
    mine = OfficialList.objects.filter(ratings__player__in=numbers)
    return list(mine.distinct().values_list("pk", flat=True)[:limit])
