"""Read a rating report from a JSON document (described in ``json.writer``).

Like the other readers it raises nothing and continues after faults. The field of its
findings is a JSON pointer (RFC 6901): "/sections/0/entries/3/cells/2".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from events.formats.dbf.layout_2c import FORMAT as LAYOUT
from events.formats.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.formats.dbf.tables import MAX_RECORDS
from events.formats.findings import Collector, Place
from events.formats.json.values import (
    BOM,
    MAX_TEXT_LENGTH,
    UNREADABLE,
    Document,
    JsonLocation,
    Object,
    Values,
    parse_json,
)
from events.formats.json.writer import FORMAT, VERSION
from events.formats.report import (
    BLANK,
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    parse_cell,
)

MAX_LINE_LENGTH = 5_000
MAX_OTHER_TDS = 50
MAX_LINES = 2_000
MAX_SCHEDULES = 20


def looks_like_json(name: str, data: bytes) -> bool:
    """Return whether the file is meant as JSON.

    >>> looks_like_json("report.txt", b' {"name": "May Open"}')
    True
    >>> looks_like_json("notes.txt", b"Round 1 was fun.")
    False
    """
    begins = data.removeprefix(BOM)[:200].lstrip()
    return begins.startswith(b"{") or name.lower().endswith(".json")


def read_json(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report in a document, None if it has none."""
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as bad:
        place = Place(file=name)
        findings.add("json.unreadable/encoding", place, name=name, start=bad.start)
        return None
    document = parse_json(name, text, findings)
    if document is UNREADABLE:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("sections"), list):
        findings.add("json.not_a_report", Place(file=name), name=name)
        return None
    return _Report(findings).event(document)


class _Report(Document):
    """Reads the objects of one document; adds findings for unreadable ones."""

    def __init__(self, findings: Collector) -> None:
        super().__init__(findings)
        self.entries = 0

    def event(self, data: Object) -> ReportedEvent:
        at = JsonLocation()
        self._check_head(data, at)
        values = Values(self, data, at, known={"format", "version"})
        return values.record(
            ReportedEvent,
            layout=lambda: values.text("layout") or LAYOUT,
            other_td_ids=lambda: values.texts("other_td_ids", MAX_OTHER_TDS),
            sections=lambda: self.objects(
                values, "sections", MAX_SECTIONS, self._section, "json.too_large"
            ),
        )

    def _check_head(self, data: Object, at: JsonLocation) -> None:
        if data.get("format", FORMAT) != FORMAT or data.get("version", 1) != VERSION:
            self.add("json.version", at.at("version"), format=FORMAT, version=VERSION)

    def _section(self, data: Object, at: JsonLocation, index: int) -> ReportedSection:
        number = Values(self, data, at).number("number")
        # A missing number is the position in the document.
        number = index + 1 if number is None else number
        at = JsonLocation(at.pointer, replace(at.place, section=number))
        values = Values(self, data, at)
        return values.record(
            ReportedSection,
            number=lambda: number,
            trf_lines=lambda: values.texts("trf_lines", MAX_LINES, MAX_LINE_LENGTH),
            entries=lambda: self._entries(values),
            schedules=lambda: self.objects(
                values, "schedules", MAX_SCHEDULES, self._schedule
            ),
        )

    def _schedule(self, data: Object, at: JsonLocation, _: int) -> ReportedSchedule:
        values = Values(self, data, at)
        return values.record(
            ReportedSchedule,
            first_round=lambda: values.number("first_round") or 0,
            last_round=lambda: values.number("last_round") or 0,
            entries=lambda: values.numbers("entries", MAX_PAIRING_NUMBER),
        )

    def _entries(self, section: Values) -> tuple[ReportedEntry, ...]:
        most = MAX_RECORDS - self.entries
        items = section.data.get("entries")
        self.entries += len(items[:most]) if isinstance(items, list) else 0
        return self.objects(section, "entries", most, self._entry)

    def _entry(self, data: Object, at: JsonLocation, index: int) -> ReportedEntry:
        number = Values(self, data, at).number("pairing_number")
        number = index + 1 if number is None else number
        at = JsonLocation(at.pointer, replace(at.place, pairing_number=number))
        return Values(self, data, at).record(
            ReportedEntry,
            pairing_number=lambda: number,
            cells=lambda: self._cells(data.get("cells"), at.at("cells")),
            as_reported=lambda: None,  # a file is what was reported
        )

    def _cells(self, items: Any, at: JsonLocation) -> tuple[Cell, ...]:
        kept = self.items(items, at, MAX_ROUNDS, "json.too_large/results")
        return tuple(
            self._cell(item, at.at(index), index + 1) for index, item in enumerate(kept)
        )

    def _cell(self, item: Any, at: JsonLocation, round_number: int) -> Cell:
        at = replace(at, place=replace(at.place, round_number=round_number))
        if item is None:
            return BLANK
        if not isinstance(item, str):
            self.unreadable("value.unreadable/result", at, item)
            return BLANK
        return parse_cell(self.clean_text(item, at, MAX_TEXT_LENGTH))
