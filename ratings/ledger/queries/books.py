"""The books as they stood at a moment: what was in force then, and what it said.

A calculation that arrived in order is in force from its entry on, one of a rerate from
the rerate's publication until it is undone, and each until a rerate in force takes its
place.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Self

from django.db.models import (
    Exists,
    OuterRef,
    Q,
)

from ratings.ledger.queries.privacy import MOST_PROVISIONAL, Starts, shown
from ratings.models import Calculation, PlayerRating, RatingChange, Run

# The games on which the ratings of a line rest.
_GAMES = {"pre_rating": "pre_games", "post_rating": "post_games"}
# So many players can be named in one statement.
FEW = 1000


@dataclass(frozen=True, slots=True)
class LastLine:
    """The last line of a player in a system, and what comes last in rating order.

    The two belong together, except where the last to be rated was a late section.
    """

    player_id: int
    system: str
    change_id: int
    latest_id: int


def in_force(moment: datetime, *, of: str = "") -> Q:
    """Return the condition that anybody could read a calculation at *moment*.

    *of* leads to the calculation, such as ``calculation__`` from a ledger line. It is
    no subquery, because SQLite would look up every player with every calculation.
    """
    runs = list(Run.objects.filter(kind__in=[Run.Kind.INCREMENTAL, Run.Kind.RERATE]))
    incremental = [run.pk for run in runs if run.kind == Run.Kind.INCREMENTAL]
    counting = [run for run in runs if _counts_at(moment, run)]
    undone = [run for run in counting if run.undone_at is not None]
    condition = _where(of, run__in=incremental, created_at__lte=moment)
    condition |= _where(of, run__in=[run.pk for run in counting])
    condition &= _where(of, superseded_by=None) | ~_where(
        of, superseded_by__in=[run.pk for run in counting]
    )
    for run in undone:
        earlier = [one.pk for one in counting if one.published_at < run.published_at]
        older = _where(of, run__in=[*incremental, *earlier])
        condition &= ~(older & _replaced_by(run, of))
    return condition


def _where(of: str, **conditions: Any) -> Q:
    return Q(**{f"{of}{name}": value for name, value in conditions.items()})


def _counts_at(moment: datetime, run: Run) -> bool:
    if run.published_at is None or run.published_at > moment:
        return False
    return run.undone_at is None or run.undone_at > moment


def _replaced_by(undone: Run, of: str) -> Q:
    """What a rerate had replaced or retired; undoing it gave the flags back."""
    replaced = _where(of, pk__in=undone.progress.get("retired", []))
    instead = Calculation.objects.filter(run=undone, superseded_by=None)
    for source in Calculation.SOURCES:
        same = instead.filter(
            **{source: OuterRef(f"{of}{source}"), "system": OuterRef(f"{of}system")}
        )
        replaced |= Exists(same)
    return replaced


def players_changed_since(moment: datetime) -> set[int] | None:
    """Return whose ratings may not be those of *moment*; None stands for everybody."""
    moved = Run.objects.filter(kind=Run.Kind.RERATE)
    if moved.filter(undone_at__gt=moment).exists():
        return None
    since = list(moved.filter(published_at__gt=moment).values_list("pk", flat=True))
    return set(
        RatingChange.objects.filter(
            Q(calculation__run__kind=Run.Kind.INCREMENTAL)
            & Q(calculation__created_at__gt=moment)
            | Q(calculation__run__in=since)
            | Q(calculation__superseded_by__in=since)
        )
        .order_by()
        .values_list("player_id", flat=True)
        .distinct()
    )


def last_lines(moment: datetime, players: Set[int]) -> Iterator[LastLine]:
    """Yield the last lines of *players* at *moment*, from the ledger alone.

    The ledger is read once, player after player, and not held in memory.
    """
    lines = RatingChange.objects.filter(in_force(moment, of="calculation__"))
    if len(players) <= FEW:
        lines = lines.filter(player__in=players)
    rows = lines.order_by("player_id").values_list(
        "player_id",
        "calculation__system",
        "pk",
        "previous_id",
        "calculation_id",
        *(f"calculation__{name}" for name in Calculation.ORDER),
    )
    of_player = groupby(rows.iterator(chunk_size=10_000), key=itemgetter(0))
    for player, found in of_player:
        if player in players:
            yield from _last_lines(player, found)


def _last_lines(player: int, found: Iterable[tuple[Any, ...]]) -> Iterator[LastLine]:
    chains: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for _, system, *line in found:
        chains[system].append(tuple(line))
    for system, chain in sorted(chains.items()):
        latest = max(chain, key=lambda line: (line[3:], line[2]))
        yield LastLine(player, system, _end_of(chain), latest[2])


def _end_of(chain: list[tuple[Any, ...]]) -> int:
    """Return the line that no other one goes on from.

    Where an undone rerate has left two, it is the one that was entered last, as in
    ``ratings.ledger.services.projection``.
    """
    gone_on_from = {previous for _, previous, *_ in chain}
    ends = [(line[2], line[0]) for line in chain if line[0] not in gone_on_from]
    return max(ends)[1]


def everybody_rated() -> set[int]:
    return set(
        RatingChange.objects.order_by().values_list("player_id", flat=True).distinct()
    )


def late_players() -> set[int]:
    """Return whose last line is that of a section reported late."""
    return set(
        PlayerRating.objects.filter(last_change__calculation__is_late=True)
        .order_by()
        .values_list("player_id", flat=True)
    )


Side = tuple[int | None, int, int | None]
"""A calculation, somebody in it, and the number that theirs was merged into."""


class RatingThen(NamedTuple):
    """A rating as everybody sees it, and on how many games it rests."""

    rating: float | None
    games: int


UNRATED = RatingThen(None, 0)


def ratings_seen(
    sides: Iterable[Side],
    column: str,
    systems: Mapping[int, str] | None = None,
    starts: Starts | None = None,
) -> dict[Side, RatingThen]:
    """Return ratings before or after calculations, by whose (up to three queries).

    Where the *systems* of the calculations are not known, that is one more query.
    *starts* are those of others that are needed, too: asked for at once.
    """
    sides = set(sides)
    seen = RatingsThen.of(sides, [column]).seen(sides, systems, starts)
    return {side: then for side, (then,) in seen.items()}


@dataclass(frozen=True, slots=True)
class RatingsThen:
    """Ratings before or after calculations, as they are until somebody has `seen` them.

    *lines* says which line of the ledger is whose, *ratings* what a line holds.
    """

    lines: dict[Side, "_Line"]
    ratings: dict["_Line", tuple[RatingThen, ...]]
    unrated: tuple[RatingThen, ...]

    @classmethod
    def of(
        cls, sides: Collection[Side], columns: Sequence[str] = tuple(_GAMES)
    ) -> Self:
        """Read them: before and after, if no other *columns* are named (one query).

        All lines of the calculations are read, which stand together: to look up each
        person's takes longer. Until a rerate follows a merge, the line stands under the
        merged number.
        """
        unrated = (UNRATED,) * len(columns)
        calculations = {calculation for calculation, *_ in sides} - {None}
        if not calculations:
            return cls({}, {}, unrated)
        rows = RatingChange.objects.filter(calculation__among=calculations).order_by()
        games = [_GAMES[column] for column in columns]
        rows = rows.values_list("calculation_id", "player_id", *columns, *games)
        rated = {row[:2]: row[2:] for row in rows}
        lines = {
            (calculation, player, kept): (calculation, number)
            for calculation, player, kept in sides
            for number in (player, kept)
            if (calculation, number) in rated
        }
        ratings = {line: _then(rated[line]) for line in lines.values()}
        return cls(lines, ratings, unrated)

    def seen(
        self,
        sides: Iterable[Side],
        systems: Mapping[int, str] | None,
        starts: Starts | None = None,
    ) -> dict[Side, tuple[RatingThen, ...]]:
        """Return ratings as everybody sees them, by whose (up to two queries).

        *systems* are those of the calculations; not known, they are one query more.
        *starts* are those of others that are needed, too: asked for at once.
        """
        sides = set(sides)
        found = {side: self.lines[side] for side in sides if side in self.lines}
        lines = {line: self.ratings[line] for line in found.values()}
        seen = _seen(lines, systems, starts or Starts(ratings=()))
        return {
            side: seen[found[side]] if side in found else self.unrated for side in sides
        }

    def moved(self, side: Side, points: float) -> tuple[RatingThen, ...]:
        """Return ratings, moved by *points* where they may be seen rounded."""
        if side not in self.lines:
            return self.unrated
        return tuple(
            then._replace(rating=then.rating + points) if _may_tell(then) else then
            for then in self.ratings[self.lines[side]]
        )


def _then(row: Sequence[Any]) -> tuple[RatingThen, ...]:
    """Return the ratings of a row that has all ratings first, then all games."""
    half = len(row) // 2
    return tuple(map(RatingThen, row[:half], row[half:]))


_Line = tuple[int, int]
"""A calculation, and the number of somebody who has a line in it."""


def _seen(
    lines: dict[_Line, tuple[RatingThen, ...]],
    systems: Mapping[int, str] | None,
    starts: Starts,
) -> dict[_Line, tuple[RatingThen, ...]]:
    """Return the ratings of lines as everybody sees them."""
    may_tell = [line for line, then in lines.items() if any(map(_may_tell, then))]
    if systems is None:
        systems = _systems_of({calculation for calculation, _ in may_tell})
    starts.ask((player, systems[calculation]) for calculation, player in may_tell)
    seen = dict(lines)
    for calculation, player in may_tell:
        system = systems[calculation]
        seen[calculation, player] = tuple(
            _as_told(one, starts.told(player, system, one.games))
            if _may_tell(one)
            else one
            for one in lines[calculation, player]
        )
    return seen


def _may_tell(then: RatingThen) -> bool:
    """Tell whether a rating may tell how it began: what was established does not."""
    return then.rating is not None and then.games <= MOST_PROVISIONAL


def _as_told(then: RatingThen, told: int) -> RatingThen:
    return then._replace(rating=float(shown(then.rating, told)))


def _systems_of(calculations: Set[int]) -> dict[int, str]:
    """Return the systems by calculation; as a part of a join they take far longer."""
    if not calculations:
        return {}
    found = Calculation.objects.filter(pk__among=calculations).order_by()
    return dict(found.values_list("pk", "system"))


def numbers_of_side(side: str) -> tuple[str, str]:
    """Return the columns of a game with who sat on a *side*, for `ratings_seen`."""
    return f"{side}__player", f"{side}__player__merged_into"
