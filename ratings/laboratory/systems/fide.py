"""FIDE's standard, rapid and blitz ratings, by the rules of each date.

All arithmetic is in whole hundredths of a rating point, so results are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from ratings.engine.numbers import official
from ratings.laboratory.history import NO_EVENT, first_day_of, month_of
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
from ratings.laboratory.tables import MAX_DIFFERENCE, PERCENT, SHARES
from ratings.laboratory.words import _

from ._opening import Opening
from .fide_cases import CASES as CASES
from .fide_first import counts_as_first_event, first_rating, is_published
from .fide_formulas import (
    apply_2024_raise,
    capped_coefficient,
    coefficient,
    expected_share,
    is_rated,
    matches_time_control,
    round_half_away,
    tournament_change,
)
from .fide_rules import (
    BY_DATE,
    EDITIONS,
    RAISE_DAY,
    Coefficients,
    RatingList,
    Rules,
    rules_in_force,
)

# --- The system ---


@dataclass(frozen=True)
class Parameters:
    edition: str = parameter(
        BY_DATE,
        _("Edition of the rules"),
        _(
            "“By date” uses the rules in force on each day. A date uses that "
            "day’s rules for the whole history."
        ),
        choices=EDITIONS,
    )
    k: int = parameter(
        0,
        _("K for all players"),
        _("The points at stake in a game. 0 uses K by age, games, and rating."),
        low=0,
        high=80,
    )
    floor: int = parameter(
        0,
        _("Lowest rating on the list"),
        _(
            "A player who falls below becomes unrated and starts again. 0 uses "
            "the rules’ floor, which is 1400 today."
        ),
        low=0,
        high=2200,
    )
    one_time_raise: bool = parameter(
        True,
        _("Rating increase of March 2024"),
        _(
            "FIDE raised ratings from 1000 to 1999 once, on March 1, 2024. "
            "Applies only with rules by date."
        ),
    )
    opening: int = list_start(1800)
    time_controls: bool = parameter(
        False,
        _("Check the time control"),
        _("Rate only games with a time control that fits this list."),
    )


class _Result(NamedTuple):
    """One game of an unrated player against a rated one."""

    month: int
    event: int
    opponent: int
    half_points: int


class _DeferredGame(NamedTuple):
    """A game that is rated separately: an unrated player, or a large difference."""

    white: int
    black: int
    points: float
    event: int
    day: int


class FideTable(Table):
    """One of FIDE's lists; a rating of 0 means unrated.

    All games of a period use the ratings of the list before it. Large differences count
    by the rules of an event's first day, all else by those of the period's last day.
    """

    def __init__(self, kind: RatingList, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self._kind = kind
        self._ratings = [0] * pool.size
        self._peaks = [0] * pool.size
        self._results: dict[int, list[_Result]] = {}
        self._last_day: int | None = None
        self._opening = Opening(parameters.opening)

    def standing(self, player: int) -> Standing | None:
        rating = self._ratings[player]
        return Standing(float(rating), self.counts[player]) if rating else None

    def seed(self, player: int, standing: Standing) -> None:
        self._opening.close()
        self._publish(player, official(standing.rating), standing.games)

    def predict(self, games: Games, moment: Moment) -> list[float]:
        rule = self._rules(moment.day).differences
        ratings, shares, limit = self._ratings, SHARES, rule.limit
        predicted: list[float] = []
        keep = predicted.append
        for white, black in zip(games.white, games.black, strict=True):
            own, other = ratings[white], ratings[black]
            if own and other:
                gap = own - other
                if -limit <= gap <= limit:
                    keep(shares[gap + MAX_DIFFERENCE])
                else:
                    keep(expected_share(own, other, rule))
            else:
                keep(UNKNOWN)
        return predicted

    def update(self, games: Games, moment: Moment) -> None:
        self._raise_if_due(moment.day)
        self._opening.open(self, games, moment)
        rules = self._rules(moment.day)
        played = (
            self._matching_time_control(games)
            if self.parameters.time_controls
            else games
        )
        earliest = self._rules(min(played.days, default=moment.day))
        limit = min(earliest.differences.limit, rules.differences.limit)
        sums, counts, others = self._add_up(played, limit)
        far = [game for game in others if self._is_rated(game[0], game[1])]
        fresh = [game for game in others if not self._is_rated(game[0], game[1])]
        self._add_large_differences(far, _starts(played) if far else {}, sums, counts)
        first = self._collect(fresh, moment.day, rules)
        self._settle(sums, counts, moment.day, rules)
        for player in first:
            self._publish_first_rating(player, moment.day, rules)
        self._last_day = moment.day
        self._raise_if_due(first_day_of(month_of(moment.day) + 1))

    def _rules(self, day: int) -> Rules:
        edition = self.parameters.edition
        asked = date.fromordinal(day)
        if edition != BY_DATE:
            asked = date.fromisoformat(edition)
        rules = rules_in_force(self._kind, asked)
        floor = self.parameters.floor
        return replace(rules, floor=floor) if floor else rules

    def _is_rated(self, white: int, black: int) -> bool:
        return bool(self._ratings[white] and self._ratings[black])

    def _matching_time_control(self, games: Games) -> Games:
        """Return the games whose time control, where known, belongs to this list."""
        kept = [
            number
            for number, (white, black, minutes) in enumerate(
                zip(games.white, games.black, games.minutes, strict=True)
            )
            if matches_time_control(
                self._kind, minutes, max(self._ratings[white], self._ratings[black])
            )
        ]
        return games.select(kept)

    def _add_up(
        self, games: Games, limit: int
    ) -> tuple[list[int], list[int], list[_DeferredGame]]:
        """Return ΣΔR in hundredths and games of each player, and the games left over.

        Left over are those with an unrated player or a difference over *limit*.
        """
        ratings, percent = self._ratings, PERCENT
        sums, counts = [0] * len(ratings), [0] * len(ratings)
        others: list[_DeferredGame] = []
        for white, black, points, event, day in zip(
            games.white,
            games.black,
            games.points,
            games.events,
            games.days,
            strict=True,
        ):
            own, other = ratings[white], ratings[black]
            gap = own - other
            if own and other and -limit <= gap <= limit:
                change = int(100 * points) - percent[gap + MAX_DIFFERENCE]
                sums[white] += change
                sums[black] -= change
                counts[white] += 1
                counts[black] += 1
            else:
                others.append(_DeferredGame(white, black, points, event, day))
        return sums, counts, others

    def _add_large_differences(
        self,
        games: Sequence[_DeferredGame],
        starts: Mapping[int, int],
        sums: list[int],
        counts: list[int],
    ) -> None:
        """Add games with large differences, tournament by tournament."""
        ratings = self._ratings
        together: dict[tuple[int, int, int], list[tuple[int, float]]] = {}
        for white, black, points, event, day in games:
            start = starts.get(event, day)
            if is_rated(ratings[white], ratings[black], self._rules(start).uneven):
                for player, opponent, score in (
                    (white, black, points),
                    (black, white, 1.0 - points),
                ):
                    far = together.setdefault((player, event, start), [])
                    far.append((ratings[opponent], score))
        for (player, _event, start), far in together.items():
            rule = self._rules(start).differences
            sums[player] += tournament_change(ratings[player], far, rule)
            counts[player] += len(far)

    def _collect(
        self,
        games: Sequence[_DeferredGame],
        day: int,
        rules: Rules,
    ) -> list[int]:
        """Store the newcomers' results against rated players; return the newcomers."""
        month = month_of(day)
        fresh: dict[int, list[_Result]] = {}
        for white, black, points, event, _played in games:
            for player, opponent, score in (
                (white, black, points),
                (black, white, 1.0 - points),
            ):
                rating = self._ratings[opponent]
                if rating and not self._ratings[player]:
                    result = _Result(month, event, rating, int(2 * score))
                    fresh.setdefault(player, []).append(result)
        for player, results in fresh.items():
            self._results[player] = _pooled(
                self._results.get(player, []), results, month, rules
            )
        return list(fresh)

    def _settle(
        self, sums: list[int], counts: list[int], day: int, rules: Rules
    ) -> None:
        """Change the rating of each rated player who played, rounded once."""
        for player, games in enumerate(counts):
            if games:
                k = self._k(player, games, day, rules.coefficients)
                rating = self._ratings[player] + round_half_away(k * sums[player])
                self.counts[player] += games
                if rating >= rules.floor:
                    self._publish(player, rating, self.counts[player])
                else:
                    self._ratings[player] = 0

    def _k(self, player: int, games: int, day: int, rule: Coefficients) -> int:
        if self.parameters.k:
            return capped_coefficient(self.parameters.k, games, rule.most)
        age = self.pool.age(player, day)
        k = coefficient(rule, self.counts[player], self._peaks[player], age)
        return capped_coefficient(k, games, rule.most)

    def _publish_first_rating(self, player: int, day: int, rules: Rules) -> None:
        """Publish the first rating of *player* if there are games enough for one."""
        results = self._results[player]
        if len(results) < rules.first.games:
            return
        half_points = sum(result.half_points for result in results)
        opponents = [result.opponent for result in results]
        rating = first_rating(opponents, half_points, rules.first).rating
        if is_published(rating, len(results), rules.first, rules.floor):
            self._publish(player, rating, self.counts[player] + len(results))
            del self._results[player]

    def _publish(self, player: int, rating: int, games: int) -> None:
        self._ratings[player] = rating
        self.counts[player] = games
        self._peaks[player] = max(self._peaks[player], rating)

    def _raise_if_due(self, day: int) -> None:
        """Raise all ratings once, when the lists pass 1 March 2024."""
        parameters, due = self.parameters, RAISE_DAY.toordinal()
        if not parameters.one_time_raise or parameters.edition != BY_DATE:
            return
        if self._last_day is None or self._last_day >= due or day < due:
            return
        for player, rating in enumerate(self._ratings):
            raised = apply_2024_raise(rating)
            if raised != rating:
                self.bonus_points += raised - rating
                self._publish(player, raised, self.counts[player])
        self._last_day = due


