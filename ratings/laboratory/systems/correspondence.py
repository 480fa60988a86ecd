"""USCF correspondence ratings: Elo's straight line after each single game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import again, parameter
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

from .elo import ELO_BOOK, WIKIPEDIA, EloParameters, cap_of, expected_by_line

K: Final = 32.0


def change(
    rating: float, opponent: float, score: float, k: float = K, cap: float = math.inf
) -> float:
    """Return by how many rating points one game changes *rating*.

    16 for a win, −16 for a loss, and for every result 4 % of the opponent's lead. The
    opponent loses as much. *cap* limits the difference; without it, beating a player
    450 points lower costs 2 points.

    >>> change(1500, 1500, 1.0), change(1500, 1600, 1.0), change(1550, 1100, 1.0)
    (16.0, 20.0, -2.0)
    """
    difference = min(max(rating - opponent, -cap), cap)
    return k * (score - expected_by_line(difference, 0.0))


@dataclass(frozen=True)
class CorrespondenceParameters:
    """Parameters of the correspondence ratings."""

    k: float = again(EloParameters, "k", K)
    max_difference: str = again(EloParameters, "cap")
    start: float = parameter(
        1500.0,
        _("Rating of a new player"),
        _("The rating an unrated player starts the first game with."),
        low=0,
        high=3000,
    )


class CorrespondenceTable(Table):
    """Ratings of one pool, changed by game after game."""

    parameters: CorrespondenceParameters

    def predict(self, games: Games, moment: Moment) -> list[float]:
        cap = cap_of(self.parameters.max_difference)
        ratings, reach = self.ratings, min(cap, 400.0)
        pairs = zip(games.white, games.black, strict=True)
        differences = [ratings[white] - ratings[black] for white, black in pairs]
        return [
            0.5 + (-reach if d < -reach else reach if d > reach else d) / 800
            for d in differences
        ]

    def update(self, games: Games, moment: Moment) -> None:
        ratings, count, rules = self.ratings, self.counts, self.parameters
        k, cap = rules.k, cap_of(rules.max_difference)
        for player in {*games.white, *games.black}:
            if math.isnan(ratings[player]):
                ratings[player] = rules.start
        columns = zip(games.white, games.black, games.points, strict=True)
        for white, black, points in columns:
            difference = ratings[white] - ratings[black]
            if difference > cap:
                difference = cap
            elif difference < -cap:
                difference = -cap
            gain = k * (points - 0.5 - difference / 800)
            ratings[white] += gain
            ratings[black] -= gain
            count[white] += 1
            count[black] += 1


class Correspondence(System):
    about = About(
        "uscf.correspondence",
        _("USCF correspondence"),
        _("United States, correspondence play"),
        _("16 points for a win plus 4% of the difference, after each game."),
        Shape.PER_GAME,
        Status.HISTORICAL,
        (
            WIKIPEDIA,
            Source("USCF, How correspondence ratings are calculated, cited there"),
            ELO_BOOK,
        ),
    )
    parameters = CorrespondenceParameters
    table = CorrespondenceTable
    example = Example(
        Standing(1500.0),
        ((Standing(1600.0), 1.0),),
        "1520",
        Source(_("Wikipedia (its formula; our calculation)"), WIKIPEDIA.address),
    )

    def expected(self, player: Standing, opponent: Standing) -> float:
        share = expected_by_line(player.rating, opponent.rating)
        return min(max(share, 0.0), 1.0)


SYSTEMS: tuple[System, ...] = (Correspondence(),)


def _game(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    own, opponent, result = inputs["own"], inputs["opponent"], inputs["result"]
    k, cap = inputs.get("K", K), cap_of(str(inputs.get("max_difference") or "none"))
    delta = change(own, opponent, result, k, cap)
    other = change(opponent, own, 1 - result, k, cap)
    return {"delta": delta, "new": own + delta, "opponent_new": opponent + other}


CASES: Mapping[str, Case] = {"uscf.correspondence": _game}
