"""Class scales, categories of tournaments, and conversions between scales.

Nothing here rates players: a scale gives a published rating its name, and a conversion
maps a number of one scale to a number of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from ratings.engine.classes import CLASSES
from ratings.engine.numbers import official
from ratings.engine.parameters import FEBRUARY_2025, SEPTEMBER_2020
from ratings.engine.rules import DEFAULT_EDITION, EDITIONS, rules_in_force

from .cases import Case, each
from .protocol import Source
from .systems.ccla import EXPLAINED, RATING_PAGE
from .systems.elo import WIKIPEDIA
from .words import _


class BelowScale(ValueError):
    """A rating is below the lowest class of a scale."""


class Band(NamedTuple):
    """A class of a scale: its name, and its lowest rating, itself included.

    *lowest* None means everything below the band above.
    """

    name: str
    lowest: int | None


@dataclass(frozen=True)
class Scale:
    """The classes of one scale, the highest first."""

    key: str
    label: str
    bands: tuple[Band, ...]
    sources: tuple[Source, ...]

    def class_of(self, rating: float) -> Band:
        """Return the class of a rating, which counts as it is published: whole.

        Raises BelowScale under the lowest class.

        >>> USCF.class_of(2199.4).name, USCF.class_of(2199.5).name
        ('Expert', 'National Master')
        """
        published = official(rating)
        for band in self.bands:
            if band.lowest is None or published >= band.lowest:
                return band
        raise BelowScale(
            f"{published} is below {self.bands[-1].lowest}, the lowest of this scale."
        )


_CLASS_A, _CLASS_B, _CLASS_C = _("Class A"), _("Class B"), _("Class C")
_CLASS_D, _CLASS_E = _("Class D"), _("Class E")
_GRANDMASTER, _SENIOR_MASTER = _("Grandmaster"), _("Senior Master")
_MASTER, _EXPERT = _("Master"), _("Expert")

ELO_1978: Final = Scale(
    "elo_1978",
    _("Elo, 1978"),
    (
        Band(_("No title; often called super grandmasters"), 2700),
        Band(_("Most grandmasters"), 2500),
        Band(_("Most international masters and some grandmasters"), 2400),
        Band(_("FIDE masters"), 2300),
        Band(_("FIDE candidate masters, most national masters"), 2200),
        Band(_("Candidate masters, experts"), 2000),
        Band(_("Class A, category 1"), 1800),
        Band(_("Class B, category 2"), 1600),
        Band(_("Class C, category 3"), 1400),
        Band(_("Class D, category 4"), 1200),
        Band(_("Novices"), None),
    ),
    (Source("Arpad E. Elo, The Rating of Chessplayers, 1978, page 18"), WIKIPEDIA),
)
"""Elo's bands share their bounds; a bound belongs to the upper one here."""

USCF: Final = Scale(
    "uscf",
    _("US Chess"),
    tuple(Band(one.name, one.lowest) for one in CLASSES),
    (WIKIPEDIA,),
)

HARKNESS_1950: Final = Scale(
    "harkness_1950",
    _("Harkness, 1950 to 1956"),
    (
        Band(_GRANDMASTER, 2700),
        Band(_SENIOR_MASTER, 2500),
        Band(_MASTER, 2300),
        Band(_EXPERT, 2100),
        Band(_CLASS_A, 1900),
        Band(_CLASS_B, 1700),
        Band(_CLASS_C, 1500),
        Band(_CLASS_D, None),
    ),
    (
        Source(
            "Bill Wall, First USCF Rating Lists",
            "https://billwallchess.blogspot.com/2020/12/first-uscf-rating-lists.html",
        ),
        Source("Sam Sloan on the rating system", "http://anusha.com/ratings.htm"),
    ),
)
HARKNESS: Final = Scale(
    "harkness",
    _("Harkness, from 1956"),
    (
        Band(_GRANDMASTER, 2600),
        Band(_SENIOR_MASTER, 2400),
        Band(_MASTER, 2200),
        Band(_EXPERT, 2000),
        Band(_CLASS_A, 1800),
        Band(_CLASS_B, 1600),
        Band(_CLASS_C, None),
    ),
    (
        Source(
            "Liquisearch, Harkness rating categories",
            "http://www.liquisearch.com/chess_rating_system/harkness_system",
        ),
        Source(
            "Tartajubow on Chess, First US Rating List",
            "http://tartajubow.blogspot.com/2010/08/first-us-rating-list.html",
        ),
    ),
)

