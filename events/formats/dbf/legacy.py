"""The layout of the 1990s: the same three files before time controls were reported.

THEXPORT has no format name and no chief TD, TSEXPORT a K factor instead of a time
control, TDEXPORT no names and ten rounds to a record. The files are recognized by their
fields. One set may hold several events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from events.formats.dbf.layout_2c import FORMAT, Role
from events.formats.dbf.tables import Field
from events.formats.report import ReportedEvent

# Fields that only the old layout has, and fields that it never has.
_LEGACY_FIELDS = {
    Role.EVENT: frozenset({"H_RCV_DATE", "H_ENT_DATE", "H_SCHOLAST", "H_SECREC01"}),
    Role.SECTIONS: frozenset({"S_K_FACTOR", "S_DTLREC01", "S_STATUS"}),
    Role.ENTRIES: frozenset({"D_REC_SEQ"}),
}
_MODERN_FIELDS = frozenset({"H_FORMAT", "S_TIMECTL", "D_NAME"})
EVENT_ID_FIELDS = {
    Role.EVENT: "H_EVENT_ID",
    Role.SECTIONS: "S_EVENT_ID",
    Role.ENTRIES: "D_EVENT_ID",
}
MISSING_FIELDS = frozenset({"S_TIMECTL"})


def is_legacy(role: Role, fields: Sequence[Field]) -> bool:
    """Return whether a file has the old layout, by its fields.

    >>> is_legacy(Role.ENTRIES, [Field("D_REC_SEQ", "C", 1)])
    True
    """
    names = {column.name for column in fields}
    return bool(names & _LEGACY_FIELDS[role]) and not names & _MODERN_FIELDS


def event_rows(
    rows: Sequence[dict[str, str]], role: Role, event_id: str
) -> list[dict[str, str]]:
    """Return the rows of one event; rows without an ID belong to every event."""
    name = EVENT_ID_FIELDS[role]
    return [row for row in rows if row.get(name, "") in ("", event_id)]


def with_legacy_defaults(reported: ReportedEvent) -> ReportedEvent:
    """Return *reported* with the values that the old layout has in other places.

    The sections name the chief TD; if they agree, the event has the same.
    """
    chiefs = {section.chief_td_id for section in reported.sections} - {""}
    return replace(
        reported,
        layout=FORMAT,
        chief_td_id=reported.chief_td_id or (chiefs.pop() if len(chiefs) == 1 else ""),
    )
