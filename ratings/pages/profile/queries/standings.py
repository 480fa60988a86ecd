"""A member's six current ratings and their percentiles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import OuterRef, Subquery
from django.utils.functional import Promise

from players.models import Player
from ratings.access import RatingViewer
from ratings.decisions.floors.queries.floors import (
    ABSOLUTE,
    PEAK,
    Decisions,
    FloorStatus,
    current_floors,
    read_decisions,
)
from ratings.engine.classes import CLASSES, RatingClass, rating_class_for
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published, published_number
from ratings.lists.queries.histograms import RatingFilter, RatingsCounted, histogram_for
from ratings.lists.queries.rankings import percent_of
from ratings.models import PlayerRating, RatingChange
from ratings.pages.profile.queries.lines import lines_with_sources, place_of

# Floors by results, whose kind the profile does not name.
EARNED: tuple[str | Promise, ...] = (ABSOLUTE, PEAK)


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """One of the six ratings; an unrated player has the system only."""

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
        return None if self.rating is None else next_class(self.rating)

    @property
    def points_to_next_class(self) -> int:
        """The whole points needed for the next class."""
        above = self.next_class
        return above.lowest - official(self.rating or 0.0) if above else 0


def next_class(rating: float) -> RatingClass | None:
    """Return the class above a rating, None above the highest.

    >>> [next_class(rating).name for rating in (1985.2, 1999.5)], next_class(2400)
    (['Expert', 'National Master'], None)
    """
    higher = [one for one in CLASSES if one.lowest > official(rating)]
    return higher[-1] if higher else None


@dataclass(frozen=True, slots=True)
class Percentile:
    """The share of established players of a system who are rated lower."""

    total: int
    lower: int
    counted_at: datetime

    @property
    def percent(self) -> int:
        return percent_of(self.lower, self.total)


def standings_of(
    player: Player, reader: RatingViewer | None = None
) -> list[SystemStanding]:
    """Return the six current ratings in their fixed order.

    Without a *reader*, they are public ratings only.
    """
    reader = reader or RatingViewer(AnonymousUser())
    current = current_of(player)
    lines = lines_with_sources(last_lines(current))
    return standings_in(player, current, lines, read_decisions(player), reader)


def current_of(player: Player) -> list[PlayerRating]:
    """Return a member's current ratings, with age-based peaks (one query)."""
    at_peak = RatingChange.objects.filter(
        player=OuterRef("player"),
        calculation__system=OuterRef("system"),
        post_rating=OuterRef("peak"),
        age_start__isnull=False,
    ).values("age_start")
    rows = PlayerRating.objects.filter(player=player)
    return list(rows.annotate(peak_age_start=Subquery(at_peak[:1])))


def last_lines(current: Iterable[PlayerRating]) -> list[int]:
    """Return the primary keys of the lines of current ratings."""
    return [row.last_change_id for row in current]


def standings_in(
    player: Player,
    current: Sequence[PlayerRating],
    lines: Mapping[int, RatingChange],
    decisions: Decisions,
    reader: RatingViewer,
) -> list[SystemStanding]:
    """Return the six ratings from *current* ratings and ledger *lines* read before.

    *lines* are those of `lines_with_sources`, and include the last ones.
    """
    for row in current:
        row.last_change = lines[row.last_change_id]
    rows = {System(row.system): row for row in current}
    floors = current_floors(player, current, decisions)
    return [
        _standing(system, rows[system], floors[system], player, reader)
        if system in rows
        else SystemStanding(system)
        for system in System
    ]


def _standing(
    system: System,
    row: PlayerRating,
    floors: FloorStatus,
    player: Player,
    reader: RatingViewer,
) -> SystemStanding:
    is_exact = reader.can_see_exact(player.pk)
    return SystemStanding(
        system=system,
        rating=row.rating if is_exact else published(row),
        games=row.games,
        is_exact=is_exact,
        is_established=row.is_established,
        class_name=rating_class_for(official(published(row))).name,
        floor=float(floors.level),
        floor_kind="" if floors.kind in EARNED else floors.kind,
        peak=_peak(row, is_exact=is_exact),
        why_url=place_of(row.last_change.calculation, player).why_url,
    )


def _peak(row: PlayerRating, *, is_exact: bool) -> float | None:
    """Return the peak, to the nearest 50 if it was an age-based start."""
    starts = row.peak_age_start  # type: ignore[attr-defined]
    return row.peak if is_exact else published_number(row.peak, starts)


def percentile_of(current: PlayerRating) -> Percentile | None:
    """Return the percentile of an established rating (one query).

    Provisional ratings have none.
    """
    if not current.is_established:
        return None
    compared = RatingFilter(System(current.system), standing=RatingsCounted.ESTABLISHED)
    histogram, counted_at = histogram_for(compared)
    lower = histogram.count_below(current.published_rating)
    return Percentile(histogram.people, lower, counted_at)
