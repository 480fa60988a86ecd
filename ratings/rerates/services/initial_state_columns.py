"""The initial state of a window's replay as columns (PostgreSQL, needs numpy).

It reads the same as `Window` and `read_initial_state`, without an
object for each line: the window of a late report has some 80,000 of them.
"""

from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any, NamedTuple, Self

from ratings.engine.replay.arrays import SYSTEMS, Matches, States
from ratings.models import Calculation, RatingChange
from ratings.rerates.services.current_rating_columns import (
    NO_LINE,
    OR_NAN,
    RECORD,
    SYSTEM,
    CurrentColumns,
    RatingRows,
)
from ratings.rerates.services.players import (
    STANDING,
    InitialState,
    PlayerIndex,
    log_matches,
    numbers_in,
)
from ratings_site.common.db.binary_copy import (
    BIGINT,
    DOUBLE,
    INTEGER,
    ORDINAL,
    numpy,
    read_arrays,
)
from ratings_site.common.db.in_array import as_array
from ratings_site.common.db.parallel import ParallelConnections, Result

_LINES, _CALCULATIONS = RatingChange._meta.db_table, Calculation._meta.db_table
# Player, system, line, STANDING, its rating day and the day of its rules.
_STARTING = (
    BIGINT,
    INTEGER,
    BIGINT,
    DOUBLE,
    *[INTEGER] * (len(STANDING) - 3),
    DOUBLE,
    DOUBLE,
    INTEGER,
    INTEGER,
)
_LINE_OF = f"(SELECT * FROM {_LINES} WHERE {{}} OFFSET 0) line"  # noqa: S608 (our own names)
_MAKER = f"(SELECT * FROM {_CALCULATIONS} WHERE id = line.calculation_id OFFSET 0) made"  # noqa: S608
# OFFSET 0 makes PostgreSQL look up each by the index. For a partitioned ledger it may
# estimate thousands of lines per key, and would read and sort all of it.
_LINES_WANTED = (
    "unnest(%s::bigint[]) wanted, "
    f"LATERAL {_LINE_OF.format('id = wanted')}, LATERAL {_MAKER}"
)


class WindowColumns(NamedTuple):
    """The current lines of sources from a day on (see `Window`).

    *states* are primary keys of players times `SYSTEMS`, plus the system.
    """

    players: set[int]
    states: Any
    before: Any

    @classmethod
    def read(cls, from_day: date) -> Self:
        line, previous, player, system = read_arrays(
            f"SELECT line.id, coalesce(line.previous_id, {NO_LINE}), line.player_id, "  # noqa: S608 (our own names)
            f"{SYSTEM.format('made.system')} "
            f"FROM {_CALCULATIONS} made, "
            f"LATERAL {_LINE_OF.format('calculation_id = made.id')} "
            "WHERE made.is_current AND made.order_date >= %s",
            [from_day],
            (BIGINT, BIGINT, BIGINT, INTEGER),
        )
        before = numpy.setdiff1d(previous, line)
        return cls(
            set(numpy.unique(player).tolist()),
            numpy.unique(player * SYSTEMS + system),
            before[before != NO_LINE],
        )


def read_initial_state_columns(
    player_index: PlayerIndex,
    from_day: date,
    window: WindowColumns,
    rows: Result[RatingRows],
    parallel: ParallelConnections,
) -> tuple[InitialState, CurrentColumns]:
    """Return the states before the first source of *from_day*, and current ratings.

    Players with no line in the window start from their current rating; *rows* waits for
    these.
    """
    players = len(player_index.ids)
    begin = InitialState(States.unrated(players), Matches.none(players))

    def inside(before: Any) -> list[StartingLines]:
        return list(_lines_before(player_index, before, from_day))

    def outside() -> tuple[CurrentColumns, StartingLines]:
        current = CurrentColumns.of(player_index, rows())
        return current, _outside(current, player_index, from_day, window.states)

    # Each on a connection of its own, if possible.
    half = len(window.before) // 2 if parallel.is_parallel else 0
    others = parallel.do(partial(inside, window.before[:half]))
    last = parallel.do(outside, after=[rows])
    lines = inside(window.before[half:])
    log_matches(begin.matches, player_index, from_day)
    current, last_lines = last()
    for started in (last_lines, *others(), *lines):
        _enter(begin, started)
    return begin, current


