"""The Deutsche Wertungszahl (DWZ) of the German chess federation.

Sections are those of the Wertungsordnung. Ratings are positive whole numbers; a
player also has an index, the number of events rated so far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, each
from ratings.laboratory.parameters import parameter
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
from ratings.laboratory.tables import expectation
from ratings.laboratory.words import _

from ._opening import Opening
from .opposition import Result, results_of

NEW, OLD = _("current"), "2014"
EDITIONS: Final = (NEW, OLD)

ADULT_AGE: Final = 26
YOUTH_AGE: Final = 20
FOREIGN_INDEX: Final = 6
"""The index of a rating that was taken over from another list."""

_SPREAD: Final = 200 * math.sqrt(2)
_NORMAL: Final = NormalDist(sigma=_SPREAD)
_REACH: Final = 3000


def expected_score(difference: float) -> float:
    """Return the expected score P(D), by the normal curve (annex 2).

    >>> round(expected_score(270), 3)
    0.83
    """
    return 0.5 + math.erf(difference / (_SPREAD * math.sqrt(2))) / 2


_SHARES: Final = tuple(expected_score(gap) for gap in range(-_REACH, _REACH + 1))
_OLD_SHARES: Final = tuple(expectation(gap) / 100 for gap in range(-_REACH, _REACH + 1))


def difference_of(share: float) -> int:
    """Return the whole difference at which *share*, inside 0 to 1, is expected.

    Halves go away from zero, so that the table is the same for both players.

    >>> difference_of(7 / 9), difference_of(11.5 / 13), difference_of(0.25)
    (216, 339, -191)
    """
    difference = _NORMAL.inv_cdf(share)
    return official(difference) if difference >= 0 else -official(-difference)


def expected_total(own: int, opponents: Sequence[int], edition: str = NEW) -> float:
    """Return We, the expected score of an event (3.3).

    The older edition read each game's from FIDE's table.

    >>> round(expected_total(1700, [1900, 1900, 1800, 1650, 1500]), 4)
    2.1717
    """
    shares = _SHARES if edition == NEW else _OLD_SHARES
    gaps = [max(-_REACH, min(_REACH, own - rating)) for rating in opponents]
    return math.fsum([shares[gap + _REACH] for gap in gaps])


def age_factor(age: int | None) -> int:
    """Return J: 5 up to 20 years, 10 up to 25, 15 above and where nothing is known.

    >>> age_factor(20), age_factor(21), age_factor(26), age_factor(None)
    (5, 10, 15, 15)
    """
    if age is None or age >= ADULT_AGE:
        return 15
    return 5 if age <= YOUTH_AGE else 10


def development(
    rating: int,
    age: int | None,
    score: float,
    expected: float,
    index: int,
    edition: str = NEW,
) -> int:
    """Return the coefficient E of an event (annex 1.2).

    *age* is the year less the year of birth, None for an adult; *index* the number of
    events rated before, 1 for a rating from another list.

    >>> development(1530, 40, 1, 2, 10), development(2200, 30, 1, 0.5, 2)
    (20, 10)
    >>> development(1600, 18, 2, 1, 10), development(1600, 18, 1, 2, 10)
    (9, 12)
    >>> development(800, 30, 0, 1, 10), development(900, 12, 0, 1, 10)
    (42, 19)
    """
    basic = (rating / 1000) ** 4 + age_factor(age)
    is_young = age is not None and age <= YOUTH_AGE
    factor = 1.0
    if is_young and score >= expected:
        factor = max(0.5, min(1.0, rating / 2000))
    brake = 0.0
    below = score < expected if edition == NEW else score <= expected
    if rating < 1300 and below:
        brake = math.exp((1300 - rating) / 150) - 1
    by_index = 5 * index if index <= 5 else 30
    highest = 150 if brake > 0 else by_index
    return max(5, min(highest, official(basic * factor + brake)))


def new_rating(
    rating: int, score: float, expected: float, coefficient: int, games: int
) -> float:
    """Return R0 + 800 × (W − We) ÷ (E + n), not rounded (3.3).

    >>> round(new_rating(1011, 6.5, 5.146, 5, 7))
    1101
    """
    return rating + 800 * (score - expected) / (coefficient + games)


# --- First ratings ---


class Newcomer(NamedTuple):
    """What a first rating is found from.

    *known* are ratings of opponents with the score against each; *others* are places
    in the list of newcomers, with the score against each.
    """

    known: Sequence[tuple[float, float]]
    others: Sequence[tuple[int, float]] = ()


def performance(games: Sequence[tuple[float, float]]) -> float:
    """Return the rating at which the score of *games* is just what is expected.

    *games* are opponents' ratings with the score against each. Raises ValueError if
    every game was won or every game lost, because no rating fits then.

    >>> round(performance([(1300, 1), (1540, .5), (1200, 0), (1290, 1), (1400, 1)]), 2)
    1505.49
    """
    score = math.fsum([points for _rating, points in games])
    if not 0 < score < len(games):
        raise ValueError("There is no rating for only wins or only losses.")
    ratings = [rating for rating, _points in games]
    low, high = min(ratings) - _REACH, max(ratings) + _REACH
    rating = math.fsum(ratings) / len(ratings)
    while True:
        surplus = math.fsum([expected_score(rating - other) for other in ratings])
        surplus -= score
        if surplus > 0:
            high = rating
        else:
            low = rating
        slope = math.fsum([_NORMAL.pdf(rating - other) for other in ratings])
        guess = rating - surplus / slope if slope > 0 else low
        # Newton's step, unless it leaves the interval that holds the solution.
        if not low < guess < high:
            guess = (low + high) / 2
        if abs(guess - rating) < 1e-9 or not low < guess < high:
            return guess
        rating = guess


def first_ratings(newcomers: Sequence[Newcomer]) -> list[float]:
    """Return the ratings at which all newcomers score what is expected (3.4).

    They are found together, because newcomers who met each other depend on each other:
    each in turn is set right until nothing moves. Every newcomer needs a score against
    the known opponents that is neither nothing nor all.

    >>> pair = [Newcomer([(1500, 1), (1500, 0)], [(1, 1)]),
    ...         Newcomer([(1500, 1), (1500, 0)], [(0, 0)])]
    >>> first, second = first_ratings(pair)
    >>> round((first + second) / 2, 3), first > second
    (1500.0, True)
    """
    ratings = [performance(newcomer.known) for newcomer in newcomers]
    coupled = [place for place, one in enumerate(newcomers) if one.others]
    moved = 1.0 if coupled else 0.0
    while moved > 1e-6:
        moved = 0.0
        for place in coupled:
            known, others = newcomers[place]
            met = [(ratings[other], score) for other, score in others]
            rating = performance([*known, *met])
            moved = max(moved, abs(rating - ratings[place]))
            ratings[place] = rating
    return ratings


def corrected_low(rating: int) -> float:
    """Return a first rating up to 800 as lifted by the correction: 700 + R ÷ 8.

    >>> corrected_low(400), corrected_low(800), corrected_low(801)
    (750.0, 800.0, 801.0)
    """
    return 700 + rating / 8 if rating <= 800 else float(rating)


# --- The system ---


@dataclass(frozen=True)
class Parameters:
    edition: str = parameter(
        NEW,
        _("Edition of the Wertungsordnung"),
        _(
            "That of 2014 reads expected scores from FIDE's table, and slows losses "
            "below 1300 also when the score is exactly as expected."
        ),
        choices=EDITIONS,
    )
    first_games: int = parameter(
        5,
        _("Games for a first rating"),
        _("Against rated opponents; fewer are kept for the next event."),
        low=1,
        high=30,
    )
    keep_days: int = parameter(
        730,
        _("Days that games of unrated players are kept"),
        _("Two years in the rules."),
        low=0,
        high=3650,
    )
    opening: int = parameter(
        1500,
        _("Rating to open a list with"),
        _(
            "First ratings come from games against rated players. If nobody is rated "
            "after the first period, the players of the next begin with this rating. "
            "0 leaves them unrated."
        ),
        low=0,
        high=2800,
    )
    low_correction: bool = parameter(
        False,
        _("Lift low first ratings"),
        _(
            "A first rating R up to 800 becomes 700 + R ÷ 8. Read in a secondary "
            "source only, so it is off."
        ),
    )
    special_above: int = parameter(
        0,
        _("Special rating of the young (a reconstruction)"),
        _(
            "The text of clause 3.6.3 is not known to us. As a stand-in, a player of "
            "up to 20 years whose performance in five or more games is higher than "
            "the new rating by more than this gets the performance. 0 turns it off."
        ),
        low=0,
        high=1000,
    )


class _Kept(NamedTuple):
    """A game of an unrated player against a rated one, kept for a first rating."""

    day: int
    rating: int
    points: float


@dataclass
class _Event:
    """One event while it is rated: *played* is by player, opponents with points.

    *first* are the first ratings found in it and *counted* the games they rest on.
    """

    day: int
    played: Mapping[int, list[Result]]
    first: dict[int, int] = field(default_factory=dict)
    counted: dict[int, int] = field(default_factory=dict)


class DwzTable(Table):
    """DWZ of one pool; a rating of 0 stands for none."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        self._pool = pool
        self._parameters = parameters
        self._ratings = [0] * pool.size
        self._games = [0] * pool.size
        self._index = [0] * pool.size
        self._bound = [0] * pool.size
        self._kept: dict[int, list[_Kept]] = {}
        self._opening = Opening(parameters.opening)

    def standing(self, player: int) -> Standing | None:
        rating = self._ratings[player]
        if not rating:
            return None
        return Standing(
            float(rating), self._games[player], evaluations=self._index[player]
        )

    def seed(self, player: int, standing: Standing) -> None:
        """Give a rating; without evaluations it is one from another list.

        Such a rating gets index 6, but counts as index 1 where E is limited (3.2.6).
        """
        self._opening.close()
        self._ratings[player] = max(1, official(standing.rating))
        self._games[player] = standing.games
        self._index[player] = standing.evaluations or FOREIGN_INDEX
        self._bound[player] = standing.evaluations or 1

    def at_floor(self, player: int) -> bool:
        return self._ratings[player] == 1

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings = self._ratings
        shares = _SHARES if self._parameters.edition == NEW else _OLD_SHARES
        predicted: list[float] = []
        keep = predicted.append
        for white, black in zip(games.white, games.black, strict=True):
            own, other = ratings[white], ratings[black]
            if own and other:
                gap = own - other
                if -_REACH <= gap <= _REACH:
                    keep(shares[gap + _REACH])
                else:
                    keep(1.0 if gap > 0 else 0.0)
            else:
                keep(UNKNOWN)
        return predicted

    def update(self, games: Games, moment: Moment) -> None:
        self._opening.open(self, games, moment)
        event = _Event(moment.day, results_of(games))
        self._find_first(event)
        self._find_first(event)
        changes = [
            (player, *change)
            for player in event.played
            if self._ratings[player]
            and (change := self._rated(player, event)) is not None
        ]
        self._keep_rest(event)
        for player, rating, count in changes:
            self._set(player, rating, count)
        for player, rating in event.first.items():
            self._set(player, rating, event.counted[player])
            self._kept.pop(player, None)

    def _set(self, player: int, rating: int, games: int) -> None:
        self._ratings[player] = max(1, rating)
        self._games[player] += games
        self._index[player] += 1
        self._bound[player] += 1

    def _opponent(self, player: int, event: _Event) -> int:
        """Return the rating that counts for *player*: the old one, or a first one."""
        return self._ratings[player] or event.first.get(player, 0)

    def _results(self, player: int, event: _Event) -> list[tuple[int, float]]:
        """Return a newcomer's kept games and those of the event, as ratings, points."""
        oldest = event.day - self._parameters.keep_days
        kept = [
            (one.rating, one.points)
            for one in self._kept.get(player, ())
            if one.day >= oldest
        ]
        fresh = [
            (self._opponent(opponent, event), points)
            for opponent, points in event.played[player]
        ]
        return kept + [(rating, points) for rating, points in fresh if rating]

    def _find_first(self, event: _Event) -> None:
        """Find the first ratings of one stage.

        The second stage counts the newcomers of the first as rated opponents.
        """
        found: list[tuple[int, list[tuple[int, float]]]] = []
        for player in event.played:
            if not self._opponent(player, event):
                results = self._results(player, event)
                score = math.fsum([points for _rating, points in results])
                enough = len(results) >= self._parameters.first_games
                if enough and 0 < score < len(results):
                    found.append((player, results))
        places = {player: place for place, (player, _results) in enumerate(found)}
        newcomers = [
            Newcomer(
                results,
                [
                    (places[opponent], points)
                    for opponent, points in event.played[player]
                    if opponent in places
                ],
            )
            for player, results in found
        ]
        ratings = first_ratings(newcomers)
        for player, newcomer, rating in zip(places, newcomers, ratings, strict=True):
            event.first[player] = self._first(rating)
            event.counted[player] = len(newcomer.known) + len(newcomer.others)

    def _first(self, rating: float) -> int:
        first = official(rating)
        if self._parameters.low_correction:
            first = official(corrected_low(first))
        return max(1, first)

    def _rated(self, player: int, event: _Event) -> tuple[int, int] | None:
        """Return a rated player's new rating and the games that counted."""
        ratings, first = self._ratings, event.first
        games = [
            (rating, points)
            for opponent, points in event.played[player]
            if (rating := ratings[opponent] or first.get(opponent, 0))
        ]
        if not games:
            return None
        own, edition = self._ratings[player], self._parameters.edition
        score = math.fsum([points for _rating, points in games])
        expected = expected_total(own, [rating for rating, _p in games], edition)
        age = self._age(player, event.day)
        limit = self._bound[player]
        coefficient = development(own, age, score, expected, limit, edition)
        rating = official(new_rating(own, score, expected, coefficient, len(games)))
        return self._special(rating, age, score, games), len(games)

    def _special(
        self,
        rating: int,
        age: int | None,
        score: float,
        games: Sequence[tuple[int, float]],
    ) -> int:
        """Return *rating*, or by the stand-in for clause 3.6.3 the performance."""
        above = self._parameters.special_above
        if not above or age is None or age > YOUTH_AGE:
            return rating
        if len(games) < self._parameters.first_games or not 0 < score < len(games):
            return rating
        performed = official(performance(games))
        return performed if performed - rating > above else rating

    def _age(self, player: int, day: int) -> int | None:
        born = self._pool.birth_year(player)
        return None if born is None else date.fromordinal(day).year - born

    def _keep_rest(self, event: _Event) -> None:
        """Keep the games of those who stay unrated, as long as the rules say."""
        oldest = event.day - self._parameters.keep_days
        for player, played in event.played.items():
            if not self._opponent(player, event):
                kept = [one for one in self._kept.get(player, ()) if one.day >= oldest]
                for opponent, points in played:
                    rating = self._opponent(opponent, event)
                    if rating:
                        kept.append(_Kept(event.day, rating, points))
                self._kept[player] = kept


