"""Every constant of the rating system, with its first day and its source.

This is the only module with rating constants: the formulas receive the values of the
section's start day (see `rules`) and never compare dates. "2020 paper" is the text of
September 2, 2020, "2025 paper" that of February 10, 2025, "July 2025 paper" that of
July 26, 2025. `docs/rules.md` is generated from this file and gives the reasons for the
choices that the texts leave open.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from .conversions import Conversion, LinearConversion
from .messages import engine_message
from .rule_history import DatedValue, RuleHistory
from .systems import System

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


# --- Bonus ---

BONUS_MULTIPLIER = RuleHistory(
    engine_message("bonus multiplier"),
    (
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
    ),
)
BONUS_FROM_GAMES = RuleHistory(
    "fewest games for a bonus",
    (DatedValue(None, 3, "2020 and 2025 papers, section 4.2"),),
)
BONUS_COUNTS_AT_LEAST = RuleHistory(
    "fewest games counted in the bonus threshold (m′)",
    (DatedValue(None, 4, "2020 and 2025 papers, section 4.2"),),
)
BONUS_MEETINGS = RuleHistory(
    "most games against one opponent with a bonus",
    (DatedValue(None, 2, "2020 and 2025 papers, section 4.2"),),
)
REPEAT_CLAUSE_GAMES = 3
"""The games of the clause below; more of them fall under `BONUS_MEETINGS` alone."""

THREE_GAME_REPEAT_CLAUSE = RuleHistory(
    "no bonus for three games with an opponent met twice",
    (
        DatedValue(None, False, "2020 paper, section 4.2"),
        DatedValue(
            date(2025, 2, 10),
            True,
            "2025 paper, section 4.2",
            edition=FEBRUARY_2025,
        ),
    ),
)

# --- Effective games and K ---

EFFECTIVE_GAMES = RuleHistory(
    engine_message("effective-games formula"),
    (
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
    ),
)
K_NUMERATOR = RuleHistory(
    "numerator of K",
    (DatedValue(None, 800.0, "2020 and 2025 papers, section 4.2"),),
)
LOWER_K_WHEN_DUAL = RuleHistory(
    engine_message("lower K above 2200 in dual-rated sections"),
    (
        DatedValue(
            date(2013, 5, 8),
            True,
            "2020 and 2025 papers, section 4.2; office announcement of May 13, 2013",
        ),
    ),
)
LOWER_K = RuleHistory(
    engine_message("formula of the lower K"),
    (
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
    ),
)

# --- The two rating formulas ---

EXPECTANCY_SCALE = RuleHistory(
    "scale of the standard winning expectancy",
    (DatedValue(None, 400.0, "2020 and 2025 papers, section 4.2"),),
)
PROVISIONAL_REACH = RuleHistory(
    "reach of the provisional winning expectancy",
    (DatedValue(None, 400.0, "2020 and 2025 papers, section 4.1"),),
)
SPECIAL_UP_TO = RuleHistory(
    "most games for the special formula",
    (DatedValue(None, 8, "2020 and 2025 papers, sections 1 and 4.1"),),
)
SPECIAL_CAP = RuleHistory(
    "highest result of the special formula",
    (DatedValue(None, 2700.0, "2020 and 2025 papers, section 4.1"),),
)
SPECIAL_SHIFT = RuleHistory(
    "shift of the prior after only wins or only losses",
    (DatedValue(None, 400.0, "2020 and 2025 papers, section 4.1"),),
)
FIRST_ESTIMATE_GAMES = RuleHistory(
    "effective games in step 3",
    (DatedValue(None, 1.0, "2020 and 2025 papers, section 1"),),
)
LOWEST_RATING = RuleHistory(
    "lowest rating after each step",
    (DatedValue(None, 100.0, "2020 and 2025 papers, sections 1 and 5"),),
)
ESTABLISHED_AFTER = RuleHistory(
    "most games of a rating that is not established",
    (DatedValue(None, 25, "2020 and 2025 papers, section 1"),),
)

# --- Initial ratings ---

BLEND = RuleHistory(
    engine_message("weighting of the blended initial rating"),
    (
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
    ),
)
AGE_START = RuleHistory(
    engine_message("age-based initial rating"),
    (
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
    ),
)
FIDE_CONVERSION = RuleHistory(
    engine_message("FIDE conversion"),
    (
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
    ),
)
YOUTH_CONVERSION = RuleHistory(
    engine_message("FIDE conversion for opponents in foreign youth events"),
    (
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
    ),
)
CFC_CONVERSION = RuleHistory(
    engine_message("CFC conversion"),
    (
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
    ),
)
FIDE_GAME_FACTOR = RuleHistory(
    engine_message("Game Factor of a FIDE rating"),
    (
        DatedValue(
            date(2020, 6, 1),
            FideGameFactor(above=2000.0, higher=10, lower=5),
            "2020 and 2025 papers, section 2.1",
        ),
    ),
)
CFC_GAME_FACTOR = RuleHistory(
    engine_message("Game Factor of a CFC rating"),
    (DatedValue(date(2020, 6, 1), 5, "2020 and 2025 papers, section 2.2"),),
)

# --- Floors ---

PERSONAL_ABSOLUTE_FLOOR = RuleHistory(
    "personal absolute floor over the board",
    (
        DatedValue(None, False, "2020 and 2025 papers, section 8: “added” in 2008"),
        DatedValue(date(2008, 8, 7), True, "2020 and 2025 papers, sections 5 and 8"),
    ),
)
ABSOLUTE_FLOOR = RuleHistory(
    engine_message("formula of the personal absolute floor"),
    (
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
    ),
)
FLOOR_EVENT_GAMES = RuleHistory(
    "fewest rated games of an event that counts toward the absolute floor",
    (DatedValue(None, 3, "2020 and 2025 papers, section 5"),),
)
LOWEST_PEAK_FLOOR = RuleHistory(
    "lowest peak floor",
    (
        DatedValue(None, 1400, "2020 and 2025 papers, section 8: “had been 1400”"),
        DatedValue(date(2010, 4, 1), 1200, "2020 and 2025 papers, sections 5 and 8"),
    ),
)
HIGHEST_PEAK_FLOOR = RuleHistory(
    "highest peak floor",
    (DatedValue(None, 2100, "2020 and 2025 papers, section 5"),),
)
PEAK_FLOOR_DROP = RuleHistory(
    "points from the peak down to its floor",
    (DatedValue(None, 200, "2020 and 2025 papers, section 5"),),
)
PEAK_FLOOR_STEP = RuleHistory(
    "step between peak floors",
    (DatedValue(None, 100, "2020 and 2025 papers, section 5"),),
)
OLM_FLOOR = RuleHistory(
    "floor of an original Life Master",
    (DatedValue(None, 2200, "2020 and 2025 papers, section 5"),),
)
OLM_GAMES = RuleHistory(
    "games above 2200 for the original Life Master title",
    (DatedValue(None, 300, "2020 and 2025 papers, section 5"),),
)
OLM_ABOVE_BEFORE = "above_before"
OLM_FROM_BEFORE = "from_before"
OLM_FROM_AFTER = "from_after"
OLM_READINGS = (OLM_ABOVE_BEFORE, OLM_FROM_BEFORE, OLM_FROM_AFTER)
"""Whose games count: begun above the floor, begun at it or above, ended there."""

OLM_READING = RuleHistory(
    "games that count for the original Life Master title",
    (
        DatedValue(
            None, OLM_ABOVE_BEFORE, "2020 and 2025 papers, section 5: “above 2200”"
        ),
    ),
)
MONEY_FLOOR_PRIZE = RuleHistory(
    engine_message("smallest prize in dollars that sets a money floor"),
    (
        DatedValue(date(2006, 3, 1), 2000, "report of the ratings committee, 2006"),
        DatedValue(
            date(2018, 1, 1),
            4000,
            "2020 and 2025 papers, section 5; first day not printed",
        ),
    ),
)
MONEY_FLOOR_NEEDS_ESTABLISHED = RuleHistory(
    "money floors for established players only",
    (
        DatedValue(
            None, True, "office practice; section 5 of the papers does not ask it"
        ),
    ),
)
HIGHEST_MONEY_FLOOR = RuleHistory(
    "highest money floor",
    (DatedValue(None, 2000, "2020 and 2025 papers, section 5"),),
)

# --- Matches and foreign events ---

MATCH_WINDOW_DAYS = 180
MATCH_WINDOW_YEARS = 3
"""The windows of the two limits on net change, which are named for them."""

MATCH_LIMIT = RuleHistory(
    engine_message("largest change in one match"),
    (
        DatedValue(
            date(2006, 1, 1), 50.0, "2020 and 2025 papers, section 7; 2006 match rules"
        ),
    ),
)
MATCH_LIMIT_180_DAYS = RuleHistory(
    engine_message("largest net change by matches in 180 days"),
    (
        DatedValue(
            date(2006, 1, 1), 100.0, "2020 and 2025 papers, section 7; 2006 match rules"
        ),
    ),
)
MATCH_LIMIT_3_YEARS = RuleHistory(
    "largest net change by matches in 3 years",
    (DatedValue(None, 200.0, "2020 and 2025 papers, section 7"),),
)
MATCH_RATING_GAP = RuleHistory(
    "largest difference of published ratings in a match",
    (DatedValue(None, 400, "2020 and 2025 papers, section 7"),),
)
MATCH_FLOOR_DROP = RuleHistory(
    "points a floor is lowered on a match request",
    (DatedValue(None, 100, "2020 and 2025 papers, section 7"),),
)
FOREIGN_AUTOMATIC_FROM = RuleHistory(
    "lowest FIDE rating updated for foreign events without opting in",
    (DatedValue(None, 2200, "2020 and 2025 papers, section 6"),),
)

# --- Time controls ---

_QUICK = (System.OTBQ,)
_REGULAR = (System.OTBR,)
_DUAL = (System.OTBR, System.OTBQ)

OTB_TIME_CONTROLS: RuleHistory[tuple[TimeControlRange, ...]] = RuleHistory(
    engine_message("time-control ranges over the board"),
    (
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
    ),
)
_ONLINE_BLITZ = TimeControlRange((System.OLB,), 5, 10, 3)
_ONLINE_QUICK = TimeControlRange((System.OLQ,), 11, 29, 5)
_ONLINE_REGULAR = TimeControlRange((System.OLR,), 30, None, 5)

ONLINE_TIME_CONTROLS: RuleHistory[tuple[TimeControlRange, ...]] = RuleHistory(
    engine_message("time-control ranges online"),
    (
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
    ),
)
