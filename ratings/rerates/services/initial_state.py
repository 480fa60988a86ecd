"""The states that a replay begins from, read from the ledger and current ratings."""

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import compress
from typing import Any, NamedTuple, Self

from events.models import Section
from ratings.engine.matches import MAX_WINDOW
from ratings.engine.replay.arrays import RECORDS, SYSTEMS, Matches, States
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings.rerates.services.players import (
    SYSTEM_NAMES,
    SYSTEM_NUMBER,
    PlayerIndex,
    read_columns_of,
)
from ratings_site.common.db.binary_copy import (
    day_ordinal,
    indexed_join,
    ordinal,
    read_columns,
    word_index,
    word_index_sql,
)
from ratings_site.common.db.in_array import number_table
from ratings_site.common.db.parallel import ParallelConnections, Result

RECORD_WORDS = [record.value for record in RECORDS]
# The columns of a replay's state that lines and current ratings have by the same names.
COUNTS = ("wins", "draws", "losses", "three_game_events", "peak", "age_start")
_LINES, _CALCULATIONS = RatingChange._meta.db_table, Calculation._meta.db_table


@dataclass(slots=True)
class InitialState:
    """The start of a replay: states, earlier matches, and the lines behind them.

    The rows of a replay are numbered over the whole run; the first numbers are for the
    ledger lines before it: *lines* are their primary keys, *rules_days* the days
    (ordinals) of the rules they were computed by.
    """

    states: States
    matches: Matches
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    rules_days: "array[int]" = field(default_factory=lambda: array("i"))

    def copied(self) -> Self:
        """Return a copy for another replay, which changes it."""
        return replace(
            self,
            states=States._make(column[:] for column in self.states),
            matches=Matches._make(column[:] for column in self.matches),
        )


class Window(NamedTuple):
    """The current lines of sources from a day on.

    *states* are player and number of the system; *before* are the primary keys of the
    lines that these lines continue and which are not among them. For a replay of all
    history both are empty.
    """

    players: set[int]
    states: set[tuple[int, int]]
    before: set[int]

    @classmethod
    def read(cls, from_day: date | None) -> Self:
        if from_day is None:
            lines = RatingChange.objects.filter(calculation__is_current=True)
            players = lines.order_by().values_list("player_id", flat=True).distinct()
            return cls(set(players), set(), set())
        line, previous, player, system = read_columns(
            "SELECT line.id, coalesce(line.previous_id, 0), line.player_id, "  # noqa: S608 (our own names)
            f"{word_index_sql(SYSTEM_NAMES, 'made.system')} FROM {_CALCULATIONS} made "
            f"{indexed_join(_LINES, 'line', 'calculation_id', 'made.id')} "
            "WHERE made.is_current AND made.order_date >= %s",
            [from_day.isoformat()],
            "qqqi",
        )
        states = set(zip(player, system, strict=True))
        return cls(set(player), states, set(previous).difference(line, [0]))


class CurrentRatings(NamedTuple):
    """Current ratings, a place each; *columns* are those of `ProjectedRating`."""

    player: "array[int]"
    system: "array[int]"
    columns: "list[array[Any]]"

    @classmethod
    def read(cls, players: Collection[int]) -> Self:
        """Read those of these players, or of all members if they are many."""
        player, system, *columns = read_columns_of(
            PlayerRating.objects.order_by(),
            players,
            "qidiiiiiidddiq",
            word_index(SYSTEM_NAMES, "system"),
            "rating",
            "games",
            word_index(RECORD_WORDS, "record"),
            *COUNTS,
            "floor",
            day_ordinal("rated_on"),
            "last_change_id",
        )
        return cls(player, system, columns)


