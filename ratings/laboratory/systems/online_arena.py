"""FIDE Online Arena: the rapid, blitz and bullet (RBB) ratings of its full members.

Ratings and changes are whole hundredths of a rating point, so results are exact. Facts
missing from a history of games (full membership, disconnections, the exact time
control, FIDE's monthly lists) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, score_of
from ratings.laboratory.parameters import again, list_start, parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
    Example,
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
from ratings.laboratory.tables import MAX_DIFFERENCE, PERCENT, SHARES, difference_for
from ratings.laboratory.words import _

from ._opening import Opening


class Category(StrEnum):
    """One of the three ratings of a member."""

    RAPID = "rapid"
    BLITZ = "blitz"
    BULLET = "bullet"


FLOOR: Final = 100
FIRST_GAMES: Final = 5
_PER_HALF_POINT: Final = 20


# --- Ratings in hundredths ---


def hundredths(rating: float) -> int:
    """Return *rating* in whole hundredths, halves up.

    >>> hundredths(1799.6)
    179960
    """
    return official(100 * rating)


def displayed(rating: int) -> int:
    """Return the rating that is shown for one in hundredths, halves up (3.12, 3.13).

    >>> displayed(179960), displayed(180020), displayed(221550)
    (1800, 1800, 2216)
    """
    return (rating + 50) // 100


def expected_hundredths(own: int, opponent: int) -> int:
    """Return the expected score (PD) in hundredths of two ratings in hundredths (3.9).

    The difference is that of the ratings shown, because the table has whole rating
    points only. There is no 400-point rule.

    >>> expected_hundredths(179960, 125000), expected_hundredths(230000, 150000)
    (97, 100)
    """
    gap = displayed(own) - displayed(opponent)
    return PERCENT[max(-MAX_DIFFERENCE, min(MAX_DIFFERENCE, gap)) + MAX_DIFFERENCE]


def new_rating(own: int, opponent: int, score: float, k: int) -> int:
    """Return the rating after a game, in hundredths, before the floor (3.9).

    >>> new_rating(179960, 125000, 1, 20), new_rating(150000, 160000, 1, 40)
    (180020, 152560)
    """
    return own + k * (int(100 * score) - expected_hundredths(own, opponent))


def after_floor(rating: int, floor: int = FLOOR) -> int:
    """Return *rating* (hundredths), or 0 for one that is lost below the floor (3.3).

    >>> after_floor(10000), after_floor(9999)
    (10000, 0)
    """
    return rating if rating >= 100 * floor else 0


def first_rating_by_play(opponents: Sequence[int], half_points: int) -> int:
    """Return a first rating in hundredths from games against rated opponents (3.7).

    *opponents* are their ratings in hundredths; *half_points* is the score.

    >>> field = [150000, 155000, 160000, 165000, 170000]
    >>> [first_rating_by_play(field, score) for score in (5, 7, 10, 4, 2)]
    [160000, 164000, 170000, 152800, 136000]
    """
    games = len(opponents)
    average = (2 * sum(opponents) + games) // (2 * games)
    above = half_points - games
    if above >= 0:
        return average + 100 * _PER_HALF_POINT * above
    return average + 100 * difference_for((100 * half_points + games) // (2 * games))


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    k: int = parameter(20, _("K"), _("The points at stake in a game."), low=1, high=100)
    k_new: int = parameter(
        40,
        _("K of new players"),
        _("For players with a first rating from play, in their first games."),
        low=1,
        high=100,
    )
    new_games: int = parameter(
        30,
        _("Games with the higher K"),
        _("Includes the games of the first rating."),
        low=0,
        high=200,
    )
    floor: int = parameter(
        FLOOR,
        _("Floor"),
        _("A player who falls below loses the rating and starts again."),
        low=0,
        high=2000,
    )
    opening: int = list_start(1600)


@dataclass(frozen=True)
class BulletParameters(Parameters):
    k: int = again(Parameters, "k", 10)


class ArenaTable(Table):
    """One category of the Arena: ratings in hundredths, 0 for unrated."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._ratings = [0] * pool.size
        self._higher_until = [0] * pool.size
        self._stages: dict[int, list[tuple[int, int]]] = {}
        self._opening = Opening(parameters.opening)

    def standing(self, player: int) -> Standing | None:
        rating = self._ratings[player]
        return Standing(rating / 100, self.counts[player]) if rating else None

    def seed(self, player: int, standing: Standing) -> None:
        """Give a rating as if from a FIDE list.

        A rating based on games counts as earned in play, with the higher K.
        """
        self._opening.close()
        self._ratings[player] = hundredths(standing.rating)
        self.counts[player] = standing.games
        earned = standing.games > 0
        self._higher_until[player] = self.parameters.new_games if earned else 0

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings, shares = self._ratings, SHARES
        predicted: list[float] = []
        keep = predicted.append
        for white, black in zip(games.white, games.black, strict=True):
            own, other = ratings[white], ratings[black]
            if own and other:
                gap = (own + 50) // 100 - (other + 50) // 100
                if -MAX_DIFFERENCE < gap < MAX_DIFFERENCE:
                    keep(shares[gap + MAX_DIFFERENCE])
                else:
                    keep(1.0 if gap > 0 else 0.0)
            else:
                keep(UNKNOWN)
        return predicted

    def update(self, games: Games, moment: Moment) -> None:
        self._opening.open(self, games, moment)
        ratings, counts, higher = self._ratings, self.counts, self._higher_until
        k, k_new = self.parameters.k, self.parameters.k_new
        lowest = max(1, 100 * self.parameters.floor)
        for white, black, points in zip(
            games.white, games.black, games.points, strict=True
        ):
            own, other = ratings[white], ratings[black]
            if not (own and other):
                self._unrated_game(white, black, points)
                continue
            change = int(100 * points) - expected_hundredths(own, other)
            own += (k_new if counts[white] < higher[white] else k) * change
            other -= (k_new if counts[black] < higher[black] else k) * change
            ratings[white] = own if own >= lowest else self._lose(white)
            ratings[black] = other if other >= lowest else self._lose(black)
            counts[white] += 1
            counts[black] += 1

    def _unrated_game(self, white: int, black: int, points: float) -> None:
        """Count a game for its unrated player; a rated opponent keeps the rating."""
        own, other = self._ratings[white], self._ratings[black]
        if other:
            self._stage(white, other, int(2 * points))
        elif own:
            self._stage(black, own, 2 - int(2 * points))

    def _stage(self, player: int, opponent: int, half_points: int) -> None:
        """Take one step to a first rating: a draw or win, then four more games."""
        stage = self._stages.setdefault(player, [])
        if not stage and not half_points:
            return
        stage.append((opponent, half_points))
        if len(stage) == FIRST_GAMES:
            del self._stages[player]
            opponents = [rating for rating, _score in stage]
            score = sum(points for _rating, points in stage)
            rating = first_rating_by_play(opponents, score)
            self._ratings[player] = after_floor(rating, self.parameters.floor)
            self.counts[player] = FIRST_GAMES
            self._higher_until[player] = self.parameters.new_games

    def _lose(self, player: int) -> int:
        """Delete a rating below the floor; return the value for unrated."""
        self._ratings[player] = 0
        return 0