CCLA: Final = Scale(
    "ccla",
    _("CCLA, from 1980"),
    (
        Band(_MASTER, 2200),
        Band(_EXPERT, 2000),
        Band(_CLASS_A, 1800),
        Band(_CLASS_B, 1600),
        Band(_CLASS_C, 1400),
        Band(_CLASS_D, 1200),
        Band(_CLASS_E, None),
    ),
    (EXPLAINED, RATING_PAGE),
)
CCLA_TITLES: Final = Scale(
    "ccla_titles",
    _("CCLA, titles"),
    (
        Band(_SENIOR_MASTER, 2350),
        Band(_MASTER, 2275),
        Band(_EXPERT, 2100),
        Band(_("No title"), None),
    ),
    (EXPLAINED, RATING_PAGE),
)
CCLA_YEARS_FOR_TITLE: Final = 5


class Norm(NamedTuple):
    """A rung that is reached by a result, not by a number.

    *parallel_class* is the name of the parallel band on Elo's scale of 1978.
    """

    name: str
    parallel_class: str


USSR_1946: Final = (
    Norm(_("Master"), ELO_1978.bands[4].name),
    Norm(_("Candidate master"), ELO_1978.bands[5].name),
    Norm(_("Category 1"), ELO_1978.bands[6].name),
    Norm(_("Category 2"), ELO_1978.bands[7].name),
    Norm(_("Category 3"), ELO_1978.bands[8].name),
    Norm(_("Category 4"), ELO_1978.bands[9].name),
)
"""The classes of the USSR, the highest first. They have norms and no numbers."""


