"""The "2C" layout: the fields of the three files, and how values are spelled.

All fields are written as text, dates too: the specification says type D, but all files
that the office is known to have accepted have YYYYMMDD in text fields. Both are read.
"""

from __future__ import annotations

import re
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


def _text(*widths: tuple[str, int]) -> tuple[Field, ...]:
    return tuple(Field(name, "C", width) for name, width in widths)


EVENT_FIELDS = _text(
    ("H_FORMAT", 5),
    ("H_PROGRAM", 10),
    ("H_EVENT_ID", 12),
    ("H_NAME", 35),
    ("H_TOT_SECT", 2),
    ("H_BEG_DATE", 8),
    ("H_END_DATE", 8),
    ("H_AFF_ID", 8),
    ("H_CITY", 21),
    ("H_STATE", 2),
    ("H_ZIPCODE", 10),
    ("H_COUNTRY", 21),
    ("H_SENDCROS", 1),
    ("H_CTD_ID", 8),
    ("H_ATD_ID", 8),
    ("H_OTHER_TD", 255),
)

SECTION_FIELDS = _text(
    ("S_EVENT_ID", 12),
    ("S_SEC_NUM", 2),
    ("S_SEC_NAME", 30),
    ("S_R_SYSTEM", 1),
    ("S_TIMECTL", 40),
    ("S_CTD_ID", 8),
    ("S_ATD_ID", 8),
    ("S_TRN_TYPE", 1),
    ("S_TOT_RNDS", 2),
    ("S_LST_PAIR", 4),
    ("S_BEG_DATE", 8),
    ("S_END_DATE", 8),
    ("S_SCH_LVL", 1),
    ("S_GR_PRIX", 1),
    ("S_GP_PTS", 3),
    ("S_FIDE", 1),
)

ENTRY_FIELDS = _text(
    ("D_EVENT_ID", 12),
    ("D_SEC_NUM", 2),
    ("D_PAIR_NUM", 4),
    ("D_MEM_ID", 8),
    ("D_NAME", 30),
    ("D_STATE", 2),
    ("D_RATING", 4),
)

# Our own fields after the layout's, written only if a report uses them: 2C has neither
# online sections nor a new player's foreign ratings. Other readers skip them.
EXTRA_SECTION_FIELDS = _text(("S_ONLINE", 1))
EXTRA_ENTRY_FIELDS = _text(
    ("D_FIDE_ID", 10), ("D_FIDE_RTG", 4), ("D_CFC_ID", 10), ("D_CFC_RTG", 4)
)

# The record's field for each field of the files, so that findings use one name.
REPORT_FIELDS = {
    "H_FORMAT": "layout",
    "H_PROGRAM": "program",
    "H_EVENT_ID": "event_id",
    "H_NAME": "name",
    "H_TOT_SECT": "total_sections",
    "H_BEG_DATE": "starts",
    "H_END_DATE": "ends",
    "H_AFF_ID": "affiliate_id",
    "H_CITY": "city",
    "H_STATE": "state",
    "H_ZIPCODE": "zip_code",
    "H_COUNTRY": "country",
    "H_SENDCROS": "send_crosstable",
    "H_CTD_ID": "chief_td_id",
    "H_ATD_ID": "assistant_td_id",
    "H_OTHER_TD": "other_td_ids",
    "S_EVENT_ID": "event_id",
    "S_SEC_NUM": "number",
    "S_SEC_NAME": "name",
    "S_R_SYSTEM": "system_letter",
    "S_TIMECTL": "time_control",
    "S_CTD_ID": "chief_td_id",
    "S_ATD_ID": "assistant_td_id",
    "S_TRN_TYPE": "kind_letter",
    "S_TOT_RNDS": "rounds",
    "S_LST_PAIR": "last_pairing_number",
    "S_BEG_DATE": "starts",
    "S_END_DATE": "ends",
    "S_SCH_LVL": "scholastic_level",
    "S_GR_PRIX": "grand_prix",
    "S_GP_PTS": "grand_prix_points",
    "S_FIDE": "fide",
    "S_ONLINE": "online",
    "D_EVENT_ID": "event_id",
    "D_SEC_NUM": "number",
    "D_PAIR_NUM": "pairing_number",
    "D_MEM_ID": "member_id",
    "D_NAME": "name",
    "D_STATE": "state",
    "D_RATING": "rating",
    "D_FIDE_ID": "fide_id",
    "D_FIDE_RTG": "fide_rating",
    "D_CFC_ID": "cfc_id",
    "D_CFC_RTG": "cfc_rating",
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
