"""Writing of a rating report as the three files of the 2C layout."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from events.formats.dbf.layout_2c import (
    ENTRY_FIELDS,
    EVENT_FIELDS,
    EXTRA_ENTRY_FIELDS,
    EXTRA_SECTION_FIELDS,
    FORMAT,
    REPORT_FIELDS,
    SECTION_FIELDS,
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
from events.formats.translatable_text import translatable

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
    tables = (
        (Role.EVENT, EVENT_FIELDS, [_event_row(reported)]),
        (
            Role.SECTIONS,
            _section_fields(reported),
            [_section_row(reported, section) for section in reported.sections],
        ),
        (Role.ENTRIES, _entry_fields(reported), _entry_rows(reported)),
    )
    return {
        f"{role}.DBF": write_table(fields, rows, written=written)
        for role, fields, rows in tables
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
    _check_row(Place(), EVENT_FIELDS, _event_row(reported), findings)
    for section in reported.sections:
        place = Place(section=section.number)
        row = _section_row(reported, section)
        _check_row(place, SECTION_FIELDS, row, findings)
        for entry in section.entries:
            place = Place(section=section.number, pairing_number=entry.pairing_number)
            row = _identity_row(reported, section, entry)
            fields = ENTRY_FIELDS + EXTRA_ENTRY_FIELDS
            _check_row(place, fields, row, findings)
    return findings.in_order()


def _check_row(
    place: Place, fields: tuple[Field, ...], row: _Record, findings: Collector
) -> None:
    for field in fields:
        text = row.get(field.name, "")
        kept = stored_text(text, field.width)
        if kept == text:
            continue
        label = _LABELS[field.name]
        where = replace(place, field=REPORT_FIELDS[field.name])
        if len(text) > field.width:
            findings.add(
                "text.too_long/file",
                where,
                label=label,
                length=len(text),
                width=field.width,
                kept=kept,
            )
        else:
            findings.add("text.characters", where, label=label, written=text, kept=kept)


_LABELS = {
    "H_FORMAT": translatable("Layout"),
    "H_PROGRAM": translatable("Pairing program"),
    "H_EVENT_ID": translatable("Event ID"),
    "H_NAME": translatable("Event name"),
    "H_TOT_SECT": translatable("Sections"),
    "H_BEG_DATE": translatable("First day"),
    "H_END_DATE": translatable("Last day"),
    "H_AFF_ID": translatable("Affiliate ID"),
    "H_CITY": translatable("City"),
    "H_STATE": translatable("State"),
    "H_ZIPCODE": translatable("ZIP code"),
    "H_COUNTRY": translatable("Country"),
    "H_SENDCROS": translatable("Send crosstable to"),
    "H_CTD_ID": translatable("Chief TD"),
    "H_ATD_ID": translatable("Assistant TD"),
    "H_OTHER_TD": translatable("Other TDs"),
    "S_EVENT_ID": translatable("Event ID"),
    "S_SEC_NUM": translatable("Section"),
    "S_SEC_NAME": translatable("Section name"),
    "S_R_SYSTEM": translatable("Rating system"),
    "S_TIMECTL": translatable("Time control"),
    "S_CTD_ID": translatable("Chief TD"),
    "S_ATD_ID": translatable("Assistant TD"),
    "S_TRN_TYPE": translatable("Type"),
    "S_TOT_RNDS": translatable("Rounds"),
    "S_LST_PAIR": translatable("Last pairing number"),
    "S_BEG_DATE": translatable("First day"),
    "S_END_DATE": translatable("Last day"),
    "S_SCH_LVL": translatable("Scholastic level"),
    "S_GR_PRIX": translatable("Grand Prix"),
    "S_GP_PTS": translatable("Grand Prix points"),
    "S_FIDE": translatable("FIDE"),
    "S_ONLINE": translatable("Online"),
    "D_EVENT_ID": translatable("Event ID"),
    "D_SEC_NUM": translatable("Section"),
    "D_PAIR_NUM": translatable("Pairing number"),
    "D_MEM_ID": translatable("Member ID"),
    "D_NAME": translatable("Name"),
    "D_STATE": translatable("State"),
    "D_RATING": translatable("Rating"),
    "D_FIDE_ID": translatable("FIDE ID"),
    "D_FIDE_RTG": translatable("FIDE rating"),
    "D_CFC_ID": translatable("CFC ID"),
    "D_CFC_RTG": translatable("CFC rating"),
}


def _event_row(reported: ReportedEvent) -> _Record:
    return {
        "H_FORMAT": FORMAT,
        "H_PROGRAM": reported.program,
        "H_EVENT_ID": reported.event_id,
        "H_NAME": reported.name,
        "H_TOT_SECT": _number(reported.total_sections),
        "H_BEG_DATE": format_date(reported.starts),
        "H_END_DATE": format_date(reported.ends),
        "H_AFF_ID": reported.affiliate_id,
        "H_CITY": reported.city,
        "H_STATE": reported.state,
        "H_ZIPCODE": reported.zip_code,
        "H_COUNTRY": reported.country,
        "H_SENDCROS": reported.send_crosstable,
        "H_CTD_ID": reported.chief_td_id,
        "H_ATD_ID": reported.assistant_td_id,
        "H_OTHER_TD": ",".join(reported.other_td_ids),
    }


def _section_fields(reported: ReportedEvent) -> tuple[Field, ...]:
    if any(section.online for section in reported.sections):
        return SECTION_FIELDS + EXTRA_SECTION_FIELDS
    return SECTION_FIELDS


def _section_row(reported: ReportedEvent, section: ReportedSection) -> _Record:
    return {
        "S_EVENT_ID": reported.event_id,
        "S_SEC_NUM": _number(section.number),
        "S_SEC_NAME": section.name,
        "S_R_SYSTEM": section.system_letter,
        "S_TIMECTL": section.time_control,
        "S_CTD_ID": section.chief_td_id,
        "S_ATD_ID": section.assistant_td_id,
        "S_TRN_TYPE": section.kind_letter,
        "S_TOT_RNDS": _number(section.rounds),
        "S_LST_PAIR": _number(section.last_pairing_number),
        "S_BEG_DATE": format_date(section.starts),
        "S_END_DATE": format_date(section.ends),
        "S_SCH_LVL": section.scholastic_level,
        "S_GR_PRIX": _flag(section.grand_prix),
        "S_GP_PTS": _number(section.grand_prix_points),
        "S_FIDE": _flag(section.fide),
        "S_ONLINE": _flag(section.online),
    }


def _entry_fields(reported: ReportedEvent) -> tuple[Field, ...]:
    entries = [entry for section in reported.sections for entry in section.entries]
    rounds = max((_columns(section) for section in reported.sections), default=0)
    fields = ENTRY_FIELDS + round_fields(max(1, rounds))
    if any(
        entry.fide_id or entry.fide_rating or entry.cfc_id or entry.cfc_rating
        for entry in entries
    ):
        return fields + EXTRA_ENTRY_FIELDS
    return fields


def _columns(section: ReportedSection) -> int:
    return max((len(entry.cells) for entry in section.entries), default=0)


def _entry_rows(reported: ReportedEvent) -> list[_Record]:
    rounds = max((_columns(section) for section in reported.sections), default=1)
    names = [field.name for field in round_fields(max(1, rounds))]
    rows = []
    for section in reported.sections:
        for entry in section.entries:
            row = _identity_row(reported, section, entry)
            for index, name in enumerate(names):
                row[name] = _cell_text(section, entry, index)
            rows.append(row)
    return rows


def _cell_text(section: ReportedSection, entry: ReportedEntry, index: int) -> str:
    if index < len(entry.cells):
        return format_cell(entry.cells[index])
    # After its last round a section is padded; a missing result stays missing.
    return _PADDING if index >= (section.rounds or 0) else ""


def _identity_row(
    reported: ReportedEvent, section: ReportedSection, entry: ReportedEntry
) -> _Record:
    return {
        "D_EVENT_ID": reported.event_id,
        "D_SEC_NUM": _number(section.number),
        "D_PAIR_NUM": _number(entry.pairing_number),
        "D_MEM_ID": entry.member_id,
        "D_NAME": entry.name,
        "D_STATE": entry.state,
        "D_RATING": entry.rating,
        "D_FIDE_ID": entry.fide_id,
        "D_FIDE_RTG": entry.fide_rating,
        "D_CFC_ID": entry.cfc_id,
        "D_CFC_RTG": entry.cfc_rating,
    }


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _flag(value: bool) -> str:
    return "Y" if value else "N"
