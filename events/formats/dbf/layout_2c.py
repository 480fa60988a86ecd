"""The "2C" layout: the fields of the three files, and how values are spelled.

All fields are written as text, dates too: the specification says type D, but all files
that the office is known to have accepted have YYYYMMDD in text fields. Both are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from events.formats.dbf.tables import Field
from events.formats.translatable_text import translatable

FORMAT = "2C"
ROUND_WIDTH = 7
MAX_ROUNDS = 99
MAX_SECTIONS = 99

SECTION_TYPES = {
    "S": translatable("Swiss"),
    "R": translatable("round robin"),
    "2": translatable("double-game Swiss"),
    "M": translatable("match"),
    "D": translatable("double round robin"),
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

    field: str
    label: str
    kind: str = TEXT


EVENT_FIELDS = (
    Column("H_FORMAT", "C", 5, "layout", translatable("Layout"), UPPER),
    Column("H_PROGRAM", "C", 10, "program", translatable("Pairing program")),
    Column("H_EVENT_ID", "C", 12, "event_id", translatable("Event ID")),
    Column("H_NAME", "C", 35, "name", translatable("Event name")),
    Column("H_TOT_SECT", "C", 2, "total_sections", translatable("Sections"), NUMBER),
    Column("H_BEG_DATE", "C", 8, "starts", translatable("First day"), DAY),
    Column("H_END_DATE", "C", 8, "ends", translatable("Last day"), DAY),
    Column("H_AFF_ID", "C", 8, "affiliate_id", translatable("Affiliate ID"), UPPER),
    Column("H_CITY", "C", 21, "city", translatable("City")),
    Column("H_STATE", "C", 2, "state", translatable("State"), UPPER),
    Column("H_ZIPCODE", "C", 10, "zip_code", translatable("ZIP code")),
    Column("H_COUNTRY", "C", 21, "country", translatable("Country")),
    Column(
        "H_SENDCROS",
        "C",
        1,
        "send_crosstable",
        translatable("Send crosstable to"),
        UPPER,
    ),
    Column("H_CTD_ID", "C", 8, "chief_td_id", translatable("Chief TD")),
    Column("H_ATD_ID", "C", 8, "assistant_td_id", translatable("Assistant TD")),
    Column("H_OTHER_TD", "C", 255, "other_td_ids", translatable("Other TDs"), LIST),
)
SECTION_FIELDS = (
    Column("S_EVENT_ID", "C", 12, "event_id", translatable("Event ID"), PARENT),
    Column("S_SEC_NUM", "C", 2, "number", translatable("Section"), NUMBER),
    Column("S_SEC_NAME", "C", 30, "name", translatable("Section name")),
    Column("S_R_SYSTEM", "C", 1, "system_letter", translatable("Rating system"), UPPER),
    Column("S_TIMECTL", "C", 40, "time_control", translatable("Time control")),
    Column("S_CTD_ID", "C", 8, "chief_td_id", translatable("Chief TD")),
    Column("S_ATD_ID", "C", 8, "assistant_td_id", translatable("Assistant TD")),
    Column("S_TRN_TYPE", "C", 1, "kind_letter", translatable("Type"), UPPER),
    Column("S_TOT_RNDS", "C", 2, "rounds", translatable("Rounds"), NUMBER),
    Column(
        "S_LST_PAIR",
        "C",
        4,
        "last_pairing_number",
        translatable("Last pairing number"),
        NUMBER,
    ),
    Column("S_BEG_DATE", "C", 8, "starts", translatable("First day"), DAY),
    Column("S_END_DATE", "C", 8, "ends", translatable("Last day"), DAY),
    Column(
        "S_SCH_LVL", "C", 1, "scholastic_level", translatable("Scholastic level"), UPPER
    ),
    Column("S_GR_PRIX", "C", 1, "grand_prix", translatable("Grand Prix"), FLAG),
    Column(
        "S_GP_PTS",
        "C",
        3,
        "grand_prix_points",
        translatable("Grand Prix points"),
        NUMBER,
    ),
    Column("S_FIDE", "C", 1, "fide", translatable("FIDE"), FLAG),
)
ENTRY_FIELDS = (
    Column("D_EVENT_ID", "C", 12, "event_id", translatable("Event ID"), PARENT),
    Column("D_SEC_NUM", "C", 2, "number", translatable("Section"), PARENT),
    Column(
        "D_PAIR_NUM", "C", 4, "pairing_number", translatable("Pairing number"), NUMBER
    ),
    Column("D_MEM_ID", "C", 8, "member_id", translatable("Member ID")),
    Column("D_NAME", "C", 30, "name", translatable("Name")),
    Column("D_STATE", "C", 2, "state", translatable("State"), UPPER),
    Column("D_RATING", "C", 4, "rating", translatable("Rating")),
)
# Our own fields after the layout's, written only if a report uses them: 2C has neither
# online sections nor a new player's foreign ratings. Other readers skip them.
EXTRA_SECTION_FIELDS = (
    Column("S_ONLINE", "C", 1, "online", translatable("Online"), FLAG),
)
EXTRA_ENTRY_FIELDS = (
    Column("D_FIDE_ID", "C", 10, "fide_id", translatable("FIDE ID")),
    Column("D_FIDE_RTG", "C", 4, "fide_rating", translatable("FIDE rating")),
    Column("D_CFC_ID", "C", 10, "cfc_id", translatable("CFC ID")),
    Column("D_CFC_RTG", "C", 4, "cfc_rating", translatable("CFC rating")),
)
# The record's field for each field of the files.
REPORT_FIELDS = {
    column.name: column.field
    for column in (
        *(*EVENT_FIELDS, *SECTION_FIELDS, *EXTRA_SECTION_FIELDS),
        *(*ENTRY_FIELDS, *EXTRA_ENTRY_FIELDS),
    )
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
    numbered = []
    for field in fields:
        match = _ROUND_FIELD.fullmatch(field.name)
        if match is not None:
            numbered.append((int(match[1]), field.name))
    return [name for _, name in sorted(numbered)]


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
