"""Reading of a rating report from a JSON document (``json_write`` describes it).

Like the other readers it raises nothing and stops at no fault. What it finds is placed
by JSON pointer (RFC 6901), in the finding's field: "/sections/0/entries/3/cells/2".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from events.importers.dbf.layout_2c import FORMAT as LAYOUT
from events.importers.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.importers.dbf.tables import MAX_RECORDS
from events.importers.findings import Collector, Place
from events.importers.json.values import (
    BOM,
    LONGEST_TEXT,
    NOTHING,
    Document,
    Object,
    Spot,
    Values,
    parsed,
)
from events.importers.json.write import FORMAT, VERSION
from events.importers.records import (
    BLANK,
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    parse_cell,
)

LONGEST_LINE = 5_000
MOST_OTHER_TDS = 50
MOST_LINES = 2_000
MOST_POINTS = 999
MOST_SCHEDULES = 20


def looks_like_json(name: str, data: bytes) -> bool:
    """Tell whether the file is meant as JSON.

    >>> looks_like_json("report.txt", b' {"name": "May Open"}')
    True
    >>> looks_like_json("notes.txt", b"Round 1 was fun.")
    False
    """
    begins = data.removeprefix(BOM)[:200].lstrip()
    return begins.startswith(b"{") or name.lower().endswith(".json")


def read_json(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report that a document holds, None if it holds none at all."""
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as bad:
        place = Place(file=name)
        findings.add("json.unreadable/encoding", place, name=name, start=bad.start)
        return None
    document = parsed(name, text, findings)
    if document is NOTHING:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("sections"), list):
        findings.add("json.not_a_report", Place(file=name), name=name)
        return None
    return _Report(findings).event(document)


class _Report(Document):
    """Reads the objects of one document; what cannot be read leaves a finding."""

    def __init__(self, findings: Collector) -> None:
        super().__init__(findings)
        self.entries = 0

    def event(self, data: Object) -> ReportedEvent:
        at = Spot()
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
            other_td_ids=values.texts("other_td_ids", MOST_OTHER_TDS),
            sections=self._sections(data["sections"], at.at("sections")),
            total_sections=values.number("total_sections", MAX_SECTIONS),
        )
        values.report_unknown()
        return report

    def _check_head(self, data: Object, at: Spot) -> None:
        if data.get("format", FORMAT) != FORMAT or data.get("version", 1) != VERSION:
            self.findings.add(
                "json.version", at.at("version").found, format=FORMAT, version=VERSION
            )

    def _sections(self, items: list[Any], at: Spot) -> tuple[ReportedSection, ...]:
        kept = self.items(items, at, MAX_SECTIONS, "json.too_large")
        return tuple(
            self._section(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _section(self, data: Object, at: Spot, index: int) -> ReportedSection:
        number = Values(self, data, at).number("number", MAX_SECTIONS)
        # Where it is missing, the place in the document tells it.
        number = index + 1 if number is None else number
        at = Spot(at.pointer, replace(at.place, section=number))
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
                "last_pairing_number", HIGHEST_PAIRING_NUMBER
            ),
            starts=values.day("starts"),
            ends=values.day("ends"),
            scholastic_level=values.text("scholastic_level"),
            grand_prix=values.flag("grand_prix"),
            grand_prix_points=values.number("grand_prix_points", MOST_POINTS),
            fide=values.flag("fide"),
            online=values.flag("online"),
            trf_lines=values.texts("trf_lines", MOST_LINES, LONGEST_LINE),
            entries=self._entries(data.get("entries"), at.at("entries")),
            schedules=self._schedules(data.get("schedules"), at.at("schedules")),
        )
        values.report_unknown()
        return section

    def _schedules(self, items: Any, at: Spot) -> tuple[ReportedSchedule, ...]:
        kept = self.items(items, at, MOST_SCHEDULES, "json.too_large/schedules")
        return tuple(
            self._schedule(item, at.at(index))
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _schedule(self, data: Object, at: Spot) -> ReportedSchedule:
        values = Values(self, data, at)
        schedule = ReportedSchedule(
            name=values.text("name"),
            time_control=values.text("time_control"),
            first_round=values.number("first_round", MAX_ROUNDS) or 0,
            last_round=values.number("last_round", MAX_ROUNDS) or 0,
            starts=values.day("starts"),
            ends=values.day("ends"),
            entries=values.numbers("entries", HIGHEST_PAIRING_NUMBER),
        )
        values.report_unknown()
        return schedule

    def _entries(self, items: Any, at: Spot) -> tuple[ReportedEntry, ...]:
        most = MAX_RECORDS - self.entries
        kept = self.items(items, at, most, "json.too_large/entries")
        self.entries += len(kept)
        return tuple(
            self._entry(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self.is_object(item, at.at(index))
        )

    def _entry(self, data: Object, at: Spot, index: int) -> ReportedEntry:
        number = Values(self, data, at).number("pairing_number", HIGHEST_PAIRING_NUMBER)
        number = index + 1 if number is None else number
        at = Spot(at.pointer, replace(at.place, pairing_number=number))
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

    def _cells(self, items: Any, at: Spot) -> tuple[Cell, ...]:
        kept = self.items(items, at, MAX_ROUNDS, "json.too_large/results")
        return tuple(
            self._cell(item, at.at(index), index + 1) for index, item in enumerate(kept)
        )

    def _cell(self, item: Any, at: Spot, round_number: int) -> Cell:
        at = replace(at, place=replace(at.place, round_number=round_number))
        if item is None:
            return BLANK
        if not isinstance(item, str):
            self.unreadable("value.unreadable/result", at, item)
            return BLANK
        return parse_cell(self.cleaned(item, at, LONGEST_TEXT))
