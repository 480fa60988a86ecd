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
MAX_POINTS = 999
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
        values = Values(self, data, at, known={"format", "version", "sections"})
        report = ReportedEvent(
            layout=values.text("layout") or LAYOUT,
            program=values.text("program"),
            event_id=values.text("event_id"),
            name=values.text("name"),
            starts=values.day("starts"),
            ends=values.day("ends"),
            affiliate_id=values.text("affiliate_id"),
            city=values.text("city"),
            state=values.text("state"),
            zip_code=values.text("zip_code"),
            country=values.text("country"),
            send_crosstable=values.text("send_crosstable"),
            chief_td_id=values.text("chief_td_id"),
            assistant_td_id=values.text("assistant_td_id"),
            other_td_ids=values.texts("other_td_ids", MAX_OTHER_TDS),
            sections=self._sections(data["sections"], at.at("sections")),
            total_sections=values.number("total_sections", MAX_SECTIONS),
        )
        values.report_unknown()
        return report

    def _check_head(self, data: Object, at: JsonLocation) -> None:
        if data.get("format", FORMAT) != FORMAT or data.get("version", 1) != VERSION:
            self.findings.add(
                "json.version",
                at.at("version").finding_place,
                format=FORMAT,
                version=VERSION,
            )

    def _sections(
        self, items: list[Any], at: JsonLocation
    ) -> tuple[ReportedSection, ...]:
        kept = self.items(items, at, MAX_SECTIONS, "json.too_large")
        return tuple(
            self._section(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _section(self, data: Object, at: JsonLocation, index: int) -> ReportedSection:
        number = Values(self, data, at).number("number", MAX_SECTIONS)
        # A missing number is the position in the document.
        number = index + 1 if number is None else number
        at = JsonLocation(at.pointer, replace(at.place, section=number))
        values = Values(self, data, at, known={"number", "entries", "schedules"})
        section = ReportedSection(
            number=number,
            name=values.text("name"),
            system_letter=values.text("system_letter"),
            time_control=values.text("time_control"),
            chief_td_id=values.text("chief_td_id"),
            assistant_td_id=values.text("assistant_td_id"),
            kind_letter=values.text("kind_letter"),
            rounds=values.number("rounds", MAX_ROUNDS),
            last_pairing_number=values.number(
                "last_pairing_number", MAX_PAIRING_NUMBER
            ),
            starts=values.day("starts"),
            ends=values.day("ends"),
            scholastic_level=values.text("scholastic_level"),
            grand_prix=values.flag("grand_prix"),
            grand_prix_points=values.number("grand_prix_points", MAX_POINTS),
            fide=values.flag("fide"),
            online=values.flag("online"),
            trf_lines=values.texts("trf_lines", MAX_LINES, MAX_LINE_LENGTH),
            entries=self._entries(data.get("entries"), at.at("entries")),
            schedules=self._schedules(data.get("schedules"), at.at("schedules")),
        )
        values.report_unknown()
        return section

    def _schedules(self, items: Any, at: JsonLocation) -> tuple[ReportedSchedule, ...]:
        kept = self.items(items, at, MAX_SCHEDULES, "json.too_large/schedules")
        return tuple(
            self._schedule(item, at.at(index))
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _schedule(self, data: Object, at: JsonLocation) -> ReportedSchedule:
        values = Values(self, data, at)
        schedule = ReportedSchedule(
            name=values.text("name"),
            time_control=values.text("time_control"),
            first_round=values.number("first_round", MAX_ROUNDS) or 0,
            last_round=values.number("last_round", MAX_ROUNDS) or 0,
            starts=values.day("starts"),
            ends=values.day("ends"),
            entries=values.numbers("entries", MAX_PAIRING_NUMBER),
        )
        values.report_unknown()
        return schedule

    def _entries(self, items: Any, at: JsonLocation) -> tuple[ReportedEntry, ...]:
        most = MAX_RECORDS - self.entries
        kept = self.items(items, at, most, "json.too_large/entries")
        self.entries += len(kept)
        return tuple(
            self._entry(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _entry(self, data: Object, at: JsonLocation, index: int) -> ReportedEntry:
        number = Values(self, data, at).number("pairing_number", MAX_PAIRING_NUMBER)
        number = index + 1 if number is None else number
        at = JsonLocation(at.pointer, replace(at.place, pairing_number=number))
        values = Values(self, data, at, known={"pairing_number", "cells"})
        entry = ReportedEntry(
            pairing_number=number,
            member_id=values.text("member_id"),
            name=values.text("name"),
            state=values.text("state"),
            rating=values.text("rating"),
            cells=self._cells(data.get("cells"), at.at("cells")),
            fide_id=values.text("fide_id"),
            fide_rating=values.text("fide_rating"),
            cfc_id=values.text("cfc_id"),
            cfc_rating=values.text("cfc_rating"),
            rating_after=values.text("rating_after"),
        )
        values.report_unknown()
        return entry

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
