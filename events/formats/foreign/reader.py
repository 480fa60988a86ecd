"""Read any file with results of a foreign event, recognized by its content."""

from __future__ import annotations

from events.formats.foreign.report import ReportedForeignEvent, rejected_report
from events.formats.foreign.rows import LAYOUT, read_csv, read_rows
from events.formats.foreign.trf import read_trf
from events.formats.foreign.xlsx import UnreadableSheet, read_sheet
from events.formats.trf.lines import looks_like_trf
from players.formats.xlsx_reader import looks_like_zip

MAX_FILE_BYTES = 5_000_000


def read_foreign(data: bytes) -> ReportedForeignEvent:
    """Read a TRF, a spreadsheet or a CSV file. It never fails on bad content."""
    if len(data) > MAX_FILE_BYTES:
        return rejected_report(
            "",
            f"The file is larger than {MAX_FILE_BYTES // 1_000_000} MB.",
            "Send the results of one event only.",
        )
    if looks_like_zip(data):
        try:
            return read_rows(read_sheet(data))
        except UnreadableSheet as fault:
            return rejected_report(LAYOUT, str(fault), "Save it again, or as CSV.")
    if looks_like_trf(data):
        return read_trf(data)
    if b"\x00" in data:
        return rejected_report(
            "",
            "This is neither a text file nor a spreadsheet.",
            "Send a TRF, CSV or XLSX file.",
        )
    return read_csv(data)
