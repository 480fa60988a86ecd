"""Every constant of the rating system: dated values, sources, labels and bounds.

This is the only list of rating constants: the rules of a day, the kernel's rows, the
forms of experiments and the tables of docs/rules.md are made from it. Formulas receive
the values of the section's start day (see `rules`) and never compare dates. "2020
paper" is the text of September 2, 2020, "2025 paper" that of February 10, 2025, "July
2025 paper" that of July 26, 2025. `docs/rules.md` gives the reasons for the choices
that the texts leave open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from .conversions import Conversion, LinearConversion
from .i18n import _
from .messages import engine_message
from .rule_history import DatedValue, RuleHistory
from .systems import System
from .variation.parameter import Changes, Parameter, number, positive, switch

FEBRUARY_2025 = "2025-02-10"
JULY_2025 = "2025-07-26"
SEPTEMBER_2020 = "2020-09-02"


# --- Types of values that are more than one number ---


@dataclass(frozen=True)
class EffectiveGames:
    """N* = limit ÷ √(base + slope × (pivot − R)²), or limit above `full_above`."""

    limit: float
    full_above: float
    base: float
    slope: float
    pivot: float


@dataclass(frozen=True)
class LowerK:
    """K in dual-rated sections above `above`, as a multiple of 1 ÷ (N′ + m).

    The numerator is K's own × (intercept − slope × R) below `flat_from`, and `flat`
    from there on.
    """

    above: float
    flat_from: float
    intercept: float
    slope: float
    flat: float


@dataclass(frozen=True)
class AgeStart:
    """The age-based initial rating, in rating points by age in years."""

    lowest: float
    lowest_below: float
    points_per_year: float
    highest_above: float
    highest: float
    mistaken_below: float
    adult_age: float
    child_age: float
    days_per_year: float

    def rating(self, age: float) -> float:
        """Return the initial rating of a player of *age* years, not rounded."""
        if age < self.lowest_below:
            return self.lowest
        if age > self.highest_above:
            return self.highest
        return self.points_per_year * age


@dataclass(frozen=True)
class Blend:
    """The weights of other ratings in an initial rating (2025 paper, section 2)."""

    main_factor: int
    other_factor: int
    most_games: int
    strength_scale: float
    strength_limit: float
    decay: float
    days_per_year: float
    main_source: System
    same_speed: tuple[tuple[System, System], ...]

    def game_factor(self, source: System, target: System) -> int:
        """Return the most games a rating in *source* can be worth in *target*."""
        if source is self.main_source or (source, target) in self.same_speed:
            return self.main_factor
        return self.other_factor


@dataclass(frozen=True)
class FideGameFactor:
    """The Game Factor of a FIDE rating: one number above a rating, one up to it."""

    above: float
    higher: int
    lower: int

    def __call__(self, rating: float) -> int:
        return self.higher if rating > self.above else self.lower


@dataclass(frozen=True)
class AbsoluteFloor:
    """The personal absolute floor: base + games and events, at most `highest`."""

    base: int
    per_win: int
    per_draw: int
    per_event: int
    highest: int


@dataclass(frozen=True)
class TimeControlRange:
    """The systems of time controls from `least` to `most` (minutes + seconds)."""

    systems: tuple[System, ...]
    least: int
    most: int | None
    first_control: int


REPEAT_CLAUSE_GAMES = 3
"""The games of `three_game_repeat_clause`; more fall under `bonus_meetings` alone."""

OLM_ABOVE_BEFORE = "above_before"
OLM_FROM_BEFORE = "from_before"
OLM_FROM_AFTER = "from_after"
OLM_READINGS = (OLM_ABOVE_BEFORE, OLM_FROM_BEFORE, OLM_FROM_AFTER)
"""Whose games count: begun above the floor, begun at it or above, ended there."""

MATCH_WINDOW_DAYS = 180
MATCH_WINDOW_YEARS = 3
"""The windows of the two limits on net change, which are named for them."""

_QUICK = (System.OTBQ,)
_REGULAR = (System.OTBR,)
_DUAL = (System.OTBR, System.OTBQ)
_ONLINE_BLITZ = TimeControlRange((System.OLB,), 5, 10, 3)
_ONLINE_QUICK = TimeControlRange((System.OLQ,), 11, 29, 5)
_ONLINE_REGULAR = TimeControlRange((System.OLR,), 30, None, 5)

POINTS = _("points")
GAMES = _("games")
YEARS = _("years")
GRANTED = _("Granted floors are part of the record.")
EARNED = _("Titles earned are part of the record.")
# No result reaches this many points, so such a limit never applies.
OUT_OF_REACH = math.inf


def unless(**changes: Any) -> Changes:
    """Return the change that applies these changes if a switch is off."""
    return lambda rules, is_on: {} if is_on else changes


def multiply_k(rules: Any, factor: float) -> Mapping[str, Any]:
    """Multiply K, the lower K of dual-rated sections with it."""
    changes = {"k_numerator": rules.k_numerator * factor}
    if rules.lower_k_when_dual:
        # Below its flat part the lower K is a share of K's own numerator.
        lower = rules.lower_k
        changes["lower_k"] = replace(lower, flat=lower.flat * factor)
    return changes


# The numbers of a conversion that may be varied: name, path, unit and bounds.
_CONVERSION_NUMBERS = (
    ("low_intercept", "lines.0.intercept", POINTS, -5000, 5000),
    ("low_slope", "lines.0.slope", "", 0, 10),
    ("high_intercept", "lines.-1.intercept", POINTS, -5000, 5000),
    ("high_slope", "lines.-1.slope", "", 0, 10),
)


def conversion_numbers(source: str, *labels: str) -> Iterator[Parameter]:
    """Yield the numbers of the lowest and highest piece, with these labels."""
    for label, (name, path, unit, low, high) in zip(
        labels, _CONVERSION_NUMBERS, strict=True
    ):
        yield number(label, unit, low, high, name=f"{source}_{name}", at=path)


class Constants:
    """Every constant as an attribute of `Rules`: dated values, and what may be varied.

    The order is that of the form for experiments.
    """

    # --- Bonus ---

    bonus_multiplier = RuleHistory(
        engine_message("bonus multiplier"),
        DatedValue(date(2001, 1, 1), 10.0, "2025 paper, section 8: 6 “from 10”"),
        DatedValue(
            date(2008, 6, 6), 6.0, "2025 paper, section 8", edition=FEBRUARY_2025
        ),
        DatedValue(
            date(2008, 8, 7),
            6.0,
            "2020 paper, section 8",
            last_edition=SEPTEMBER_2020,
        ),
        DatedValue(
            date(2012, 8, 3), 8.0, "2025 paper, section 8", edition=FEBRUARY_2025
        ),
        DatedValue(
            date(2012, 8, 4),
            8.0,
            "2020 paper, section 8",
            last_edition=SEPTEMBER_2020,
        ),
        DatedValue(date(2014, 3, 20), 10.0, "2020 and 2025 papers, section 8"),
        DatedValue(date(2015, 6, 1), 12.0, "2020 and 2025 papers, section 8"),
        DatedValue(date(2017, 6, 1), 14.0, "2020 and 2025 papers, section 8"),
        DatedValue(
            date(2023, 2, 1),
            12.0,
            "2025 paper, sections 4.2 and 8",
            edition=FEBRUARY_2025,
        ),
        DatedValue(
            date(2025, 1, 1),
            10.0,
            "July 2025 paper, sections 4.2 and 8",
            edition=JULY_2025,
        ),
    ).vary(
        switch(
            _("Bonus points"),
            _("Off: no player earns a bonus."),
            name="bonus_given",
            changes=unless(bonus_multiplier=OUT_OF_REACH),
        ),
        positive(
            _("Bonus multiplier (B)"),
            POINTS,
            1000,
            _(
                "A gain of more than B times the square root of the number of games "
                "earns a bonus. For no bonus, turn off “Bonus points.”"
            ),
            name="bonus",
        ),
    )

    bonus_from_games = RuleHistory(
        "fewest games for a bonus",
        DatedValue(None, 3, "2020 and 2025 papers, section 4.2"),
    ).vary(number(_("Minimum games for a bonus"), GAMES, 1, 50))

    bonus_counts_at_least = RuleHistory(
        "fewest games counted in the bonus threshold (m′)",
        DatedValue(None, 4, "2020 and 2025 papers, section 4.2"),
    ).vary(number(_("Minimum games in the bonus threshold (m′)"), GAMES, 1, 50))

    bonus_meetings = RuleHistory(
        "most games against one opponent with a bonus",
        DatedValue(None, 2, "2020 and 2025 papers, section 4.2"),
    ).vary(number(_("Maximum games against one opponent for a bonus"), GAMES, 1, 50))

    three_game_repeat_clause = RuleHistory(
        "no bonus for three games with an opponent met twice",
        DatedValue(None, False, "2020 paper, section 4.2"),
        DatedValue(
            date(2025, 2, 10),
            True,
            "2025 paper, section 4.2",
            edition=FEBRUARY_2025,
        ),
    ).vary(
        switch(
            _("Three-game clause"),
            _("On: no bonus for three games if one opponent was met twice."),
            name="three_game_clause",
        )
    )

    # --- K and effective games ---

    k_numerator = RuleHistory(
        "numerator of K",
        DatedValue(None, 800.0, "2020 and 2025 papers, section 4.2"),
    ).vary(
        positive(
            _("K multiplier"),
            "",
            10,
            _("1 leaves K unchanged. 1.5 makes every K 50% larger."),
            name="k",
            changes=multiply_k,
        ),
        positive(
            _("Numerator of K"), "", 10_000, _("K is this number divided by N′ + m.")
        ),
    )

    lower_k_when_dual = RuleHistory(
        engine_message("lower K above 2200 in dual-rated sections"),
        DatedValue(
            date(2013, 5, 8),
            True,
            "2020 and 2025 papers, section 4.2; office announcement of May 13, 2013",
        ),
    ).vary(switch(_("Lower K above 2200 in dual-rated sections"), name="lower_k"))

    lower_k = RuleHistory(
        engine_message("formula of the lower K"),
        DatedValue(
            date(2013, 5, 8),
            LowerK(
                above=2200.0,
                flat_from=2500.0,
                intercept=6.5,
                slope=0.0025,
                flat=200.0,
            ),
            "2020 and 2025 papers, section 4.2; office announcement of May 13, 2013",
        ),
    ).vary(number(_("Rating above which K is lower"), POINTS, 100, 3500, at="above"))

    effective_games = RuleHistory(
        engine_message("effective-games formula"),
        DatedValue(
            date(2013, 5, 8),
            EffectiveGames(
                limit=50.0,
                full_above=2355.0,
                base=0.662,
                slope=0.00000739,
                pivot=2569.0,
            ),
            "2020 and 2025 papers, sections 3 and 8",
        ),
    ).vary(
        positive(
            _("Maximum effective games (N*)"), GAMES, 1000, name="n_limit", at="limit"
        ),
        number(
            _("Rating above which N* is at its maximum"),
            POINTS,
            100,
            5000,
            name="n_full_above",
            at="full_above",
        ),
        positive(
            _("Base of N* under the square root"), "", 100, name="n_base", at="base"
        ),
        number(
            _("Slope of N* under the square root"),
            _("per squared point"),
            0,
            1,
            name="n_slope",
            at="slope",
        ),
        number(_("Pivot rating of N*"), POINTS, 100, 5000, name="n_pivot", at="pivot"),
    )

    # --- The two rating formulas ---

    special_up_to = RuleHistory(
        "most games for the special formula",
        DatedValue(None, 8, "2020 and 2025 papers, sections 1 and 4.1"),
    ).vary(number(_("Maximum games for the special formula"), GAMES, 0, 100))

    special_cap = RuleHistory(
        "highest result of the special formula",
        DatedValue(None, 2700.0, "2020 and 2025 papers, section 4.1"),
    ).vary(number(_("Highest rating from the special formula"), POINTS, 100, 5000))

    special_shift = RuleHistory(
        "shift of the prior after only wins or only losses",
        DatedValue(None, 400.0, "2020 and 2025 papers, section 4.1"),
    ).vary(number(_("Rating shift after only wins or only losses"), POINTS, 0, 2000))

    provisional_reach = RuleHistory(
        "reach of the provisional winning expectancy",
        DatedValue(None, 400.0, "2020 and 2025 papers, section 4.1"),
    ).vary(number(_("Range of the provisional winning expectancy"), POINTS, 100, 2000))

    expectancy_scale = RuleHistory(
        "scale of the standard winning expectancy",
        DatedValue(None, 400.0, "2020 and 2025 papers, section 4.2"),
    ).vary(
        number(
            _("Scale of the standard winning expectancy"),
            POINTS,
            100,
            2000,
            _("This affects rating changes only. Predictions keep the scale of 400."),
        )
    )

    first_estimate_games = RuleHistory(
        "effective games in step 3",
        DatedValue(None, 1.0, "2020 and 2025 papers, section 1"),
    ).vary(positive(_("Effective games in step 3"), GAMES, 100))

    lowest_rating = RuleHistory(
        "lowest rating after each step",
        DatedValue(None, 100.0, "2020 and 2025 papers, sections 1 and 5"),
    ).vary(number(_("Lowest possible rating"), POINTS, 0, 1500))

    established_after = RuleHistory(
        "most games of a rating that is not established",
        DatedValue(None, 25, "2020 and 2025 papers, section 1"),
    ).vary(number(_("Games before a rating is established"), GAMES, 0, 200))

    # --- Initial ratings ---

    age_start = RuleHistory(
        engine_message("age-based initial rating"),
        DatedValue(
            date(2006, 1, 1),
            AgeStart(
                lowest=100.0,
                lowest_below=2.0,
                points_per_year=50.0,
                highest_above=26.0,
                highest=1300.0,
                mistaken_below=3.0,
                adult_age=26.0,
                child_age=15.0,
                days_per_year=365.25,
            ),
            "2020 and 2025 papers, section 2.3; section 8 gives the year only",
        ),
    ).vary(
        number(
            _("Initial rating points per year of age"),
            _("points per year"),
            0,
            300,
            name="age_points",
            at="points_per_year",
        ),
        number(
            _("Highest initial rating by age"),
            POINTS,
            100,
            3000,
            name="age_highest",
            at="highest",
        ),
        number(
            _("Age above which a new player gets the highest initial rating"),
            YEARS,
            1,
            120,
            name="age_highest_above",
            at="highest_above",
        ),
        number(
            _("Age used for a child of unknown age"),
            YEARS,
            1,
            120,
            name="age_child",
            at="child_age",
        ),
        number(
            _("Age used for an adult of unknown age"),
            YEARS,
            1,
            120,
            name="age_adult",
            at="adult_age",
        ),
    )

    blend = RuleHistory(
        engine_message("weighting of the blended initial rating"),
        DatedValue(
            date(2020, 6, 1),
            Blend(
                main_factor=10,
                other_factor=5,
                most_games=10,
                strength_scale=350.0,
                strength_limit=6.0,
                decay=0.06,
                days_per_year=365.25,
                main_source=System.OTBR,
                same_speed=(
                    (System.OTBB, System.OLB),
                    (System.OTBQ, System.OLQ),
                ),
            ),
            "2025 paper, sections 2 and 8; 2020 paper, section 2",
        ),
    ).vary(
        number(
            _("Maximum games a blended initial rating is worth"),
            GAMES,
            0,
            100,
            name="blend_games",
            at="most_games",
        ),
        number(
            _("Decay of older ratings in a blend"), _("per year"), 0, 10, at="decay"
        ),
    )

    fide_game_factor = RuleHistory(
        engine_message("Game Factor of a FIDE rating"),
        DatedValue(
            date(2020, 6, 1),
            FideGameFactor(above=2000.0, higher=10, lower=5),
            "2020 and 2025 papers, section 2.1",
        ),
    ).vary(
        number(
            _("FIDE rating above which it is worth more games"),
            POINTS,
            0,
            5000,
            name="fide_factor_above",
            at="above",
        ),
        number(
            _("Games a higher FIDE rating is worth"),
            GAMES,
            0,
            100,
            name="fide_factor_higher",
            at="higher",
        ),
        number(
            _("Games a lower FIDE rating is worth"),
            GAMES,
            0,
            100,
            name="fide_factor_lower",
            at="lower",
        ),
    )

    cfc_game_factor = RuleHistory(
        engine_message("Game Factor of a CFC rating"),
        DatedValue(date(2020, 6, 1), 5, "2020 and 2025 papers, section 2.2"),
    ).vary(number(_("Games a CFC rating is worth"), GAMES, 0, 100, name="cfc_factor"))

    fide_conversion = RuleHistory(
        engine_message("FIDE conversion"),
        DatedValue(
            date(2020, 6, 1),
            Conversion(
                (
                    LinearConversion(180.0, 0.94, up_to=2000.0),
                    LinearConversion(20.0, 1.02),
                )
            ),
            "2020 paper, section 2.1; first day not printed",
        ),
        DatedValue(
            date(2024, 3, 1),
            Conversion(
                (
                    LinearConversion(-1073.0, 1.5667, up_to=2000.0),
                    LinearConversion(20.0, 1.02),
                )
            ),
            "2025 paper, sections 2.1 and 8",
            edition=FEBRUARY_2025,
        ),
    ).vary(
        *conversion_numbers(
            "fide",
            _("FIDE conversion, low range: add"),
            _("FIDE conversion, low range: multiply by"),
            _("FIDE conversion, high range: add"),
            _("FIDE conversion, high range: multiply by"),
        )
    )

    youth_conversion = RuleHistory(
        engine_message("FIDE conversion for opponents in foreign youth events"),
        DatedValue(
            date(2020, 6, 1),
            Conversion(
                (
                    LinearConversion(560.0, 0.76, up_to=2000.0),
                    LinearConversion(80.0, 1.0),
                )
            ),
            "2020 paper, section 6; first day not printed",
        ),
        DatedValue(
            date(2024, 3, 1),
            Conversion(
                (
                    LinearConversion(-453.0, 1.2667, up_to=2000.0),
                    LinearConversion(80.0, 1.0),
                )
            ),
            "2025 paper, section 6",
            edition=FEBRUARY_2025,
        ),
    ).vary(
        *conversion_numbers(
            "youth",
            _("Youth conversion, low range: add"),
            _("Youth conversion, low range: multiply by"),
            _("Youth conversion, high range: add"),
            _("Youth conversion, high range: multiply by"),
        )
    )

    cfc_conversion = RuleHistory(
        engine_message("CFC conversion"),
        DatedValue(
            date(2020, 6, 1),
            Conversion(
                (
                    LinearConversion(-90.0, 1.0, up_to=1500.0),
                    LinearConversion(-240.0, 1.1),
                )
            ),
            "2020 paper, section 2.2; first day not printed",
        ),
        DatedValue(
            date(2025, 1, 1),
            Conversion(
                (
                    LinearConversion(-115.0, 0.815, up_to=1150.0, includes_end=False),
                    LinearConversion(-650.0, 1.28, up_to=1610.0, includes_end=False),
                    LinearConversion(-856.0, 1.41, up_to=2000.0, includes_end=False),
                    LinearConversion(-240.0, 1.1),
                )
            ),
            "2025 paper, sections 2.2 and 8",
            edition=FEBRUARY_2025,
        ),
    ).vary(
        *conversion_numbers(
            "cfc",
            _("CFC conversion, low range: add"),
            _("CFC conversion, low range: multiply by"),
            _("CFC conversion, high range: add"),
            _("CFC conversion, high range: multiply by"),
        )
    )

    # --- Floors ---

    personal_absolute_floor = RuleHistory(
        "personal absolute floor over the board",
        DatedValue(None, False, "2020 and 2025 papers, section 8: “added” in 2008"),
        DatedValue(date(2008, 8, 7), True, "2020 and 2025 papers, sections 5 and 8"),
    ).vary(switch(_("Personal absolute floors"), name="absolute_floors"))

    absolute_floor = RuleHistory(
        engine_message("formula of the personal absolute floor"),
        DatedValue(
            date(2008, 8, 7),
            AbsoluteFloor(
                base=100,
                per_win=4,
                per_draw=2,
                per_event=1,
                highest=150,
            ),
            "2020 and 2025 papers, sections 5 and 8",
        ),
    ).vary(number(_("Highest absolute floor"), POINTS, 100, 1500, at="highest"))

    floor_event_games = RuleHistory(
        "fewest rated games of an event that counts toward the absolute floor",
        DatedValue(None, 3, "2020 and 2025 papers, section 5"),
    ).vary(
        number(
            _("Minimum games for an event to count toward the absolute floor"),
            GAMES,
            1,
            50,
        )
    )

    peak_floor_drop = RuleHistory(
        "points from the peak down to its floor",
        DatedValue(None, 200, "2020 and 2025 papers, section 5"),
    ).vary(
        switch(
            _("Floors based on peak rating"),
            name="peak_floors",
            changes=unless(lowest_peak_floor=OUT_OF_REACH),
        ),
        number(_("Points from peak rating down to the floor"), POINTS, 0, 2000),
    )

    peak_floor_step = RuleHistory(
        "step between peak floors",
        DatedValue(None, 100, "2020 and 2025 papers, section 5"),
    ).vary(number(_("Step between peak floors"), POINTS, 1, 1000))

    lowest_peak_floor = RuleHistory(
        "lowest peak floor",
        DatedValue(None, 1400, "2020 and 2025 papers, section 8: “had been 1400”"),
        DatedValue(date(2010, 4, 1), 1200, "2020 and 2025 papers, sections 5 and 8"),
    ).vary(number(_("Lowest peak floor"), POINTS, 100, 3000))

    highest_peak_floor = RuleHistory(
        "highest peak floor",
        DatedValue(None, 2100, "2020 and 2025 papers, section 5"),
    ).vary(number(_("Highest peak floor"), POINTS, 100, 3000))

    olm_floor = RuleHistory(
        "floor of an original Life Master",
        DatedValue(None, 2200, "2020 and 2025 papers, section 5"),
        excluded=GRANTED,
    )

    olm_games = RuleHistory(
        "games above 2200 for the original Life Master title",
        DatedValue(None, 300, "2020 and 2025 papers, section 5"),
        excluded=EARNED,
    )

    olm_reading = RuleHistory(
        "games that count for the original Life Master title",
        DatedValue(
            None, OLM_ABOVE_BEFORE, "2020 and 2025 papers, section 5: “above 2200”"
        ),
        excluded=EARNED,
    )

    norms_when_dual = RuleHistory(
        "norms toward titles in dual-rated sections",
        DatedValue(
            None,
            True,
            "The US Chess Title System (2016): events that the Regular system rates",
        ),
        excluded=EARNED,
    )

    money_floor_prize = RuleHistory(
        engine_message("smallest prize in dollars that sets a money floor"),
        DatedValue(date(2006, 3, 1), 2000, "report of the ratings committee, 2006"),
        DatedValue(
            date(2018, 1, 1),
            4000,
            "2020 and 2025 papers, section 5; first day not printed",
        ),
        excluded=GRANTED,
    )

    money_floor_needs_established = RuleHistory(
        "money floors for established players only",
        DatedValue(
            None, True, "office practice; section 5 of the papers does not ask it"
        ),
        excluded=GRANTED,
    )

    highest_money_floor = RuleHistory(
        "highest money floor",
        DatedValue(None, 2000, "2020 and 2025 papers, section 5"),
        excluded=GRANTED,
    )

    # --- Matches and foreign events ---

    match_limit = RuleHistory(
        engine_message("largest change in one match"),
        DatedValue(
            date(2006, 1, 1), 50.0, "2020 and 2025 papers, section 7; 2006 match rules"
        ),
    ).vary(
        switch(
            _("Match limits"),
            name="match_limits",
            changes=unless(
                match_limit=OUT_OF_REACH,
                match_limit_180_days=OUT_OF_REACH,
                match_limit_3_years=OUT_OF_REACH,
            ),
        ),
        number(_("Maximum change in one match"), POINTS, 0, 3000),
    )

    match_limit_180_days = RuleHistory(
        engine_message("largest net change by matches in 180 days"),
        DatedValue(
            date(2006, 1, 1), 100.0, "2020 and 2025 papers, section 7; 2006 match rules"
        ),
    ).vary(number(_("Maximum net change from matches in 180 days"), POINTS, 0, 3000))

    match_limit_3_years = RuleHistory(
        "largest net change by matches in 3 years",
        DatedValue(None, 200.0, "2020 and 2025 papers, section 7"),
    ).vary(number(_("Maximum net change from matches in 3 years"), POINTS, 0, 3000))

    match_rating_gap = RuleHistory(
        "largest difference of published ratings in a match",
        DatedValue(None, 400, "2020 and 2025 papers, section 7"),
        excluded=_("The office decided which matches to rate when they were reported."),
    )

    match_floor_drop = RuleHistory(
        "points a floor is lowered on a match request",
        DatedValue(None, 100, "2020 and 2025 papers, section 7"),
        excluded=_("Lowered floors are part of the record."),
    )

    foreign_automatic_from = RuleHistory(
        "lowest FIDE rating updated for foreign events without opting in",
        DatedValue(None, 2200, "2020 and 2025 papers, section 6"),
        excluded=_("The office decided on each foreign event when it came in."),
    )

    # --- Time controls ---

    otb_time_controls = RuleHistory[tuple[TimeControlRange, ...]](
        engine_message("time-control ranges over the board"),
        DatedValue(
            date(2001, 1, 1),
            (
                TimeControlRange(_QUICK, 10, 29, 5),
                TimeControlRange(_REGULAR, 30, None, 5),
            ),
            "2025 paper, section 8, as it was before the changes listed",
        ),
        DatedValue(
            date(2002, 1, 1),
            (
                TimeControlRange(_QUICK, 10, 29, 5),
                TimeControlRange(_DUAL, 30, 60, 5),
                TimeControlRange(_REGULAR, 61, None, 5),
            ),
            "2020 and 2025 papers, section 8 (year only)",
        ),
        DatedValue(
            date(2004, 1, 1),
            (
                TimeControlRange(_QUICK, 5, 29, 5),
                TimeControlRange(_DUAL, 30, 60, 5),
                TimeControlRange(_REGULAR, 61, None, 5),
            ),
            "2020 and 2025 papers, section 8 (year only)",
        ),
        DatedValue(
            date(2013, 3, 1),
            (
                TimeControlRange((System.OTBB,), 5, 10, 3),
                TimeControlRange(_QUICK, 11, 29, 5),
                TimeControlRange(_DUAL, 30, 65, 5),
                TimeControlRange(_REGULAR, 66, None, 5),
            ),
            "2025 paper, footnote 1 and section 8",
        ),
        excluded=_("A section’s rating systems come from its time control."),
    )

    online_time_controls = RuleHistory[tuple[TimeControlRange, ...]](
        engine_message("time-control ranges online"),
        DatedValue(date(2014, 10, 1), (_ONLINE_BLITZ,), "2025 paper, section 8"),
        DatedValue(
            date(2015, 3, 1),
            (_ONLINE_BLITZ, _ONLINE_QUICK),
            "2025 paper, section 8",
        ),
        DatedValue(
            date(2020, 6, 1),
            (_ONLINE_BLITZ, _ONLINE_QUICK, _ONLINE_REGULAR),
            "2025 paper, footnote 1 and section 8",
        ),
        excluded=_("A section’s rating systems come from its time control."),
    )
