"""The published lists and official ratings, and their revisions since."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.matches import years_before
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
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
from ratings_site.common.ui.formatting import moment as day_and_time

# The calendar


def cut_off_for(month: date) -> datetime:
    """Return the cutoff of the list of *month*, by the setting."""
    return _rule().for_list_of(month)


def next_month_due(now: datetime) -> date:
    """Return the month of the newest list whose cutoff has passed."""
    month = months_before(now.date(), -1)
    return month if cut_off_for(month) <= now else months_before(month, 1)


def listed_members_since(month: date) -> date:
    """Return the earliest day on which a listed member's membership may end."""
    return months_before(month, settings.LIST_MEMBERSHIP_MONTHS)


def counted_days(cut_off: datetime) -> tuple[date, date]:
    """Return the first and last of the days whose games a list counts as a year's."""
    last = cut_off.astimezone(_rule().zone).date()
    return years_before(last, 1) + timedelta(days=1), last


def written_moment(moment: datetime) -> str:
    """Format a moment in the time zone of the cutoff: Dec 17, 2025, 11:45 PM CT."""
    with timezone.override(_rule().zone):
        return day_and_time(moment)


def _rule() -> CutOffRule:
    return CutOffRule.parse(settings.LIST_CUT_OFF)


# The lists


def latest_list() -> OfficialList | None:
    """Return the newest list, which may not be in force until next month."""
    return OfficialList.objects.first()


def lists_with_files() -> QuerySet[OfficialList]:
    """Return the effective lists, with their files' names but not their contents."""
    files = OfficialListFile.objects.defer("content", "compressed")
    return OfficialList.objects.effective().prefetch_related(Prefetch("files", files))


def list_of_month(month: str) -> OfficialList | None:
    """Return the list of a month such as "2026-12", None if invalid or missing."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", month, re.ASCII):
        return None
    try:
        return OfficialList.objects.filter(month=f"{month}-01").first()
    except ValidationError:  # not a valid month
        return None


def official_rating(player: Player, system: System, *, on: date) -> int | None:
    """Return the rating on the list in force on a day, None if there is none on it."""
    value = published_for([player.pk], system, on=on).get(player.pk)
    return value.rating if value else None


# Revisions since


@dataclass(frozen=True, slots=True)
class OfficialValue:
    """An official rating, and the value of the same list from the current ledger.

    *revised* is None if the ledger no longer has such a rating; *rerate* is the number
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


def revised_values(rows: Iterable[OfficialRating]) -> dict[int, OfficialValue]:
    """Return each row's value from the current ledger (two queries).

    It is the rating after the last section that was rated by the cutoff, or the rating
    of the published ledger line if that is still current, even if late events came
    before it. Some lists of 2026 have numbers that were rounded more coarsely than
    today.
    """
    rows = list(rows)
    lines = _current_lines(rows)
    places = _places_of(rows)
    return {
        row.pk: _official_value(
            row, lines[row.player_id, row.system], places.get(row.latest_id)
        )
        for row in rows
    }


Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _LedgerLine:
    pk: int
    place: Place
    rating: float
    rerate: int | None


def _official_value(
    row: OfficialRating, lines: list[_LedgerLine], place: Place | None
) -> OfficialValue:
    listed = (official_number(row), row.games, row.is_provisional)
    same = next((line for line in lines if line.pk == row.change_id), None)
    if same is not None:
        return OfficialValue(*listed, same.rating)
    if place is None:
        return OfficialValue(*listed, listed[0])
    before = [line for line in lines if line.place <= place]
    if not before:
        return OfficialValue(*listed, None)
    last = max(before, key=lambda line: (line.place, line.pk))
    return OfficialValue(*listed, last.rating, last.rerate)


def _current_lines(
    rows: list[OfficialRating],
) -> defaultdict[tuple[int, str], list[_LedgerLine]]:
    """Return the current ledger lines, under the member published with them.

    The lines of a merged member are now under the other number.
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
    """Map each current number to the numbers under which it was published."""
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
    """A list with a member's ratings on it, by system."""

    list: OfficialList
    values: dict[System, OfficialValue] = field(default_factory=dict)


def list_history(player: Player, *, limit: int | None = None) -> list[MemberOnList]:
    """Return the lists a member is on, newest first (a fixed number of queries).

    Lists of merged numbers are included, withdrawn lists are not.
    """
    numbers = same_person_ids([player.pk])[player.pk]
    effective = OfficialList.objects.effective()
    rows = (
        OfficialRating.objects.filter(player__in=numbers, list__in=effective)
        .select_related("list")
        .order_by("-list__month", *OfficialRating.KEPT_LAST)
    )
    if limit is not None:
        rows = rows.filter(list__in=_newest_lists(numbers, limit))
    lines: dict[date, MemberOnList] = {}
    listed = list(rows)
    values = revised_values(listed)
    for row in listed:
        line = lines.setdefault(row.list.month, MemberOnList(row.list))
        line.values[System(row.system)] = values[row.pk]
    return list(lines.values())


def _newest_lists(numbers: list[int], limit: int) -> list[int]:
    mine = OfficialList.objects.effective().filter(ratings__player__in=numbers)
    return list(mine.distinct().values_list("pk", flat=True)[:limit])
