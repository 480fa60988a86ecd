"""Our own rules, in each edition and with any changes, as a laboratory system.

The engine does the arithmetic (`ratings.engine.section`); this module has the ratings
of a pool, event after event. Every event is rated as regular, over the board, and as an
ordinary section, without match limits and other rating systems. Peak floors and the
absolute floor act as they do in the office.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, ClassVar, Final

from ratings.engine import parameters as dated
from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.inputs import (
    AssignedRating,
    Competitor,
    Game,
    Kind,
    RatingInput,
    Record,
)
from ratings.engine.results import RatingResult, peak_after, record_after
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.standard import winning_expectancy
from ratings.engine.systems import System as RatingSystem
from ratings.engine.time_controls import TimeControl, parse_time_control
from ratings.engine.variation.variables import CATALOG
from ratings.laboratory.parameters import parameter
from ratings.laboratory.protocol import (
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

_SYSTEM: Final = RatingSystem.OTBR
_SLOW_MINUTES: Final = 120
"""Stands for an unknown speed and for anything slower: surely not dual-rated."""


def _ours(
    name: str, default: Any = None, help: str | None = None, **bounds: Any
) -> Any:
    """Return the field of a variable of our rules, perhaps with other bounds."""
    one = CATALOG[name]
    return parameter(
        one.default if default is None else default,
        one.label,
        one.help if help is None else help,
        low=bounds.get("low", one.low),
        high=bounds.get("high", one.high),
    )


@dataclass(frozen=True)
class Parameters:
    """Parameters of the rules.

    Where the rules have changed over the years, 0 means the value in force on the day.
    """

    bonus_multiplier: float = _ours(
        "bonus",
        0.0,
        _(
            "A gain of more than B times the square root of the number of games "
            "earns a bonus. 0 uses the value in force on each day. 1000 means no "
            "bonus."
        ),
    )
    bonus_from_games: int = _ours("bonus_from_games", high=20)
    bonus_counts_at_least: int = _ours(
        "bonus_counts_at_least",
        help=_("An event with fewer games is treated as having this many."),
        high=20,
    )
    k_numerator: float = _ours("k_numerator", low=50, high=4000)
    most_effective_games: float = parameter(
        50.0,
        _("Maximum effective games"),
        _("For the highest ratings. Lower ratings have proportionally fewer."),
        low=5,
        high=200,
    )
    lower_k: bool = parameter(
        True,
        _("Lower K above 2200"),
        _("In dual-rated events (regular and quick)."),
    )
    special_up_to: int = _ours(
        "special_up_to",
        help=_("Ratings based on this many games or fewer use the special formula."),
        high=50,
    )
    newcomers: str = parameter(
        "age",
        _("Initial rating"),
        _("By age, as in the rules, or one rating for all."),
        choices=(_("age"), _("fixed")),
    )
    points_per_year: float = _ours("age_points", high=150)
    unknown_age: str = parameter(
        "child",
        _("Players of unknown age"),
        _("Treated as a child of 15 or an adult of 26."),
        choices=(_("child"), _("adult")),
    )
    highest_initial: float = _ours("age_highest")
    fixed_initial: float = parameter(
        1300.0, _("Initial rating if fixed"), low=100, high=3000
    )
    lowest_rating: float = _ours("lowest_rating")
    floors: bool = parameter(
        True,
        _("Personal floors"),
        _("The absolute floor and the floors based on peak rating."),
    )
    highest_absolute_floor: int = _ours(
        "absolute_floor_highest",
        help=_("It rises from 100 with wins, draws, and events."),
    )
    peak_floor_drop: int = _ours("peak_floor_drop", high=1000)
    lowest_peak_floor: int = _ours(
        "lowest_peak_floor",
        0,
        _("0 uses the value in force on each day."),
        low=0,
        high=2400,
    )
    highest_peak_floor: int = _ours("highest_peak_floor")
    rules_year: int = parameter(
        0,
        _("Rules of a single year"),
        _(
            "Rate every event by the rules in force at the end of this year. 0 "
            "uses the rules of each event’s first day."
        ),
        low=0,
        high=2030,
    )


_DEFAULTS: Final = Parameters()
# The variables of the rules, by the names of the parameters.
_VARIABLES: Final = {
    "bonus_multiplier": "bonus",
    "most_effective_games": "n_limit",
    "points_per_year": "age_points",
    "highest_initial": "age_highest",
    "highest_absolute_floor": "absolute_floor_highest",
    **{one.name: one.name for one in fields(Parameters) if one.name in CATALOG},
}


def changed_rules(rules: Rules, parameters: Parameters) -> Rules:
    """Return *rules* with the changes of *parameters*.

    Defaults are not touched, so that a rule that is unknown for the day is needed only
    by variants that change or use it.

    >>> rules = rules_in_force(date(2024, 5, 4))
    >>> changed_rules(rules, Parameters()) is rules
    True
    >>> changed_rules(rules, Parameters(bonus_multiplier=6.0)).bonus_multiplier
    6.0
    """
    for name, variable in _VARIABLES.items():
        value, change = getattr(parameters, name), CATALOG[variable].changes
        if change is not None and value != getattr(_DEFAULTS, name):
            rules = rules.vary(**change(rules, value))
    return rules


class UsChessTable(Table):
    """Ratings, games and the inputs of floors, as columns by player.

    *bonus_points* adds up the bonuses of the standard formula.
    """

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters, edition: str) -> None:
        super().__init__(pool, parameters)
        size = pool.size
        self.edition = edition
        self.records = [Record.NONE] * size
        self.floors = [parameters.lowest_rating] * size
        self._wins = [0] * size
        self._draws = [0] * size
        self._three_game_events = [0] * size
        self._peaks: list[float | None] = [None] * size
        self._rules: dict[date, Rules] = {}
        self._controls: dict[int, TimeControl] = {}

    def predict(self, games: Games, moment: Moment) -> list[float]:
        ratings = self.ratings
        return [
            1.0 / (1.0 + 10.0 ** ((ratings[black] - ratings[white]) / 400.0))
            for white, black in zip(games.white, games.black, strict=True)
        ]

    def update(self, games: Games, moment: Moment) -> None:
        """Rate one event that ended on the moment's day.

        Raises `NoRuleInForce` for days before the known rules.
        """
        if not len(games):
            return
        start = date.fromordinal(min(games.days))
        rules = self._rules_on(start)
        tallies = _tallies(games)
        floors = {
            player: self._floor(player, tally, rules)
            for player, tally in tallies.items()
        }
        rating_input = RatingInput(
            system=_SYSTEM,
            kind=Kind.OTHER,
            time_control=self._control(games.minutes),
            start_date=start,
            end_date=date.fromordinal(moment.day),
            competitors=tuple(
                self._competitor(player, floors[player]) for player in tallies
            ),
            games=tuple(
                Game(white, black, int(2 * points), 2 - int(2 * points))
                for white, black, points in zip(
                    games.white, games.black, games.points, strict=True
                )
            ),
        )
        rated = rate_section(rating_input, rules)
        for result, (player, tally) in zip(rated, tallies.items(), strict=True):
            self._store_result(player, result, tally, floors[player], rules)

    def _rules_on(self, start: date) -> Rules:
        year = self.parameters.rules_year
        day = date(year, 12, 31) if year else start
        if day not in self._rules:
            rules = rules_in_force(day, self.edition)
            self._rules[day] = changed_rules(rules, self.parameters)
        return self._rules[day]

    def _control(self, minutes: Sequence[int]) -> TimeControl:
        """Return the event's time control; it only decides about the lower K."""
        known = next((time for time in minutes if time > 0), _SLOW_MINUTES)
        time = min(known, _SLOW_MINUTES)
        if time not in self._controls:
            self._controls[time] = parse_time_control(f"G/{time};d0")
        return self._controls[time]

    def _floor(self, player: int, tally: list[int], rules: Rules) -> float:
        """Return the player's floor in the event, whose own games count already."""
        if not self.parameters.floors:
            return rules.lowest_rating
        games, wins, draws = tally
        absolute = absolute_floor(
            self._wins[player] + wins,
            self._draws[player] + draws,
            self._three_game_events[player] + (games >= rules.floor_event_games),
            rules,
            _SYSTEM,
        )
        peak = peak_floor(self._peaks[player], rules)
        floor = personal_floor(rules, _SYSTEM, absolute=absolute, peak=peak)
        return max(floor, rules.lowest_rating)

    def _competitor(self, player: int, floor: float) -> Competitor:
        rating = self.ratings[player]
        if rating == rating and self.counts[player]:
            return Competitor(
                player, rating, self.counts[player], self.records[player], floor
            )
        born = self.pool.birth_year(player)
        return Competitor(
            id=player,
            rating=None,
            record=Record.NONE,
            floor=floor,
            birth_date=None if born is None else date(born, 7, 1),
            adult=self.parameters.unknown_age == "adult",
            initial=self._initial(rating),
        )

    def _initial(self, rating: float) -> AssignedRating | None:
        """Return an unrated player's initial rating, None for the age-based one."""
        if rating == rating:
            return AssignedRating(rating, 0)
        if self.parameters.newcomers == "fixed":
            return AssignedRating(self.parameters.fixed_initial, 0)
        return None

    def _store_result(
        self,
        player: int,
        result: RatingResult,
        tally: list[int],
        floor: float,
        rules: Rules,
    ) -> None:
        """Store the event's result of a player in the columns."""
        if result.post is None:
            raise ValueError(f"Player {player} was not rated, in spite of games.")
        games, wins, draws = tally
        self.ratings[player] = result.post
        self.counts[player] = result.post_games
        self.records[player] = record_after(self.records[player], games, wins, draws)
        self.floors[player] = floor
        self.evaluations[player] += 1
        self._wins[player] += wins
        self._draws[player] += draws
        self._three_game_events[player] += games >= rules.floor_event_games
        self._peaks[player] = peak_after(
            self._peaks[player], result.post, result.post_games, rules.established_after
        )
        if result.bonus:
            self.bonus_points += result.bonus

    def seed(self, player: int, standing: Standing) -> None:
        """Give *player* a rating; one without games counts as an initial rating.

        The past record of one with games is taken as mixed, and an established
        rating as the highest so far.
        """
        super().seed(player, standing)
        self.records[player] = Record.MIXED if standing.games else Record.NONE
        most = dated.Constants.established_after.history[0].value
        self._peaks[player] = peak_after(None, standing.rating, standing.games, most)

    def at_floor(self, player: int) -> bool:
        return self.ratings[player] <= self.floors[player]