def fide_category(average: float, *, women: bool = False) -> int:
    """Return FIDE's category of a round robin, 0 for none.

    *average* is that of all participants' ratings at the start; it counts as a whole
    number. Categories are 25 rating points wide, from 2251, for women from 2051.

    >>> fide_category(2250), fide_category(2251), fide_category(2275)
    (0, 1, 1)
    >>> fide_category(2276), fide_category(2076, women=True)
    (2, 2)
    """
    base = 2050 if women else 2250
    return max(0, -((base - official(average)) // 25))


_CLASS_POINTS: Final = {
    **dict.fromkeys((1, 2), 4),
    **dict.fromkeys((3, 4), 3),
    **dict.fromkeys((5, 6), 2),
    **dict.fromkeys((7, 8, 9, 10), 1),
}


def chessmetrics_class(ranks: Iterable[int]) -> int:
    """Return Sonas's class of a tournament from its players' ranks in the world.

    >>> chessmetrics_class([1, 3, 9]), chessmetrics_class(range(1, 100))
    (8, 22)
    """
    return sum(_CLASS_POINTS.get(rank, 0) for rank in ranks)


def ingo_to_elo(number: float) -> float:
    """Return an Ingo number on Elo's scale.

    >>> ingo_to_elo(0), ingo_to_elo(140)
    (2840, 1720)
    """
    return 2840 - 8 * number


def elo_to_ingo(rating: float) -> float:
    """Return a rating as an Ingo number.

    >>> elo_to_ingo(2000), elo_to_ingo(1300)
    (105.0, 192.5)
    """
    return 355 - rating / 8


def grade_to_elo(grade: float) -> float:
    """Return a grade of Clarke's system on Elo's scale (in use until 2020).

    >>> grade_to_elo(100), grade_to_elo(200)
    (1450.0, 2200.0)
    """
    return 7.5 * grade + 700


def elo_to_grade(rating: float) -> float:
    """Return a rating as a grade of Clarke's system.

    >>> elo_to_grade(1825)
    150.0
    """
    return (rating - 700) / 7.5


def fide_to_us_chess(
    rating: float, day: date, *, youth: bool = False, edition: str = DEFAULT_EDITION
) -> float:
    """Return a FIDE rating on the US Chess scale, by the rules of *day*.

    *youth* is the formula for opponents in foreign youth events. Raises
    NoRuleInForce before 1 June 2020.

    >>> round(fide_to_us_chess(1500, date(2024, 2, 29)), 2)
    1590.0
    >>> round(fide_to_us_chess(1500, date(2024, 3, 1)), 2)
    1277.05
    """
    rules = rules_in_force(day, edition)
    conversion = rules.youth_conversion if youth else rules.fide_conversion
    return conversion.us_rating(rating)


def cfc_to_us_chess(
    rating: float, day: date, *, edition: str = DEFAULT_EDITION
) -> float:
    """Return a Canadian (CFC) rating on the US Chess scale, by the rules of *day*.

    Printed with a step: 1999 is worth more than 2000. Raises NoRuleInForce before
    1 June 2020.

    >>> round(cfc_to_us_chess(1999, date(2025, 1, 1)), 2)
    1962.59
    >>> cfc_to_us_chess(2000, date(2025, 1, 1))
    1960.0
    """
    return rules_in_force(day, edition).cfc_conversion.us_rating(rating)


def _category(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    women = inputs.get("women", False)
    return {
        "category": each(
            lambda average: fide_category(average, women=women), inputs["average"]
        )
    }


def _ingo(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "elo": each(ingo_to_elo, inputs.get("ingo", ())),
        "ingo": each(elo_to_ingo, inputs.get("elo", ())),
    }


def _grade(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "elo": each(grade_to_elo, inputs.get("grade", ())),
        "grade": each(elo_to_grade, inputs.get("elo", ())),
    }


def _us_class(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    # The article whose table is checked writes “National master”.
    def name_of(rating: float) -> str:
        return USCF.class_of(rating).name.replace(" Master", " master")

    return {"class": each(name_of, inputs["rating"])}


def _edition(inputs: Mapping[str, Any]) -> str:
    """Return the edition of the US Chess text that a case is from.

    The numbers do not tell, so a case says so itself or by the first year in its
    source; else it means the newest.
    """
    asked = str(inputs.get("edition", inputs.get("source", "")))
    if asked in EDITIONS:
        return asked
    named = [
        (asked.index(edition[:4]), edition)
        for edition in EDITIONS
        if edition[:4] in asked
    ]
    return min(named)[1] if named else DEFAULT_EDITION


def _us_rating(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    edition = _edition(inputs)
    if "cfc" in inputs:
        day = date.fromisoformat(edition)
        return {
            "us": each(
                lambda cfc: cfc_to_us_chess(cfc, day, edition=edition), inputs["cfc"]
            )
        }
    youth = inputs.get("youth", False)
    return {
        "us": _convert_each(inputs["fide"], edition, youth=youth),
        "us2020": _convert_each(inputs["fide"], SEPTEMBER_2020, youth=True),
        "us2024": _convert_each(inputs["fide"], FEBRUARY_2025, youth=True),
    }


def _convert_each(ratings: Any, edition: str, *, youth: bool) -> Any:
    day = date.fromisoformat(edition)
    return each(
        lambda rating: fide_to_us_chess(rating, day, youth=youth, edition=edition),
        ratings,
    )


def _tournament_class(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    ranks = inputs["ranks"]
    if all(isinstance(rank, int) for rank in ranks):
        return {"class": chessmetrics_class(ranks)}
    return {"class": each(chessmetrics_class, ranks)}


CASES: Mapping[str, Case] = {
    "fide.category": _category,
    "ingo.convert": _ingo,
    "ecf.convert": _grade,
    "uscf.class": _us_class,
    "uscf.convert": _us_rating,
    "chessmetrics.class": _tournament_class,
}