_RULES: Final = (
    "https://www.schachbund.de/index.php/"
    "wertungsordnung-3-berechnungsregeln-des-dwz-wertungssystems/"
)
_ORDER = Source(_("Deutscher Schachbund, Wertungsordnung, section 3"), _RULES)
_ANNEX = Source(
    _("Deutscher Schachbund, Wertungsordnung, annex 1.2 (coefficient E)"),
    "https://www.schachbund.de/wertungsordnung-anhang-1-besondere-berechnungsverfahren/"
    "articles/wertungsordnung-anhang-12-die-ermittlung-des-entwicklungskoeffizienten-e"
    ".html",
)
_OLD_ANNEX = Source(
    _("Deutscher Schachbund, Wertungsordnung of 2014, annexes 2.1 and 2.4"),
    "http://www.schachbund.de/anhang-21.html",
)
_YOUTH = Source(
    _("A published youth result: 1011, 6½ points for 5.146, new 1101"),
    "http://www.randspringer.de/turniertabelle_lesen.html",
)

_BY_HAND = Source(
    _("Worked by hand from the rules; no source prints an event in full"),
)


class Dwz(System):
    about = About(
        key="dwz",
        label=_("Deutsche Wertungszahl (DWZ)"),
        years=_("Germany, since 1993"),
        summary=_(
            "The German rating: Elo's normal curve, and a coefficient that follows "
            "age, rating, result and the number of events."
        ),
        shape=Shape.PER_EVENT,
        status=Status.OFFICIAL,
        sources=(_ORDER, _ANNEX, _OLD_ANNEX, _YOUTH),
    )
    parameters = Parameters
    reads_ages = True
    example = Example(
        player=Standing(1700.0, 80, evaluations=10),
        games=(
            (Standing(1900.0, 80, evaluations=10), 0.0),
            (Standing(1900.0, 80, evaluations=10), 1.0),
            (Standing(1800.0, 80, evaluations=10), 0.5),
            (Standing(1650.0, 80, evaluations=10), 1.0),
            (Standing(1500.0, 80, evaluations=10), 1.0),
        ),
        printed="1738",
        source=_BY_HAND,
    )

    def begin(self, pool: Pool, parameters: Any = None) -> DwzTable:
        return DwzTable(pool, parameters or Parameters())

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_total(official(player.rating), [official(opponent.rating)])


