"""Class scales side by side, and conversions between scales."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Final, NamedTuple

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
    cfc_to_us_chess,
    elo_to_grade,
    elo_to_ingo,
    fide_to_us_chess,
    grade_to_elo,
    ingo_to_elo,
)
from ratings_site.common.ui.formatting import decimal_rating

COMPARED_SCALES: Final = (ELO_1978, USCF, HARKNESS_1950, HARKNESS, CCLA)
_BOTTOM = -1


class Cell(NamedTuple):
    """A class, and how many rows of the table it covers."""

    name: str
    rows: int


class ScaleLevel(NamedTuple):
    """A lower bound, None below all of them, and the classes that begin there."""

    lowest: int | None
    cells: list[Cell]


def scale_table() -> list[ScaleLevel]:
    """Return the scales as columns of one table, classes at equal height.

    The last column has the classes of the USSR, which used norms instead of numbers.
    """
    columns = [list(scale.bands) for scale in COMPARED_SCALES]
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
    """Return the classes of the USSR next to their parallels on Elo's scale."""
    parallel_class = {band.name: band.lowest for band in ELO_1978.bands}
    return [Band(norm.name, parallel_class[norm.parallel_class]) for norm in USSR_1946]


def _place(bands: list[Band], bounds: list[int], rows: dict[int, ScaleLevel]) -> None:
    """Put the classes of a scale into the rows; the rows above and below stay empty."""
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


class Conversion(NamedTuple):
    """A number on another scale."""

    scale: str
    figure: str


def conversions_of(figure: float, scale: str, *, day: date) -> list[Conversion]:
    """Return a number of one scale on the others, where a conversion is published.

    Nothing leads from US Chess ratings to the others.
    """
    to_elo: dict[str, Callable[[float], float]] = {
        FIDE: float,
        INGO: ingo_to_elo,
        GRADE: grade_to_elo,
    }
    found = []
    if scale in to_elo:
        elo = to_elo[scale](figure)
        found = [
            (FIDE, elo),
            (INGO, elo_to_ingo(elo)),
            (GRADE, elo_to_grade(elo)),
            (US, fide_to_us_chess(elo, day)),
        ]
    elif scale == CFC:
        found = [(US, cfc_to_us_chess(figure, day))]
    names = dict(SCALE_CHOICES)
    return [
        Conversion(str(names[one]), decimal_rating(value))
        for one, value in found
        if one != scale
    ]


_FORMULAS = {
    "fide_conversion": gettext_lazy("FIDE to US Chess"),
    "youth_conversion": gettext_lazy("FIDE to US Chess, opponents in youth events"),
    "cfc_conversion": gettext_lazy("CFC to US Chess"),
}


def formulas() -> list[dict[str, Any]]:
    """Return every conversion to US Chess ratings, the newest of each first.

    Each has its name, its first day, and its straight pieces.
    """
    return [
        {
            "name": label,
            "since": since.day,
            "pieces": [_piece(one) for one in since.value.lines],
        }
        for name, label in _FORMULAS.items()
        for since in reversed(PARAMETERS[name].history)
        if since.applies_in(settings.RATING_EDITION)
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


def classes_of(figure: float) -> list[Conversion]:
    """Return the class of a rating on each scale that has one so low."""
    found = []
    for scale in COMPARED_SCALES:
        try:
            band = scale.class_of(figure)
        except BelowScale:
            continue
        found.append(Conversion(gettext(scale.label), gettext(band.name)))
    return found
