"""FIDE Online Arena: the rapid, blitz and bullet (RBB) ratings of its full members.

Ratings and changes are whole hundredths of a rating point, so results are exact. FIDE
ratings, changes of monthly lists, exact time controls and disconnections are used where
a file of games has them (`OnlineFacts`). Full membership (2.1) is taken for granted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Final

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, score_of
from ratings.laboratory.parameters import again, list_start, parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
    Example,
    Games,
    Moment,
    OnlineFacts,
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


TIME_CONTROLS: Final[Mapping[Category, tuple[tuple[int, int], ...]]] = {
    Category.RAPID: (
        *((15, 0), (25, 0), (45, 0)),
        *((10, 10), (15, 10), (25, 10), (45, 10)),
    ),
    Category.BLITZ: ((3, 0), (5, 0), (10, 0), (3, 2), (3, 3), (5, 3)),
    Category.BULLET: ((1, 0), (2, 0), (1, 1), (1, 2)),
}
"""The rated time controls, in minutes and seconds a move: no others are (2.3)."""

MAX_SECONDS_AWAY: Final = 60
# Places of FIDE's standard, rapid and blitz ratings, in the order of preference (3.4).
_PREFERRED: Final = {
    Category.RAPID: (1, 0),
    Category.BLITZ: (2, 1, 0),
    Category.BULLET: (2, 1, 0),
}
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


# --- What a server knows besides results ---


def is_rated_control(category: Category, control: tuple[int, int]) -> bool:
    """Return whether games at *control*, minutes and seconds a move, are rated (2.3).

    >>> [is_rated_control(Category.BLITZ, one) for one in ((10, 0), (10, 10), (5, 5))]
    [True, False, False]
    """
    return control in TIME_CONTROLS[category]


def points_after_disconnection(
    points: float, white_away: int, black_away: int
) -> float:
    """Return White's points: a player away for more than 60 seconds loses (2.4).

    Times are in seconds. If both were, the rule does not say who lost, and the result
    stays.

    >>> [points_after_disconnection(0.5, *away) for away in ((61, 0), (60, 0), (9, 70))]
    [0.0, 0.5, 1.0]
    """
    white, black = white_away > MAX_SECONDS_AWAY, black_away > MAX_SECONDS_AWAY
    return points if white == black else float(black)


def first_rating_from_lists(
    category: Category, ratings: Sequence[float | None]
) -> float | None:
    """Return a new member's first rating from FIDE's lists; None without one (3.4).

    *ratings* are standard, rapid and blitz, in rating points, None where there is none.
    The list of the same or the next longer time control is used.

    >>> first_rating_from_lists(Category.RAPID, (2000, None, 1900))
    2000
    >>> first_rating_from_lists(Category.BULLET, (2000, 1950, None))
    1950
    """
    known = (ratings[place] for place in _PREFERRED[category])
    return next((rating for rating in known if rating is not None), None)


def after_list(rating: int, change: float, floor: int = FLOOR) -> int:
    """Return *rating* (hundredths) after a monthly list, 0 if it is lost (3.15, 3.3).

    *change* is the sum of over-the-board changes to add, in rating points.

    >>> after_list(180020, -12.4), after_list(10500, -6)
    (178780, 0)
    """
    return after_floor(rating + hundredths(change), floor)


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

    category = Category.RAPID

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
        if not games.online:
            self._rate(games, moment)
            return
        for number, facts in enumerate(games.online):
            game = games.part(number, number + 1)
            self._rate(game if facts is None else self._apply(facts, game), moment)

    def _apply(self, facts: OnlineFacts, game: Games) -> Games:
        """Apply what is known before *game*; return it as it is rated, perhaps not."""
        sides = (
            (game.white[0], facts.white_lists, facts.white_change),
            (game.black[0], facts.black_lists, facts.black_change),
        )
        for player, lists, change in sides:
            rating = self._ratings[player]
            if rating:
                self._ratings[player] = after_list(
                    rating, change, self.parameters.floor
                )
            elif not self.counts[player] and player not in self._stages:
                first = first_rating_from_lists(self.category, lists)
                if first is not None:
                    self.seed(player, Standing(first))
        if facts.control and not is_rated_control(self.category, facts.control):
            return game.part(0, 0)
        points = points_after_disconnection(
            game.points[0], facts.white_away, facts.black_away
        )
        return replace(game, points=[points])

    def _rate(self, games: Games, moment: Moment) -> None:
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


class Arena(System):
    """One of the three categories."""

    table = ArenaTable
    category: ClassVar[Category]

    def begin(self, pool: Pool, parameters: Any = None) -> ArenaTable:
        table: ArenaTable = super().begin(pool, parameters)
        table.category = self.category
        return table

    def expected(self, player: Standing, opponent: Standing) -> float:
        own, other = hundredths(player.rating), hundredths(opponent.rating)
        return expected_hundredths(own, other) / 100


class ArenaRapid(Arena):
    category = Category.RAPID
    parameters = Parameters
    about = About(
        key="foa.rapid",
        label=_("FIDE Online Arena rapid"),
        years=_("internet, since the 2010s"),
        summary=_(
            "Rated after each game between full members. Uses Elo’s table and "
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


class ArenaBlitz(Arena):
    category = Category.BLITZ
    parameters = Parameters
    about = About(
        key="foa.blitz",
        label=_("FIDE Online Arena blitz"),
        years=_("internet, since the 2010s"),
        summary=_("The Arena’s rating for games of 3 to 10 minutes, with K 20."),
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


class ArenaBullet(Arena):
    category = Category.BULLET
    parameters = BulletParameters
    about = About(
        key="foa.bullet",
        label=_("FIDE Online Arena bullet"),
        years=_("internet, since the 2010s"),
        summary=_("The Arena’s rating for games of 1 or 2 minutes, with K 10."),
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
