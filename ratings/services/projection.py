"""Current ratings, kept beside the ledger so that pages need not search it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from django.conf import settings
from django.db import transaction

from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import Calculation, Floor, PlayerRating, RatingChange
from ratings_site.common.locks import hold_ratings

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
    changes = list(changes)
    granted = _granted_floors(changes)
    PlayerRating.objects.bulk_create(
        [_row(change, granted[change.player_id]) for change in changes],
        update_conflicts=True,
        unique_fields=["player", "system"],
        update_fields=FIELDS,
    )


def _granted_floors(changes: list[RatingChange]) -> defaultdict[int, list[Floor]]:
    granted: defaultdict[int, list[Floor]] = defaultdict(list)
    players = {change.player_id for change in changes}
    for floor in Floor.objects.filter(player__in=players):
        granted[floor.player_id].append(floor)
    return granted


def _row(change: RatingChange, granted: list[Floor]) -> PlayerRating:
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
        floor=_floor_from_now(change, calculation, granted),
        rated_on=calculation.age_day,
        last_change=change,
    )


def _floor_from_now(
    change: RatingChange, calculation: Calculation, granted: list[Floor]
) -> float:
    """Return the floor the player has after this line, shown on the profile."""
    system = System(calculation.system)
    rules = rules_in_force(calculation.rules_day, settings.RATING_EDITION)
    in_force = [
        floor.level
        for floor in granted
        if floor.system == system and floor.is_in_force_on(calculation.age_day)
    ]
    return personal_floor(
        rules,
        system,
        absolute=absolute_floor(
            change.wins, change.draws, change.three_game_events, rules, system
        ),
        peak=peak_floor(change.peak, rules),
        office=max(in_force, default=None),
    )


def batched(changes: Iterable[RatingChange], size: int) -> Iterator[list[RatingChange]]:
    remaining = iter(changes)
    while batch := list(islice(remaining, size)):
        yield batch


def rebuild() -> int:
    """Build every current rating anew from the ledger; return how many there are.

    The last line of a player in a system is the one of the current calculation
    entered last: late sections are rated from present ratings.
    """
    with transaction.atomic():
        hold_ratings()
        last: dict[tuple[int, str], RatingChange] = {}
        lines = (
            RatingChange.objects.filter(calculation__is_current=True)
            .select_related("calculation")
            .order_by("calculation_id")
        )
        for change in lines.iterator(chunk_size=2000):
            last[change.player_id, change.calculation.system] = change
        PlayerRating.objects.all().delete()
        for batch in batched(last.values(), BATCH):
            project(batch)
    return len(last)
