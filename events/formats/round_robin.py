"""Pairing tables of quads and round robins, by pairing numbers.

Four players are paired as a US quad; others by the Berger tables, in which the numbers
decide all rounds and colors.
"""

from __future__ import annotations

from typing import NamedTuple

MIN_PLAYERS, MAX_PLAYERS = 3, 24
QUAD_SIZE = 4


class ScheduledGame(NamedTuple):
    """One game of a table."""

    round_number: int
    white: int
    black: int


_QUAD = (
    ScheduledGame(1, 1, 4),
    ScheduledGame(1, 2, 3),
    ScheduledGame(2, 3, 1),
    ScheduledGame(2, 4, 2),
    ScheduledGame(3, 1, 2),
    ScheduledGame(3, 3, 4),
)


def round_robin_rounds(players: int) -> int:
    """Return how many rounds a round robin of *players* takes.

    >>> round_robin_rounds(4), round_robin_rounds(5)
    (3, 5)
    """
    return players - 1 + players % 2


def scheduled_game(one: int, other: int, players: int) -> ScheduledGame:
    """Return the round and the colors in which two pairing numbers meet.

    >>> scheduled_game(2, 4, players=4)
    ScheduledGame(round_number=2, white=4, black=2)
    >>> scheduled_game(6, 4, players=6)
    ScheduledGame(round_number=2, white=6, black=4)
    """
    low, high = sorted((one, other))
    if not 1 <= low < high <= players:
        raise ValueError(f"{one} and {other} do not meet among {players} players.")
    if players == QUAD_SIZE:
        return next(game for game in _QUAD if {low, high} == {game.white, game.black})
    return _berger(low, high, seats=players + players % 2)


def _berger(low: int, high: int, seats: int) -> ScheduledGame:
    """Pair by the Berger tables: the last seat alternates colors, the others rotate.

    With an odd number of players the last seat is empty.
    """
    turning = seats - 1
    if high == seats:
        round_number = (2 * low - 2) % turning + 1
        low_is_white = low <= seats // 2
    else:
        round_number = (low + high - 2) % turning + 1
        low_is_white = (low + high) % 2 == 1
    white, black = (low, high) if low_is_white else (high, low)
    return ScheduledGame(round_number, white, black)
