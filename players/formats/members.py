"""Rows of a table of members, as membership systems export them."""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from players.formats.countries import country_code, province_code
from players.formats.dates import (
    BIRTH,
    PAST,
    TO_COME,
    DateColumns,
    latest_birth_date,
    parse_date,
)
from players.formats.errors import InputRefused, Reason, RowRefused, status_word
from players.formats.first_lines import FirstLines
from players.formats.member_ids import MEMBER_ID
from players.formats.member_words import (
    BLANK_SPELLINGS,
    DUPLICATE_STATUSES,
    GENDERS,
    LIFE_TYPES,
    LIFE_WORDS,
    NO_ANSWERS,
    NO_EXPIRY,
    STATUSES,
    Answers,
    first_email,
    split_name,
)
from players.formats.places import STATES, state_code
from players.formats.table_reader import (
    ColumnMapping,
    Line,
    Table,
    clean_text,
    read_table,
)
from players.formats.text import normalize_number

# Columns and their common names, without case and punctuation.
SPELLINGS: Mapping[str, str] = {
    "member_id": "id, id number, member, member no, member number, memberid, mem id, "
    "uscf id, uscf, us chess id, uschess id, membership id, membership number, mem_id, "
    "id de miembro, cfc, cfc id, cfc number, r mem id, pid, player id, federation id",
    "name": "full name, mem name, player name, player, last name first name, nombre, "
    "r mem name, spielername, member name",
    "given_name": "first name, first, given, forename, firstname, nombre de pila, "
    "vorname",
    "middle_name": "middle, middle initial, m i, middle names, segundo nombre",
    "family_name": "last name, last, family, surname, lastname, apellido, apellidos, "
    "nachname",
    "suffix": "name suffix, generation",
    "birth_date": "birthdate, date of birth, dob, birth, birthday, born, birth day, "
    "fecha de nacimiento, geburtsdatum",
    "birth_year": "year of birth, byear, yob, birth yr, b year, born in, geburtsjahr, "
    "ano de nacimiento",
    "gender": "sex, sexo, m f, genero, geschlecht",
    "state": "st, state rep, staterep, province, prov, jurisdiction, state code, "
    "estado, r state",
    "residence": "country, country of residence, residence country, nation, pais",
    "federation": "fide federation, fed, fide flag, flag, fide country, fide land",
    "fide_id": "fideid, fide, fide no, fide number, fin",
    "status": "member status, record status, estado de miembro",
    "membership": "membership type, type, member type, category, plan, mem type",
    "starts": "start, start date, member since, membership start, effective, begins, "
    "effective date, from, joined, join date",
    "expires": "expiration, expiration date, expires on, expiry, expiry date, expired, "
    "exp date, exp, end, end date, membership end, valid until, until, r exp date, "
    "exp dt, renewal date, paid through",
    "email": "e mail, email address, e mail address, mail, correo",
    "guardian_email": "guardian e mail, parent email, parent e mail, guardian s e mail"
    ", guardian email address, parent s e mail, guardian mail",
    "guardian_id": "guardian member id, guardian member number, guardian number, "
    "parent id, parent member id, parent member number, guardian uscf id, "
    "parent uscf id",
}
NEEDED = ("member_id",)
DATE_COLUMNS = {"birth_date": BIRTH, "starts": PAST, "expires": TO_COME}

_YEAR = re.compile(r"\d{4}(?:\.0)?", re.ASCII)
EARLIEST_BIRTH = date(1900, 1, 2)  # programs write the day before for "unknown"
_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_EMAIL = re.compile(r"[^@\s,;:<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\".]+")
_LONGEST_EMAIL = 254
_LONGEST_STATE = 2

_CALIFORNIA_CODES = frozenset(["NCAL", "SCAL"])  # California has two state federations


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
    # Faults whose fields are left blank.
    blanked: tuple[Reason, ...] = ()
    # For several rows merged into one: all of the rows, and the other memberships.
    lines: tuple[int, ...] = ()
    earlier: tuple[Term, ...] = ()


