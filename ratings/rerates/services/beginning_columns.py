"""Where a window's replay begins, read column by column (PostgreSQL, needs numpy).

It reads what `people.Window` and `people.beginning_of` read, without an object for each
line: the window of a late report has some 80,000 of them.
"""

from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any, NamedTuple, Self

from ratings.engine.replay.arrays import RECORDS, SYSTEMS, Matches, States
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings.rerates.services.people import (
    STANDING,
    SYSTEM_NAMES,
    Beginning,
    Cast,
    are_few,
    log_matches,
    numbers_in,
)
from ratings_site.common.database.among import as_array
from ratings_site.common.database.beside import Beside
from ratings_site.common.database.binary_copy import (
    BIGINT,
    DOUBLE,
    INTEGER,
    ORDINAL,
    numpy,
    read_arrays,
)

NO_LINE = 0
_LINES, _CALCULATIONS, _RATINGS = (
    model._meta.db_table for model in (RatingChange, Calculation, PlayerRating)
)
_RECORD_WORDS = [record.value for record in RECORDS]
# By the numbers that the engine has for them.
SYSTEM = f"array_position(ARRAY{SYSTEM_NAMES}::varchar[], {{}}) - 1"
RECORD = f"array_position(ARRAY{_RECORD_WORDS}::varchar[], {{}}) - 1"
PEAK = "coalesce({}, 'NaN')"
# Player, system, line, STANDING, and the days it was rated on and its rules are of.
_STARTING = (
    BIGINT,
    INTEGER,
    BIGINT,
    DOUBLE,
    *[INTEGER] * (len(STANDING) - 2),
    DOUBLE,
    INTEGER,
    INTEGER,
)
_LINE_OF = f"(SELECT * FROM {_LINES} WHERE {{}} OFFSET 0) line"  # noqa: S608 (our own names)
_MAKER = f"(SELECT * FROM {_CALCULATIONS} WHERE id = line.calculation_id OFFSET 0) made"  # noqa: S608
# OFFSET 0 has PostgreSQL look up each by the index. Of a ledger in partitions it may
# think that a number finds thousands of lines, and would read and sort all of it.
_LINES_WANTED = (
    "unnest(%s::bigint[]) wanted, "
    f"LATERAL {_LINE_OF.format('id = wanted')}, LATERAL {_MAKER}"
)


class WindowColumns(NamedTuple):
    """What the current lines of sources from a day on say (see `people.Window`).

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


def beginning_in_columns(
    cast: Cast, from_day: date, window: WindowColumns
) -> Beginning:
    """Return the states before the first source of *from_day*."""
    players = len(cast.ids)
    begin = Beginning(States.unrated(players), Matches.none(players))
    with Beside() as beside:
        last = beside.do(partial(_last_lines, cast, from_day, window.states))
        inside = list(_lines_before(window.before, from_day))
        for lines in (last(), *inside):
            _enter(begin, cast, lines)
    log_matches(begin.matches, cast, from_day)
    return begin


def _last_lines(cast: Cast, from_day: date, inside: Any) -> list[Any]:
    """Return the current ratings of those who have no line in the window."""
    few = are_few(cast.ids)
    standing = [_shown(name, "rated", name) for name in STANDING]
    columns = read_arrays(
        f"SELECT rated.player_id, {SYSTEM.format('rated.system')}, "  # noqa: S608 (our own names)
        f"rated.last_change_id, {', '.join(standing)}, "
        f"{ORDINAL.format('rated.rated_on')} FROM {_RATINGS} rated "
        "WHERE rated.rated_on < %s" + " AND rated.player_id = ANY(%s::bigint[])" * few,
        [from_day, *[as_array(cast.ids)] * few],
        _STARTING[:-1],
    )
    is_outside = ~numpy.isin(columns[0] * SYSTEMS + columns[1], inside)
    is_outside &= numbers_in(cast, columns[0])[1]
    columns = [column[is_outside] for column in columns]
    lines, rules_days = _rules_days(columns[2])
    _, place, day_at = numpy.intersect1d(
        columns[2], lines, assume_unique=True, return_indices=True
    )
    return [*(column[place] for column in columns), rules_days[day_at]]


def _rules_days(lines: Any) -> list[Any]:
    """Return lines and the days of the rules that they were computed by."""
    return read_arrays(
        f"SELECT line.id, {ORDINAL.format('made.rules_day')} "  # noqa: S608 (our own names)
        f"FROM {_LINES_WANTED}",
        [as_array(numpy.sort(lines))],
        (BIGINT, INTEGER),
    )


def _lines_before(before: Any, from_day: date) -> Iterator[list[Any]]:
    """Yield the lines before *from_day* that those of the window go on from."""
    while len(before):
        lines, days, previous = _read_lines(before)
        is_before = days < from_day.toordinal()
        yield [column[is_before] for column in lines]
        # Of an undone rerate, which stands in the window: go on from those before.
        before = numpy.unique(previous[~is_before & (previous != NO_LINE)])


def _read_lines(pks: Any) -> tuple[list[Any], Any, Any]:
    """Return lines, the days of their sources, and the lines that they go on from."""
    standing = [_shown(name, "line", _IN_LINES.get(name, name)) for name in STANDING]
    *lines, days, previous = read_arrays(
        f"SELECT line.player_id, {SYSTEM.format('made.system')}, line.id, "  # noqa: S608 (our own names)
        f"{', '.join(standing)}, {ORDINAL.format('made.age_day')}, "
        f"{ORDINAL.format('made.rules_day')}, {ORDINAL.format('made.order_date')}, "
        f"coalesce(line.previous_id, {NO_LINE}) "
        f"FROM {_LINES_WANTED}",
        [as_array(pks)],
        (*_STARTING, INTEGER, BIGINT),
    )
    return lines, days, previous


_IN_LINES = {"rating": "post_rating", "games": "post_games"}


def _shown(name: str, table: str, column: str) -> str:
    column = f"{table}.{column}"
    return {"record": RECORD, "peak": PEAK}.get(name, "{}").format(column)


def _enter(begin: Beginning, cast: Cast, lines: list[Any]) -> None:
    """Enter the lines of those in the cast."""
    number, in_cast = numbers_in(cast, lines[0])
    player, system, line, *standing, rated_on, rules_day = (
        column[in_cast] for column in (number, *lines[1:])
    )
    state = player * SYSTEMS + system
    for name, values in zip(
        (*STANDING, "rated_on"), (*standing, rated_on), strict=True
    ):
        numpy.asarray(getattr(begin.states, name))[state] = values
    first = len(begin.lines)
    numpy.asarray(begin.states.last_row)[state] = numpy.arange(first, first + len(line))
    begin.lines.frombytes(line.tobytes())
    begin.rules_days.frombytes(rules_day.tobytes())
