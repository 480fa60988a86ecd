"""Reading of a rating report from a JSON document (``json_write`` describes it).

Like the other readers it raises nothing and stops at no fault. What it finds is placed
by JSON pointer (RFC 6901), in the finding's field: "/sections/0/entries/3/cells/2".
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from events.importers.archive import printable
from events.importers.dbf.layout_2c import FORMAT as LAYOUT
from events.importers.dbf.layout_2c import (
    MAX_ROUNDS,
    MAX_SECTIONS,
    parse_date,
    parse_number,
)
from events.importers.dbf.tables import MAX_RECORDS
from events.importers.findings import Collector, Place
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

LONGEST_TEXT = 500
LONGEST_LINE = 5_000
MOST_OTHER_TDS = 50
MOST_LINES = 2_000
MOST_POINTS = 999
MOST_SCHEDULES = 20
# No number of a report has more digits; a longer one would take long to read.
LONGEST_NUMBER = 15

# What cannot be read at all; null can.
_NOTHING = object()

_BOM = b"\xef\xbb\xbf"
_YES = frozenset(("y", "yes", "true", "1"))
_NO = frozenset(("n", "no", "false", "0", ""))

Object = dict[str, Any]


def looks_like_json(name: str, data: bytes) -> bool:
    """Tell whether the file is meant as JSON.

    >>> looks_like_json("report.txt", b' {"name": "May Open"}')
    True
    >>> looks_like_json("notes.txt", b"Round 1 was fun.")
    False
    """
    begins = data.removeprefix(_BOM)[:200].lstrip()
    return begins.startswith(b"{") or name.lower().endswith(".json")


def read_json(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report that a document holds, None if it holds none at all."""
    document = _parsed(name, data, findings)
    if document is _NOTHING:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("sections"), list):
        findings.add("json.not_a_report", Place(file=name), name=name)
        return None
    return _Document(findings, name).event(document)


