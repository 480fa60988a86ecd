"""Real files from directors and programs, shortened to a few players."""

from __future__ import annotations

from pathlib import Path

from events.formats.report import format_cell
from events.formats.report_reader import ReadResult, read_report

_FOLDER = Path(__file__).parents[2] / "data" / "field-cases"


def field_case(name: str) -> tuple[dict[str, list[str]], ReadResult]:
    """Return the results of each player by name, and the whole result."""
    result = read_report([(name, (_FOLDER / name).read_bytes())])
    assert result.reported is not None
    [section] = result.reported.sections
    cells = {
        entry.name: [format_cell(cell) for cell in entry.cells]
        for entry in section.entries
    }
    return cells, result
