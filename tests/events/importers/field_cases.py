"""Files as directors and programs really send them, cut to a few players."""

from __future__ import annotations

from pathlib import Path

from events.importers.read_report import ReadResult, read_report
from events.importers.records import format_cell

_FOLDER = Path(__file__).parents[2] / "data" / "field-cases"


def field_case(name: str) -> tuple[dict[str, list[str]], ReadResult]:
    """Return the results of each player by name, and all that was read."""
    result = read_report([(name, (_FOLDER / name).read_bytes())])
    assert result.reported is not None
    [section] = result.reported.sections
    cells = {
        entry.name: [format_cell(cell) for cell in entry.cells]
        for entry in section.entries
    }
    return cells, result
