"""Rows of a table of members, as membership systems write them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from players.importers.tables import (
    MEMBER_ID,
    ColumnsSaid,
    Line,
    Reason,
    Refused,
    Table,
    day_of,
    read_table,
    short,
)

# Columns and the many ways people name them, without case and punctuation.
SPELLINGS: Mapping[str, str] = {
    "member_id": "id, member, member no, member number, memberid, mem id, uscf id, "
    "uscf, us chess id, uschess id, membership id, membership number, mem_id, "
    "id de miembro",
    "name": "full name, mem name, player name, player, last name first name, nombre",
    "given_name": "first name, first, given, forename, firstname, nombre de pila",
    "family_name": "last name, last, family, surname, lastname, apellido, apellidos",
    "suffix": "name suffix, generation",
    "birth_date": "birthdate, date of birth, dob, birth, birthday, born, birth day, "
    "fecha de nacimiento",
    "birth_year": "year of birth, byear, yob, birth yr",
    "gender": "sex, sexo, m f",
    "state": "st, state rep, staterep, province, jurisdiction, state code, estado",
    "residence": "country, country of residence, residence country, nation, pais",
    "federation": "fide federation, fed, fide flag, flag, fide country",
    "fide_id": "fideid, fide, fide no, fide number, fin",
    "status": "member status, record status, estado de miembro",
    "membership": "membership type, type, member type, category, plan, mem type",
    "starts": "start, start date, member since, membership start, effective, begins, "
    "effective date, from, joined, join date",
    "expires": "expiration, expiration date, expires on, expiry, expiry date, expired, "
    "exp date, exp, end, end date, membership end, valid until, until",
    "email": "e mail, email address, e mail address, mail, correo",
    "guardian_email": "guardian e mail, parent email, parent e mail, guardian s e mail"
    ", guardian email address, parent s e mail, guardian mail",
    "guardian_id": "guardian member id, guardian member number, guardian number, "
    "parent id, parent member id, parent member number, guardian uscf id, "
    "parent uscf id",
}
NEEDED = ("member_id",)

EARLIEST_BIRTH = date(1900, 1, 2)  # the day before is what programs put for "unknown"
_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_EMAIL = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\".]+")
_LONGEST_EMAIL = 254
_CODE = re.compile(r"[A-Z]{3}")

_STATE_CODES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE "
    "NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY "
    "DC PR GU VI AS MP AA AE AP FM MH PW"
)
STATES = frozenset(_STATE_CODES.split())
_HALVES = frozenset(["NCAL", "SCAL"])  # California has two state federations
_COUNTRIES = {
    "US": "USA",
    "UNITED STATES": "USA",
    "UNITED STATES OF AMERICA": "USA",
    "CA": "CAN",
    "CANADA": "CAN",
    "MX": "MEX",
    "MEXICO": "MEX",
}
_GENDERS = {
    **dict.fromkeys(["F", "FEMALE", "W", "WOMAN"], "F"),
    **dict.fromkeys(["M", "MALE", "MAN"], "M"),
    **dict.fromkeys(["X", "U", "N", "O", "UNKNOWN", "OTHER", "NOT STATED"], ""),
}
# "Expired" says that the membership has ended, and its last day says so too.
_STATUSES = {
    **dict.fromkeys(["ACTIVE", "CURRENT", "EXPIRED", "MEMBER"], "active"),
    **dict.fromkeys(["INACTIVE", "NOT ACTIVE"], "inactive"),
    **dict.fromkeys(["DECEASED", "DIED"], "deceased"),
    **dict.fromkeys(["SUSPENDED"], "suspended"),
    **dict.fromkeys(["REVOKED", "MEMBERSHIP REVOKED"], "revoked"),
}
_DUPLICATES = ("DUPLICATE", "DUPLICATEID", "DUPLICATE ID", "MERGED")


@dataclass(frozen=True, slots=True)
class MemberRow:
    """What one row says of a member; what it leaves out is "" or None."""

    line: int
    member_id: str
    given_name: str = ""
    family_name: str = ""
    suffix: str = ""
    birth_date: date | None = None
    birth_year: int | None = None
    gender: str = ""
    state: str = ""
    residence: str = ""
    federation: str = ""
    fide_id: str = ""
    status: str = ""
    membership: str = ""
    starts: date | None = None
    expires: date | None = None
    email: str = ""
    guardian_email: str = ""
    guardian_id: str = ""
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that is not taken, its texts as they stood, and why."""

    line: int
    cells: tuple[str, ...]
    reason: Reason
    member_id: str = ""


