"""Any file with results of a foreign event: recognized by what is in it."""

from __future__ import annotations

from events.importers.foreign.records import ReportedForeignEvent, refused
from events.importers.foreign.rows import LAYOUT, read_csv, read_rows
from events.importers.foreign.trf import read_trf
from events.importers.foreign.xlsx import UnreadableSheet, read_sheet
from events.importers.trf.lines import looks_like_trf
from players.importers.workbooks import looks_like_zip

MAX_FILE_BYTES = 5_000_000


def read_foreign(data: bytes) -> ReportedForeignEvent:
    """Read a TRF, a spreadsheet or a CSV file. It never fails on bad content."""
    if len(data) > MAX_FILE_BYTES:
        return refused(
            "",
            f"The file is larger than {MAX_FILE_BYTES // 1_000_000} MB.",
            "Send the results of one event only.",
        )
    if looks_like_zip(data):
        try:
            return read_rows(read_sheet(data))
        except UnreadableSheet as fault:
            return refused(LAYOUT, str(fault), "Save it again, or as CSV.")
    if looks_like_trf(data):
        return read_trf(data)
    if b"\x00" in data:
        return refused(
            "",
            "This is neither a text file nor a spreadsheet.",
            "Send a TRF, CSV or XLSX file.",
        )
    return read_csv(data)
