"""Current ratings, kept beside the ledger so that pages need not search it."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import islice

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import OWNER, granted_levels
from ratings.models import (
    Calculation,
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


def project(changes: Iterable[RatingChange]) -> None:
    """Make these ledger lines the players' current ratings in their systems."""
    PlayerRating.objects.bulk_create(
        rows_of(changes),
        update_conflicts=True,
        unique_fields=["player", "system"],
        update_fields=FIELDS,
    )


def rows_of(changes: Iterable[RatingChange]) -> list[PlayerRating]:
    """Return what these ledger lines are as current ratings; write nothing."""
    changes = list(changes)
    grants = _grants_of({change.player_id for change in changes})
    return [_row(change, grants[change.player_id]) for change in changes]


@dataclass(slots=True)
class Grants:
    """The floors that people decided on for one player."""

    floors: list[Floor] = field(default_factory=list)
    lowerings: list[FloorLowering] = field(default_factory=list)


def _grants_of(players: set[int]) -> defaultdict[int, Grants]:
    grants: defaultdict[int, Grants] = defaultdict(Grants)
    mine = Q(player__in=players) | Q(player__merged_into__in=players)
    for floor in Floor.objects.filter(mine).annotate(owner=OWNER).order_by():
        grants[floor.owner].floors.append(floor)
    lowerings = FloorLowering.objects.filter(mine).annotate(owner=OWNER)
    for lowering in lowerings.order_by():
        grants[lowering.owner].lowerings.append(lowering)
    return grants


def _row(change: RatingChange, grants: Grants) -> PlayerRating:
    calculation = change.calculation
    return PlayerRating(
        player_id=change.player_id,
        system=calculation.system,
        rating=change.post_rating,
        games=change.post_games,
        record=change.record,
        wins=change.wins,
        draws=change.draws,
        losses=change.losses,
        three_game_events=change.three_game_events,
        peak=change.peak,
        floor=_floor_from_now(change, calculation, grants),
        rated_on=calculation.age_day,
        last_change=change,
    )


def _floor_from_now(
    change: RatingChange, calculation: Calculation, grants: Grants
) -> float:
    """Return the floor the player has after this line, shown on the profile."""
    system = System(calculation.system)
    rules = rules_in_force(calculation.rules_day, settings.RATING_EDITION)
    levels = granted_levels(
        grants.floors, grants.lowerings, system=system, day=calculation.age_day
    )
    return personal_floor(
        rules,
        system,
        absolute=absolute_floor(
            change.wins, change.draws, change.three_game_events, rules, system
        ),
        peak=peak_floor(change.peak, rules),
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
    """Return the last ledger line of some players in each system.

    A player's current lines are a chain; the last is the one that no other goes on
    from. After an undone rerate a chain may have two ends, until the next rerate:
    then the one that was entered last counts.
    """
    lines = (
        RatingChange.objects.filter(player__in=player_ids, calculation__is_current=True)
        .select_related("calculation")
        .order_by("calculation_id")
    )
    ends: dict[tuple[int, str], dict[int, RatingChange]] = defaultdict(dict)
    gone_on_from: defaultdict[tuple[int, str], set[int | None]] = defaultdict(set)
    for line in lines.iterator(chunk_size=2000):
        key = line.player_id, line.calculation.system
        chain = ends[key]
        chain[line.pk] = line
        gone_on_from[key].add(line.previous_id)
        # What is known to be gone on from need not be kept in memory.
        chain.pop(line.previous_id, None)
    return {
        key: max(
            (line for pk, line in chain.items() if pk not in gone_on_from[key]),
            key=lambda line: line.calculation_id,
        )
        for key, chain in ends.items()
    }
