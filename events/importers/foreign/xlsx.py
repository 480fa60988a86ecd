"""The sheets of a spreadsheet (XLSX) as rows of texts, as large as a report may be."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from events.importers.sentences import Sentence, say
from players.importers.workbooks import (
    MOST_ODD_CELLS,
    Limits,
    NoWorkbook,
    SheetName,
    Workbook,
)

MAX_BYTES = 10_000_000
MAX_SHEETS = 20
LIMITS = Limits(
    bytes=MAX_BYTES,
    elements=300_000,  # 6,000 entries with 14 cells of three each are 252,000
    attributes=300_000,
    cells=400_000,
    strings=100_000_000,
    rows=20_000,
    columns=200,
    longest_cell=200,
)

_SENTENCES: dict[str, Callable[..., Sentence]] = {
    "workbook_has_many_parts": lambda: say("The spreadsheet has too many parts."),
    "workbook_lacks_part": lambda name: say(
        "The spreadsheet has no part {name}.", name=name
    ),
    "workbook_too_large": lambda: say("The spreadsheet is too large."),
    "workbook_without_sheet": lambda: say("The spreadsheet has no sheet."),
    "workbook_lacks_sheet": lambda: say("A sheet cannot be found in the spreadsheet."),
    "workbook_unsafe": lambda: say("The spreadsheet holds what no spreadsheet needs."),
    "workbook_damaged": lambda: say("The spreadsheet is damaged."),
    "workbook_has_many_sheets": lambda most: say(
        "The spreadsheet has more than {max_sheets:,} sheets.", max_sheets=most
    ),
    "workbook_has_many_styles": lambda most: say(
        "The spreadsheet has more than {max_styles:,} styles of cells.", max_styles=most
    ),
    "workbook_has_many_names": lambda: say(
        "The spreadsheet names more kinds of things than any spreadsheet needs."
    ),
    "workbook_nested_deeply": lambda: say(
        "The spreadsheet is nested more deeply than any spreadsheet needs."
    ),
    "workbook_has_many_rows": lambda most: say(
        "The sheet has more than {max_rows:,} rows.", max_rows=most
    ),
}


class UnreadableSheet(ValueError):
    """The spreadsheet cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its rows, merged ranges (B2:C2), and formulas without a value.

    ``hidden`` are rows (7) and columns (C) that people do not see. Of a sheet that is
    hidden itself nothing is read.
    """

    name: str
    rows: list[list[str]]
    merged: tuple[str, ...] = ()
    unsolved: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    is_hidden: bool = False


def read_sheet(data: bytes) -> list[list[str]]:
    """Return the rows of the first sheet that people see, each cell as text.

    Blank cells are "", numbers as people type them (0.5, 2210). Raises UnreadableSheet.
    """
    return _sheets(data, most=1)[0].rows


def read_sheets(data: bytes) -> list[Sheet]:
    """Return all sheets, those that are hidden last. Raises UnreadableSheet."""
    return _sheets(data)


def _sheets(data: bytes, *, most: int | None = None) -> list[Sheet]:
    """Return the first *most* sheets that people see, and the names of the others."""
    try:
        workbook = Workbook(io.BytesIO(data), LIMITS)
        hidden = [sheet for sheet in workbook.sheets if sheet.is_hidden]
        shown = [sheet for sheet in workbook.sheets if not sheet.is_hidden][:most]
        if not shown:
            raise UnreadableSheet(say("All sheets of the spreadsheet are hidden."))
        if len(shown) > MAX_SHEETS:
            raise NoWorkbook("workbook_has_many_sheets", most=MAX_SHEETS)
        return [
            *(_sheet(workbook, sheet) for sheet in shown),
            *(Sheet(sheet.name, [], is_hidden=True) for sheet in hidden),
        ]
    except NoWorkbook as fault:
        sentence = _SENTENCES[fault.code](**fault.values)
        raise UnreadableSheet(sentence) from fault


def _sheet(workbook: Workbook, name: SheetName) -> Sheet:
    cells = workbook.cells_of(name)
    rows: list[list[str]] = []
    unsolved: list[str] = []
    for row in cells.rows():
        # A file leaves out rows without a cell; people count them.
        rows += [[] for _ in range(row.number - len(rows) - 1)]
        rows.append(row.cells)
        unsolved += row.unsolved
    return Sheet(
        name.name,
        rows,
        tuple(cells.merged),
        tuple(unsolved[:MOST_ODD_CELLS]),
        tuple(cells.hidden),
    )