# Fields that other rows of a member may fill in; each row has its own membership.
_ROW_FIELDS = (
    *("line", "member_id", "membership", "starts", "expires", "cells", "lines"),
    "blanked",
)
_FILLABLE_FIELDS = tuple(
    one.name for one in fields(MemberRow) if one.name not in (*_ROW_FIELDS, "earlier")
)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A refused row, its original cells, and the reasons."""

    line: int
    cells: tuple[str, ...]
    reason: Reason
    member_id: str = ""
    others: tuple[Reason, ...] = ()

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.reason, *self.others


@dataclass(frozen=True, slots=True)
class GuardianInFile:
    """A guardian from the file itself."""

    email: str
    latest_birth_date: date | None
    has_name: bool


class MemberColumns(DateColumns):
    """Facts about a table of members as a whole: date orders, members and guardians."""

    def __init__(
        self,
        today: date,
        orders: Mapping[str, str] | None = None,
        answers: Answers = NO_ANSWERS,
    ) -> None:
        super().__init__(DATE_COLUMNS, today, orders)
        self.answers = answers
        self._first = FirstLines()
        # The number of rows of each member with more than one.
        self.repeated: dict[int, int] = {}
        self.guardians: set[str] = set()

    def needs_scan(self, columns: Collection[str]) -> bool:
        return True

    def scan_row(self, line: int, values: Mapping[str, str]) -> None:
        super().scan_row(line, values)
        if guardian := values.get("guardian_id"):
            self.guardians.add(MEMBER_ID.clean(guardian))
        number = _number(values)
        if not number:
            return
        if self._first.setdefault(number, line) != line:
            self.repeated[number] = self.repeated.get(number, 1) + 1

    def decide(self) -> None:
        self._first = FirstLines()
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
        number = _number(line.by_column)
        if number not in prescan.repeated:
            yield _member(line, prescan)
            continue
        rows = waiting.setdefault(number, [])
        rows.append((line.number, _SEPARATOR.join(line.cells)))
        if len(rows) == prescan.repeated[number]:
            yield from _history(table, waiting.pop(number), prescan)
    # Unreadable rows of a member are not waited for.
    for rows in waiting.values():
        yield from _history(table, rows, prescan)


def _number(values: Mapping[str, str]) -> int:
    member_id = MEMBER_ID.clean(values.get("member_id", ""))
    return int(member_id, 36) if MEMBER_ID.whole.fullmatch(member_id) else 0


def _member(line: Line, prescan: MemberColumns) -> MemberRow | RefusedRow:
    try:
        return parse_member(
            line.by_column, line.number, prescan.today, line.cells, prescan.answers
        )
    except RowRefused as refusal:
        member_id = line.by_column.get("member_id", "")[:20]
        first, *others = refusal.reasons
        return RefusedRow(line.number, line.cells, first, member_id, tuple(others))


def _history(
    table: Table, rows: list[_PendingRow], prescan: MemberColumns
) -> list[MemberRow | RefusedRow]:
    lines = (table.line(number, tuple(text.split(_SEPARATOR))) for number, text in rows)
    return merge_member_rows([_member(line, prescan) for line in lines])


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
    born = latest_birth_date(row.birth_date, row.birth_year)
    return GuardianInFile(row.email, born, bool(row.family_name))


class _Fields:
    """Parses the cells of one row and collects all its faults."""

    def __init__(self, values: Mapping[str, str], answers: Answers) -> None:
        self.values = values
        self.answers = answers
        self.faults: list[Reason] = []
        self.blanked: list[Reason] = []

    def take(self, parse: Callable[..., Value], *args: Any, blank: Value) -> Value:
        """Return what *parse* returns, or *blank* and keep the fault."""
        try:
            return parse(*args)
        except InputRefused as refusal:
            is_left_blank = (
                refusal.reason.code in BLANKED_FAULTS
                or self.answers.fixes.get(refusal.reason.kind) == LEAVE_BLANK
            )
            kept = self.blanked if is_left_blank else self.faults
            kept.append(refusal.reason)
            return blank

    def text(self, column: str, parse: Callable[..., str], *args: Any) -> str:
        """Return what *parse* makes of a column, "" if the row has no such cell."""
        if column not in self.values:
            return ""
        return self.take(parse, self.values, *args, blank="")


Value = TypeVar("Value")
NO_DAYS: tuple[Any, Any] = (None, None)
LEAVE_BLANK = "blank"
# Faults that never refuse a row: the field stays blank, and they are counted.
BLANKED_FAULTS = frozenset(
    {"no_email", "several_emails", "gender_unknown", "state_too_long"}
)


def parse_member(
    values: Mapping[str, str],
    line: int,
    today: date,
    cells: tuple[str, ...] = (),
    answers: Answers = NO_ANSWERS,
) -> MemberRow:
    """Parse a row from texts by column; raise RowRefused with all its faults.

    *cells* are the original texts, which a refusal returns.

    >>> row = {"member_id": "12345678", "name": "Adams, Ada", "birth_date": "2/13/2001"}
    >>> parse_member(row, 2, date(2026, 1, 1)).birth_date
    datetime.date(2001, 2, 13)
    """
    if not BLANK_SPELLINGS.isdisjoint(values.values()):
        values = {
            name: text
            for name, text in values.items()
            if name in _NAME_FIELDS or text not in BLANK_SPELLINGS
        }
    row = _Fields(values, answers)
    member_id = row.take(_member_id, values, blank="")
    given, family, suffix, says = row.take(_names, values, answers, blank=("",) * 4)
    residence = row.take(_country, values, "residence", blank="")
    birth_date, birth_year = row.take(_birth, values, today, blank=NO_DAYS)
    starts = row.take(_day, values, "starts", blank=None)
    expires = row.take(_day, values, "expires", blank=None)
    term = (values, starts, expires)
    starts, expires = row.take(_membership_days, *term, blank=NO_DAYS)
    has_term = expires is not None or "membership" not in values
    status = row.take(_status, values, answers, blank="")
    parsed = MemberRow(
        line=line,
        member_id=member_id,
        given_name=given,
        family_name=family,
        suffix=suffix,
        birth_date=birth_date,
        birth_year=birth_year,
        gender=row.text("gender", _gender),
        state=row.take(_state, values.get("state", ""), residence, blank=""),
        residence=residence,
        federation=row.text("federation", _country, "federation"),
        fide_id=row.text("fide_id", _fide_id),
        status=says or status,
        membership=row.take(
            clean_text, values.get("membership", ""), "membership", 40, blank=""
        )
        if has_term
        else "",
        starts=starts,
        expires=expires,
        email=row.text("email", _email, "email", row),
        guardian_email=row.text("guardian_email", _email, "guardian_email", row),
        guardian_id=row.text("guardian_id", _guardian_id, member_id),
        cells=cells,
        blanked=tuple(row.blanked),
    )
    if row.faults:
        raise RowRefused(row.faults)
    return parsed


_NAME_FIELDS = frozenset(["name", "given_name", "middle_name", "family_name", "suffix"])


def _member_id(values: Mapping[str, str]) -> str:
    text = values.get("member_id", "")
    member_id = MEMBER_ID.clean(text)
    if not MEMBER_ID.whole.fullmatch(member_id):
        raise InputRefused("no_member_id", cell=text[:40])
    return member_id


def _names(values: Mapping[str, str], answers: Answers) -> tuple[str, str, str, str]:
    """Return given name, family name, suffix, and the status that the name says."""
    split = split_name(values, answers)
    given = clean_text(split.given, "given_name", 60)
    family = clean_text(split.family, "family_name", 60)
    for name in (given, family):
        if name and not any(char.isalpha() for char in name):
            raise InputRefused("no_name", cell=name)
    return given, family, clean_text(split.suffix, "suffix", 10), split.status


def _birth(values: Mapping[str, str], today: date) -> tuple[date | None, int | None]:
    year = values.get("birth_year", "")
    year = year if year.strip("0.") else ""
    text = values.get("birth_date", "") or year
    if not text:
        return None, None
    born: tuple[date | None, int]
    if _YEAR.fullmatch(text):
        if not EARLIEST_BIRTH.year <= int(text[:4]) <= today.year:
            raise InputRefused("birth_year_impossible", cell=text)
        born = None, int(text[:4])
    else:
        day = parse_date(text, "birth_date")
        if day < EARLIEST_BIRTH:
            if _YEAR.fullmatch(year) and int(year[:4]) > EARLIEST_BIRTH.year:
                return _birth({"birth_year": year}, today)
            raise InputRefused("birth_date_too_early", cell=text)
        if day > today:
            raise InputRefused("birth_date_to_come", cell=text)
        born = day, day.year
    if _YEAR.fullmatch(year) and int(year[:4]) != born[1]:
        raise InputRefused("birth_year_contradicts", cell=year)
    return born


def _day(values: Mapping[str, str], column: str) -> date | None:
    if column not in values:
        return None
    text = values[column]
    if column == "expires" and text.upper() in LIFE_WORDS:
        return NO_EXPIRY
    day = parse_date(text, column)
    if column == "starts" and day < EARLIEST_BIRTH:
        raise InputRefused("no_day", column="starts", cell=text)
    return day


def _membership_days(
    values: Mapping[str, str], starts: date | None, expires: date | None
) -> tuple[date | None, date | None]:
    kinds = (values.get(name, "").upper() for name in ("membership", "status"))
    if "expires" not in values and any(kind in LIFE_TYPES for kind in kinds):
        expires = NO_EXPIRY
    elif "expires" not in values and "membership" in values:
        raise InputRefused("membership_without_end", cell=values["membership"][:40])
    if expires is not None and starts is not None and expires < starts:
        raise InputRefused("membership_ends_before_it_starts", cell=values["expires"])
    return starts, expires


def _gender(values: Mapping[str, str]) -> str:
    text = values["gender"]
    if text.upper().rstrip(".") not in GENDERS:
        raise InputRefused("gender_unknown", cell=text[:40])
    return GENDERS[text.upper().rstrip(".")]


def _status(values: Mapping[str, str], answers: Answers) -> str:
    word = status_word(values.get("status", ""))
    if word and word in answers.words:
        return answers.words[word]
    if word in DUPLICATE_STATUSES:
        raise InputRefused("status_is_duplicate", cell=values["status"])
    if word not in STATUSES:
        raise InputRefused("status_unknown", cell=values["status"][:40])
    return STATUSES[word]


def _country(values: Mapping[str, str], column: str) -> str:
    text = values.get(column, "")
    code = country_code(text) if text else ""
    if text and not code:
        raise InputRefused("no_country", column=column, cell=text[:40])
    return code


def _state(text: str, residence: str) -> str:
    if not text:
        return ""
    letters = text.upper()
    if letters in _CALIFORNIA_CODES:
        return "CA"
    if residence in ("", "USA"):
        code = letters if letters in STATES else state_code(text)
        if not code:
            raise InputRefused("state_unknown", cell=text[:40])
        return code
    if not re.fullmatch("[A-Z]{1,3}", letters):
        letters = province_code(text, residence) or letters
    if len(letters) > 3:
        raise InputRefused("state_unknown", cell=text[:40])
    if len(letters) > _LONGEST_STATE:
        raise InputRefused("state_too_long", cell=text[:40])
    return letters


def _fide_id(values: Mapping[str, str]) -> str:
    text = values["fide_id"]
    digits = normalize_number(text).lstrip("0")
    if not digits:
        return ""
    if not _FIDE_ID.fullmatch(digits):
        raise InputRefused("no_fide_id", cell=text[:40])
    return digits


def _guardian_id(values: Mapping[str, str], member_id: str) -> str:
    text = values["guardian_id"]
    guardian = MEMBER_ID.clean(text) if text else ""
    if guardian and not MEMBER_ID.whole.fullmatch(guardian):
        raise InputRefused("no_member_id", column="guardian_id", cell=text[:40])
    if guardian and guardian == member_id:
        raise InputRefused("guardian_is_self")
    return guardian


def _email(values: Mapping[str, str], column: str, row: _Fields) -> str:
    """Return the address in a cell, the first of several."""
    text = values[column]
    if not text or _is_email(text):
        return text
    found, others = first_email(text)
    if not _is_email(found):
        raise InputRefused("no_email", column=column, cell=text[:60])
    if others:
        several = InputRefused("several_emails", column=column, cell=text[:60])
        row.blanked.append(several.reason)
    return found


def parse_email(values: Mapping[str, str], column: str) -> str:
    text = values.get(column, "")
    if text and not _is_email(text):
        raise InputRefused("no_email", column=column, cell=text[:60])
    return text


def _is_email(text: str) -> bool:
    return len(text) <= _LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None
