"""Current ratings: derived from the ledger, so that pages need not search it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction

from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.ledger.queries.grants import granted_levels, grants_by_owner
from ratings.ledger.queries.point_in_time import end_of_chain
from ratings.models import (
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.db.bulk import copy_rows
from ratings_site.common.db.locks import lock_ratings

PLAYER_BATCH_SIZE = 10_000
FIELDS = [
    "rating",
    "games",
    "record",
    "wins",
    "draws",
    "losses",
    "three_game_events",
    "peak",
    "age_start",
    "floor",
    "rated_on",
    "last_change",
]
# The same as columns of the table.
ATTRIBUTES = [*FIELDS[:-1], "last_change_id"]
RATING_COLUMNS = ["player_id", "system", *ATTRIBUTES]


def project(changes: Iterable[RatingChange]) -> None:
    """Make these ledger lines the players' current ratings in their systems."""
    PlayerRating.objects.bulk_create(
        rows_of(changes),
        update_conflicts=True,
        unique_fields=["player", "system"],
        update_fields=FIELDS,
    )


class LastLine(NamedTuple):
    """The columns of a ledger line that make a current rating."""

    player_id: int
    system: str
    post_rating: float
    post_games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    age_start: float | None
    age_day: date
    pk: int
    rules_day: date


# The lookups in a query of ledger lines that make a `LastLine`.
LAST_LINE = [
    f"calculation__{name}" if name in ("system", "age_day", "rules_day") else name
    for name in LastLine._fields
]
_values_of = attrgetter(*(name.replace("__", ".") for name in LAST_LINE))


def rows_of(changes: Iterable[RatingChange]) -> list[PlayerRating]:
    """Return these ledger lines as current ratings; write nothing."""
    lines = [LastLine(*_values_of(change)) for change in changes]
    return [
        PlayerRating(**dict(zip(RATING_COLUMNS, values, strict=True)))
        for values in current_values(lines)
    ]


def current_values(lines: Collection[LastLine]) -> Iterator[tuple[Any, ...]]:
    """Yield the `RATING_COLUMNS` of each current rating."""
    players = {line.player_id for line in lines}
    floors = grants_by_owner(Floor, players)
    lowerings = grants_by_owner(FloorLowering, players)
    for line in lines:
        *standing, rated_on, pk, _ = line
        granted = floors[line.player_id], lowerings[line.player_id]
        yield (*standing, _floor_from_now(line, *granted), rated_on, pk)


def _floor_from_now(
    line: LastLine, floors: list[Floor], lowerings: list[FloorLowering]
) -> float:
    """Return the player's floor after this line, shown on the profile."""
    system = System(line.system)
    rules = rules_in_force(line.rules_day, settings.RATING_EDITION)
    levels = granted_levels(floors, lowerings, system=system, day=line.age_day)
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
    """Rebuild all current ratings from the ledger; return how many there are."""
    with transaction.atomic():
        lock_ratings()
        return reproject(rated_players())


def rated_players() -> set[int]:
    """Return the players with a current line in the ledger, or a current rating."""
    lines = RatingChange.objects.filter(calculation__is_current=True).order_by()
    players = set(lines.values_list("player_id", flat=True).distinct().iterator())
    players.update(PlayerRating.objects.values_list("player_id", flat=True))
    return players


def reproject(players: Iterable[int]) -> int:
    """Rebuild the current ratings of some players from the ledger.

    Returns how many there are. *players* may be all players: their rows are deleted and
    written again, which for very many is far quicker than updating them.
    """
    count = 0
    waiting = iter(sorted(players))
    while batch := list(islice(waiting, PLAYER_BATCH_SIZE)):
        values = expected_values(batch)
        PlayerRating.objects.filter(player__in_array=batch).delete()
        count += copy_rows(PlayerRating, RATING_COLUMNS, values)
    return count


def expected_values(players: Collection[int]) -> list[tuple[Any, ...]]:
    """Return the `RATING_COLUMNS` of current ratings, as the ledger implies them."""
    ends = last_line_ids(players).values()
    lines = RatingChange.objects.filter(pk__in_array=ends).order_by()
    found = [LastLine(*line) for line in lines.values_list(*LAST_LINE)]
    return list(current_values(found))


def last_line_ids(player_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return the last ledger line of some players in each system.

    A player's current lines are a chain; the last is the one that no other continues.
    After an undone rerate a chain may have two ends, until the next rerate: then the
    one that was entered last counts.
    """
    lines = RatingChange.objects.filter(
        player__in_array=player_ids, calculation__is_current=True
    ).values_list(
        "player_id", "calculation__system", "calculation_id", "pk", "previous_id"
    )
    chains: defaultdict[tuple[int, str], list[tuple[Any, ...]]] = defaultdict(list)
    for line in lines.order_by():
        chains[line[:2]].append(line[2:])
    return {key: end_of_chain(chain) for key, chain in chains.items()}
