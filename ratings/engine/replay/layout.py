"""The games of many sections, laid out from each player's side.

Plain loops over columns, like the kernel, and compiled like it where that is possible.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

LayOut = Callable[..., None]


def lay_out(
    entry_of_seat: Sequence[int],
    first_seat: Sequence[int],
    first_entry: Sequence[int],
    first_game: Sequence[int],
    one: Sequence[int],
    other: Sequence[int],
    scores: Sequence[int],
    first_side: array[int],
    opponent: array[int],
    half_points: array[int],
    meetings: array[int],
) -> None:
    """Fill the last four columns (see `arrays.Entries` and `arrays.Sides`).

    A seat is a pairing number; `entry_of_seat` is the entry of each seat, counted over
    all sections; a re-entered player has two seats. `one` and `other` are the seats of
    a game, counted in its section, `scores` the half points as 3 * a + b. The column
    `first_side` holds only zeros at first, one more than there are entries.
    """
    sections = len(first_seat) - 1
    entries = len(first_side) - 1
    for section in range(sections):
        seat = first_seat[section]
        for game in range(first_game[section], first_game[section + 1]):
            first_side[entry_of_seat[seat + one[game]] + 1] += 1
            first_side[entry_of_seat[seat + other[game]] + 1] += 1
    for entry in range(entries):
        first_side[entry + 1] += first_side[entry]
        # For now: where the next side of this entry goes.
        meetings[entry] = first_side[entry]
    for section in range(sections):
        seat, begin = first_seat[section], first_entry[section]
        for game in range(first_game[section], first_game[section + 1]):
            a = entry_of_seat[seat + one[game]]
            b = entry_of_seat[seat + other[game]]
            place = meetings[a]
            meetings[a] = place + 1
            opponent[place] = b - begin
            half_points[place] = scores[game] // 3
            place = meetings[b]
            meetings[b] = place + 1
            opponent[place] = a - begin
            half_points[place] = scores[game] % 3
    for entry in range(entries):
        most = 0
        for place in range(first_side[entry], first_side[entry + 1]):
            met = 0
            for earlier in range(first_side[entry], place + 1):
                if opponent[earlier] == opponent[place]:
                    met += 1
            if met > most:
                most = met
        meetings[entry] = most