def _pooled(
    before: list[_Result], results: list[_Result], month: int, rules: Rules
) -> list[_Result]:
    """Return a newcomer's results that count, with those of a new period added."""
    kept = [one for one in before if one.month > month - rules.first.months]
    for event in dict.fromkeys(result.event for result in results):
        played = [result for result in results if result.event == event]
        score = sum(result.half_points for result in played)
        if kept or counts_as_first_event(score, len(played), rules.first):
            kept += played
    return kept


def _starts(games: Games) -> dict[int, int]:
    """Return the first day of each event; games of no event have their own days."""
    starts: dict[int, int] = {}
    for event, day in zip(games.events, games.days, strict=True):
        starts[event] = min(day, starts.get(event, day))
    starts.pop(NO_EVENT, None)
    return starts


_HANDBOOK = Source(
    "FIDE Handbook B.02, FIDE Rating Regulations",
    "https://handbook.fide.com/chapter/B022024",
)
_FAST_HANDBOOK = Source(
    "FIDE Handbook B.02, FIDE Rapid and Blitz Rating Regulations",
    "https://handbook.fide.com/chapter/B02RBRegulations2024",
)
_HANDBOOK_2022 = Source(
    _("FIDE Handbook B.02, 2022 and 2023"),
    "https://handbook.fide.com/chapter/B022022",
)
_AMENDMENT = Source(
    _("FIDE Council, amendment in force from October 1, 2025"),
    "https://en.chessbase.com/post/fide-changes-rating-regulations",
)
_RAISE = Source(
    _("FIDE, new rating regulations of March 1, 2024"), "https://fide.com/news/2538"
)
_NOTICE_2009 = Source(
    _("FIDE, changes to the rating regulations from July 1, 2009"),
    "http://www.fide.com/component/content/article/1-fide-news/"
    "4059-changes-to-title-and-rating-regulations-effective-from-july-1st-2009.html",
)
_CHANGES_2014 = Source(
    _("K before and after July 1, 2014"), "http://www.chesselo.com/new_fide_system.html"
)
_FAST_2011 = Source(
    _("FIDE, rapid and blitz rating lists, November 16, 2011"),
    "https://old.fide.com/component/content/article/1-fide-news/"
    "5721-rapid-and-blitz-rating-lists.html",
)
_FAST_2021 = Source(
    _("How rapid and blitz rules differed in 2021"),
    "https://chessexpress.blogspot.com/2021/11/the-thing-about-ratings.html",
)
_FAST_2022 = Source(
    _("Rapid and blitz rules of October 1, 2022"),
    "https://www.scacchierando.it/regolamenti/nuove-regole-fide-per-i-rating-rapidblitz/",
)
_CALCULATIONS = Source(
    _("FIDE’s published calculations and calculator, collected in 2026"),
    "https://github.com/zugzwang-foundation/Chess-ELO-Rating",
)
_BY_HAND = Source(_("Calculated by hand from the rules"))


