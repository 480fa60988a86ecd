"""Tables of an experiment's results, and how their cells are written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeVar

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from ratings_site.common.looks.figures import MINUS, whole

# What everybody may see is of at least so many games, or people: the rating that
# somebody begins with tells the age, and so does a group by age of one or two.
FEWEST_GAMES = 30
FEWEST_PEOPLE = 10
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


AnyRow = TypeVar("AnyRow", bound=Sequence[Any])


@dataclass(frozen=True)
class Sheet:
    """A table of the results, to be looked at and to be downloaded.

    *columns* and *rows* go into the file; *cells* are the rows as the page shows them.
    *plots* show the same data, if it can be drawn. *is_open* tells whether the table is
    to be seen at once, *is_folded* that all of it waits behind its title.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    headings: Sequence[str]
    cells: Sequence[Sequence[str]]
    caption: str = ""
    plots: Sequence[SafeString] = ()
    is_open: bool = False
    is_folded: bool = False


def harmless(cell: Any) -> Any:
    """Return a cell of a file as no spreadsheet takes it for a formula.

    Names come from files that anybody may have written.

    >>> harmless("=1+1"), harmless("Ann"), harmless(-2.5)
    ("'=1+1", 'Ann', -2.5)
    """
    is_formula = isinstance(cell, str) and cell.startswith(FORMULA_STARTS)
    return f"'{cell}" if is_formula else cell


def enough(rows: Iterable[AnyRow], least: int, count: int) -> list[AnyRow]:
    """Return the rows that are about so many that nobody is found out by them.

    Column *count* holds how many they are about. What is left out is the whole less
    the rest, so the smallest of the others goes too while that is about few.

    >>> enough([["a", 12], ["b", 3], ["c", 40]], 10, 1)
    [['c', 40]]
    >>> enough([["a", 12], ["b", 7], ["c", 5]], 10, 1)
    [['a', 12]]
    """
    given = list(rows)
    shown = [row for row in given if row[count] >= least]
    left_out = sum(row[count] for row in given if row[count] < least)
    if 0 < left_out < least and shown:
        shown.remove(min(shown, key=itemgetter(count)))
    return shown


def band(low: float | None, high: float | None) -> str:
    """Return a band as people write it; *high* does not belong to it."""
    if low is None and high is None:
        return _("unknown")
    if low is None:
        return _("under {number}").format(number=f"{high:g}")
    if high is None:
        return _("{number} and more").format(number=f"{low:g}")
    if high <= 1:
        return f"{low:.2f}–{high:.2f}"
    return f"{low:g}–{high - 1:g}"


def points(value: float | None) -> str:
    return "–" if value is None else str(whole(value))


def signed(value: float, decimals: int) -> str:
    """Write a difference; what is rounded to nothing has no sign."""
    shown = round(value, decimals) or 0.0
    return f"{shown:{'+' if shown else ''}.{decimals}f}".replace("-", MINUS)


def ranged(record: Sequence[float | None], decimals: int) -> str:
    """Return a difference with its range; a stored one is value, low and high end."""
    value, low, high = record[:3]
    if value is None:
        return "–"
    if low is None or high is None:
        return signed(value, decimals)
    ends = f"{signed(low, decimals)} … {signed(high, decimals)}"
    return f"{signed(value, decimals)} ({ends})"


def plots(*drawn: str) -> list[SafeString]:
    """Return the plots that have something to show."""
    return [mark_safe(svg) for svg in drawn if svg]  # noqa: S308 - texts are escaped
