"""Crosstables as files: a report as CSV, and templates to fill in as CSV or XLSX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any

from events.formats.dbf.layout_2c import SECTION_TYPES
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    format_cell,
)
from events.formats.schedule_text import format_schedule
from events.formats.tables.header_fields import (
    EVENT_HEADER_FIELDS,
    SECTION_HEADER_FIELDS,
    HeaderField,
)
from players.formats.xlsx_writer import write_xlsx

_IDENTITY = ("No.", "Member ID", "Name", "State", "Rating")
_FOREIGN = ("FIDE ID", "FIDE rating", "CFC ID", "CFC rating")
_FORMULA_STARTS = tuple("=+-@'")

Rows = Sequence[Sequence[str]]


def write_crosstables(reported: ReportedEvent) -> bytes:
    """Return *reported* as CSV: the fields of the event, then each section's table.

    Reading it gives the same report.

    >>> reported = ReportedEvent(name="May Open")
    >>> print(write_crosstables(reported).decode("utf-8-sig")[:14])
    Event,May Open
    """
    return _csv(_report_rows(reported))


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")  # otherwise spreadsheets misread accents


def _escape_formula(text: str) -> str:
    """Prevent a spreadsheet from reading a text as a formula; the reader undoes it."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _report_rows(reported: ReportedEvent) -> Iterator[Sequence[str]]:
    yield from _fact_rows(EVENT_HEADER_FIELDS, reported)
    for section in reported.sections:
        yield ()
        yield from _fact_rows(SECTION_HEADER_FIELDS, section)
        yield from _table_rows(section)


def _fact_rows(
    facts: Iterable[HeaderField], record: ReportedEvent | ReportedSection
) -> Iterator[Sequence[str]]:
    for fact in facts:
        value = getattr(record, fact.field)
        for one in value if fact.repeats else (value,):
            yield fact.label, _value(fact, one)


def _value(fact: HeaderField, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, ReportedSchedule):
        return format_schedule(value)
    if isinstance(value, tuple):
        return " ".join(value)
    if fact.field == "kind_letter":
        return SECTION_TYPES.get(value, str(value))
    return str(value)


def _table_rows(section: ReportedSection) -> Iterator[Sequence[str]]:
    rounds = max(section.rounds or 0, section.columns)
    abroad = _FOREIGN if any(any(_foreign_values(e)) for e in section.entries) else ()
    yield *_IDENTITY, *abroad, *(f"Rd {number}" for number in range(1, rounds + 1))
    for entry in section.entries:
        cells = (format_cell(entry.cell(number)) for number in range(1, rounds + 1))
        yield (
            str(entry.pairing_number),
            entry.member_id,
            entry.name,
            entry.state,
            entry.rating,
            *(_foreign_values(entry) if abroad else ()),
            *cells,
        )


def _foreign_values(entry: ReportedEntry) -> tuple[str, str, str, str]:
    return entry.fide_id, entry.fide_rating, entry.cfc_id, entry.cfc_rating


# Templates, with made-up rows that show how

_TEMPLATE_HEADER: Rows = (
    ("Event", "Spring Quad"),
    ("First day", "2024-05-04"),
    ("Last day", "2024-05-04"),
    ("Affiliate ID", "A1234567"),
    ("City", "Dayton"),
    ("State", "OH"),
    ("Chief TD", "12345678"),
    (),
    ("Section", "Quad 1"),
    ("Time control", "G/60;d5"),
    ("Type", "round robin"),
)
_CROSSTABLE: Rows = (
    (*_IDENTITY, "Rd 1", "Rd 2", "Rd 3"),
    ("1", "12345671", "Reyes, Ana", "OH", "1650", "W4W", "D3B", "W2W"),
    ("2", "12345672", "Cohen, Levi", "OH", "1602", "W3W", "W4B", "L1B"),
    ("3", "12345673", "Adeyemi, Tolu", "IN", "1540", "L2B", "D1W", "H"),
    ("4", "12345674", "Novak, Petra", "OH", "", "L1B", "L2W", "B"),
)
_GAMES: Rows = (
    ("Round", "White", "White ID", "Black", "Black ID", "Result"),
    ("1", "Reyes, Ana", "12345671", "Novak, Petra", "12345674", "1-0"),
    ("1", "Cohen, Levi", "12345672", "Adeyemi, Tolu", "12345673", "½-½"),
    ("2", "Novak, Petra", "12345674", "Cohen, Levi", "12345672", "0-1"),
    ("2", "Adeyemi, Tolu", "12345673", "", "", "bye"),
)
TEMPLATES: dict[str, Rows] = {"crosstable": _CROSSTABLE, "games": _GAMES}


def template_csv(kind: str) -> bytes:
    """Return the CSV file to fill in, a crosstable or a list of games."""
    return _csv([*_TEMPLATE_HEADER, *TEMPLATES[kind]])


def template_xlsx(kind: str) -> bytes:
    """Return the same as a spreadsheet, the same bytes every time."""
    return write_xlsx([*_TEMPLATE_HEADER, *TEMPLATES[kind]])
