"""The rules of FIDE's three rating lists, each with its first day and its source.

The formulas in `fide` and `fide_first` get the rules of a period and never compare
dates. An entry without a first day applies as far back as the list goes. Undated
entries say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Final, TypeVar

from ratings.engine.rule_history import DatedValue, RuleHistory
from ratings.laboratory.words import _


class RatingList(StrEnum):
    """Which of the three lists a game is rated on."""

    STANDARD = "standard"
    RAPID = "rapid"
    BLITZ = "blitz"


@dataclass(frozen=True)
class Differences:
    """How large differences in rating are counted, in whole rating points.

    A difference above *limit* counts as *limit*, except for a player rated
    *exempt_from* or more. With *one_upgrade* the higher rated player has this from
    one game of a tournament only, the one with the greatest difference.
    """

    limit: int
    exempt_from: int | None = None
    one_upgrade: bool = False


@dataclass(frozen=True)
class UnevenGameRule:
    """Games that are not rated: *difference* or more, and a player above *rating*."""

    difference: int
    rating: int


@dataclass(frozen=True)
class Coefficients:
    """K, the points at stake: by games played, rating once reached, and age.

    *juniors* is None where juniors have no separate K; with *top_needs_games* K falls
    to *top* only after the 30 games of a newcomer. *most* limits the games of one
    period times K.
    """

    newcomers: int
    others: int
    top: int
    juniors: int | None = None
    top_needs_games: bool = False
    most: int | None = None


@dataclass(frozen=True)
class FirstRatingRule:
    """How a first rating is found and when it is published.

    *draws* drawn games against *draw_rating* are added to the results. *per_point* is
    the value of each point above an even score; None uses the table there too.
    *first_score* (in half points) and *first_games* are needed in a first event.
    Results count for *months* lists.
    """

    games: int
    draws: int = 0
    draw_rating: int = 1800
    per_point: int | None = None
    highest: int | None = None
    first_score: int = 1
    first_games: int = 1
    months: int = 26


@dataclass(frozen=True)
class Rules:
    """The rules in force for one list on one day."""

    differences: Differences
    uneven: UnevenGameRule | None
    coefficients: Coefficients
    first: FirstRatingRule
    floor: int


NEW_GAMES: Final = 30
"""A player is new to the list until this many rated games."""
TOP_RATING: Final = 2400
JUNIOR_RATING: Final = 2300
JUNIOR_AGE: Final = 18

_T = TypeVar("_T")

_B022024 = "Handbook B.02, in force from 1 March 2024"
_RB2024 = "Handbook B.02, rapid and blitz, in force from 1 March 2024"
_JULY_2009 = "FIDE, Changes to Title and Rating Regulations, 13 July 2009"
_JULY_2014 = "Handbook B.02, in force from 1 July 2014"
_B022022 = "Handbook B.02, 1 January 2022 to 29 February 2024"

_STANDARD_DIFFERENCES = RuleHistory(
    "rule for large differences",
    DatedValue(None, Differences(limit=350), "350-point rule, until 30 June 2009"),
    DatedValue(date(2009, 7, 1), Differences(limit=400), _JULY_2009),
    DatedValue(date(2022, 1, 1), Differences(400, one_upgrade=True), _B022022),
    DatedValue(date(2024, 3, 1), Differences(limit=400), _B022024 + ", 8.3.1"),
    DatedValue(
        date(2025, 10, 1),
        Differences(limit=400, exempt_from=2650),
        "FIDE Council, amendment to 8.3.1 in force from 1 October 2025",
    ),
)
_FAST_DIFFERENCES = RuleHistory(
    "rule for large differences",
    DatedValue(None, Differences(limit=735), "rapid and blitz chapter as of 2021"),
    # No source dates the change; the chapter of March 2024 is the first seen.
    DatedValue(date(2024, 3, 1), Differences(limit=400), _RB2024 + ", 7.3.1"),
)
_STANDARD_UNEVEN: RuleHistory[UnevenGameRule | None] = RuleHistory(
    "games too uneven to rate", DatedValue(None, None, "no such rule")
)
_FAST_UNEVEN: RuleHistory[UnevenGameRule | None] = RuleHistory(
    "games too uneven to rate",
    DatedValue(None, None, "no such rule"),
    DatedValue(date(2024, 12, 1), UnevenGameRule(600, 2600), _RB2024 + ", 7.3.1"),
)
_STANDARD_COEFFICIENTS = RuleHistory(
    "K",
    DatedValue(None, Coefficients(25, 15, 10, top_needs_games=True), _JULY_2009),
    DatedValue(
        date(2011, 7, 1),
        Coefficients(30, 15, 10, top_needs_games=True),
        "Handbook B.02, in force from 1 July 2011",
    ),
    # The limit of 700 is in this text; whether it is older is not known.
    DatedValue(date(2014, 7, 1), Coefficients(40, 20, 10, 40, most=700), _JULY_2014),
)
_FAST_COEFFICIENTS = RuleHistory(
    "K",
    DatedValue(None, Coefficients(20, 20, 20, most=700), "FIDE, 16 November 2011"),
    DatedValue(
        date(2022, 10, 1),
        Coefficients(40, 20, 10, 40, most=700),
        "rapid and blitz chapter, in force from 1 October 2022",
    ),
)
_SINCE_2024 = FirstRatingRule(games=5, draws=2, highest=2200)
_STANDARD_FIRST = RuleHistory(
    "first rating",
    DatedValue(
        None,
        FirstRatingRule(games=9, per_point=25, first_score=2, first_games=3, months=24),
        _JULY_2009 + " (half the highest K for each half point)",
    ),
    # Half the highest K again: printed for 2009 and 2014, inferred for 2011.
    DatedValue(
        date(2011, 7, 1),
        FirstRatingRule(games=9, per_point=30, first_score=2, first_games=3, months=24),
        "Handbook B.02, in force from 1 July 2011",
    ),
    DatedValue(date(2014, 7, 1), FirstRatingRule(games=5, per_point=40), _JULY_2014),
    DatedValue(date(2024, 3, 1), _SINCE_2024, _B022024 + ", 8.2"),
)
_FAST_FIRST = RuleHistory(
    "first rating",
    DatedValue(
        None,
        FirstRatingRule(games=5, per_point=40, first_score=2),
        "rapid and blitz chapter as of 2021",
    ),
    DatedValue(date(2024, 3, 1), _SINCE_2024, _RB2024),
)
_STANDARD_FLOOR = RuleHistory(
    "lowest rating on the list",
    # The steps between this list of about 2003 and July 2009 are not dated here.
    DatedValue(None, 1801, "Handbook B.02 of 2003, 9.21"),
    DatedValue(date(2009, 7, 1), 1200, "Handbook B.02, in force from 1 July 2009, 0.6"),
    DatedValue(date(2012, 7, 1), 1000, "FIDE Presidential Board, June 2011"),
    DatedValue(date(2024, 3, 1), 1400, _B022024 + ", 7.2.1"),
)
_FAST_FLOOR = RuleHistory(
    "lowest rating on the list",
    DatedValue(None, 1000, "the floor of the standard list in July 2012"),
    DatedValue(date(2024, 3, 1), 1400, _RB2024),
)

RAISE_DAY: Final = date(2024, 3, 1)
"""The list on which ratings from 1000 to 1999 were raised once."""
RAISE_FROM: Final = 1000
RAISE_TO: Final = 2000

BY_DATE: Final = _("by date")
EDITIONS: Final = (
    BY_DATE,
    "2003-07-01",
    "2009-07-01",
    "2011-07-01",
    "2014-07-01",
    "2022-01-01",
    "2022-10-01",
    "2024-03-01",
    "2024-12-01",
    "2025-10-01",
)
"""Each day on which a rule changed, and the choice of following the calendar."""


@cache
def rules_in_force(kind: RatingList, day: date) -> Rules:
    """Return the rules of the list *kind* for games of a period on *day*.

    >>> rules_in_force(RatingList.STANDARD, date(2025, 9, 30)).differences.exempt_from
    >>> rules_in_force(RatingList.STANDARD, date(2025, 10, 1)).differences.exempt_from
    2650
    """
    standard = kind is RatingList.STANDARD
    return Rules(
        differences=_on(_STANDARD_DIFFERENCES if standard else _FAST_DIFFERENCES, day),
        uneven=_on(_STANDARD_UNEVEN if standard else _FAST_UNEVEN, day),
        coefficients=_on(
            _STANDARD_COEFFICIENTS if standard else _FAST_COEFFICIENTS, day
        ),
        first=_on(_STANDARD_FIRST if standard else _FAST_FIRST, day),
        floor=_on(_STANDARD_FLOOR if standard else _FAST_FLOOR, day),
    )


def _on(rule: RuleHistory[_T], day: date) -> _T:
    """Look up a rule; there is one history, so the edition does not matter."""
    return rule.on(day, edition="")
