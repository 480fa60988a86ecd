"""The current ratings at the end of a replay, compared with today's."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ratings.engine.replay.arrays import NAN, NO_RECORD, SYSTEMS
from ratings.models import Run, RunDifference
from ratings.rerates.services.initial_state import RECORD_WORDS, CurrentRatings
from ratings.rerates.services.kernel_compiler import Loop
from ratings.rerates.services.players import SYSTEM_NAMES, batches
from ratings.rerates.services.replay import History
from ratings_site.common.db.binary_copy import DictionaryColumn, write_columns

DIFFERENCES_AT_A_TIME = 50_000


class ProjectedRating(NamedTuple):
    """A current rating, column by column; *rating* is in points.

    *record* is a place in `RECORDS`, *rated_on* an ordinal.
    """

    rating: float
    games: int
    record: int
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float | None
    age_start: float | None
    floor: float
    rated_on: int
    last_change: int


class RatingDifference(NamedTuple):
    """A current rating that a replay changes; None means unrated."""

    state: int
    player: int
    system: str
    before: ProjectedRating | None
    after: ProjectedRating | None


def rating_differences(
    history: History, lines: Sequence[int], current: CurrentRatings
) -> Iterator[RatingDifference]:
    """Yield the current ratings that differ from the end of the replay.

    *lines* are the primary keys of the lines behind the rows of the whole run. All
    players of the replay are compared, in all systems.
    """
    ids, number = history.player_index.ids, history.player_index.number
    replayed = _replayed_columns(history, lines)
    is_new = bytearray(rating == rating for rating in replayed[0])

    def differences(
        states: Sequence[int], before: Iterable[ProjectedRating | None]
    ) -> Iterator[RatingDifference]:
        after = _rows(replayed, states)
        for state, old, new in zip(states, before, after, strict=True):
            is_new[state] = False
            if old != new:
                player, system = divmod(state, SYSTEMS)
                yield RatingDifference(
                    state, ids[player], SYSTEM_NAMES[system], old, new
                )

    # In the order of players and names of systems; sorted here, because the database
    # would use an index for it.
    places = sorted(
        (number[player], SYSTEM_NAMES[system], system, place)
        for place, (player, system) in enumerate(
            zip(current.player, current.system, strict=True)
        )
        if player in number
    )
    yield from differences(
        [player * SYSTEMS + system for player, _, system, _ in places],
        _rows(current.columns, [place for *_, place in places]),
    )
    begun = [state for state, is_one in enumerate(is_new) if is_one]
    yield from differences(begun, [None] * len(begun))


def replayed_ratings(history: History) -> list[ProjectedRating | None]:
    """Return the replay's rating in each state, None for unrated."""
    columns = _replayed_columns(history, [0] * len(history.rules_of_row))
    return list(_rows(columns, range(len(columns[0]))))


def _replayed_columns(history: History, lines: Sequence[int]) -> list[Sequence[Any]]:
    """Return the columns of `ProjectedRating` in each state; NaN is no rating."""
    states: tuple[Any, ...] = history.world.states
    *standing, rated_on, last_row = states
    last_line = [lines[row] if row >= 0 else 0 for row in last_row]
    return [*standing, replayed_floors(history), rated_on, last_line]


def _rows(
    columns: Sequence[Sequence[Any]], places: Sequence[int]
) -> Iterator[ProjectedRating | None]:
    """Yield the ratings in some places, None for unrated."""
    values = (map(column.__getitem__, places) for column in columns)
    for rating, *counts, peak, age_start, floor, day, line in zip(*values, strict=True):
        yield (
            None
            if rating != rating
            else ProjectedRating._make(
                (
                    rating,
                    *counts,
                    None if peak != peak else peak,
                    None if age_start != age_start else age_start,
                    *(floor, day, line),
                )
            )
        )


def replayed_floors(history: History) -> "array[float]":
    """Return the floor that applies after each state's last line, 0 for unrated."""
    people, states, kernel = history.world.people, history.world.states, history.kernel
    floors = array("d", [0.0]) * len(states.rating)
    columns = (people, states, history.table.rows, history.rules_of_row, floors)
    kernel.fill_floors(*map(kernel.view, columns))
    return floors


# The columns of `ProjectedRating` in a difference.
_COLUMNS = ("after", *ProjectedRating._fields[1:-1], "last_change_id")
_GONE = ProjectedRating(NAN, 0, NO_RECORD, 0, 0, 0, 0, NAN, NAN, NAN, 0, 0)


def write_rating_differences(
    run: Run,
    differences: Iterable[RatingDifference],
    first_changes: Sequence[int],
    pack_rows: Loop | None,
) -> None:
    """Write the changes of current ratings; *first_changes* are lines by state."""
    for batch in batches(differences, DIFFERENCES_AT_A_TIME):
        before = [one.before or _GONE for one in batch]
        after = [one.after or _GONE for one in batch]
        columns: dict[str, Any] = {
            "run_id": [run.pk] * len(batch),
            "player_id": [one.player for one in batch],
            "system": [one.system for one in batch],
            "before": [one.rating for one in before],
            "before_age_start": [one.age_start for one in before],
            "first_change_id": [first_changes[one.state] for one in batch],
            **dict(zip(_COLUMNS, zip(*after, strict=True), strict=True)),
        }
        for name in ("before", "before_age_start", "after", "peak", "age_start"):
            columns[name] = [NAN if one is None else one for one in columns[name]]
        columns["record"] = DictionaryColumn(RECORD_WORDS, columns["record"])
        write_columns(RunDifference, columns, pack_rows=pack_rows)
