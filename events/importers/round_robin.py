"""Who meets whom in which round: quads and round robins by pairing numbers.

Four players meet as a quad is paired here; others by the Berger tables, in which all
rounds and colors follow from the numbers.
"""

from __future__ import annotations

from typing import NamedTuple

FEWEST_PLAYERS, MOST_PLAYERS = 3, 24
QUAD_SIZE = 4


class Meeting(NamedTuple):
    """One game of a table."""

    round_number: int
    white: int
    black: int


_QUAD = (
    Meeting(1, 1, 4),
    Meeting(1, 2, 3),
    Meeting(2, 3, 1),
    Meeting(2, 4, 2),
    Meeting(3, 1, 2),
    Meeting(3, 3, 4),
)


def rounds_for(players: int) -> int:
    """Return how many rounds a round robin of *players* takes.

    >>> rounds_for(4), rounds_for(5)
    (3, 5)
    """
    return players - 1 + players % 2


def meeting(one: int, other: int, players: int) -> Meeting:
    """Return the round and the colors in which two pairing numbers meet.

    >>> meeting(2, 4, players=4)
    Meeting(round_number=2, white=4, black=2)
    >>> meeting(6, 4, players=6)
    Meeting(round_number=2, white=6, black=4)
    """
    low, high = sorted((one, other))
    if not 1 <= low < high <= players:
        raise ValueError(f"{one} and {other} do not meet among {players} players.")
    if players == QUAD_SIZE:
        return next(game for game in _QUAD if {low, high} == {game.white, game.black})
    return _berger(low, high, seats=players + players % 2)


def _berger(low: int, high: int, seats: int) -> Meeting:
    """The last seat stays and takes turns with the colors; the others move round.

    With an odd number of players nobody sits there.
    """
    turning = seats - 1
    if high == seats:
        round_number = (2 * low - 2) % turning + 1
        low_is_white = low <= seats // 2
    else:
        round_number = (low + high - 2) % turning + 1
        low_is_white = (low + high) % 2 == 1
    white, black = (low, high) if low_is_white else (high, low)
    return Meeting(round_number, white, black)