# --- Published cases ---


def _expectation_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    shares = each(expected_score, inputs["D"])
    return {"P": shares, "P_percent": each(lambda share: 100 * share, shares)}


def _difference_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"D": [difference_of(score / n) for score, n in inputs["score_games"]]}


def _development_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"E": [development(*line) for line in inputs["R0_age_W_We_index"]]}


def _event_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event by its opponents, or by its sums with E at its minimum for a youth."""
    own = official(inputs["R0"])
    if "opponents" in inputs:
        score = math.fsum([points for _rating, points in inputs["opponents"]])
        opponents = [official(rating) for rating, _points in inputs["opponents"]]
        expected, games = expected_total(own, opponents), len(opponents)
    else:
        score, expected, games = inputs["W"], inputs["We"], inputs["n"]
    index = inputs.get("index", FOREIGN_INDEX)
    is_young = str(inputs.get("age_group", "")).startswith("youth")
    age = inputs.get("age", YOUTH_AGE if is_young else None)
    usual = development(own, age, score, expected, index)
    coefficient = inputs.get("E", usual)
    after = new_rating(own, score, expected, coefficient, games)
    return {
        "E": coefficient,
        "W": score,
        "We": expected,
        "new": after,
        "rounded": official(after),
        "new_index": index + 1,
    }


def _first_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    games = [(rating, points) for rating, points in inputs["opponents"]]
    rating = first_ratings([Newcomer(games)])[0]
    return {"R": rating, "rounded": official(rating), "index": 1}


SYSTEMS: tuple[System, ...] = (Dwz(),)
CASES: Mapping[str, Case] = {
    "dwz": _event_case,
    "dwz.expectation": _expectation_case,
    "dwz.D_of_P": _difference_case,
    "dwz.E": _development_case,
    "dwz.first": _first_case,
}
