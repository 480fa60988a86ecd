"""Read any file with results of a foreign event, recognized by its content.

Run as a module, it reads a file in its own process: a file in, JSON out.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import date
from typing import Any

from events.formats.foreign.report import (
    ForeignEventHeader,
    Remark,
    ReportedForeignEvent,
    ReportedForeignGame,
    ReportedForeignPlayer,
    ReportedUnplayedRound,
    rejected_report,
)
from events.formats.foreign.rows import LAYOUT, read_csv, read_rows
from events.formats.foreign.trf import read_trf
from events.formats.foreign.xlsx import UnreadableSheet, read_sheet
from events.formats.translatable_text import (
    TranslatableText,
    error_text,
    from_json,
    to_json,
)
from events.formats.translatable_text import translatable as _
from events.formats.trf.lines import looks_like_trf
from players.formats.member_ids import MEMBER_ID
from players.formats.xlsx_reader import looks_like_zip

MAX_FILE_BYTES = 5_000_000


def read_foreign(data: bytes) -> ReportedForeignEvent:
    """Read a TRF, a spreadsheet or a CSV file. It never fails on bad content."""
    if len(data) > MAX_FILE_BYTES:
        return rejected_report(
            "",
            _("The file is larger than {most} MB.", most=MAX_FILE_BYTES // 1_000_000),
            _("Upload the results of one event only."),
        )
    if looks_like_zip(data):
        try:
            return read_rows(read_sheet(data))
        except UnreadableSheet as fault:
            return rejected_report(
                LAYOUT, error_text(fault), _("Save it again, or as CSV.")
            )
    if looks_like_trf(data):
        return read_trf(data)
    if b"\x00" in data:
        return rejected_report(
            "",
            _("This is neither a text file nor a spreadsheet."),
            _("Upload a TRF, CSV, or XLSX file."),
        )
    return read_csv(data)


def encode_report(report: ReportedForeignEvent) -> str:
    """Return *report* as JSON for ``report_from_json``."""
    return json.dumps(asdict(report, dict_factory=_with_patterns), default=str)


def _with_patterns(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: to_json(value) if isinstance(value, TranslatableText) else value
        for name, value in items
    }


def report_from_json(data: dict[str, Any]) -> ReportedForeignEvent:
    """Return the report from the data of ``encode_report``.

    >>> report = read_foreign(b"012 May Open\\n042 2024/05/04\\n001    1\\n")
    >>> report_from_json(json.loads(encode_report(report))) == report
    True
    """
    return ReportedForeignEvent(
        data["layout"],
        data["event"] and _event(data["event"]),
        tuple(map(_player, data["players"])),
        _remarks(data["remarks"]),
    )


def _event(data: dict[str, Any]) -> ForeignEventHeader:
    days = {
        name: data[name] and date.fromisoformat(data[name])
        for name in ("starts", "ends")
    }
    return ForeignEventHeader(**{**data, **days})


def _player(data: dict[str, Any]) -> ReportedForeignPlayer:
    within = {
        "place": from_json(data["place"]),
        "games": tuple(ReportedForeignGame(**one) for one in data["games"]),
        "rounds_off": tuple(ReportedUnplayedRound(**one) for one in data["rounds_off"]),
        "remarks": _remarks(data["remarks"]),
    }
    return ReportedForeignPlayer(**{**data, **within})


def _remarks(data: list[dict[str, Any]]) -> tuple[Remark, ...]:
    return tuple(
        Remark(**{name: from_json(text) for name, text in one.items()}) for one in data
    )


def main() -> None:
    MEMBER_ID.use(*sys.argv[1:])
    sys.stdout.write(encode_report(read_foreign(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