@dataclass(frozen=True, slots=True)
class GuardianInFile:
    """A guardian whom the file brings itself; of a year of birth the first day."""

    email: str
    birth_date: date | None
    has_name: bool


def read_members(
    path: Path, today: date, columns: ColumnsSaid | None = None
) -> tuple[Table, Iterator[MemberRow | RefusedRow]]:
    """Open a table of members; return it and its rows to come, none held in memory.

    Refuses (Refused) a file that is no table or has no column of member IDs.
    """
    table, lines = read_table(path, SPELLINGS, NEEDED, columns)
    return table, _members(lines, today)


def _members(
    lines: Iterator[Line | tuple[int, tuple[str, ...], Reason]], today: date
) -> Iterator[MemberRow | RefusedRow]:
    for line in lines:
        if isinstance(line, tuple):
            yield RefusedRow(*line)
            continue
        try:
            yield member_of(line.by_column, line.number, today, line.cells)
        except Refused as refusal:
            said = line.by_column.get("member_id", "")
            yield RefusedRow(line.number, line.cells, refusal.reason, said[:20])


def read_guardians(
    path: Path, today: date, columns: ColumnsSaid | None = None
) -> dict[str, GuardianInFile]:
    """Return the members of a file whom it names as guardians, by their IDs."""
    _, lines = read_table(path, SPELLINGS, NEEDED, columns)
    wanted = {
        line.by_column.get("guardian_id", "")
        for line in lines
        if isinstance(line, Line)
    }
    _, rows = read_members(path, today, columns)
    return guardians_in(rows, wanted)


def guardians_in(
    rows: Iterable[MemberRow | RefusedRow], wanted: Container[str]
) -> dict[str, GuardianInFile]:
    """Return the *wanted* members as guardians: of two rows the first counts.

    A row that is not taken makes nobody a guardian.
    """
    guardians: dict[str, GuardianInFile] = {}
    for row in rows:
        if isinstance(row, MemberRow) and row.member_id in wanted:
            guardians.setdefault(row.member_id, _guardian_in(row))
    return guardians


def _guardian_in(row: MemberRow) -> GuardianInFile:
    born = row.birth_date
    if born is None and row.birth_year:
        born = date(row.birth_year, 1, 1)
    return GuardianInFile(row.email, born, bool(row.family_name))


def member_of(
    said: Mapping[str, str], line: int, today: date, cells: tuple[str, ...] = ()
) -> MemberRow:
    """Return the row that these texts by column make; raises Refused.

    *cells* are the texts as they stood, which a refusal gives back.

    >>> row = {"member_id": "12345678", "name": "Adams, Ada", "birth_date": "2/13/2001"}
    >>> member_of(row, 2, date(2026, 1, 1)).birth_date
    datetime.date(2001, 2, 13)
    """
    member_id = said.get("member_id", "")
    if not MEMBER_ID.fullmatch(member_id):
        raise Refused("no_member_id", cell=member_id[:40])
    given, family = _names(said)
    residence = _country(said, "residence")
    birth_date, birth_year = _birth(said, today)
    starts, expires = _membership_days(said)
    return MemberRow(
        line=line,
        member_id=member_id,
        given_name=given,
        family_name=family,
        suffix=short(said.get("suffix", ""), "suffix", 10),
        birth_date=birth_date,
        birth_year=birth_year,
        gender=_known(said, "gender", _GENDERS),
        state=_state(said.get("state", "").upper(), residence),
        residence=residence,
        federation=_country(said, "federation"),
        fide_id=_fide_id(said.get("fide_id", "")),
        status=_status(said),
        membership=short(said.get("membership", ""), "membership", 40),
        starts=starts,
        expires=expires,
        email=email_of(said, "email"),
        guardian_email=email_of(said, "guardian_email"),
        guardian_id=_guardian_id(said, member_id),
        cells=cells,
    )