def _parsed(name: str, data: bytes, findings: Collector) -> Any:
    repeated: set[str] = set()

    def taken(pairs: list[tuple[str, Any]]) -> Object:
        seen = dict(pairs)
        if len(seen) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.update(key for key, count in counts.items() if count > 1)
        return seen

    try:
        text = data.removeprefix(_BOM).decode("utf-8")
        document = json.loads(
            text, parse_int=_number, parse_constant=str, object_pairs_hook=taken
        )
    except UnicodeDecodeError as bad:
        place = Place(file=name)
        findings.add("json.unreadable/encoding", place, name=name, start=bad.start)
        return _NOTHING
    except json.JSONDecodeError as bad:
        findings.add(
            "json.unreadable",
            Place(file=name),
            name=name,
            lineno=bad.lineno,
            colno=bad.colno,
        )
        return _NOTHING
    except RecursionError:
        findings.add("json.unreadable/nested", Place(file=name), name=name)
        return _NOTHING
    for one in sorted(repeated)[:10]:
        findings.add("json.name_twice", Place(file=name), printable=printable(one))
    return document


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_NUMBER else digits


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place in the document, and what of the report it is."""

    pointer: str = ""
    place: Place = field(default_factory=Place)

    def at(self, step: str | int) -> _Spot:
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return replace(self, pointer=f"{self.pointer}/{escaped}")

    @property
    def found(self) -> Place:
        return replace(self.place, field=self.pointer)


class _Document:
    """Reads the objects of one document; what cannot be read leaves a finding."""

    def __init__(self, findings: Collector, name: str) -> None:
        self.findings = findings
        self.name = name
        self.entries = 0

    def event(self, data: Object) -> ReportedEvent:
        at = _Spot()
        self._check_head(data, at)
        values = _Values(self, data, at, known={"format", "version", "sections"})
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

    def _check_head(self, data: Object, at: _Spot) -> None:
        if data.get("format", FORMAT) != FORMAT or data.get("version", 1) != VERSION:
            self.findings.add(
                "json.version", at.at("version").found, format=FORMAT, version=VERSION
            )

    def _sections(self, items: list[Any], at: _Spot) -> tuple[ReportedSection, ...]:
        kept = self._list(items, at, MAX_SECTIONS, "json.too_large")
        return tuple(
            self._section(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self._is_object(item, at.at(index))
        )

    def _section(self, data: Object, at: _Spot, index: int) -> ReportedSection:
        number = _Values(self, data, at).number("number", MAX_SECTIONS)
        # Where it is missing, the place in the document tells it.
        number = index + 1 if number is None else number
        at = _Spot(at.pointer, replace(at.place, section=number))
        values = _Values(self, data, at, known={"number", "entries", "schedules"})
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

    def _schedules(self, items: Any, at: _Spot) -> tuple[ReportedSchedule, ...]:
        kept = self._list(items, at, MOST_SCHEDULES, "json.too_large/schedules")
        return tuple(
            self._schedule(item, at.at(index))
            for index, item in enumerate(kept)
            if self._is_object(item, at.at(index))
        )

    def _schedule(self, data: Object, at: _Spot) -> ReportedSchedule:
        values = _Values(self, data, at)
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

    def _entries(self, items: Any, at: _Spot) -> tuple[ReportedEntry, ...]:
        most = MAX_RECORDS - self.entries
        kept = self._list(items, at, most, "json.too_large/entries")
        self.entries += len(kept)
        return tuple(
            self._entry(item, at.at(index), index)
            for index, item in enumerate(kept)
            if self._is_object(item, at.at(index))
        )

    def _entry(self, data: Object, at: _Spot, index: int) -> ReportedEntry:
        number = _Values(self, data, at).number(
            "pairing_number", HIGHEST_PAIRING_NUMBER
        )
        number = index + 1 if number is None else number
        at = _Spot(at.pointer, replace(at.place, pairing_number=number))
        values = _Values(self, data, at, known={"pairing_number", "cells"})
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

    def _cells(self, items: Any, at: _Spot) -> tuple[Cell, ...]:
        kept = self._list(items, at, MAX_ROUNDS, "json.too_large/results")
        return tuple(
            self._cell(item, at.at(index), index + 1) for index, item in enumerate(kept)
        )

    def _cell(self, item: Any, at: _Spot, round_number: int) -> Cell:
        at = replace(at, place=replace(at.place, round_number=round_number))
        if item is None:
            return BLANK
        if not isinstance(item, str):
            self.unreadable("value.unreadable/result", at, item)
            return BLANK
        return parse_cell(self.cleaned(item, at, LONGEST_TEXT))

    def _list(self, items: Any, at: _Spot, most: int, too_large: str) -> list[Any]:
        """Return what a list holds, up to *most*; nothing is an empty list.

        *too_large* names the finding for a longer one.
        """
        if items is None:
            return []
        if not isinstance(items, list):
            self.unreadable("value.unreadable", at, items)
            return []
        if len(items) > most:
            self.findings.add(too_large, at.found, items=len(items), most=most)
        return items[:most]

    def _is_object(self, item: Any, at: _Spot) -> bool:
        if isinstance(item, dict):
            return True
        self.unreadable("value.unreadable/object", at, item)
        return False

    def unreadable(self, name: str, at: _Spot, value: Any, highest: int = 0) -> None:
        self.findings.add(
            name, at.found, pointer=at.pointer, shown=_shown(value), highest=highest
        )

    def cleaned(self, text: str, at: _Spot, longest: int) -> str:
        """Return *text* without what no report holds, and not without end."""
        kept = text
        if not text.isprintable():
            kept = "".join(one for one in text if one == "\t" or not _is_control(one))
            if kept != text:
                self.findings.add("json.characters", at.found, pointer=at.pointer)
        if len(kept) > longest:
            self.findings.add(
                "text.too_long",
                at.found,
                pointer=at.pointer,
                kept=len(kept),
                longest=longest,
            )
        return kept[:longest]


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "{…}" if isinstance(value, dict) else "[…]"
    return f"“{printable(str(value)[:60])}”"


def _is_control(character: str) -> bool:
    """Tell whether a character is a control code, or half of one (PostgreSQL)."""
    return unicodedata.category(character) in ("Cc", "Cs")


class _Values:
    """The plain values of one object, by name."""

    def __init__(
        self,
        document: _Document,
        data: Object,
        at: _Spot,
        known: Sequence[str] | set[str] = (),
    ) -> None:
        self.document = document
        self.data = data
        self.at = at
        self.known = set(known)

    def _taken(self, name: str) -> Any:
        self.known.add(name)
        return self.data.get(name)

    def text(self, name: str) -> str:
        return self._text(self._taken(name), self.at.at(name), LONGEST_TEXT)

    def _text(self, value: Any, at: _Spot, longest: int) -> str:
        if value is None:
            return ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            self.document.unreadable("value.unreadable/text", at, value)
            return ""
        return self.document.cleaned(value, at, longest)

    def texts(
        self, name: str, most: int, longest: int = LONGEST_TEXT
    ) -> tuple[str, ...]:
        value, at = self._taken(name), self.at.at(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.document.unreadable("value.unreadable/texts", at, value)
            return ()
        return tuple(
            self._text(item, at.at(index), longest)
            for index, item in enumerate(value[:most])
        )

    def number(self, name: str, highest: int) -> int | None:
        value, at = self._taken(name), self.at.at(name)
        number = _whole(value)
        if number is not None and 0 <= number <= highest:
            return number
        if value not in (None, ""):
            name = "value.unreadable/whole_number"
            self.document.unreadable(name, at, value, highest)
        return None

    def numbers(self, name: str, highest: int) -> tuple[int, ...]:
        value, at = self._taken(name), self.at.at(name)
        found = [_whole(item) for item in value] if isinstance(value, list) else []
        known = {number for number in found if number and 0 < number <= highest}
        if value is not None and (not isinstance(value, list) or None in found):
            name = "value.unreadable/whole_numbers"
            self.document.unreadable(name, at, value, highest)
        return tuple(sorted(known))

    def day(self, name: str) -> date | None:
        value, at = self._taken(name), self.at.at(name)
        if value is None:
            return None
        try:
            return parse_date(value) if isinstance(value, str) else _no_date()
        except ValueError:
            self.document.unreadable("value.unreadable/day", at, value)
            return None

    def flag(self, name: str) -> bool:
        value, at = self._taken(name), self.at.at(name)
        if isinstance(value, bool):
            return value
        said = "" if value is None else str(value).lower()
        if said not in _YES | _NO:
            self.document.unreadable("value.unreadable/flag", at, value)
        return said in _YES

    def report_unknown(self) -> None:
        """Name what means nothing here; a mistyped name would be lost unseen."""
        for name in [one for one in self.data if one not in self.known][:10]:
            self.document.findings.add(
                "json.unknown_name",
                self.at.at(printable(name)).found,
                printable=printable(name),
            )


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value, re.ASCII):
        return parse_number(value.strip())
    return None


def _no_date() -> date:
    raise ValueError("not a text")
