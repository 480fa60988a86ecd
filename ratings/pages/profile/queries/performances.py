"""Performance ratings."""

from collections.abc import Mapping, Sequence

from ratings.engine.numbers import official
from ratings.engine.performance import linear_performance
from ratings.ledger.queries.point_in_time import OpponentGame


def performances_of(met: Mapping[int, Sequence[OpponentGame]]) -> dict[int, int]:
    """Return performance ratings in whole rating points, by the keys of *met*.

    They are the average of the opponents' published ratings before the section, plus
    400 points times wins minus losses, divided by the games. Unrated opponents do not
    count; a calculation with no others is left out.
    """
    rated = {
        calculation: [one for one in games if one.before is not None]
        for calculation, games in met.items()
    }
    return {
        calculation: _performance(games)
        for calculation, games in rated.items()
        if games
    }


def _performance(games: Sequence[OpponentGame]) -> int:
    opponents = [official(one.before) for one in games if one.before is not None]
    half_points = sum(one.half_points for one in games)
    return official(linear_performance(opponents, half_points / 2))