def _names(said: Mapping[str, str]) -> tuple[str, str]:
    given, family = said.get("given_name", ""), said.get("family_name", "")
    if not family and (name := said.get("name", "")):
        family, comma, given = (part.strip() for part in name.partition(","))
        if not comma:
            raise Refused("name_without_comma", cell=name[:60])
    given, family = short(given, "given_name", 60), short(family, "family_name", 60)
    for name in (given, family):
        if name and not any(char.isalpha() for char in name):
            raise Refused("no_name", cell=name)
    return given, family


def _birth(said: Mapping[str, str], today: date) -> tuple[date | None, int | None]:
    text = said.get("birth_date", "") or said.get("birth_year", "")
    if not text:
        return None, None
    if re.fullmatch(r"\d{4}", text, re.ASCII):
        if not EARLIEST_BIRTH.year <= int(text) <= today.year:
            raise Refused("birth_year_impossible", cell=text)
        return None, int(text)
    day = day_of(text, "birth_date")
    if day < EARLIEST_BIRTH:
        raise Refused("birth_date_too_early", cell=text)
    if day > today:
        raise Refused("birth_date_to_come", cell=text)
    return day, day.year


def _membership_days(said: Mapping[str, str]) -> tuple[date | None, date | None]:
    starts = day_of(said["starts"], "starts") if "starts" in said else None
    expires = day_of(said["expires"], "expires") if "expires" in said else None
    if expires is None and "membership" in said:
        raise Refused("membership_without_end", cell=said["membership"][:40])
    if expires is not None and starts is not None and expires < starts:
        raise Refused("membership_ends_before_it_starts", cell=said["expires"])
    if starts is not None and starts < EARLIEST_BIRTH:
        raise Refused("no_day", column="starts", cell=said["starts"])
    return starts, expires


def _known(said: Mapping[str, str], column: str, words: Mapping[str, str]) -> str:
    text = said.get(column, "")
    if not text:
        return ""
    if text.upper() not in words:
        raise Refused(f"{column}_unknown", cell=text[:40])
    return words[text.upper()]


def _status(said: Mapping[str, str]) -> str:
    if said.get("status", "").upper() in _DUPLICATES:
        raise Refused("status_is_duplicate", cell=said["status"])
    return _known(said, "status", _STATUSES)


def _country(said: Mapping[str, str], column: str) -> str:
    text = said.get(column, "").upper()
    code = _COUNTRIES.get(text, text)
    if code and not _CODE.fullmatch(code):
        raise Refused("no_country", column=column, cell=text[:40])
    return code


def _state(text: str, residence: str) -> str:
    if text in _HALVES:
        return "CA"
    at_home = residence in ("", "USA")
    if text and not (text in STATES if at_home else re.fullmatch("[A-Z]{2}", text)):
        raise Refused("state_unknown", cell=text[:40])
    return text


def _fide_id(text: str) -> str:
    digits = re.sub(r"\.0+\Z", "", text)
    if digits in ("", "0"):
        return ""
    if not _FIDE_ID.fullmatch(digits):
        raise Refused("no_fide_id", cell=text[:40])
    return digits


def _guardian_id(said: Mapping[str, str], member_id: str) -> str:
    text = said.get("guardian_id", "")
    if text and not MEMBER_ID.fullmatch(text):
        raise Refused("no_member_id", cell=text[:40])
    if text == member_id:
        raise Refused("guardian_is_self")
    return text


def email_of(said: Mapping[str, str], column: str) -> str:
    text = said.get(column, "")
    if text and not _is_email(text):
        raise Refused("no_email", column=column, cell=text[:60])
    return text


def _is_email(text: str) -> bool:
    return len(text) <= _LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None
