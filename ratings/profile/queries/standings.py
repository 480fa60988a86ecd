"""A member's six current ratings, and how each stands among the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser

from players.models import Player
from ratings.access import StartReader
from ratings.engine.classes import CLASSES, RatingClass, class_of
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.floors.queries.floors import (
    ABSOLUTE,
    PEAK,
    Decisions,
    FloorStanding,
    decisions_of,
    floors_now,
)
from ratings.ledger.queries.privacy import Starts, shown
from ratings.lists.queries.rankings import (
    percent_of,
)
from ratings.lists.queries.spreads import Asked, RatingsCounted, spread_of
from ratings.models import PlayerRating, RatingChange
from ratings.profile.queries.lines import lines_shown, place_of

# Floors that follow from results; of others the profile says what they are.
EARNED = (ABSOLUTE, PEAK)


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One of the six ratings; only the system is known of somebody unrated in it."""

    system: System
    rating: float | None = None
    games: int = 0
    has_decimals: bool = False
    is_established: bool = False
    class_name: str = ""
    floor: float | None = None
    floor_kind: str = ""
    peak: float | None = None
    why_url: str = ""

    @property
    def next_class(self) -> RatingClass | None:
        """The class above this one; there is none above the highest."""
        if self.rating is None:
            return None
        higher = [one for one in CLASSES if one.lowest > official(self.rating)]
        return higher[-1] if higher else None

    @property
    def points_to_next_class(self) -> int:
        """How many whole points are missing for the next class."""
        above = self.next_class
        if above is None or self.rating is None:
            return 0
        return above.lowest - official(self.rating)


@dataclass(frozen=True, slots=True)
class Percentile:
    """How many of the established players of a system are rated lower."""

    total: int
    lower: int
    counted_at: datetime

    @property
    def percent(self) -> int:
        return percent_of(self.lower, self.total)


def standings_of(player: Player) -> list[SystemStanding]:
    """Return the six current ratings in their fixed order, as anybody may see them."""
    reader = StartReader(AnonymousUser())
    current = current_of(player)
    lines = lines_shown(last_lines(current), reader, player)
    starts = Starts([player.pk])
    return standings_in(player, current, lines, decisions_of(player), reader, starts)


def current_of(player: Player) -> list[PlayerRating]:
    """Return a member's current ratings (one query)."""
    return list(PlayerRating.objects.filter(player=player))


def last_lines(current: Iterable[PlayerRating]) -> list[int]:
    """Return the numbers of the lines that current ratings come from."""
    return [row.last_change_id for row in current]


def standings_in(
    player: Player,
    current: Sequence[PlayerRating],
    lines: Mapping[int, RatingChange],
    decisions: Decisions,
    reader: StartReader,
    starts: Starts,
) -> list[SystemStanding]:
    """Return the six ratings, of *current* ones and *lines* that were read together.

    *lines* are `lines_shown`, and among them the last ones; *starts* the member's.
    """
    for row in current:
        row.last_change = lines[row.last_change_id]
    rows = {System(row.system): row for row in current}
    floors = floors_now(player, current, decisions)
    return [
        _standing(system, rows[system], floors[system], player, reader, starts)
        if system in rows
        else SystemStanding(system)
        for system in System
    ]


def _standing(
    system: System,
    row: PlayerRating,
    floors: FloorStanding,
    player: Player,
    reader: StartReader,
    starts: Starts,
) -> SystemStanding:
    rating = row.rating
    if not reader.may_see(player.pk):
        rating = shown(rating, starts.told(player.pk, system, row.games))
    return SystemStanding(
        system=system,
        rating=rating,
        games=row.games,
        has_decimals=not row.last_change.rounds_after,
        is_established=row.is_established,
        class_name=class_of(official(rating)).name,
        floor=float(floors.level),
        floor_kind="" if floors.kind in EARNED else floors.kind,
        peak=row.peak,
        why_url=place_of(row.last_change.calculation, player).why_url,
    )


def percentile_of(current: PlayerRating) -> Percentile | None:
    """Return how an established rating stands among the others (one query).

    A provisional rating is not compared.
    """
    if not current.is_established:
        return None
    compared = Asked(System(current.system), standing=RatingsCounted.ESTABLISHED)
    spread, counted_at = spread_of(compared)
    lower = spread.lower_than(official(current.rating))
    return Percentile(spread.people, lower, counted_at)
