"""Add up the rows of a run, and check that each continues the row before.

A plain loop over columns, like the kernel, and compiled like it where that is possible.
"""

from __future__ import annotations

import math
from array import array
from typing import Any, Final, NamedTuple, Self

from .arrays import SYSTEMS, Rows, States

# Places in the sums.
LINES: Final = 0
PLAYERS: Final = 1
PREVIOUS: Final = 2
PRE_GAMES: Final = 3
POST_GAMES: Final = 4
PRE_RATINGS: Final = 5
POST_RATINGS: Final = 6
BROKEN: Final = 7
# Line numbers are large, so each is added modulo this.
REMAINDER: Final = 1_000_003
# Ratings are added up in these parts of a point, which gives whole numbers.
PARTS: Final = 1024


class ChainEnds(NamedTuple):
    """The standing after each row, numbered over the whole run."""

    state: array[int]
    rating: array[float]
    games: array[int]
    record: array[int]

    @classmethod
    def beginning(cls, states: States, rows: int) -> Self:
        """Return the standings after the rows before the run, as many as *rows*."""
        ends = cls(array("i"), array("d"), array("i"), array("b"))
        ends.reserve(rows)
        for state, rating in enumerate(states.rating):
            if rating == rating:
                row = states.last_row[state]
                ends.state[row] = state
                ends.rating[row] = rating
                ends.games[row] = states.games[state]
                ends.record[row] = states.record[state]
        return ends

    def reserve(self, room: int) -> None:
        """Make room for so many rows more."""
        for column in self:
            column.frombytes(bytes(column.itemsize * room))


def new_sums() -> array[int]:
    return array("q", [0]) * (BROKEN + 1)


def chain_columns(rows: Rows) -> tuple[array[Any], ...]:
    """Return the columns that `check_chain` takes, in its order."""
    return (
        rows.player,
        rows.system,
        rows.previous_row,
        rows.pre_rating,
        rows.pre_games,
        rows.pre_record,
        rows.post_rating,
        rows.post_games,
        rows.record,
    )


def check_chain(
    player: array[int],
    system: array[int],
    previous_row: array[int],
    pre_rating: array[float],
    pre_games: array[int],
    pre_record: array[int],
    post_rating: array[float],
    post_games: array[int],
    record: array[int],
    is_own: bytearray,
    counts: array[int],
    ids: array[int],
    lines: array[int],
    end_state: array[int],
    end_rating: array[float],
    end_games: array[int],
    end_record: array[int],
    first_lines: array[int],
    sums: array[int],
) -> None:
    """Enter rows into `ChainEnds`; add up those of the run itself, one per `is_own`.

    `counts` are those of `Results`; `ids` are the keys of players, `lines` the numbers
    of the lines behind the rows of the run. `first_lines` gets the first own line of
    each state. A row is broken if it does not begin with the standing after the row
    before.
    """
    for row in range(len(is_own)):
        place = counts[0] + row
        state = player[row] * SYSTEMS + system[row]
        end_state[place] = state
        end_rating[place] = post_rating[row]
        end_games[place] = post_games[row]
        end_record[place] = record[row]
        if is_own[row] == 0:
            continue
        if first_lines[state] == 0:
            first_lines[state] = lines[place]
        before = previous_row[row]
        sums[LINES] += 1
        sums[PLAYERS] += ids[player[row]]
        sums[PRE_GAMES] += pre_games[row]
        sums[POST_GAMES] += post_games[row]
        sums[POST_RATINGS] += math.floor(post_rating[row] * PARTS)
        if pre_rating[row] == pre_rating[row]:
            sums[PRE_RATINGS] += math.floor(pre_rating[row] * PARTS)
        if before < 0:
            continue
        sums[PREVIOUS] += lines[before] % REMAINDER
        if (
            end_state[before] != state
            or end_rating[before] != pre_rating[row]
            or end_games[before] != pre_games[row]
            or end_record[before] != pre_record[row]
        ):
            sums[BROKEN] += 1
