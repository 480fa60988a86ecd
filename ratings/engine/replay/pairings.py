"""The games of a program with the predictions of a rating system.

Plain loops over columns, like the kernel, and compiled like it where that is possible.
"""

from __future__ import annotations

from array import array
from typing import Final, NamedTuple, Self

from .arrays import NAN, SECTION, Program, Results

SCALE: Final = 400.0
"""Predictions are on one scale, whatever an experiment does to that of the formula."""

# Places in the counts of `pair`.
GAMES: Final = 0
ONE_SIDED: Final = 1


class PairedGames(NamedTuple):
    """Games in one system, a place each, with the states before their section.

    `one` and `other` are players' numbers, `half_points` those of `one`; neither side
    is favored: which player is `one` alternates from game to game. `item` counts in the
    program, `day` is the section's last. Ratings are those before the section, NaN for
    an unrated player; `prediction` is the expected score of `one`, NaN if either is.
    `evidence` is the smaller number of games behind the two ratings.
    """

    one: array[int]
    other: array[int]
    half_points: array[int]
    day: array[int]
    item: array[int]
    evidence: array[int]
    one_rating: array[float]
    other_rating: array[float]
    prediction: array[float]

    @classmethod
    def empty(cls, games: int) -> Self:
        return cls._make(array(code, [0]) * games for code in "iibiiiddd")


def pairing_columns(
    program: Program, results: Results, system: int, games: int
) -> tuple[tuple[array[int] | array[float], ...], PairedGames, array[int]]:
    """Return the columns that `pair` takes, in its order, and those it fills.

    *games* is at least the number of games of the program.
    """
    items, entries, sides = program.items, program.entries, program.sides
    rows, out, counts = results.rows, PairedGames.empty(games), array("q", [0, 0])
    columns = (
        items.kind,
        items.ends,
        items.system_a,
        items.system_b,
        items.first_entry,
        entries.player,
        entries.first_game,
        sides.opponent,
        sides.half_points,
        rows.item,
        rows.system,
        rows.entry,
        rows.pre_rating,
        rows.pre_games,
        array("q", [system, results.rows_used]),
        array("d", [NAN]) * len(entries.player),
        array("q", [0]) * len(entries.player),
        *out,
        counts,
    )
    return columns, out, counts


def pair(
    kind: array[int],
    ends: array[int],
    system_a: array[int],
    system_b: array[int],
    first_entry: array[int],
    player: array[int],
    first_game: array[int],
    opponent: array[int],
    half_points: array[int],
    row_item: array[int],
    row_system: array[int],
    row_entry: array[int],
    row_rating: array[float],
    row_games: array[int],
    asked: array[int],
    rating: array[float],
    games: array[int],
    one: array[int],
    other: array[int],
    points: array[int],
    day: array[int],
    item_of_game: array[int],
    evidence: array[int],
    one_rating: array[float],
    other_rating: array[float],
    prediction: array[float],
    counts: array[int],
) -> None:
    """Fill `PairedGames` with the games of sections rated in a system.

    `asked` holds the system and the number of rows; `rating` holds only NaN at first,
    `games` only 0, a place per entry. A game whose sides do not add up to one point is
    counted and left out.
    """
    system, rows = asked[0], asked[1]
    for row in range(rows):
        if row_system[row] == system:
            place = first_entry[row_item[row]] + row_entry[row]
            rating[place] = row_rating[row]
            games[place] = row_games[row]
    out = 0
    for item in range(len(kind)):
        if kind[item] != SECTION:
            continue
        if system_a[item] != system and system_b[item] != system:
            continue
        begin = first_entry[item]
        for entry in range(begin, first_entry[item + 1]):
            place = entry - begin
            for side in range(first_game[entry], first_game[entry + 1]):
                if opponent[side] <= place:
                    continue
                opposite = begin + opponent[side]
                # The same game from the opponent's side.
                meeting = 0
                for earlier in range(first_game[entry], side):
                    if opponent[earlier] == opponent[side]:
                        meeting += 1
                mate = first_game[opposite]
                while opponent[mate] != place or meeting > 0:
                    if opponent[mate] == place:
                        meeting -= 1
                    mate += 1
                if half_points[side] + half_points[mate] != 2:
                    counts[ONE_SIDED] += 1
                    continue
                first, second, score = entry, opposite, half_points[side]
                if out % 2 == 1:
                    first, second, score = opposite, entry, half_points[mate]
                difference = rating[second] - rating[first]
                one[out] = player[first]
                other[out] = player[second]
                points[out] = score
                day[out] = ends[item]
                item_of_game[out] = item
                evidence[out] = min(games[first], games[second])
                one_rating[out] = rating[first]
                other_rating[out] = rating[second]
                prediction[out] = 1.0 / (1.0 + 10.0 ** (difference / SCALE))
                out += 1
    counts[GAMES] = out
