"""An official list as files: CSV, TSV, and the DBF table that pairing programs read.

Open files are made from the published CSV file, so every rating is the published one,
and add what programs need besides (`OpenFacts`). The same input gives the same bytes.
The files contain no birth dates and no gender.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from events.formats.dbf.tables import Field, write_table
from players.formats.xlsx_writer import write_xlsx
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
    floor_field: str  # in open files only


NAMES = {
    System.OTBR: SystemNames("regular", "R_LPB_RAT", "R_ABOUT", "R_FLOOR"),
    System.OTBQ: SystemNames("quick", "Q_LPB_RAT", "Q_ABOUT", "Q_FLOOR"),
    System.OTBB: SystemNames("blitz", "B_LPB_RAT", "B_ABOUT", "B_FLOOR"),
    System.OLR: SystemNames("online_regular", "ONL_R_RTG", "ONL_R_ABT", "ONL_R_FLR"),
    System.OLQ: SystemNames("online_quick", "ONL_Q_RTG", "ONL_Q_ABT", "ONL_Q_FLR"),
    System.OLB: SystemNames("online_blitz", "ONL_B_RTG", "ONL_B_ABT", "ONL_B_FLR"),
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


class OpenFacts(NamedTuple):
    """What open files add about a member. It can change between two lists."""

    fide_id: str = ""
    norm_title: str = ""
    td_level: str = ""


NO_FACTS = OpenFacts()
LICENSE = "https://creativecommons.org/licenses/by/4.0/"
OPEN_DBF_FIELDS = (
    *DBF_FIELDS,
    *(Field(names.floor_field, "C", 4) for names in NAMES.values()),
    Field("FIDE_ID", "C", 10),
    Field("NORM_TITLE", "C", 20),
    Field("TD_LEVEL", "C", 8),
)
# By the fields of DBF_FIELDS. The names are those that programs look for in the
# supplement file before the golden database; it has two ratings.
SUPPLEMENT_FIELDS = {
    "MEM_ID": Field("R_MEM_ID", "C", 8),
    "MEM_NAME": Field("R_MEM_NAME", "C", 30),
    "EXPIRED": Field("R_EXP_DATE", "C", 8),
    "STATE": Field("R_STATE", "C", 2),
    "R_LPB_RAT": Field("R_RATING1", "C", 7),
    "Q_LPB_RAT": Field("R_RATING2", "C", 7),
}
# WinTD's own labels; columns with other labels are ignored (WinTD help, "Import Master
# Player Data").
WINTD_HEADINGS = ("ID", "Name", "State", "Rate")
_TEXT_ENDS = {",": "\r\n", "\t": "\n"}


def csv_file(members: Sequence[ListedMember]) -> bytes:
    """Return the list as comma-separated values, in UTF-8, with a line of headings."""
    return delimited(list_rows(members), ",")


def tsv_file(members: Sequence[ListedMember]) -> bytes:
    """Return the same with tabs between the values."""
    return delimited(list_rows(members), "\t")


def dbf_file(members: Sequence[ListedMember], *, month: date) -> bytes:
    """Return the list as a dBASE table; *month* is the date in its header.

    Every field is text, and a provisional rating carries its games: 1234/12. Longer
    names are truncated, and letters that are not in code page 1252 lose their accents.
    """
    rows = [_dbf_row(member) for member in members]
    return write_table(DBF_FIELDS, rows, written=month)


Facts = Mapping[str, OpenFacts]


def open_rows(members: Iterable[ListedMember], facts: Facts) -> Iterator[list[Any]]:
    """Yield the rows of the list with the facts in columns at the end."""
    rows = list_rows(members)
    yield [*next(rows), *OpenFacts._fields]
    for row in rows:
        yield [*row, *facts.get(row[0], NO_FACTS)]


def open_dbf(members: Iterable[ListedMember], facts: Facts, *, month: date) -> bytes:
    """Return the table of `dbf_file` with floors and facts in fields at the end."""
    rows = []
    for member in members:
        row = _dbf_row(member)
        for system, rating in member.ratings.items():
            row[NAMES[system].floor_field] = str(rating.floor)
        known = facts.get(member.member_id, NO_FACTS)
        row |= {name.upper(): text for name, text in known._asdict().items()}
        rows.append(row)
    return write_table(OPEN_DBF_FIELDS, rows, written=month)


def open_xlsx(members: Iterable[ListedMember], facts: Facts) -> bytes:
    return write_xlsx(open_rows(members, facts))


def open_json(
    members: Iterable[ListedMember], facts: Facts, about: Mapping[str, Any]
) -> bytes:
    """Return one JSON object: what it is *about*, the license, and the members."""
    head = json.dumps({**about, "license": LICENSE}, ensure_ascii=False)
    lines = ",\n".join(
        json.dumps(_json_member(one, facts), ensure_ascii=False, separators=(",", ":"))
        for one in members
    )
    return f'{head[:-1]}, "members": [\n{lines}\n]}}\n'.encode()


def supplement_dbf(members: Iterable[ListedMember], *, month: date) -> bytes:
    """Return the table of the supplement before the golden database."""
    rows = [
        {field.name: row.get(name, "") for name, field in SUPPLEMENT_FIELDS.items()}
        for row in map(_dbf_row, members)
    ]
    return write_table([*SUPPLEMENT_FIELDS.values()], rows, written=month)


def wintd_tsv(members: Iterable[ListedMember]) -> bytes:
    """Return a table of regular ratings that WinTD imports as a master player file."""
    rows = [
        [one.member_id, one.name, one.state, one.ratings[System.OTBR].rating]
        for one in members
        if System.OTBR in one.ratings
    ]
    return delimited([list(WINTD_HEADINGS), *rows], "\t")


def read_csv_file(content: bytes) -> Iterator[ListedMember]:
    """Yield the members of a file of `csv_file`, also of lists without "about"."""
    for row in csv.DictReader(io.StringIO(content.decode(), newline="")):
        yield ListedMember(
            row["member_id"],
            row["name"],
            row["state"],
            date.fromisoformat(row["expires"]),
            {
                system: _listed_rating(row, heading)
                for system, heading in HEADINGS.items()
                if row[heading]
            },
        )


def delimited(rows: Iterable[Sequence[Any]], delimiter: str) -> bytes:
    text = io.StringIO()
    end = _TEXT_ENDS[delimiter]
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue().encode()


def list_rows(members: Iterable[ListedMember]) -> Iterator[list[Any]]:
    """Yield the headings, and each member's cells."""
    yield ["member_id", "name", "state", "expires", *_headings()]
    for member in members:
        facts = (member.member_id, member.name, member.state)
        yield [*facts, member.expires.isoformat(), *_cells(member)]


def _listed_rating(row: Mapping[str, str], heading: str) -> ListedRating:
    """Read a rating; the file has the games of provisional ratings only."""
    games = row[f"{heading}_provisional_games"]
    return ListedRating(
        int(row[heading]),
        row.get(f"{heading}_about") == ABOUT,
        int(games or 0),
        bool(games),
        int(row[f"{heading}_floor"]),
    )


def _json_member(member: ListedMember, facts: Facts) -> dict[str, Any]:
    known = facts.get(member.member_id, NO_FACTS)
    return {
        "member_id": member.member_id,
        "name": member.name,
        "state": member.state or None,
        "expires": member.expires.isoformat(),
        **{name: text or None for name, text in known._asdict().items()},
        "ratings": {
            HEADINGS[system]: {
                "rating": one.rating,
                "is_about": one.is_about,
                "provisional_games": one.games if one.is_provisional else None,
                "floor": one.floor,
            }
            for system, one in member.ratings.items()
        },
    }


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
