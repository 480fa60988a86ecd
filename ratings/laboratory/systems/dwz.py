"""The Deutsche Wertungszahl (DWZ) of the German chess federation.

Sections are those of the Wertungsordnung. Ratings are positive whole numbers; a
player also has an index, the number of events rated so far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ratings.engine.numbers import official
from ratings.laboratory.cases import Case, each
from ratings.laboratory.parameters import list_start, parameter
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
from ratings.laboratory.words import _

from ._opening import Opening
from .dwz_formulas import (
    EDITIONS,
    FOREIGN_INDEX,
    MAX_DIFFERENCE,
    NEW,
    OLD_SHARES,
    SHARES,
    YOUTH_AGE,
    Newcomer,
    corrected_low,
    development,
    difference_of,
    expected_score,
    expected_total,
    first_ratings,
    new_rating,
    performance,
)
from .opposition import Result, results_of

# --- The system ---


@dataclass(frozen=True)
class Parameters:
    edition: str = parameter(
        NEW,
        _("Edition of the Wertungsordnung"),
        _(
            "The 2014 edition reads expected scores from FIDE’s table. It also "
            "slows losses below 1300 when the score is exactly as expected."
        ),
        choices=EDITIONS,
    )
    first_games: int = parameter(
        5,
        _("Games for a first rating"),
        _("Against rated opponents. Fewer games are saved for the next event."),
        low=1,
        high=30,
    )
    keep_days: int = parameter(
        730,
        _("Days to save games of unrated players"),
        _("Two years in the rules."),
        low=0,
        high=3650,
    )
    opening: int = list_start(1500)
    low_correction: bool = parameter(
        False,
        _("Raise low first ratings"),
        _(
            "A first rating R up to 800 becomes 700 + R ÷ 8. Off by default, "
            "because only a secondary source says so."
        ),
    )
    special_above: int = parameter(
        0,
        _("Special youth rating (reconstruction)"),
        _(
            "We don’t have the text of clause 3.6.3. In its place: a player up "
            "to age 20 with five or more games gets the performance rating if it "
            "is higher than the new rating by more than this. 0 turns it off."
        ),
        low=0,
        high=1000,
    )


class _StoredGame(NamedTuple):
    """A game of an unrated player against a rated one, stored for a first rating."""

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
    """DWZ of one pool; a rating of 0 means none."""

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._ratings = [0] * pool.size
        self._bound = [0] * pool.size
        self._kept: dict[int, list[_StoredGame]] = {}
        self._opening = Opening(parameters.opening)

    def standing(self, player: int) -> Standing | None:
        rating = self._ratings[player]
        if not rating:
            return None
        return Standing(
            float(rating), self.counts[player], evaluations=self.evaluations[player]
        )

    def seed(self, player: int, standing: Standing) -> None:
        """Give a rating; without evaluations it is one from another list.

        Such a rating gets index 6, but counts as index 1 where E is limited (3.2.6).
        """
        self._opening.close()
        self._ratings[player] = max(1, official(standing.rating))
        self.counts[player] = standing.games
        self.evaluations[player] = standing.evaluations or FOREIGN_INDEX
        self._bound[player] = standing.evaluations or 1

    def at_floor(self, player: int) -> bool:
        return self._ratings[player] == 1

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings = self._ratings
        shares = SHARES if self.parameters.edition == NEW else OLD_SHARES
        predicted: list[float] = []
        keep = predicted.append
        for white, black in zip(games.white, games.black, strict=True):
            own, other = ratings[white], ratings[black]
            if own and other:
                gap = own - other
                if -MAX_DIFFERENCE <= gap <= MAX_DIFFERENCE:
                    keep(shares[gap + MAX_DIFFERENCE])
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
        self._store_unrated_games(event)
        for player, rating, count in changes:
            self._set(player, rating, count)
        for player, rating in event.first.items():
            self._set(player, rating, event.counted[player])
            self._kept.pop(player, None)

    def _set(self, player: int, rating: int, games: int) -> None:
        self._ratings[player] = max(1, rating)
        self.counts[player] += games
        self.evaluations[player] += 1
        self._bound[player] += 1

    def _opponent(self, player: int, event: _Event) -> int:
        """Return the rating that counts for *player*: the old one, or a first one."""
        return self._ratings[player] or event.first.get(player, 0)

    def _results(self, player: int, event: _Event) -> list[tuple[int, float]]:
        """Return a newcomer's stored games and the event's, as ratings, points."""
        oldest = event.day - self.parameters.keep_days
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
                enough = len(results) >= self.parameters.first_games
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
        if self.parameters.low_correction:
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
        own, edition = self._ratings[player], self.parameters.edition
        score = math.fsum([points for _rating, points in games])
        expected = expected_total(own, [rating for rating, _p in games], edition)
        age = self.pool.age(player, event.day)
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
        """Return *rating*, or the performance that substitutes clause 3.6.3."""
        above = self.parameters.special_above
        if not above or age is None or age > YOUTH_AGE:
            return rating
        if len(games) < self.parameters.first_games or not 0 < score < len(games):
            return rating
        performed = official(performance(games))
        return performed if performed - rating > above else rating

    def _store_unrated_games(self, event: _Event) -> None:
        """Store the games of players who stay unrated, for as long as the rules say."""
        oldest = event.day - self.parameters.keep_days
        for player, played in event.played.items():
            if not self._opponent(player, event):
                kept = [one for one in self._kept.get(player, ()) if one.day >= oldest]
                for opponent, points in played:
                    rating = self._opponent(opponent, event)
                    if rating:
                        kept.append(_StoredGame(event.day, rating, points))
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
    _(
        "A published youth result: rated 1011, scored 6½ with 5.146 expected, new "
        "rating 1101"
    ),
    "http://www.randspringer.de/turniertabelle_lesen.html",
)

_BY_HAND = Source(
    _("Calculated by hand from the rules; no source prints a full event"),
)


class Dwz(System):
    about = About(
        key="dwz",
        label=_("Deutsche Wertungszahl (DWZ)"),
        years=_("Germany, since 1993"),
        summary=_(
            "The German rating: Elo’s normal curve, with a coefficient based on "
            "age, rating, result, and number of events."
        ),
        shape=Shape.PER_EVENT,
        status=Status.OFFICIAL,
        sources=(_ORDER, _ANNEX, _OLD_ANNEX, _YOUTH),
    )
    parameters = Parameters
    table = DwzTable
    uses_birth_years = True
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
