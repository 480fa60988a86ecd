"""An official list as files: CSV, TSV, and the DBF table that pairing programs read.

The same list gives the same bytes. The files contain no birth dates and no gender.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from events.formats.dbf.tables import Field, write_table
from ratings.engine.systems import System


class ListedRating(NamedTuple):
    """One official rating, as files and pages print it."""

    rating: int
    is_about: bool
    games: int
    is_provisional: bool
    floor: int

    @property
    def printed(self) -> str:
        """The rating as pairing programs know it: 1654, or 1234/12 on 12 games."""
        return (
            f"{self.rating}/{self.games}" if self.is_provisional else f"{self.rating}"
        )


@dataclass(frozen=True, slots=True)
class ListedMember:
    """One line of the list. *name* is written "Family, Given Suffix"."""

    member_id: str
    name: str
    state: str
    expires: date
    ratings: dict[System, ListedRating] = field(default_factory=dict)


class SystemNames(NamedTuple):
    """How files name a system: a heading of the text files, and two DBF fields.

    These are the field names that programs expect.
    """

    heading: str
    rating_field: str  # has room for 1234/25
    about_field: str


NAMES = {
    System.OTBR: SystemNames("regular", "R_LPB_RAT", "R_ABOUT"),
    System.OTBQ: SystemNames("quick", "Q_LPB_RAT", "Q_ABOUT"),
    System.OTBB: SystemNames("blitz", "B_LPB_RAT", "B_ABOUT"),
    System.OLR: SystemNames("online_regular", "ONL_R_RTG", "ONL_R_ABT"),
    System.OLQ: SystemNames("online_quick", "ONL_Q_RTG", "ONL_Q_ABT"),
    System.OLB: SystemNames("online_blitz", "ONL_B_RTG", "ONL_B_ABT"),
}
HEADINGS = {system: names.heading for system, names in NAMES.items()}
ABOUT = "Y"
"""The value of the "about" column of a rating shown to the nearest 50."""
DBF_FIELDS = (
    Field("MEM_ID", "C", 8),
    Field("MEM_NAME", "C", 30),
    Field("STATE", "C", 2),
    Field("EXPIRED", "C", 8),
    *(Field(names.rating_field, "C", 7) for names in NAMES.values()),
    *(Field(names.about_field, "C", 1) for names in NAMES.values()),
)


def csv_file(members: Sequence[ListedMember]) -> bytes:
    """Return the list as comma-separated values, in UTF-8, with a line of headings."""
    return _delimited(members, delimiter=",", end="\r\n")


def tsv_file(members: Sequence[ListedMember]) -> bytes:
    """Return the same with tabs between the values."""
    return _delimited(members, delimiter="\t", end="\n")


def dbf_file(members: Sequence[ListedMember], *, month: date) -> bytes:
    """Return the list as a dBASE table; *month* is the date in its header.

    Every field is text, and a provisional rating carries its games: 1234/12. Longer
    names are truncated, and letters that are not in code page 1252 lose their accents.
    """
    rows = [_dbf_row(member) for member in members]
    return write_table(DBF_FIELDS, rows, written=month)


def _dbf_row(member: ListedMember) -> dict[str, str]:
    row = {
        "MEM_ID": member.member_id,
        "MEM_NAME": member.name,
        "STATE": member.state,
        "EXPIRED": f"{member.expires:%Y%m%d}",
    }
    for system, rating in member.ratings.items():
        row[NAMES[system].rating_field] = rating.printed
        if rating.is_about:
            row[NAMES[system].about_field] = ABOUT
    return row


def _delimited(members: Sequence[ListedMember], *, delimiter: str, end: str) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(["member_id", "name", "state", "expires", *_headings()])
    for member in members:
        facts = (member.member_id, member.name, member.state)
        writer.writerow([*facts, member.expires.isoformat(), *_cells(member)])
    return text.getvalue().encode()


def _headings() -> list[str]:
    """Return the headings; "about" comes last for programs that count columns."""
    names = HEADINGS.values()
    endings = ("", "_provisional_games", "_floor")
    return [
        *(f"{name}{ending}" for name in names for ending in endings),
        *(f"{name}_about" for name in names),
    ]


def _cells(member: ListedMember) -> list[int | str]:
    """Return the cells of a member; only provisional ratings carry their games."""
    cells: list[int | str] = []
    for system in HEADINGS:
        rating = member.ratings.get(system)
        if rating is None:
            cells += ["", "", ""]
        else:
            games = rating.games if rating.is_provisional else ""
            cells += [rating.rating, games, rating.floor]
    listed = map(member.ratings.get, HEADINGS)
    return cells + [ABOUT if rating and rating.is_about else "" for rating in listed]
