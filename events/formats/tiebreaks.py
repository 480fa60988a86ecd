"""Tiebreaks of US Chess, for information: players with equal scores share a place.

They follow the Official Rules of Chess of US Chess, 7th edition, rules 34E1 to 34E3
and 34E8, as quoted at https://www.ochess.org/tiebreaks and, for unplayed games, in the
Michigan Chess Association's rules (https://www.michess.org/tie-break-rules). Where a
rule leaves a choice open, the function says which one is made.

Scores are whole half points, Sonneborn-Berger is in quarter points. A double-game round
has two games, so its unit is the game and not the round.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

# From this number of rounds on, two scores are discarded at an end instead of one.
LONG_EVENT = 9


class Round(NamedTuple):
    """A player's round: half points, and the opponent if a game was played."""

    half_points: int
    opponent: int | None = None


class Tiebreaks(NamedTuple):
    """A player's tiebreaks in the order in which US Chess applies the first three.

    All but the last are half points; *sonneborn_berger* is quarter points.
    """

    modified_median: int
    solkoff: int
    cumulative: int
    sonneborn_berger: int


Cards = Mapping[int, Sequence[Round]]


def tiebreaks(cards: Cards, *, games_per_round: int = 1) -> dict[int, Tiebreaks]:
    """Return the tiebreaks of all players from their rounds, by pairing number.

    A card has every round of the section, also those for which a player did not come.

    >>> won, drawn, lost = 2, 1, 0
    >>> quad = {
    ...     1: [Round(won, 4), Round(drawn, 3), Round(won, 2)],
    ...     2: [Round(won, 3), Round(won, 4), Round(lost, 1)],
    ...     3: [Round(lost, 2), Round(drawn, 1), Round(won, 4)],
    ...     4: [Round(lost, 1), Round(lost, 2), Round(lost, 3)],
    ... }
    >>> tiebreaks(quad)[1]
    Tiebreaks(modified_median=7, solkoff=7, cumulative=10, sonneborn_berger=11)
    """
    adjusted = {
        number: adjusted_score(card, games_per_round=games_per_round)
        for number, card in cards.items()
    }
    finals = {number: _score(card) for number, card in cards.items()}
    found = {}
    for number, card in cards.items():
        scores = [adjusted.get(one.opponent or 0, 0) for one in card]
        most = 2 * games_per_round * len(card)
        kept = modified_median(scores, own=finals[number], most=most)
        found[number] = Tiebreaks(
            kept,
            sum(scores),
            cumulative(card, games_per_round=games_per_round),
            sum(one.half_points * finals.get(one.opponent or 0, 0) for one in card),
        )
    return found


def adjusted_score(card: Sequence[Round], *, games_per_round: int = 1) -> int:
    """Return a score in which each unplayed game counts as half a point (34E1).

    This score counts for the player's opponents only. A player who won two games, lost
    the third and withdrew from the last two rounds of five has 3 points.

    >>> adjusted_score([Round(2, 5), Round(2, 8), Round(0, 3), Round(0), Round(0)])
    6
    """
    return sum(
        games_per_round if one.opponent is None else one.half_points for one in card
    )


def modified_median(scores: Sequence[int], *, own: int, most: int) -> int:
    """Return the sum of the opponents' adjusted scores without the least useful (34E1).

    The lowest is discarded for a player with more than half of the points, the highest
    for one with fewer, both for one with half; two each from nine rounds on. The
    player's own unplayed games count as opponents with 0 points, and may be discarded.

    >>> modified_median([2, 4, 6, 7, 8], own=8, most=10)  # 2 + 3 + 3½ + 4
    25
    >>> modified_median([2, 4, 6, 7, 8], own=5, most=10)  # 2 + 3 + 3½
    17
    >>> modified_median([2, 4, 6, 7, 8], own=2, most=10)  # 1 + 2 + 3 + 3½
    19
    """
    discarded = 2 if len(scores) >= LONG_EVENT else 1
    lowest = discarded if 2 * own >= most else 0
    highest = discarded if 2 * own <= most else 0
    return sum(sorted(scores)[lowest : max(len(scores) - highest, lowest)])


def cumulative(card: Sequence[Round], *, games_per_round: int = 1) -> int:
    """Return the sum of the scores after each round, less each unplayed win (34E3).

    A bye, a win, a loss, a draw and a win are 1 + 2 + 2 + 2½ + 3½ - 1 = 10 points. A
    half-point bye is not subtracted.

    >>> cumulative([Round(2), Round(2, 4), Round(0, 1), Round(1, 6), Round(2, 3)])
    20
    """
    unplayed_wins = sum(
        one.half_points
        for one in card
        if one.opponent is None and one.half_points == 2 * games_per_round
    )
    running = accumulate(one.half_points for one in card)
    return sum(running) - unplayed_wins


def _score(card: Sequence[Round]) -> int:
    return sum(one.half_points for one in card)
