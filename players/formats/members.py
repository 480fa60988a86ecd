"""Rows of a table of members, as membership systems export them."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from players.formats.dates import BIRTH, PAST, TO_COME, DateColumns, parse_date
from players.formats.errors import InputRefused, Reason
from players.formats.table_reader import (
    MEMBER_ID,
    ColumnMapping,
    Line,
    Table,
    clean_text,
    read_table,
)

# Columns and their common names, without case and punctuation.
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
DATE_COLUMNS = {"birth_date": BIRTH, "starts": PAST, "expires": TO_COME}

EARLIEST_BIRTH = date(1900, 1, 2)  # programs write the day before for "unknown"
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
_CALIFORNIA_CODES = frozenset(["NCAL", "SCAL"])  # California has two state federations
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
# "Expired" means that the membership has ended, which its last day also says.
_STATUSES = {
    **dict.fromkeys(["ACTIVE", "CURRENT", "EXPIRED", "MEMBER"], "active"),
    **dict.fromkeys(["INACTIVE", "NOT ACTIVE"], "inactive"),
    **dict.fromkeys(["DECEASED", "DIED"], "deceased"),
    **dict.fromkeys(["SUSPENDED"], "suspended"),
    **dict.fromkeys(["REVOKED", "MEMBERSHIP REVOKED"], "revoked"),
}
_DUPLICATES = ("DUPLICATE", "DUPLICATEID", "DUPLICATE ID", "MERGED")


class Term(NamedTuple):
    """The dates of one membership; a blank *membership* is an unknown type."""

    starts: date
    expires: date
    membership: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """The values of one row; values that it leaves out are "" or None."""

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
    # For several rows merged into one: all of the rows, and the other memberships.
    lines: tuple[int, ...] = ()
    earlier: tuple[Term, ...] = ()


# Fields that other rows of a member may fill in; each row has its own membership.
_ROW_FIELDS = ("line", "member_id", "membership", "starts", "expires", "cells", "lines")
_FILLABLE_FIELDS = tuple(
    one.name for one in fields(MemberRow) if one.name not in (*_ROW_FIELDS, "earlier")
)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A refused row, its original cells, and the reason."""

    line: int
    cells: tuple[str, ...]
    reason: Reason
    member_id: str = ""


@dataclass(frozen=True, slots=True)
class GuardianInFile:
    """A guardian from the file itself; a birth year counts from its first day."""

    email: str
    birth_date: date | None
    has_name: bool


class MemberColumns(DateColumns):
    """Facts about a table of members as a whole: date orders, members and guardians."""

    def __init__(self, today: date, answers: Mapping[str, str] | None = None) -> None:
        super().__init__(DATE_COLUMNS, today, answers)
        self._once: set[int] = set()
        # The number of rows of each member with more than one.
        self.repeated: dict[int, int] = {}
        self.guardians: set[str] = set()

    def needs_scan(self, columns: Collection[str]) -> bool:
        return True

    def scan_row(self, line: int, values: Mapping[str, str]) -> None:
        super().scan_row(line, values)
        if guardian := values.get("guardian_id"):
            self.guardians.add(guardian)
        member_id = values.get("member_id", "")
        if not MEMBER_ID.fullmatch(member_id):
            return
        number = int(member_id)
        if number in self._once:
            self.repeated[number] = self.repeated.get(number, 1) + 1
        self._once.add(number)

    def decide(self) -> None:
        self._once.clear()
        super().decide()


def read_members(
    path: Path, prescan: MemberColumns, columns: ColumnMapping | None = None
) -> tuple[Table, Iterator[MemberRow | RefusedRow]]:
    """Open a table of members; return it and an iterator of its members.

    Several rows of one member are merged into one with a history of memberships, at the
    place of the last of them. Raise InputRefused for a file that is no table, has no
    column of member IDs, or has a date column without a certain order.
    """
    table, lines = read_table(path, SPELLINGS, NEEDED, columns, prescan)
    return table, _members(table, lines, prescan)


# Number and cells of a row that is waiting for the other rows of its member; no
# accepted cell contains the separator.
_PendingRow = tuple[int, str]
_SEPARATOR = "\x1f"


def _members(
    table: Table,
    lines: Iterator[Line | tuple[int, tuple[str, ...], Reason]],
    prescan: MemberColumns,
) -> Iterator[MemberRow | RefusedRow]:
    waiting: dict[int, list[_PendingRow]] = {}
    for line in lines:
        if isinstance(line, tuple):
            yield RefusedRow(*line)
            continue
        member_id = line.by_column.get("member_id", "")
        number = int(member_id) if MEMBER_ID.fullmatch(member_id) else 0
        if number not in prescan.repeated:
            yield _member(line, prescan.today)
            continue
        rows = waiting.setdefault(number, [])
        rows.append((line.number, _SEPARATOR.join(line.cells)))
        if len(rows) == prescan.repeated[number]:
            yield from _history(table, waiting.pop(number), prescan.today)
    # Unreadable rows of a member are not waited for.
    for rows in waiting.values():
        yield from _history(table, rows, prescan.today)