def read_initial_state(
    player_index: PlayerIndex,
    from_day: date | None,
    window: Window,
    current: Result[CurrentRatings] | None,
    parallel: ParallelConnections,
) -> InitialState:
    """Return the states before the first source of *from_day* (None: unrated).

    The current lines of a player in a system are a chain; the line before the first one
    of the window is the state. Without a line in the window it is the line of the
    current rating.
    """
    players = len(player_index.ids)
    begin = InitialState(States.unrated(players), Matches.none(players))
    if from_day is not None and current is not None:
        last = _last_lines(player_index, from_day, window, current())
        lines = [*last, *window.before]
        # Each half on a connection of its own, if possible.
        half = len(lines) // 2 if parallel.is_parallel else 0
        others = parallel.do(partial(_read_lines, lines[:half], from_day))
        mine = _read_lines(lines[half:], from_day)
        _log_matches(begin.matches, player_index, from_day)
        for columns in (*others(), *mine):
            _enter(begin, player_index, *columns)
    return begin


def _last_lines(
    player_index: PlayerIndex, from_day: date, window: Window, current: CurrentRatings
) -> list[int]:
    """Return the lines of current ratings without a line in the window."""
    *_, rated_on, last_change = current.columns
    number, inside, first = player_index.number, window.states, from_day.toordinal()
    return [
        line
        for player, system, day, line in zip(
            current.player, current.system, rated_on, last_change, strict=True
        )
        if day < first and player in number and (player, system) not in inside
    ]


def _read_lines(lines: Collection[int], from_day: date) -> list[list[Any]]:
    """Return the columns of these lines, in the order of `_enter`.

    After an undone rerate a line may continue one of the undone run, which is in the
    window and not current; then the lines before that one are read.
    """
    counts = ", ".join(f"line.{name}" for name in COUNTS)
    days = ", ".join(map(ordinal, ("made.age_day", "made.rules_day")))
    found = []
    while lines:
        table, parameter = number_table(lines)
        *columns, day, previous = read_columns(
            f"SELECT line.player_id, {word_index_sql(SYSTEM_NAMES, 'made.system')}, "  # noqa: S608 (our own names)
            "line.post_rating, line.post_games, "
            f"{word_index_sql(RECORD_WORDS, 'line.record')}, "
            f"{counts}, {days}, line.id, "
            f"{ordinal('made.order_date')}, coalesce(line.previous_id, 0) "
            f"FROM {table} wanted {indexed_join(_LINES, 'line', 'id', 'wanted.value')} "
            f"{indexed_join(_CALCULATIONS, 'made', 'id', 'line.calculation_id')}",
            [parameter],
            "qidiiiiiiddiiqiq",
        )
        is_before = [one < from_day.toordinal() for one in day]
        found.append([list(compress(column, is_before)) for column in columns])
        lines = {
            one
            for one, is_outside in zip(previous, is_before, strict=True)
            if one and not is_outside
        }
    return found


def _enter(
    begin: InitialState,
    player_index: PlayerIndex,
    player: Iterable[int],
    system: Iterable[int],
    *columns: Sequence[Any],
) -> None:
    """Enter lines; *columns* are those of a state, the day of rules and the line."""
    *standing, rules_day, line = columns
    states = [
        player_index.number[one] * SYSTEMS + number
        for one, number in zip(player, system, strict=True)
    ]
    rows = range(len(begin.lines), len(begin.lines) + len(line))
    all_columns: tuple[Any, ...] = begin.states
    for column, values in zip(all_columns, (*standing, rows), strict=True):
        for state, value in zip(states, values, strict=True):
            column[state] = value
    begin.lines.extend(line)
    begin.rules_days.extend(rules_day)


def _log_matches(matches: Matches, player_index: PlayerIndex, from_day: date) -> None:
    """Log the changes by matches of the last years before the window."""
    rows = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__section__kind=Section.Kind.MATCH,
        calculation__order_date__lt=from_day,
        calculation__order_date__gt=from_day - MAX_WINDOW,
        pre_rating__isnull=False,
    ).order_by(*(f"calculation__{name}" for name in Calculation.ORDER))
    for player, system, day, pre, post in rows.values_list(
        "player_id",
        "calculation__system",
        "calculation__age_day",
        "pre_rating",
        "post_rating",
    ):
        if pre is not None and player in player_index.number:
            state = player_index.number[player] * SYSTEMS + SYSTEM_NUMBER[system]
            matches.add(state, day.toordinal(), post - pre)
