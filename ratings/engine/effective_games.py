"""The number of games that a rating is worth (2025 paper, section 3)."""

from __future__ import annotations

import math

from .parameters import EffectiveGames


def most_effective_games(rating: float, formula: EffectiveGames) -> float:
    """Return the most games a rating of this height is worth (N*, formula 1).

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> formula = rules_in_force(date(2025, 2, 10)).effective_games
    >>> round(most_effective_games(1700, formula), 1)
    20.0
    >>> most_effective_games(2355.5, formula)
    50.0
    """
    if rating > formula.full_above:
        return formula.limit
    distance = formula.pivot - rating
    return formula.limit / math.sqrt(formula.base + formula.slope * distance * distance)


def effective_games(rating: float, games: int, formula: EffectiveGames) -> float:
    """Return the effective number of games (N′): the smaller of N and N*.

    *rating* is the rating before the event or the initial rating, *games* the
    number of games it is based on or that step 1 assigned.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> formula = rules_in_force(date(2025, 2, 10)).effective_games
    >>> round(effective_games(1700, 30, formula), 1)
    20.0
    >>> effective_games(1700, 8, formula)
    8.0
    """
    return min(float(games), most_effective_games(rating, formula))