def _tallies(games: Games) -> dict[int, list[int]]:
    """Return each player's games, wins and draws, in the order of the first games."""
    tallies: dict[int, list[int]] = {}
    for white, black, points in zip(
        games.white, games.black, games.points, strict=True
    ):
        for player, score in ((white, points), (black, 1.0 - points)):
            tally = tallies.setdefault(player, [0, 0, 0])
            tally[0] += 1
            if score == 1.0:
                tally[1] += 1
            elif score == 0.5:
                tally[2] += 1
    return tallies


class UsChess(System):
    """Our rules in one edition of their text."""

    parameters = Parameters
    uses_birth_years = True
    edition: ClassVar[str]

    def begin(self, pool: Pool, parameters: Parameters | None = None) -> UsChessTable:
        return UsChessTable(pool, parameters or Parameters(), self.edition)

    def expected(self, player: Standing, opponent: Standing) -> float:
        return winning_expectancy(player.rating, opponent.rating)


_SUMMARY: Final = _(
    "Our own rules as the ratings office applies them: effective games, a "
    "special formula for provisional ratings, bonus points, and floors."
)


def _about(key: str, label: str, years: str, title: str) -> About:
    return About(
        f"uschess.{key}",
        label,
        years,
        _SUMMARY,
        Shape.PER_EVENT,
        Status.OFFICIAL,
        (Source(title),),
    )


def _example(printed: str) -> Example:
    return Example(
        player=Standing(1700.0, 30),
        games=((Standing(1700.0, 30), 1.0),) * 4,
        printed=printed,
        source=Source(
            _("Calculated by hand from the paper, which prints no full event")
        ),
    )


class UsChess2020(UsChess):
    edition = dated.SEPTEMBER_2020
    about = _about(
        "2020",
        _("US Chess, September 2020 rules"),
        _("2020 to 2025"),
        _("The US Chess Rating System, September 2, 2020"),
    )
    example = _example("1798")


class UsChessFebruary2025(UsChess):
    edition = dated.FEBRUARY_2025
    about = _about(
        "2025_02",
        _("US Chess, February 2025 rules"),
        _("2025"),
        _("The US Chess Rating System, February 10, 2025"),
    )
    example = _example("1802")


class UsChessJuly2025(UsChess):
    edition = dated.JULY_2025
    about = _about(
        "2025_07",
        _("US Chess, July 2025 rules"),
        _("2025 to today"),
        _("The US Chess Rating System, July 26, 2025"),
    )
    example = _example("1806")


SYSTEMS: tuple[System, ...] = (UsChessJuly2025(), UsChessFebruary2025(), UsChess2020())
