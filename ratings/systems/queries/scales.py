"""Class scales side by side, and what a number of one scale is on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.conversions import LinearConversion
from ratings.engine.rules import PARAMETERS
from ratings.laboratory.scales import (
    CCLA,
    ELO_1978,
    HARKNESS,
    HARKNESS_1950,
    USCF,
    USSR_1946,
    Band,
    BelowScale,
    elo_of_grade,
    elo_of_ingo,
    grade_of_elo,
    ingo_of_elo,
    us_of_cfc,
    us_of_fide,
)
from ratings_site.common.looks.figures import decimal_rating

SIDE_BY_SIDE: Final = (ELO_1978, USCF, HARKNESS_1950, HARKNESS, CCLA)
_BOTTOM = -1


class Cell(NamedTuple):
    """A class, and how many rows of the table it covers."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class ScaleLevel:
    """A lower bound, None below all of them, and the classes that begin there."""

    lowest: int | None
    cells: list[Cell]


def side_by_side() -> list[ScaleLevel]:
    """Return the scales as columns of one table, classes at equal height.

    The last column are the classes of the USSR, which had norms in place of numbers.
    """
    columns = [list(scale.bands) for scale in SIDE_BY_SIDE]
    columns.append(_ussr())
    bounds = sorted({_bound(band) for bands in columns for band in bands}, reverse=True)
    rows = {
        bound: ScaleLevel(None if bound == _BOTTOM else bound, []) for bound in bounds
    }
    for bands in columns:
        _place(bands, bounds, rows)
    return list(rows.values())


def _bound(band: Band) -> int:
    return _BOTTOM if band.lowest is None else band.lowest


def _ussr() -> list[Band]:
    """Return the classes of the USSR where Elo's scale sets them beside its own."""
    beside = {band.name: band.lowest for band in ELO_1978.bands}
    return [Band(norm.name, beside[norm.beside]) for norm in USSR_1946]


def _place(bands: list[Band], bounds: list[int], rows: dict[int, ScaleLevel]) -> None:
    """Put the classes of a scale into the rows; above and below it stands nothing."""
    start = 0
    for band in bands:
        end = bounds.index(_bound(band)) + 1
        rows[bounds[start]].cells.append(Cell(gettext(band.name), end - start))
        start = end
    if start < len(bounds):
        rows[bounds[start]].cells.append(Cell("", len(bounds) - start))


# --- Conversions ---

FIDE, INGO, GRADE, CFC, US = "elo", "ingo", "grade", "cfc", "us"
SCALE_CHOICES = (
    (FIDE, gettext_lazy("FIDE or Elo rating")),
    (US, gettext_lazy("US Chess rating")),
    (CFC, gettext_lazy("Canadian (CFC) rating")),
    (INGO, gettext_lazy("Ingo number")),
    (GRADE, gettext_lazy("English grade (Clarke, until 2020)")),
)


@dataclass(frozen=True, slots=True)
class Converted:
    """A number on another scale."""

    scale: str
    figure: str


def conversions_of(figure: float, scale: str, *, day: date) -> list[Converted]:
    """Return what a number of one scale is on the others, as far as anybody says.

    Nothing leads from US Chess ratings to the others.
    """
    to_elo: dict[str, Callable[[float], float]] = {
        FIDE: float,
        INGO: elo_of_ingo,
        GRADE: elo_of_grade,
    }
    found = []
    if scale in to_elo:
        elo = to_elo[scale](figure)
        found = [
            (FIDE, elo),
            (INGO, ingo_of_elo(elo)),
            (GRADE, grade_of_elo(elo)),
            (US, us_of_fide(elo, day)),
        ]
    elif scale == CFC:
        found = [(US, us_of_cfc(figure, day))]
    names = dict(SCALE_CHOICES)
    return [
        Converted(str(names[one]), decimal_rating(value))
        for one, value in found
        if one != scale
    ]


@dataclass(frozen=True, slots=True)
class FormulaShown:
    """A conversion to US Chess ratings, with its first day and its straight pieces."""

    name: str
    since: date | None
    pieces: list[str]


_FORMULAS = {
    "fide_conversion": gettext_lazy("FIDE to US Chess"),
    "youth_conversion": gettext_lazy("FIDE to US Chess, opponents in youth events"),
    "cfc_conversion": gettext_lazy("CFC to US Chess"),
}


def formulas() -> list[FormulaShown]:
    """Return every conversion the rules have had, the newest of each first."""
    return [
        FormulaShown(str(label), since.day, [_piece(one) for one in since.value.lines])
        for name, label in _FORMULAS.items()
        for since in reversed(PARAMETERS[name].history)
        if since.is_known_to(settings.RATING_EDITION)
    ]


def _piece(line: LinearConversion) -> str:
    formula = f"{line.intercept:g} + {line.slope:g} × R".replace("-", "−")
    if line.up_to is None:
        return gettext("{formula} for higher R").format(formula=formula)
    sentence = (
        gettext("{formula} for R up to {bound}")
        if line.includes_end
        else gettext("{formula} for R below {bound}")
    )
    return sentence.format(formula=formula, bound=f"{line.up_to:g}")


def classes_of(figure: float) -> list[Converted]:
    """Return the class of a rating on each scale that has one so low."""
    found = []
    for scale in SIDE_BY_SIDE:
        try:
            band = scale.class_of(figure)
        except BelowScale:
            continue
        found.append(Converted(gettext(scale.label), gettext(band.name)))
    return found
