"""The JSON schema of rating reports, with an example."""

from datetime import date
from typing import Final

from events.formats.json.writer import FORMAT, VERSION, report_document
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from ratings.api.json_schema import array_of, described, object_of

_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": ["integer", "null"], "minimum": 0}
_DAY: Final = {"type": ["string", "null"], "format": "date"}
_FLAG: Final = {"type": "boolean", "default": False}
_TEXTS: Final = {"type": "array", "items": _TEXT}


ENTRY: Final = object_of(
    {
        "pairing_number": {"type": "integer", "minimum": 1, "maximum": 9999},
        "member_id": _TEXT,
        "name": described(_TEXT, "Name as reported: FAMILY, GIVEN."),
        "state": _TEXT,
        "rating": _TEXT,
        "cells": described(
            _TEXTS,
            "Round by round: the result's letter, the opponent's "
            "pairing number and the color, such as W12W, D3B, H0 (half-point bye) "
            "or U0 (unpaired).",
        ),
        "fide_id": _TEXT,
        "fide_rating": _TEXT,
        "cfc_id": _TEXT,
        "cfc_rating": _TEXT,
        "rating_after": described(
            _TEXT,
            "Ratings printed in an old crosstable. Leave out in reports to be rated.",
        ),
    },
    required=["pairing_number", "member_id", "cells"],
)

SCHEDULE: Final = object_of(
    {
        "name": _TEXT,
        "time_control": _TEXT,
        "first_round": _WHOLE,
        "last_round": _WHOLE,
        "starts": _DAY,
        "ends": _DAY,
        "entries": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "Pairing numbers. All players if omitted.",
        },
    },
)

SECTION: Final = object_of(
    {
        "number": {"type": "integer", "minimum": 1, "maximum": 99},
        "name": _TEXT,
        "system_letter": _TEXT,
        "time_control": _TEXT,
        "chief_td_id": _TEXT,
        "assistant_td_id": _TEXT,
        "kind_letter": described(
            _TEXT, "S Swiss, R round robin, M match, 2 double-game Swiss."
        ),
        "rounds": {"type": ["integer", "null"], "minimum": 0, "maximum": 99},
        "last_pairing_number": _WHOLE,
        "starts": described(_DAY, "Same as the event if omitted."),
        "ends": _DAY,
        "scholastic_level": _TEXT,
        "grand_prix": _FLAG,
        "grand_prix_points": _WHOLE,
        "fide": _FLAG,
        "online": _FLAG,
        "trf_lines": described(_TEXTS, "Related lines of the FIDE report file."),
        "entries": array_of(ENTRY),
        "schedules": {
            "type": "array",
            "items": SCHEDULE,
            "description": "Rounds played at another time control.",
        },
    },
    required=["number", "time_control", "kind_letter", "rounds", "entries"],
)

REPORT: Final = object_of(
    {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "layout": _TEXT,
        "program": _TEXT,
        "event_id": _TEXT,
        "name": _TEXT,
        "starts": _DAY,
        "ends": _DAY,
        "affiliate_id": _TEXT,
        "city": _TEXT,
        "state": _TEXT,
        "zip_code": _TEXT,
        "country": _TEXT,
        "send_crosstable": _TEXT,
        "chief_td_id": _TEXT,
        "assistant_td_id": _TEXT,
        "other_td_ids": _TEXTS,
        "sections": array_of(SECTION),
        "total_sections": _WHOLE,
    },
    required=["name", "starts", "ends", "affiliate_id", "chief_td_id", "sections"],
)


def _entry(number: int, member_id: str, name: str, cells: str) -> ReportedEntry:
    parsed = tuple(parse_cell(text) for text in cells.split())
    return ReportedEntry(number, member_id, name, "IL", cells=parsed)


EXAMPLE: Final = report_document(
    ReportedEvent(
        program="my pairing program",
        name="May Open",
        starts=date(2024, 5, 4),
        ends=date(2024, 5, 5),
        affiliate_id="A6000001",
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        chief_td_id="12641216",
        sections=(
            ReportedSection(
                number=1,
                name="Open",
                system_letter="R",
                time_control="G/90;d5",
                kind_letter="S",
                rounds=2,
                last_pairing_number=3,
                entries=(
                    _entry(1, "12641217", "ADAMS, ADA", "W2W D3B"),
                    _entry(2, "12641218", "BAKER, BEN", "L1B H0"),
                    _entry(3, "12641219", "COLE, CAT", "B0 D1W"),
                ),
            ),
        ),
        total_sections=1,
    )
)

DOCUMENT: Final = {"application/json": {"schema": REPORT, "example": EXAMPLE}}
_FILE: Final = {"type": "string", "format": "binary"}
FILES: Final = {
    "application/zip": {"schema": _FILE},
    "multipart/form-data": {
        "schema": object_of(
            {"files": described(array_of(_FILE), "The files of one report.")}
        )
    },
}
# A later version of the document gets an address of its own; this one stays.
SCHEMA_NAME: Final = f"{FORMAT}-{VERSION}.json"
JSON_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": f"Rating report, version {VERSION}",
    **REPORT,
}
EVENT_DOCUMENT: Final = {"description": "The report", "content": DOCUMENT}
REPORT_BODY: Final = {
    "requestBody": {"required": True, "content": {**DOCUMENT, **FILES}}
}
