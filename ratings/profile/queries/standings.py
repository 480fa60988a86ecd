"""A member's six current ratings, and how each stands among the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import OuterRef, Subquery

from players.models import Player
from ratings.access import RatingReader
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
from ratings.ledger.queries.published import published, published_number
from ratings.lists.queries.rankings import (
    percent_of,
)
from ratings.lists.queries.spreads import Asked, RatingsCounted, spread_of
from ratings.models import PlayerRating, RatingChange
from ratings.profile.queries.lines import lines_with_sources, place_of

# Floors that follow from results; of others the profile says what they are.
EARNED = (ABSOLUTE, PEAK)


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One of the six ratings; only the system is known of somebody unrated in it."""

    system: System
    rating: float | None = None
    games: int = 0
    is_exact: bool = False
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


def standings_of(
    player: Player, reader: RatingReader | None = None
) -> list[SystemStanding]:
    """Return the six current ratings in their fixed order.

    Without a *reader* they are what anyone may see.
    """
    reader = reader or RatingReader(AnonymousUser())
    current = current_of(player)
    lines = lines_with_sources(last_lines(current))
    return standings_in(player, current, lines, decisions_of(player), reader)


def current_of(player: Player) -> list[PlayerRating]:
    """Return a member's current ratings, with what is known of peaks (one query)."""
    at_peak = RatingChange.objects.filter(
        player=OuterRef("player"),
        calculation__system=OuterRef("system"),
        post_rating=OuterRef("peak"),
        age_start__isnull=False,
    ).values("age_start")
    rows = PlayerRating.objects.filter(player=player)
    return list(rows.annotate(peak_age_start=Subquery(at_peak[:1])))


def last_lines(current: Iterable[PlayerRating]) -> list[int]:
    """Return the numbers of the lines that current ratings come from."""
    return [row.last_change_id for row in current]


def standings_in(
    player: Player,
    current: Sequence[PlayerRating],
    lines: Mapping[int, RatingChange],
    decisions: Decisions,
    reader: RatingReader,
) -> list[SystemStanding]:
    """Return the six ratings, of *current* ones and *lines* that were read together.

    *lines* are `lines_with_sources`, and among them the last ones.
    """
    for row in current:
        row.last_change = lines[row.last_change_id]
    rows = {System(row.system): row for row in current}
    floors = floors_now(player, current, decisions)
    return [
        _standing(system, rows[system], floors[system], player, reader)
        if system in rows
        else SystemStanding(system)
        for system in System
    ]


def _standing(
    system: System,
    row: PlayerRating,
    floors: FloorStanding,
    player: Player,
    reader: RatingReader,
) -> SystemStanding:
    is_exact = reader.sees_exact(player.pk)
    return SystemStanding(
        system=system,
        rating=row.rating if is_exact else published(row),
        games=row.games,
        is_exact=is_exact,
        is_established=row.is_established,
        class_name=class_of(official(published(row))).name,
        floor=float(floors.level),
        floor_kind="" if floors.kind in EARNED else floors.kind,
        peak=_peak(row, is_exact=is_exact),
        why_url=place_of(row.last_change.calculation, player).why_url,
    )


def _peak(row: PlayerRating, *, is_exact: bool) -> float | None:
    """Return the peak, to the nearest 50 where it was an age-based start."""
    return row.peak if is_exact else published_number(row.peak, row.peak_age_start)


def percentile_of(current: PlayerRating) -> Percentile | None:
    """Return how an established rating stands among the others (one query).

    A provisional rating is not compared.
    """
    if not current.is_established:
        return None
    compared = Asked(System(current.system), standing=RatingsCounted.ESTABLISHED)
    spread, counted_at = spread_of(compared)
    lower = spread.lower_than(current.published_rating)
    return Percentile(spread.people, lower, counted_at)
