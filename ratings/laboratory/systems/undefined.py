"""Systems that the history of ratings names, but whose definition is not published.

They are in the catalog with the known facts, and cannot be run. The one exception is
the percentage system: a percentage can be computed, and is offered as an illustration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
    About,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
    Table,
)
from ratings.laboratory.words import _

from .elo import ELO_BOOK, WIKIPEDIA

AVERY: Final = Source(
    "Bryce D. Avery, Correspondence Chess in America, McFarland, 2000",
    "https://mcfarlandbooks.com/product/correspondence-chess-in-america/",
)
COMPANION: Final = Source(
    "David Hooper and Kenneth Whyld, The Oxford Companion to Chess, 2nd edition, 1992"
)

SOVIET_CATEGORIES: Final = Source(
    "Mark Weeks, The Soviet Category System",
    "https://chessforallages.blogspot.com/2009/03/soviet-category-system.html",
)


class NotPublished(LookupError):
    """Raised if a system cannot be run because its formula is not published."""


@dataclass(frozen=True)
class NoParameters:
    """Nothing may be changed where nothing is known."""


class Unpublished(System):
    """A system of the catalog that cannot be begun."""

    parameters = NoParameters

    def begin(self, pool: Pool, parameters: Any = None) -> NoReturn:
        """Raise NotPublished."""
        self._refuse()

    def expected(self, player: Standing, opponent: Standing) -> NoReturn:
        """Raise NotPublished."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotPublished(
            f"The definition of “{self.about.label}” is not published, so that nobody "
            "can be rated under it. Choose another system."
        )


class Short(Unpublished):
    about = About(
        "short",
        _("Short"),
        _("1933, United States"),
        _("The first numerical ratings of a national league. The formula is unknown."),
        Shape.PER_GAME,
        Status.UNDEFINED,
        (WIKIPEDIA, AVERY),
    )


class Khachaturov(Unpublished):
    about = About(
        "khachaturov",
        _("Khachaturov"),
        _("1946, Soviet Union, a proposal"),
        _("Reportedly similar to the CCLA’s points. The formula is unknown."),
        Shape.PER_GAME,
        Status.UNDEFINED,
        (COMPANION, WIKIPEDIA),
    )


class Ussr(Unpublished):
    about = About(
        "ussr_1946",
        _("USSR classification"),
        _("from 1946, Soviet Union"),
        _("Categories earned by norms, without numbers."),
        Shape.PER_EVENT,
        Status.UNDEFINED,
        (WIKIPEDIA, SOVIET_CATEGORIES, ELO_BOOK, AVERY),
    )


class IccfUsa(Unpublished):
    about = About(
        "iccf_usa",
        _("ICCF U.S.A."),
        _("1970s, United States, correspondence play"),
        _("Its own system, later replaced by Elo’s. The formula is unknown."),
        Shape.PER_GAME,
        Status.UNDEFINED,
        (WIKIPEDIA, AVERY),
    )


EVEN: Final = 50.0


def percentage(score: float, games: int) -> float:
    """Return the points scored as a percentage. Raises ZeroDivisionError.

    >>> percentage(7, 11)
    63.63636363636363
    """
    return 100 * score / games


def expected_by_percentage(own: float, opponent: float) -> float:
    """Return the expected score of two percentages, 0 to 1.

    Against an average opponent (50) each player expects the own percentage.

    >>> expected_by_percentage(70, 50), expected_by_percentage(90, 20)
    (0.7, 1.0)
    """
    return min(max((EVEN + own - opponent) / 100, 0.0), 1.0)


@dataclass(frozen=True)
class PercentageParameters:
    """Parameters of the percentage system."""

    fewest_games: int = parameter(
        5,
        _("Minimum games"),
        _("A player with fewer games has no percentage yet."),
        low=1,
        high=50,
    )


class PercentageTable(Table):
    """Percentages of one pool over all games since the beginning."""

    def __init__(self, pool: Pool, parameters: PercentageParameters) -> None:
        super().__init__(pool, parameters)
        self._score = [0.0] * pool.size

    def predict(self, games: Games, moment: Moment) -> list[float]:
        own = {
            player: self._percentage(player) for player in {*games.white, *games.black}
        }
        return [
            expected_by_percentage(own[white], own[black])
            if own[white] == own[white] and own[black] == own[black]
            else math.nan
            for white, black in zip(games.white, games.black, strict=True)
        ]

    def update(self, games: Games, moment: Moment) -> None:
        self.count(games)
        score = self._score
        columns = zip(games.white, games.black, games.points, strict=True)
        for white, black, points in columns:
            score[white] += points
            score[black] += 1.0 - points

    def _percentage(self, player: int) -> float:
        """Return a player's percentage, not a number below the fewest games."""
        if self.counts[player] < self.parameters.fewest_games:
            return math.nan
        return percentage(self._score[player], self.counts[player])

    def standing(self, player: int) -> Standing | None:
        own = self._percentage(player)
        return None if math.isnan(own) else Standing(own, self.counts[player])

    def seed(self, player: int, standing: Standing) -> None:
        games = max(standing.games, self.parameters.fewest_games)
        self.counts[player] = games
        self._score[player] = games * standing.rating / 100


class WaltJames(System):
    about = About(
        "walt_james",
        _("Walt James percentage (illustration)"),
        _("1934–1940, United States, correspondence play"),
        _(
            "Only the name is known. This version uses the percentage scored in all "
            "games."
        ),
        Shape.PER_GAME,
        Status.RECONSTRUCTION,
        (WIKIPEDIA, AVERY),
    )
    parameters = PercentageParameters
    table = PercentageTable

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_by_percentage(player.rating, opponent.rating)

    def display(self, rating: float) -> str:
        """Return a percentage with one decimal.

        >>> WaltJames().display(percentage(7, 11))
        '63.6'
        """
        return f"{rating:.1f}"

    def on_elo_scale(self, rating: float) -> float:
        """Return a percentage as if the average player had 1500: 8 points for each.

        A percentage says nothing about the opponents, so this is for charts only.

        >>> WaltJames().on_elo_scale(75.0)
        1700.0
        """
        return 1500 + 8 * (rating - EVEN)

    def from_elo_scale(self, rating: float) -> float:
        return min(max(EVEN + (rating - 1500) / 8, 0.0), 100.0)


SYSTEMS: tuple[System, ...] = (
    Short(),
    WaltJames(),
    Khachaturov(),
    Ussr(),
    IccfUsa(),
)
