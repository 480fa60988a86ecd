"""Tables of an experiment's results, and how their cells are written."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeVar

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from ratings_site.common.ui.formatting import MINUS, whole

# Public results are of at least so many games or people: an initial rating reveals the
# age, and so does an age group of one or two.
MIN_GAMES = 30
MIN_PEOPLE = 10
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# The columns of an effect on ratings in files, after the name of a group.
EFFECT_COLUMNS = (
    *("from", "to", "players", "gained", "lost", "mean", "median"),
    *("percentile_5", "percentile_25", "percentile_75", "percentile_95"),
)

AnyRow = TypeVar("AnyRow", bound=Sequence[Any])
Shown = tuple[str, Callable[[Any], str]]
"""A heading on the page, and what makes the cell below it of a row."""


@dataclass(frozen=True)
class Sheet:
    """A table of the results, on the page and as a file.

    *columns* and *rows* go into the file; *cells* are the rows as the page shows them.
    *plots* show the same data, if it can be drawn. *is_open* shows the table expanded,
    *is_folded* hides all of it behind its title.
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

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        shown: Sequence[Shown],
        *,
        page_rows: Sequence[Any] | None = None,
        **more: Any,
    ) -> "Sheet":
        """Make a sheet whose cells are *shown* of the *page_rows*, or else the rows."""
        headings = [heading for heading, _cell in shown]
        cells = [
            [cell(row) for _heading, cell in shown]
            for row in (rows if page_rows is None else page_rows)
        ]
        return cls(name, title, columns, rows, headings, cells, **more)


def escape_formula(cell: Any) -> Any:
    """Return a cell of a file that no spreadsheet takes for a formula.

    Names come from uploaded files.

    >>> escape_formula("=1+1"), escape_formula("Ann"), escape_formula(-2.5)
    ("'=1+1", 'Ann', -2.5)
    """
    is_formula = isinstance(cell, str) and cell.startswith(FORMULA_STARTS)
    return f"'{cell}" if is_formula else cell


def suppress_small_groups(
    rows: Iterable[AnyRow], least: int, count: int
) -> list[AnyRow]:
    """Return the rows that are about so many people that none can be identified.

    Column *count* holds how many. The omitted rows can be found as the total less the
    rest, so the smallest of the others is omitted too while they are about few.

    >>> suppress_small_groups([["a", 12], ["b", 3], ["c", 40]], 10, 1)
    [['c', 40]]
    >>> suppress_small_groups([["a", 12], ["b", 7], ["c", 5]], 10, 1)
    [['a', 12]]
    """
    given = list(rows)
    shown = [row for row in given if row[count] >= least]
    left_out = sum(row[count] for row in given if row[count] < least)
    if 0 < left_out < least and shown:
        shown.remove(min(shown, key=itemgetter(count)))
    return shown


def band(low: float | None, high: float | None) -> str:
    """Return a band as text; *high* does not belong to it."""
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


def count_in(column: int) -> Callable[[Sequence[Any]], str]:
    """Return what formats the count in this column of a row."""
    return lambda row: f"{row[column]:,}"


def change_in(column: int) -> Callable[[Sequence[Any]], str]:
    """Return what formats the difference in this column of a row."""
    return lambda row: signed(row[column], 1)


def signed(value: float, decimals: int) -> str:
    """Format a difference; one that rounds to 0 has no sign."""
    shown = round(value, decimals) or 0.0
    return f"{shown:{'+' if shown else ''}.{decimals}f}".replace("-", MINUS)


def format_range(record: Sequence[float | None], decimals: int) -> str:
    """Return a difference with its range; a stored one is value, low and high end."""
    value, low, high = record[:3]
    if value is None:
        return "–"
    if low is None or high is None:
        return signed(value, decimals)
    ends = f"{signed(low, decimals)} … {signed(high, decimals)}"
    return f"{signed(value, decimals)} ({ends})"


def value_with_range(estimate: Sequence[float | None], decimals: int = 2) -> str:
    """Return a value with its range; a stored one is value, low and high end."""
    value, low, high = estimate[:3]
    if low is None:
        return f"{value:.{decimals}f}"
    return f"{value:.{decimals}f} ({low:.{decimals}f}–{high:.{decimals}f})"


def plots(*drawn: str) -> list[SafeString]:
    """Return the plots that are not empty."""
    return [mark_safe(svg) for svg in drawn if svg]  # noqa: S308 - texts are escaped
