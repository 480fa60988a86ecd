"""Writing of a rating report as the three files of the 2C layout."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from events.formats.dbf.layout_2c import (
    ALL_ENTRY_FIELDS,
    ALL_SECTION_FIELDS,
    ENTRY_FIELDS,
    EVENT_FIELDS,
    EXTRA_ENTRY_FIELDS,
    FORMAT,
    PARENT,
    SECTION_FIELDS,
    Column,
    Role,
    format_date,
    round_fields,
)
from events.formats.dbf.tables import Field, stored_text, write_table
from events.formats.findings import Collector, Finding, Place
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
)

_NO_DATE = date(2000, 1, 1)
_PADDING = "U0"

_Record = dict[str, str]


def write_report(reported: ReportedEvent) -> dict[str, bytes]:
    """Return the three files of *reported* by name.

    Reading them gives the same report, except for text that does not fit its field
    (``text_findings`` lists it) and for the layout, which is always 2C. The files
    depend on nothing but the report.

    >>> files = write_report(ReportedEvent(name="May Open", starts=date(2024, 5, 4)))
    >>> list(files)
    ['THEXPORT.DBF', 'TSEXPORT.DBF', 'TDEXPORT.DBF']
    """
    written = reported.ends or reported.starts or _NO_DATE
    event = _row(EVENT_FIELDS, replace(reported, layout=FORMAT))
    sections = [_row(ALL_SECTION_FIELDS, one, reported) for one in reported.sections]
    tables = {
        Role.EVENT: (EVENT_FIELDS, [event]),
        Role.SECTIONS: (_section_fields(reported), sections),
        Role.ENTRIES: (_entry_fields(reported), _entry_rows(reported)),
    }
    return {
        f"{role}.DBF": write_table(*table, written=written)
        for role, table in tables.items()
    }


def zip_report(reported: ReportedEvent) -> bytes:
    """Return the three files in a ZIP archive, the same bytes for the same report."""
    return zip_files(write_report(reported))


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return *files* (content by name) in a ZIP archive with a fixed timestamp."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
    return buffer.getvalue()


def text_findings(reported: ReportedEvent) -> list[Finding]:
    """Return a note for each text that the files cannot hold unchanged.

    >>> [finding] = text_findings(ReportedEvent(city="Llanfairpwllgwyngyll-on-Sea"))
    >>> finding.message
    'City: the files have room for 21 of its 27 characters, “Llanfairpwllgwyngyll-”.'
    """
    findings = Collector()
    _check_row(Place(), EVENT_FIELDS, (replace(reported, layout=FORMAT),), findings)
    for section in reported.sections:
        place = Place(section=section.number)
        _check_row(place, SECTION_FIELDS, (section, reported), findings)
        for entry in section.entries:
            place = Place(section=section.number, pairing_number=entry.pairing_number)
            records = (entry, section, reported)
            _check_row(place, ALL_ENTRY_FIELDS, records, findings)
    return findings.in_order()


def _check_row(
    place: Place,
    columns: Sequence[Column],
    records: tuple[Any, ...],
    findings: Collector,
) -> None:
    for column, text in zip(columns, _row(columns, *records).values(), strict=True):
        kept = stored_text(text, column.width)
        if kept == text:
            continue
        values = {"label": column.label, "kept": kept}
        where = replace(place, field=column.field)
        if len(text) > column.width:
            sizes = {"length": len(text), "width": column.width}
            findings.add("text.too_long/file", where, **values, **sizes)
        else:
            findings.add("text.characters", where, **values, written=text)


def _row(columns: Sequence[Column], record: Any, *parents: Any) -> _Record:
    """Return the texts of a record's fields, some from the records it belongs to."""
    return {
        column.name: _text(
            getattr(record, column.field)
            if column.kind != PARENT
            else next(
                getattr(one, column.field)
                for one in parents
                if hasattr(one, column.field)
            )
        )
        for column in columns
    }


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "Y" if value else "N"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, date):
        return format_date(value)
    return "" if value is None else str(value)


def _section_fields(reported: ReportedEvent) -> tuple[Field, ...]:
    if any(section.online for section in reported.sections):
        return ALL_SECTION_FIELDS
    return SECTION_FIELDS


def _entry_fields(reported: ReportedEvent) -> tuple[Field, ...]:
    rounds = max((section.columns for section in reported.sections), default=0)
    fields = ENTRY_FIELDS + round_fields(max(1, rounds))
    is_abroad = any(
        getattr(entry, column.field)
        for section in reported.sections
        for entry in section.entries
        for column in EXTRA_ENTRY_FIELDS
    )
    return fields + EXTRA_ENTRY_FIELDS if is_abroad else fields


def _entry_rows(reported: ReportedEvent) -> list[_Record]:
    rounds = max((section.columns for section in reported.sections), default=1)
    names = [field.name for field in round_fields(max(1, rounds))]
    rows = []
    for section in reported.sections:
        for entry in section.entries:
            row = _row(ALL_ENTRY_FIELDS, entry, section, reported)
            for index, name in enumerate(names):
                row[name] = _cell_text(section, entry, index)
            rows.append(row)
    return rows


def _cell_text(section: ReportedSection, entry: ReportedEntry, index: int) -> str:
    if index < len(entry.cells):
        return format_cell(entry.cells[index])
    # After its last round a section is padded; a missing result stays missing.
    return _PADDING if index >= (section.rounds or 0) else ""