class _Fide(System):
    parameters = Parameters
    uses_birth_years = True
    kind: RatingList

    def begin(self, pool: Pool, parameters: Any = None) -> FideTable:
        return FideTable(self.kind, pool, parameters or Parameters())

    def expected(self, player: Standing, opponent: Standing) -> float:
        rule = rules_in_force(self.kind, date.max).differences
        return expected_share(official(player.rating), official(opponent.rating), rule)


class FideStandard(_Fide):
    kind = RatingList.STANDARD
    about = About(
        key="fide.standard",
        label=_("FIDE standard"),
        years=_("worldwide, since 1970"),
        summary=_(
            "The world federation’s rating for slow games: Elo’s formula with a "
            "table, whole numbers, and a new list each month."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(
            _HANDBOOK,
            _AMENDMENT,
            _RAISE,
            _HANDBOOK_2022,
            _CHANGES_2014,
            _NOTICE_2009,
            _CALCULATIONS,
        ),
    )
    example = Example(
        player=Standing(2813.0, 1000),
        games=(
            (Standing(1787.0, 100), 1.0),
            (Standing(2025.0, 100), 1.0),
            (Standing(2310.0, 100), 1.0),
            (Standing(2400.0, 100), 1.0),
            (Standing(2505.0, 100), 0.5),
        ),
        printed="2810",
        source=_CALCULATIONS,
    )


class FideRapid(_Fide):
    kind = RatingList.RAPID
    about = About(
        key="fide.rapid",
        label=_("FIDE rapid"),
        years=_("worldwide, since 2012"),
        summary=_(
            "The world federation’s rating for games of more than 10 and less "
            "than 60 minutes. Like the standard rating, but always with the "
            "400-point rule."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(_FAST_HANDBOOK, _FAST_2022, _FAST_2021, _FAST_2011),
    )
    example = Example(
        player=Standing(2700.0, 1000),
        games=((Standing(2200.0, 100), 1.0),),
        printed="2701",
        source=_BY_HAND,
    )


class FideBlitz(_Fide):
    kind = RatingList.BLITZ
    about = About(
        key="fide.blitz",
        label=_("FIDE blitz"),
        years=_("worldwide, since 2012"),
        summary=_(
            "The world federation’s rating for games of more than 3 and up to 10 "
            "minutes. Same rules as rapid, on a separate list."
        ),
        shape=Shape.PER_PERIOD,
        status=Status.OFFICIAL,
        sources=(_FAST_HANDBOOK, _FAST_2022, _FAST_2021, _FAST_2011),
    )
    example = Example(
        player=Standing(1500.0, 100),
        games=((Standing(2000.0, 100), 0.5),),
        printed="1508",
        source=_CALCULATIONS,
    )


SYSTEMS: tuple[System, ...] = (FideStandard(), FideRapid(), FideBlitz())
