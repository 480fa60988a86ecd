"""Read the sheets of a workbook (XLSX) as rows of text, within a report's limits."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from events.formats.translatable_text import TranslatableText, translatable
from players.formats.xlsx_reader import (
    MAX_ODD_CELLS,
    Limits,
    SheetName,
    Workbook,
    WorkbookError,
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

_MESSAGES: dict[str, TranslatableText | Callable[..., TranslatableText]] = {
    "workbook_has_many_parts": translatable("The spreadsheet has too many parts."),
    "workbook_lacks_part": lambda name: translatable(
        "The spreadsheet has no part {name}.", name=name
    ),
    "workbook_too_large": translatable("The spreadsheet is too large."),
    "workbook_without_sheet": translatable("The spreadsheet has no sheet."),
    "workbook_lacks_sheet": translatable("A sheet is missing from the spreadsheet."),
    "workbook_unsafe": translatable("The spreadsheet has unsafe content."),
    "workbook_damaged": translatable("The spreadsheet is damaged."),
    "workbook_has_many_sheets": lambda most: translatable(
        "The spreadsheet has more than {max_sheets:,} sheets.", max_sheets=most
    ),
    "workbook_has_many_styles": lambda most: translatable(
        "The spreadsheet has more than {max_styles:,} cell styles.", max_styles=most
    ),
    "workbook_has_many_names": translatable(
        "The spreadsheet has too many kinds of elements."
    ),
    "workbook_nested_deeply": translatable("The spreadsheet is nested too deeply."),
    "workbook_has_many_rows": lambda most: translatable(
        "The sheet has more than {max_rows:,} rows.", max_rows=most
    ),
}


class UnreadableSheet(ValueError):
    """The spreadsheet cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its rows, merged ranges (B2:C2), and formulas without a value.

    ``hidden`` are hidden rows (7) and columns (C). A sheet that is hidden itself is not
    read.
    """

    name: str
    rows: list[list[str]]
    merged: tuple[str, ...] = ()
    uncalculated: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    is_hidden: bool = False


def read_sheet(data: bytes) -> list[list[str]]:
    """Return the rows of the first visible sheet, each cell as text.

    Blank cells are "", numbers as people type them (0.5, 2210). Raises UnreadableSheet.
    """
    return _sheets(data, most=1)[0].rows


def read_sheets(data: bytes) -> list[Sheet]:
    """Return all sheets, hidden ones last. Raises UnreadableSheet."""
    return _sheets(data)


def _sheets(data: bytes, *, most: int | None = None) -> list[Sheet]:
    """Return the first *most* visible sheets, and the names of the others."""
    try:
        workbook = Workbook(io.BytesIO(data), LIMITS)
        hidden = [sheet for sheet in workbook.sheets if sheet.is_hidden]
        shown = [sheet for sheet in workbook.sheets if not sheet.is_hidden][:most]
        if not shown:
            raise UnreadableSheet(
                translatable("All sheets of the spreadsheet are hidden.")
            )
        if len(shown) > MAX_SHEETS:
            raise WorkbookError("workbook_has_many_sheets", most=MAX_SHEETS)
        return [
            *(_sheet(workbook, sheet) for sheet in shown),
            *(Sheet(sheet.name, [], is_hidden=True) for sheet in hidden),
        ]
    except WorkbookError as fault:
        message = _MESSAGES[fault.code]
        sentence = message(**fault.values) if callable(message) else message
        raise UnreadableSheet(sentence) from fault


def _sheet(workbook: Workbook, name: SheetName) -> Sheet:
    cells = workbook.cells_of(name)
    rows: list[list[str]] = []
    uncalculated: list[str] = []
    for row in cells.rows():
        # Files omit rows without a cell, but people count them.
        rows += [[] for _ in range(row.number - len(rows) - 1)]
        rows.append(row.cells)
        uncalculated += row.uncalculated
    return Sheet(
        name.name,
        rows,
        tuple(cells.merged),
        tuple(uncalculated[:MAX_ODD_CELLS]),
        tuple(cells.hidden),
    )
