"""The "2C" layout: the fields of the three files, and how values are spelled.

All fields are written as text, dates too: the specification says type D, but all files
that the office is known to have accepted have YYYYMMDD in text fields. Both are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from events.formats.dbf.tables import Field
from events.formats.translatable_text import translatable as _

FORMAT = "2C"
ROUND_WIDTH = 7
MAX_ROUNDS = 99
MAX_SECTIONS = 99

SECTION_TYPES = {
    "S": _("Swiss"),
    "R": _("round robin"),
    "2": _("double-game Swiss"),
    "M": _("match"),
    "D": _("double round robin"),
}


class Role(StrEnum):
    """Which of the three files."""

    EVENT = "THEXPORT"
    SECTIONS = "TSEXPORT"
    ENTRIES = "TDEXPORT"


FIELD_PREFIXES = {Role.EVENT: "H_", Role.SECTIONS: "S_", Role.ENTRIES: "D_"}


# How the text of a field becomes a value of the record; TEXT stays as it is.
TEXT, UPPER, NUMBER, DAY, FLAG, LIST = "text", "upper", "number", "day", "flag", "list"
# A value of the event or the section that the record belongs to.
PARENT = "parent"


@dataclass(frozen=True, slots=True)
class Column(Field):
    """A field of the files: the record's field, its label, and how it is read.

    Findings use the record's name, so that they have one name in all formats.
    """

    type: str = field(default="C", init=False)  # text
    field: str
    label: str
    kind: str = TEXT


EVENT_FIELDS = (
    Column("H_FORMAT", 5, "layout", _("Layout"), UPPER),
    Column("H_PROGRAM", 10, "program", _("Pairing program")),
    Column("H_EVENT_ID", 12, "event_id", _("Event ID")),
    Column("H_NAME", 35, "name", _("Event name")),
    Column("H_TOT_SECT", 2, "total_sections", _("Sections"), NUMBER),
    Column("H_BEG_DATE", 8, "starts", _("First day"), DAY),
    Column("H_END_DATE", 8, "ends", _("Last day"), DAY),
    Column("H_AFF_ID", 8, "affiliate_id", _("Affiliate ID"), UPPER),
    Column("H_CITY", 21, "city", _("City")),
    Column("H_STATE", 2, "state", _("State"), UPPER),
    Column("H_ZIPCODE", 10, "zip_code", _("ZIP code")),
    Column("H_COUNTRY", 21, "country", _("Country")),
    Column("H_SENDCROS", 1, "send_crosstable", _("Send crosstable to"), UPPER),
    Column("H_CTD_ID", 8, "chief_td_id", _("Chief TD")),
    Column("H_ATD_ID", 8, "assistant_td_id", _("Assistant TD")),
    Column("H_OTHER_TD", 255, "other_td_ids", _("Other TDs"), LIST),
)
SECTION_FIELDS = (
    Column("S_EVENT_ID", 12, "event_id", _("Event ID"), PARENT),
    Column("S_SEC_NUM", 2, "number", _("Section"), NUMBER),
    Column("S_SEC_NAME", 30, "name", _("Section name")),
    Column("S_R_SYSTEM", 1, "system_letter", _("Rating system"), UPPER),
    Column("S_TIMECTL", 40, "time_control", _("Time control")),
    Column("S_CTD_ID", 8, "chief_td_id", _("Chief TD")),
    Column("S_ATD_ID", 8, "assistant_td_id", _("Assistant TD")),
    Column("S_TRN_TYPE", 1, "kind_letter", _("Type"), UPPER),
    Column("S_TOT_RNDS", 2, "rounds", _("Rounds"), NUMBER),
    Column("S_LST_PAIR", 4, "last_pairing_number", _("Last pairing number"), NUMBER),
    Column("S_BEG_DATE", 8, "starts", _("First day"), DAY),
    Column("S_END_DATE", 8, "ends", _("Last day"), DAY),
    Column("S_SCH_LVL", 1, "scholastic_level", _("Scholastic level"), UPPER),
    Column("S_GR_PRIX", 1, "grand_prix", _("Grand Prix"), FLAG),
    Column("S_GP_PTS", 3, "grand_prix_points", _("Grand Prix points"), NUMBER),
    Column("S_FIDE", 1, "fide", _("FIDE"), FLAG),
)
ENTRY_FIELDS = (
    Column("D_EVENT_ID", 12, "event_id", _("Event ID"), PARENT),
    Column("D_SEC_NUM", 2, "number", _("Section"), PARENT),
    Column("D_PAIR_NUM", 4, "pairing_number", _("Pairing number"), NUMBER),
    Column("D_MEM_ID", 8, "member_id", _("Member ID")),
    Column("D_NAME", 30, "name", _("Name")),
    Column("D_STATE", 2, "state", _("State"), UPPER),
    Column("D_RATING", 4, "rating", _("Rating")),
)
# Our own fields after the layout's, written only if a report uses them: 2C has neither
# online sections nor a new player's foreign ratings. Other readers skip them.
EXTRA_SECTION_FIELDS = (Column("S_ONLINE", 1, "online", _("Online"), FLAG),)
EXTRA_ENTRY_FIELDS = (
    Column("D_FIDE_ID", 10, "fide_id", _("FIDE ID")),
    Column("D_FIDE_RTG", 4, "fide_rating", _("FIDE rating")),
    Column("D_CFC_ID", 10, "cfc_id", _("CFC ID")),
    Column("D_CFC_RTG", 4, "cfc_rating", _("CFC rating")),
)
ALL_SECTION_FIELDS = SECTION_FIELDS + EXTRA_SECTION_FIELDS
ALL_ENTRY_FIELDS = ENTRY_FIELDS + EXTRA_ENTRY_FIELDS
# The record's field for each field of the files.
REPORT_FIELDS = {
    column.name: column.field
    for column in EVENT_FIELDS + ALL_SECTION_FIELDS + ALL_ENTRY_FIELDS
}

# Required fields; files of older programs may lack the others.
REQUIRED_FIELDS = {
    Role.EVENT: ("H_NAME", "H_TOT_SECT", "H_BEG_DATE", "H_END_DATE", "H_AFF_ID"),
    Role.SECTIONS: ("S_SEC_NUM", "S_TIMECTL", "S_TRN_TYPE", "S_TOT_RNDS"),
    Role.ENTRIES: ("D_SEC_NUM", "D_PAIR_NUM", "D_MEM_ID", "D_RND01"),
}

_ROUND_FIELD = re.compile(r"D_RND([0-9]{1,3})", re.ASCII)


def round_fields(rounds: int) -> tuple[Field, ...]:
    """Return the result columns of a detail file for *rounds* rounds.

    >>> [field.name for field in round_fields(2)]
    ['D_RND01', 'D_RND02']
    """
    return tuple(
        Field(f"D_RND{number:02}", "C", ROUND_WIDTH) for number in range(1, rounds + 1)
    )


def round_columns(fields: tuple[Field, ...]) -> list[str]:
    """Return the names of the result columns among *fields*, in order of rounds."""
    matches = filter(None, (_ROUND_FIELD.fullmatch(one.name) for one in fields))
    numbered = sorted((int(match[1]), match[0]) for match in matches)
    return [name for _number, name in numbered]


def parse_number(text: str) -> int | None:
    """Return the whole number that *text* spells as text or numeric field.

    Raises ValueError if it is neither blank nor a whole number.

    >>> parse_number("12"), parse_number("7.00"), parse_number("")
    (12, 7, None)
    """
    if not text:
        return None
    match = re.fullmatch(r"([0-9]{1,9})(?:[.,]0*)?", text, re.ASCII)
    if match is None:
        raise ValueError(f"{text!r} is not a whole number")
    return int(match[1])


def format_date(day: date | None) -> str:
    """Return *day* as the files spell it, blank for None.

    >>> format_date(date(2024, 5, 4))
    '20240504'
    """
    return "" if day is None else f"{day.year:04}{day.month:02}{day.day:02}"
