"""The point system of the Correspondence Chess League of America (CCLA).

One chart: the loser's points go to the winner, more of them to the lower rated. The
league says that it represents the linear equations both of Williams (1940) and of
Hotchkiss and Wilcock (1947; other sources say Wilcock, 1944).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, each
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    About,
    Example,
    Games,
    Moment,
    Shape,
    Source,
    Standing,
    Status,
    System,
    Table,
)
from ratings.laboratory.words import _

STEP: Final = 20
MAX_STEPS: Final = 14
EVEN: Final = 16
"""Points at stake between equals; one less or more for each step of difference."""

EXPLAINED: Final = Source(
    "CCLA, explanation of its ratings (2005)",
    "http://www.web.archive.org/web/20051201094437/http:/www.chessbymail.com/explain.htm",
)
RATING_PAGE: Final = Source(
    "CCLA, The rating system", "https://serverchess.com/ratesys.htm"
)


def steps(difference: int) -> int:
    """Return how many steps of the chart lie between two ratings *difference* apart.

    >>> steps(19), steps(20), steps(279), steps(280), steps(500)
    (0, 1, 13, 14, 14)
    """
    return min(difference // STEP, MAX_STEPS)


def points_won(rating: int, opponent: int, score: float) -> int:
    """Return the points that *rating* gains in one game; the opponent loses the same.

    >>> points_won(1500, 1600, 1.0), points_won(1600, 1500, 1.0)
    (21, 11)
    >>> points_won(1500, 1600, 0.5), points_won(1500, 1600, 0.0)
    (5, -11)
    """
    ahead = steps(abs(rating - opponent))
    if rating > opponent:
        ahead = -ahead
    return int(EVEN * (2 * score - 1)) + ahead


def expected_by_chart(rating: float, opponent: float) -> float:
    """Return the expected score at which the chart takes as much as it gives.

    Half, and 1/32 for each step.

    >>> expected_by_chart(1700, 1500), expected_by_chart(1200, 1500)
    (0.8125, 0.0625)
    """
    difference = official(rating) - official(opponent)
    ahead = steps(abs(difference))
    return 0.5 + (ahead if difference > 0 else -ahead) / (2 * EVEN)


@dataclass(frozen=True)
class CclaParameters:
    """Parameters of the league's ratings."""

    start: int = parameter(
        1500,
        _("Rating of a new player"),
        _("The league hasn’t published its starting rating."),
        low=0,
        high=3000,
    )


class CclaTable(Table):
    """Ratings of one pool in whole points, changed by game after game."""

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings = self.ratings
        shares = []
        for player, opponent in zip(games.white, games.black, strict=True):
            white, black = ratings[player], ratings[opponent]
            if white < black:
                shares.append(0.5 - min((black - white) // 20, 14) / 32)
            else:
                # Not a number, if either has no rating.
                shares.append(0.5 + min((white - black) // 20, 14) / 32)
        return shares

    def update(self, games: Games, moment: Moment) -> None:
        ratings, count = self.ratings, self.counts
        start = float(official(self.parameters.start))
        columns = zip(games.white, games.black, games.points, strict=True)
        for player, opponent, points in columns:
            white, black = ratings[player], ratings[opponent]
            if white != white:
                white = start
            if black != black:
                black = start
            gain = 32 * points - 16
            if white < black:
                gain += min((black - white) // 20, 14)
            else:
                gain -= min((white - black) // 20, 14)
            ratings[player] = white + gain
            ratings[opponent] = black - gain
            count[player] += 1
            count[opponent] += 1

    def seed(self, player: int, standing: Standing) -> None:
        super().seed(player, standing)
        self.ratings[player] = float(official(standing.rating))


class HotchkissWilcock(System):
    about = About(
        "ccla.hotchkiss_wilcock",
        _("CCLA, Hotchkiss-Wilcock"),
        _("1944 or 1947 to today; United States, correspondence play"),
        _(
            "A chart: 16 points per game between equals, 1 more or less for each 20 "
            "points of difference."
        ),
        Shape.PER_GAME,
        Status.HISTORICAL,
        (EXPLAINED, RATING_PAGE),
    )
    parameters = CclaParameters
    table = CclaTable
    example = Example(
        Standing(1500.0),
        ((Standing(1600.0), 1.0),),
        "1521",
        Source(_("CCLA (its chart; our calculation)"), EXPLAINED.address),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_chart(player.rating, opponent.rating)


class Williams(HotchkissWilcock):
    about = About(
        "ccla.williams",
        _("CCLA, Williams"),
        _("1940 to 1944 or 1947; United States, correspondence play"),
        _("The league’s 1940 point system, with the chart of its successor."),
        Shape.PER_GAME,
        Status.RECONSTRUCTION,
        (RATING_PAGE, EXPLAINED),
    )


SYSTEMS: tuple[System, ...] = (HotchkissWilcock(), Williams())


def _chart(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    differences = inputs["difference"]
    return {
        "higher_wins": each(lambda apart: points_won(apart, 0, 1.0), differences),
        "lower_wins": each(lambda apart: points_won(0, apart, 1.0), differences),
        "draw_to_lower": each(lambda apart: points_won(0, apart, 0.5), differences),
    }


CASES: Mapping[str, Case] = {
    "ccla.hotchkiss_wilcock": _chart,
    "ccla.williams": _chart,
}