_REGULATIONS = Source(
    "FIDE Handbook B.11, FIDE Online Arena, RBB regulations",
    "https://handbook.fide.com/chapter/B11FOARatingRegulations",
)
_BY_HAND = Source(_("Calculated by hand from the rules"))


class _Arena(System):
    table = ArenaTable

    def expected(self, player: Standing, opponent: Standing) -> float:
        own, other = hundredths(player.rating), hundredths(opponent.rating)
        return expected_hundredths(own, other) / 100


class ArenaRapid(_Arena):
    parameters = Parameters
    about = About(
        key="foa.rapid",
        label=_("FIDE Online Arena rapid"),
        years=_("internet, since the 2010s"),
        summary=_(
            "Rated after each game between full members. Uses Elo's table and "
            "keeps two hidden decimals."
        ),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(_REGULATIONS,),
    )
    example = Example(
        player=Standing(1799.6, 100),
        games=((Standing(1250.0, 100), 1.0),),
        printed="1800",
        source=_REGULATIONS,
    )


class ArenaBlitz(_Arena):
    parameters = Parameters
    about = About(
        key="foa.blitz",
        label=_("FIDE Online Arena blitz"),
        years=_("internet, since the 2010s"),
        summary=_("The Arena's rating for games of 3 to 10 minutes, with K 20."),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(_REGULATIONS,),
    )
    example = Example(
        player=None,
        games=(
            (Standing(1500.0, 100), 1.0),
            (Standing(1550.0, 100), 1.0),
            (Standing(1600.0, 100), 1.0),
            (Standing(1650.0, 100), 0.5),
            (Standing(1700.0, 100), 0.0),
        ),
        printed="1640",
        source=_BY_HAND,
    )


class ArenaBullet(_Arena):
    parameters = BulletParameters
    about = About(
        key="foa.bullet",
        label=_("FIDE Online Arena bullet"),
        years=_("internet, since the 2010s"),
        summary=_("The Arena's rating for games of 1 or 2 minutes, with K 10."),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(_REGULATIONS,),
    )
    example = Example(
        player=Standing(2300.0, 100),
        games=((Standing(1500.0, 100), 1.0),),
        printed="2300",
        source=_BY_HAND,
    )


# --- Published cases ---


def _game_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    before = hundredths(inputs["rating"])
    outcome: dict[str, Any] = {
        "display": displayed(before),
        "display_before": displayed(before),
    }
    if "gain" in inputs:
        after = before + hundredths(inputs["gain"])
    elif "opponent" in inputs:
        other = hundredths(inputs["opponent"])
        after = new_rating(before, other, inputs["score"], _k_of(inputs))
        outcome["PD"] = expected_hundredths(before, other) / 100
        outcome["D_display"] = abs(displayed(before) - displayed(other))
    else:
        return outcome
    outcome["new"] = after / 100
    outcome["display_after"] = displayed(after)
    outcome["status"] = "rated" if after_floor(after) else "unrated"
    return outcome


def _k_of(inputs: Mapping[str, Any]) -> int:
    """Return the K of a case, without one that of its category's old members."""
    bullet = inputs.get("category") == Category.BULLET
    usual = BulletParameters.k if bullet else Parameters.k
    return int(inputs.get("K", usual))


def _first_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    opponents = [hundredths(rating) for rating in inputs["opponents"]]
    half_points = int(2 * score_of(inputs))
    return {"Rf": first_rating_by_play(opponents, half_points) / 100}


SYSTEMS: tuple[System, ...] = (ArenaRapid(), ArenaBlitz(), ArenaBullet())
CASES: Mapping[str, Case] = {"foa.rbb": _game_case, "foa.rbb.first": _first_case}
