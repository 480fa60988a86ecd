"""The ledger as of a moment: the calculations in force then, and their lines.

A calculation rated on arrival is in force from its entry on, one of a rerate from the
rerate's publication until it is undone, and each until a rerate in force replaces it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Exists, OuterRef, Q, Sum, Value

from events.formats.played_games import HALF_POINTS
from events.models import Game, UnplayedRound
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import Calculation, PlayerRating, RatingChange, Run

# How many players can be named in one statement.
FEW = 1000


@dataclass(frozen=True, slots=True)
class LastLine:
    """The last line of a player in a system, and the latest one in rating order.

    The two are the same, except if the last to be rated was a late section.
    """

    player_id: int
    system: str
    change_id: int
    latest_id: int


def in_force(moment: datetime, *, of: str = "") -> Q:
    """Return the condition that a calculation was public at *moment*.

    *of* leads to the calculation, such as ``calculation__`` from a ledger line. It is
    no subquery, because SQLite would look up every player with every calculation.
    """
    runs = list(Run.objects.filter(kind__in=[Run.Kind.INCREMENTAL, Run.Kind.RERATE]))
    incremental = [run.pk for run in runs if run.kind == Run.Kind.INCREMENTAL]
    counting = [run for run in runs if _counts_at(moment, run)]
    undone = [run for run in counting if run.undone_at is not None]
    published = {run.pk: run.published_at for run in counting if run.published_at}
    condition = _where(of, run__in=incremental, created_at__lte=moment)
    condition |= _where(of, run__in=[run.pk for run in counting])
    condition &= _where(of, superseded_by=None) | ~_where(
        of, superseded_by__in=[run.pk for run in counting]
    )
    for run in undone:
        earlier = [pk for pk, at in published.items() if at < published[run.pk]]
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
    """Calculations that a rerate replaced or retired, until it was undone."""
    replaced = _where(of, pk__in=undone.progress.get("retired", []))
    instead = Calculation.objects.filter(run=undone, superseded_by=None)
    for source in Calculation.SOURCES:
        same = instead.filter(
            **{source: OuterRef(f"{of}{source}"), "system": OuterRef(f"{of}system")}
        )
        replaced |= Q(Exists(same))
    return replaced


def players_changed_since(moment: datetime) -> set[int] | None:
    """Return players whose ratings may have changed since *moment*; None means all."""
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

    The ledger is read once, player by player, and not held in memory.
    """
    lines = RatingChange.objects.filter(in_force(moment, of="calculation__"))
    if len(players) <= FEW:
        lines = lines.filter(player__in=players)
    rows = lines.order_by("player_id").values_list(
        "player_id",
        "calculation__system",
        "calculation_id",
        "pk",
        "previous_id",
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
        latest = max(chain, key=lambda line: (line[3:], line[0]))
        yield LastLine(player, system, end_of_chain(chain), latest[0])


def end_of_chain(chain: Collection[tuple[Any, ...]]) -> int:
    """Return the last of a player's lines in a system: no other one continues it.

    A line begins with its calculation, its key and the key before. If an undone rerate
    has left two ends, it is the one that was entered last.
    """
    gone_on_from = {line[2] for line in chain}
    last: int = max(line[:2] for line in chain if line[1] not in gone_on_from)[1]
    return last


def games_between(
    first: date, last: date, moment: datetime
) -> dict[tuple[int, str], int]:
    """Count the games of each player and system, as of *moment* (one query).

    Those of events that ended from *first* to *last*. Opening ratings and adjustments
    have lines without games.
    """
    days = {"calculation__order_date__range": (first, last)}
    lines = RatingChange.objects.filter(in_force(moment, of="calculation__"), **days)
    key = ("player_id", "calculation__system")
    counted = lines.order_by().values_list(*key).annotate(played=Sum("games"))
    # No iterator: for a cursor PostgreSQL plans a quick first row, and takes ten times.
    return {(player, system): played for player, system, played in counted}


def all_rated_players() -> set[int]:
    return set(
        RatingChange.objects.order_by().values_list("player_id", flat=True).distinct()
    )


def late_players() -> set[int]:
    """Return the players whose last line is from a section reported late."""
    return set(
        PlayerRating.objects.filter(last_change__calculation__is_late=True)
        .order_by()
        .values_list("player_id", flat=True)
    )


Side = tuple[int | None, int | None, int | None]
"""A calculation, a player in it, and the number that theirs was merged into."""


class PastRating(NamedTuple):
    """A rating before or after an event, and its age-based start if it still is one.

    *games* is the number of games behind it.
    """

    rating: float | None
    age_start: float | None = None
    games: int = 0

    @property
    def published(self) -> float | None:
        return published_number(self.rating, self.age_start)


UNRATED = PastRating(None)


class RatingsBeforeAfter(NamedTuple):
    before: PastRating
    after: PastRating


NEVER_RATED = RatingsBeforeAfter(UNRATED, UNRATED)


def ratings_before_after(sides: Iterable[Side]) -> dict[Side, RatingsBeforeAfter]:
    """Return ratings before and after calculations, by player (one query).

    All lines of the calculations are read, because they are stored together: looking up
    each player's takes longer. Until a rerate follows a merge, the line keeps the
    merged number.
    """
    sides = set(sides)
    calculations = {calculation for calculation, *_ in sides} - {None}
    rated = {}
    if calculations:
        rows = RatingChange.objects.filter(
            calculation__in_array=calculations
        ).order_by()
        before_columns = ("pre_rating", "pre_age_start", "pre_games")
        after_columns = ("post_rating", "age_start", "post_games")
        for calculation, player, *around in rows.values_list(
            "calculation_id", "player_id", *before_columns, *after_columns
        ):
            before, after = PastRating(*around[:3]), PastRating(*around[3:])
            rated[calculation, player] = RatingsBeforeAfter(before, after)
    return {
        (calculation, player, kept): rated.get(
            (calculation, player), rated.get((calculation, kept), NEVER_RATED)
        )
        for calculation, player, kept in sides
    }


def side_columns(side: str) -> tuple[str, str]:
    """Return the columns with the player on *side* of a game."""
    return f"{side}__player", f"{side}__player__merged_into"


# The two sides of a game: the member's own, and the other.
SIDES = (("first", "second"), ("second", "first"))

# Points without a game that norms know of.
FREE_POINTS = [UnplayedRound.Kind.FULL_POINT_BYE, UnplayedRound.Kind.FORFEIT_WIN]


class SectionCalculation(NamedTuple):
    """A section, and a calculation that rated it in a system."""

    section: int
    calculation: int


class OpponentGame(NamedTuple):
    """A game from one side.

    *opponent* is the number that the opponent's was merged into, if it was. The
    opponent's ratings before and after the section are published numbers. A full-point
    bye or forfeit win has no opponent and no ratings.
    """

    opponent: int | None
    before: float | None
    after: float | None
    half_points: int


def opponent_games(
    numbers: Sequence[int], sections: Collection[SectionCalculation]
) -> dict[int, list[OpponentGame]]:
    """Return a person's games in sections by calculation, in no order (two queries).

    *numbers* are all member numbers of the person; both sides of the board are
    searched.
    """
    return games_of_people(dict.fromkeys(numbers, 0), sections).get(0, {})


def games_of_people(
    owners: Mapping[int, int], sections: Collection[SectionCalculation]
) -> dict[int, dict[int, list[OpponentGame]]]:
    """Return the games of several people by person and calculation (two queries).

    *owners* are the people by their member numbers.
    """
    calculations: defaultdict[int, list[int]] = defaultdict(list)
    for one in sections:
        calculations[one.section].append(one.calculation)
    games = [
        (owners[own], (calculation, number, kept), HALF_POINTS.get(outcome, 2))
        for section, own, number, kept, outcome in _games_in([*owners], [*calculations])
        for calculation in calculations[section]
    ]
    around = ratings_before_after(side for _, side, _ in games)
    met: dict[int, dict[int, list[OpponentGame]]] = {}
    for owner, side, half_points in games:
        calculation, number, kept = side
        before, after = around[side]
        opponent = number if kept is None else kept
        game = OpponentGame(opponent, before.published, after.published, half_points)
        met.setdefault(owner, {}).setdefault(calculation, []).append(game)
    return met


def _games_in(
    numbers: Collection[int], sections: list[int]
) -> Iterable[tuple[int, int, int | None, int | None, str]]:
    """Return section, own number, opponent, the number it is merged into, outcome.

    Full-point byes and forfeit wins have their kind instead, and no opponent.
    """
    if not sections:
        return []
    # The person's entries are few; a section has many games.
    first, second = (
        Game.objects.filter(
            **{
                f"{mine}__player__in": numbers,
                f"{mine}__section__in_array": sections,
            }
        )
        .order_by()
        .values_list(
            "section", f"{mine}__player", *side_columns(theirs), f"{mine}_outcome"
        )
        for mine, theirs in SIDES
    )
    nobody = Value(None, output_field=BigIntegerField())
    free = UnplayedRound.objects.filter(
        kind__in=FREE_POINTS,
        entry__player__in=numbers,
        entry__section__in_array=sections,
    )
    columns = ("entry__section", "entry__player", nobody, nobody, "kind")
    return first.union(second, free.order_by().values_list(*columns), all=True)