def _member(line: Line, today: date) -> MemberRow | RefusedRow:
    try:
        return parse_member(line.by_column, line.number, today, line.cells)
    except InputRefused as refusal:
        member_id = line.by_column.get("member_id", "")
        return RefusedRow(line.number, line.cells, refusal.reason, member_id[:20])


def _history(
    table: Table, rows: list[_PendingRow], today: date
) -> list[MemberRow | RefusedRow]:
    lines = (table.line(number, tuple(text.split(_SEPARATOR))) for number, text in rows)
    return merge_member_rows([_member(line, today) for line in lines])


def merge_member_rows(
    rows: Sequence[MemberRow | RefusedRow],
) -> list[MemberRow | RefusedRow]:
    """Merge the rows of one member into one row with a history of memberships.

    The row whose membership ends last has priority; its blanks are filled from the
    others. If two rows contradict each other, all are refused.
    """
    refused = [row for row in rows if isinstance(row, RefusedRow)]
    taken = [row for row in rows if isinstance(row, MemberRow)]
    if len(taken) < 2:
        return [*refused, *taken]
    try:
        _refuse_contradictions(taken)
    except InputRefused as refusal:
        return [*refused, *(_refused(row, refusal.reason) for row in taken)]
    first, *others = sorted(taken, key=_end, reverse=True)
    ends = {row.expires for row in taken if row is first or row.starts}
    undated = [row for row in taken if not row.starts and row.expires not in ends]
    reason = InputRefused("history_without_first_day").reason
    refused += [_refused(row, reason) for row in undated if row.expires]
    terms = {
        row.starts: Term(row.starts, row.expires, row.membership)
        for row in others
        if row.starts and row.expires and row.starts != first.starts
    }
    whole = replace(
        first,
        **_fill_blanks(first, others),
        lines=tuple(row.line for row in taken if not (row.expires and row in undated)),
        earlier=tuple(terms[day] for day in sorted(terms)),
    )
    return [*refused, whole]


def _fill_blanks(first: MemberRow, others: Sequence[MemberRow]) -> dict[str, Any]:
    """Return the values that *first* leaves blank, from the next row that has them."""
    return {
        name: next((told for row in others if (told := getattr(row, name))), None)
        or getattr(first, name)
        for name in _FILLABLE_FIELDS
        if not getattr(first, name)
    }


def _end(row: MemberRow) -> tuple[date, int]:
    return row.expires or date.min, row.line


def _refused(row: MemberRow, reason: Reason) -> RefusedRow:
    return RefusedRow(row.line, row.cells, reason, row.member_id)


def _refuse_contradictions(rows: Sequence[MemberRow]) -> None:
    """Raise InputRefused if two rows name different people or different last days."""
    stated: dict[tuple[str, object], tuple[str, MemberRow]] = {}
    for row in rows:
        for key, text in _identity(row):
            before, earlier = stated.setdefault(key, (text, row))
            if before.casefold() != text.casefold():
                raise InputRefused(
                    "rows_contradict",
                    column=key[0],
                    first=before,
                    line=earlier.line,
                    second=text,
                    other_line=row.line,
                )


def _identity(row: MemberRow) -> Iterator[tuple[tuple[str, object], str]]:
    """Yield the values that the rows of one member must agree on, if present."""
    for name in ("given_name", "family_name", "suffix"):
        if text := getattr(row, name):
            yield (name, None), text
    if row.birth_date:
        yield ("birth_date", None), row.birth_date.isoformat()
    if row.birth_year:
        yield ("birth_year", None), str(row.birth_year)
    if row.starts and row.expires:
        yield ("expires", row.starts), row.expires.isoformat()
        if row.membership:
            yield ("membership", row.starts), row.membership


def read_guardians(
    path: Path, prescan: MemberColumns, columns: ColumnMapping | None = None
) -> dict[str, GuardianInFile]:
    """Return the members whom a file names as guardians, by their IDs."""
    _, rows = read_members(path, prescan, columns)
    return guardians_in(rows, prescan.guardians)