class StartingLines(NamedTuple):
    """Lines to begin from, a place each: their states, and their columns.

    *standing* has a column for each name of `STANDING`; days are ordinals.
    """

    state: Any
    line: Any
    standing: list[Any]
    rated_on: Any
    rules_day: Any


def _outside(
    current: CurrentColumns, player_index: PlayerIndex, from_day: date, inside: Any
) -> StartingLines:
    """Return the current ratings of states that have no line in the window."""
    state, standing = current
    player = numpy.asarray(player_index.ids)[state // SYSTEMS]
    is_outside = standing.rated_on < from_day.toordinal()
    is_outside &= ~numpy.isin(player * SYSTEMS + state % SYSTEMS, inside)
    state, standing = state[is_outside], standing.at(is_outside)
    lines, rules_days = _rules_days(standing.last_change)
    _, place, day_at = numpy.intersect1d(
        standing.last_change, lines, assume_unique=True, return_indices=True
    )
    standing = standing.at(place)
    return StartingLines(
        state[place],
        standing.last_change,
        [getattr(standing, name) for name in STANDING],
        standing.rated_on,
        rules_days[day_at],
    )


def _rules_days(lines: Any) -> list[Any]:
    """Return lines and the days of the rules by which they were computed."""
    return read_arrays(
        f"SELECT line.id, {ORDINAL.format('made.rules_day')} "  # noqa: S608 (our own names)
        f"FROM {_LINES_WANTED}",
        [as_array(numpy.sort(lines))],
        (BIGINT, INTEGER),
    )


def _lines_before(
    player_index: PlayerIndex, before: Any, from_day: date
) -> Iterator[StartingLines]:
    """Yield the lines before *from_day* that those of the window continue."""
    while len(before):
        player, system, line, *standing, rated_on, rules_day, day, previous = (
            _read_lines(before)
        )
        is_before = day < from_day.toordinal()
        number, in_cast = numbers_in(player_index, player)
        is_taken = is_before & in_cast
        yield StartingLines(
            (number * SYSTEMS + system)[is_taken],
            line[is_taken],
            [column[is_taken] for column in standing],
            rated_on[is_taken],
            rules_day[is_taken],
        )
        # Lines of an undone rerate are in the window: continue with those before.
        before = numpy.unique(previous[~is_before & (previous != NO_LINE)])


def _read_lines(pks: Any) -> list[Any]:
    """Return player, system, line, STANDING and days; and the lines before them."""
    standing = [_shown(name, _IN_LINES.get(name, name)) for name in STANDING]
    return read_arrays(
        f"SELECT line.player_id, {SYSTEM.format('made.system')}, line.id, "  # noqa: S608 (our own names)
        f"{', '.join(standing)}, {ORDINAL.format('made.age_day')}, "
        f"{ORDINAL.format('made.rules_day')}, {ORDINAL.format('made.order_date')}, "
        f"coalesce(line.previous_id, {NO_LINE}) "
        f"FROM {_LINES_WANTED}",
        [as_array(pks)],
        (*_STARTING, INTEGER, BIGINT),
    )


_IN_LINES = {"rating": "post_rating", "games": "post_games"}


def _shown(name: str, column: str) -> str:
    nullable = {"record": RECORD, "peak": OR_NAN, "age_start": OR_NAN}
    return nullable.get(name, "{}").format(f"line.{column}")


def _enter(begin: InitialState, started: StartingLines) -> None:
    state, line, standing, rated_on, rules_day = started
    for name, values in zip(
        (*STANDING, "rated_on"), (*standing, rated_on), strict=True
    ):
        numpy.asarray(getattr(begin.states, name))[state] = values
    first = len(begin.lines)
    numpy.asarray(begin.states.last_row)[state] = numpy.arange(first, first + len(line))
    begin.lines.frombytes(line.tobytes())
    begin.rules_days.frombytes(rules_day.tobytes())
