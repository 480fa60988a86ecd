"""Current ratings, kept beside the ledger so that pages need not search it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import OWNER, granted_levels
from ratings.models import (
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.database.locks import hold_ratings

# So many players at a time: SQLite bears only so many values in one statement.
BATCH = 1000
FIELDS = [
    "rating",
    "games",
    "record",
    "wins",
    "draws",
    "losses",
    "three_game_events",
    "peak",
    "floor",
    "rated_on",
    "last_change",
]
# The same as columns of the table.
ATTRIBUTES = [*FIELDS[:-1], "last_change_id"]


def project(changes: Iterable[RatingChange]) -> None:
    """Make these ledger lines the players' current ratings in their systems."""
    PlayerRating.objects.bulk_create(
        rows_of(changes),
        update_conflicts=True,
        unique_fields=["player", "system"],
        update_fields=FIELDS,
    )


class LastLine(NamedTuple):
    """What of a ledger line makes a current rating."""

    pk: int
    player_id: int
    post_rating: float
    post_games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    system: str
    rules_day: date
    age_day: date

    @classmethod
    def of(cls, change: RatingChange) -> "LastLine":
        calculation = change.calculation
        return cls(
            *(getattr(change, name) for name in cls._fields[:-3]),
            *(getattr(calculation, name) for name in cls._fields[-3:]),
        )


# By what names a query of ledger lines finds what makes a `LastLine`.
LAST_LINE = (
    *LastLine._fields[:-3],
    *(f"calculation__{name}" for name in LastLine._fields[-3:]),
)


def rows_of(changes: Iterable[RatingChange]) -> list[PlayerRating]:
    """Return what these ledger lines are as current ratings; write nothing."""
    columns = ["player_id", "system", *ATTRIBUTES]
    return [
        PlayerRating(**dict(zip(columns, values, strict=True)))
        for values in current_values([LastLine.of(change) for change in changes])
    ]


def current_values(lines: Collection[LastLine]) -> Iterator[tuple[Any, ...]]:
    """Yield the member, the system and the `ATTRIBUTES` of a current rating."""
    grants = _grants_of({line.player_id for line in lines})
    for line in lines:
        yield (
            line.player_id,
            line.system,
            line.post_rating,
            line.post_games,
            line.record,
            line.wins,
            line.draws,
            line.losses,
            line.three_game_events,
            line.peak,
            _floor_from_now(line, grants[line.player_id]),
            line.age_day,
            line.pk,
        )


@dataclass(slots=True)
class Grants:
    """The floors that people decided on for one player."""

    floors: list[Floor] = field(default_factory=list)
    lowerings: list[FloorLowering] = field(default_factory=list)


def _grants_of(players: set[int]) -> defaultdict[int, Grants]:
    grants: defaultdict[int, Grants] = defaultdict(Grants)
    mine = Q(player__among=players) | Q(player__merged_into__among=players)
    for floor in Floor.objects.filter(mine).annotate(owner=OWNER).order_by():
        grants[floor.owner].floors.append(floor)
    lowerings = FloorLowering.objects.filter(mine).annotate(owner=OWNER)
    for lowering in lowerings.order_by():
        grants[lowering.owner].lowerings.append(lowering)
    return grants


def _floor_from_now(line: LastLine, grants: Grants) -> float:
    """Return the floor the player has after this line, shown on the profile."""
    system = System(line.system)
    rules = rules_in_force(line.rules_day, settings.RATING_EDITION)
    levels = granted_levels(
        grants.floors, grants.lowerings, system=system, day=line.age_day
    )
    return personal_floor(
        rules,
        system,
        absolute=absolute_floor(
            line.wins, line.draws, line.three_game_events, rules, system
        ),
        peak=peak_floor(line.peak, rules),
        office=max(levels, default=None),
    )


def rebuild() -> int:
    """Build every current rating from the ledger again; return how many there are."""
    with transaction.atomic():
        hold_ratings()
        lines = RatingChange.objects.filter(calculation__is_current=True).order_by()
        rated = set(lines.values_list("player_id", flat=True).distinct().iterator())
        rated.update(PlayerRating.objects.values_list("player_id", flat=True))
        players = iter(sorted(rated))
        count = 0
        while batch := list(islice(players, BATCH)):
            count += reproject(batch)
    return count


def reproject(player_ids: Collection[int]) -> int:
    """Make the current ratings of some players what the ledger says they are.

    Returns how many there are. Not more than ``BATCH`` players at a time.
    """
    last = last_lines(player_ids)
    stale = [
        pk
        for pk, player, system in PlayerRating.objects.filter(
            player__in=player_ids
        ).values_list("pk", "player_id", "system")
        if (player, system) not in last
    ]
    PlayerRating.objects.filter(pk__in=stale).delete()
    changes = iter(last.values())
    while batch := list(islice(changes, BATCH)):
        project(batch)
    return len(last)


def last_lines(player_ids: Collection[int]) -> dict[tuple[int, str], RatingChange]:
    """Return the last ledger line of some players in each system."""
    ends = ends_of(player_ids)
    lines = RatingChange.objects.select_related("calculation")
    found = {line.pk: line for line in lines.filter(pk__among=ends.values())}
    return {key: found[pk] for key, pk in ends.items()}


def ends_of(player_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return which ledger line of some players is the last in each system.

    A player's current lines are a chain; the last is the one that no other goes on
    from. After an undone rerate a chain may have two ends, until the next rerate:
    then the one that was entered last counts.
    """
    lines = RatingChange.objects.filter(
        player__among=player_ids, calculation__is_current=True
    ).values_list(
        "calculation_id", "pk", "player_id", "calculation__system", "previous_id"
    )
    chains: defaultdict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    gone_on_from = set()
    for calculation, pk, player, system, previous in lines.order_by():
        chains[player, system].append((calculation, pk))
        gone_on_from.add((player, system, previous))
    return {
        key: max(line for line in chain if (*key, line[1]) not in gone_on_from)[1]
        for key, chain in chains.items()
    }
