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


# The names of the systems in the headings of the text files.
HEADINGS = {
    System.OTBR: "regular",
    System.OTBQ: "quick",
    System.OTBB: "blitz",
    System.OLR: "online_regular",
    System.OLQ: "online_quick",
    System.OLB: "online_blitz",
}

# The field names that programs expect. A rating has room for 1234/25.
_RATING_FIELDS = {
    System.OTBR: "R_LPB_RAT",
    System.OTBQ: "Q_LPB_RAT",
    System.OTBB: "B_LPB_RAT",
    System.OLR: "ONL_R_RTG",
    System.OLQ: "ONL_Q_RTG",
    System.OLB: "ONL_B_RTG",
}
_ABOUT_FIELDS = {
    System.OTBR: "R_ABOUT",
    System.OTBQ: "Q_ABOUT",
    System.OTBB: "B_ABOUT",
    System.OLR: "ONL_R_ABT",
    System.OLQ: "ONL_Q_ABT",
    System.OLB: "ONL_B_ABT",
}
ABOUT = "Y"
"""The value of the "about" column of a rating shown to the nearest 50."""
DBF_FIELDS = (
    Field("MEM_ID", "C", 8),
    Field("MEM_NAME", "C", 30),
    Field("STATE", "C", 2),
    Field("EXPIRED", "C", 8),
    *(Field(name, "C", 7) for name in _RATING_FIELDS.values()),
    *(Field(name, "C", 1) for name in _ABOUT_FIELDS.values()),
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
    rows = [
        {
            "MEM_ID": member.member_id,
            "MEM_NAME": member.name,
            "STATE": member.state,
            "EXPIRED": f"{member.expires:%Y%m%d}",
            **{
                _RATING_FIELDS[system]: rating.printed
                for system, rating in member.ratings.items()
            },
            **{
                _ABOUT_FIELDS[system]: ABOUT
                for system, rating in member.ratings.items()
                if rating.is_about
            },
        }
        for member in members
    ]
    return write_table(DBF_FIELDS, rows, written=month)


def _delimited(members: Sequence[ListedMember], *, delimiter: str, end: str) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(["member_id", "name", "state", "expires", *_headings()])
    for member in members:
        writer.writerow(
            [
                member.member_id,
                member.name,
                member.state,
                member.expires.isoformat(),
                *_cells(member),
            ]
        )
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