def guardians_in(
    rows: Iterable[MemberRow | RefusedRow], wanted: Container[str]
) -> dict[str, GuardianInFile]:
    """Return the *wanted* members as guardians; the first of two rows counts.

    A refused row makes no guardian.
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


def parse_member(
    values: Mapping[str, str], line: int, today: date, cells: tuple[str, ...] = ()
) -> MemberRow:
    """Parse a row from texts by column; raise InputRefused if one is invalid.

    *cells* are the original texts, which a refusal returns.

    >>> row = {"member_id": "12345678", "name": "Adams, Ada", "birth_date": "2/13/2001"}
    >>> parse_member(row, 2, date(2026, 1, 1)).birth_date
    datetime.date(2001, 2, 13)
    """
    member_id = values.get("member_id", "")
    if not MEMBER_ID.fullmatch(member_id):
        raise InputRefused("no_member_id", cell=member_id[:40])
    given, family = _names(values)
    residence = _country(values, "residence")
    birth_date, birth_year = _birth(values, today)
    starts, expires = _membership_days(values)
    return MemberRow(
        line=line,
        member_id=member_id,
        given_name=given,
        family_name=family,
        suffix=clean_text(values.get("suffix", ""), "suffix", 10),
        birth_date=birth_date,
        birth_year=birth_year,
        gender=_look_up(values, "gender", _GENDERS),
        state=_state(values.get("state", "").upper(), residence),
        residence=residence,
        federation=_country(values, "federation"),
        fide_id=_fide_id(values.get("fide_id", "")),
        status=_status(values),
        membership=clean_text(values.get("membership", ""), "membership", 40),
        starts=starts,
        expires=expires,
        email=parse_email(values, "email"),
        guardian_email=parse_email(values, "guardian_email"),
        guardian_id=_guardian_id(values, member_id),
        cells=cells,
    )


def _names(values: Mapping[str, str]) -> tuple[str, str]:
    given, family = values.get("given_name", ""), values.get("family_name", "")
    if not family and (name := values.get("name", "")):
        family, comma, given = (part.strip() for part in name.partition(","))
        if not comma:
            raise InputRefused("name_without_comma", cell=name[:60])
    given, family = (
        clean_text(given, "given_name", 60),
        clean_text(family, "family_name", 60),
    )
    for name in (given, family):
        if name and not any(char.isalpha() for char in name):
            raise InputRefused("no_name", cell=name)
    return given, family


def _birth(values: Mapping[str, str], today: date) -> tuple[date | None, int | None]:
    text = values.get("birth_date", "") or values.get("birth_year", "")
    if not text:
        return None, None
    if re.fullmatch(r"\d{4}", text, re.ASCII):
        if not EARLIEST_BIRTH.year <= int(text) <= today.year:
            raise InputRefused("birth_year_impossible", cell=text)
        return None, int(text)
    day = parse_date(text, "birth_date")
    if day < EARLIEST_BIRTH:
        raise InputRefused("birth_date_too_early", cell=text)
    if day > today:
        raise InputRefused("birth_date_to_come", cell=text)
    return day, day.year


def _membership_days(values: Mapping[str, str]) -> tuple[date | None, date | None]:
    starts = parse_date(values["starts"], "starts") if "starts" in values else None
    expires = parse_date(values["expires"], "expires") if "expires" in values else None
    if expires is None and "membership" in values:
        raise InputRefused("membership_without_end", cell=values["membership"][:40])
    if expires is not None and starts is not None and expires < starts:
        raise InputRefused("membership_ends_before_it_starts", cell=values["expires"])
    if starts is not None and starts < EARLIEST_BIRTH:
        raise InputRefused("no_day", column="starts", cell=values["starts"])
    return starts, expires


def _look_up(values: Mapping[str, str], column: str, words: Mapping[str, str]) -> str:
    text = values.get(column, "")
    if not text:
        return ""
    if text.upper() not in words:
        raise InputRefused(f"{column}_unknown", cell=text[:40])
    return words[text.upper()]


def _status(values: Mapping[str, str]) -> str:
    if values.get("status", "").upper() in _DUPLICATES:
        raise InputRefused("status_is_duplicate", cell=values["status"])
    return _look_up(values, "status", _STATUSES)


def _country(values: Mapping[str, str], column: str) -> str:
    text = values.get(column, "").upper()
    code = _COUNTRIES.get(text, text)
    if code and not _CODE.fullmatch(code):
        raise InputRefused("no_country", column=column, cell=text[:40])
    return code


def _state(text: str, residence: str) -> str:
    if text in _CALIFORNIA_CODES:
        return "CA"
    at_home = residence in ("", "USA")
    if text and not (text in STATES if at_home else re.fullmatch("[A-Z]{2}", text)):
        raise InputRefused("state_unknown", cell=text[:40])
    return text


def _fide_id(text: str) -> str:
    digits = re.sub(r"\.0+\Z", "", text)
    if digits in ("", "0"):
        return ""
    if not _FIDE_ID.fullmatch(digits):
        raise InputRefused("no_fide_id", cell=text[:40])
    return digits


def _guardian_id(values: Mapping[str, str], member_id: str) -> str:
    text = values.get("guardian_id", "")
    if text and not MEMBER_ID.fullmatch(text):
        raise InputRefused("no_member_id", cell=text[:40])
    if text == member_id:
        raise InputRefused("guardian_is_self")
    return text


def parse_email(values: Mapping[str, str], column: str) -> str:
    text = values.get(column, "")
    if text and not _is_email(text):
        raise InputRefused("no_email", column=column, cell=text[:60])
    return text


def _is_email(text: str) -> bool:
    return len(text) <= _LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None
