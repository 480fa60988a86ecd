"""Write a rating report as a JSON document, and find places in it.

The document has the report's own fields under their own names, so that ``json.reader``
reads exactly the same report from it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from events.formats.findings import Place
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection

FORMAT = "rating-report"
VERSION = 1


def report_document(reported: ReportedEvent) -> dict[str, Any]:
    """Return *reported* as the document that ``json.reader`` reads.

    >>> report_document(ReportedEvent(name="May Open"))["format"]
    'rating-report'
    """
    return {"format": FORMAT, "version": VERSION, **reported.to_json()}


def write_json(reported: ReportedEvent) -> bytes:
    """Return *reported* as a file; the same report gives the same bytes."""
    text = json.dumps(report_document(reported), ensure_ascii=False, indent=1)
    return f"{text}\n".encode()


def pointer_to(reported: ReportedEvent, place: Place) -> str:
    """Return *place* in the document as a JSON pointer (RFC 6901).

    It goes as deep as the document does; "" is the document itself.

    >>> section = ReportedSection(2, entries=(ReportedEntry(14),))
    >>> report = ReportedEvent(sections=(section,))
    >>> pointer_to(report, Place(section=2, pairing_number=14, round_number=3))
    '/sections/0/entries/0/cells/2'
    >>> pointer_to(report, Place(field="ends"))
    '/ends'
    """
    if place.field.startswith("/"):
        return place.field
    at = _index(reported.sections, "number", place.section)
    if at is None:
        return "" if place.section is not None else _field_pointer(ReportedEvent, place)
    pointer = f"/sections/{at}"
    entries = reported.sections[at].entries
    at = _index(entries, "pairing_number", place.pairing_number)
    if at is None:
        known = place.pairing_number is None
        return pointer + (_field_pointer(ReportedSection, place) if known else "")
    pointer += f"/entries/{at}"
    if place.round_number is not None:
        return f"{pointer}/cells/{place.round_number - 1}"
    return pointer + _field_pointer(ReportedEntry, place)


def _index(records: Sequence[Any], name: str, number: int | None) -> int | None:
    if number is None:
        return None
    numbers = (getattr(record, name) for record in records)
    return next((at for at, one in enumerate(numbers) if one == number), None)


def _field_pointer(record: type[Any], place: Place) -> str:
    has_field = any(field.name == place.field for field in fields(record))
    return f"/{place.field}" if has_field else ""
