"""Plain records of a rating report, as read from files and as edited by the TD.

They are immutable, independent of files and database, and convert to JSON and back
without loss. A TD's edits create new records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

from events.formats.result_codes import ALL_CODES, DOUBLE_GAME_KIND, DOUBLE_ONLY
from events.formats.translatable_text import translatable

MAX_PAIRING_NUMBER = 9999

_TEMPORARY = re.compile(r"NEW-[1-9][0-9]{0,3}", re.ASCII)

_CELL = re.compile(r"([A-Z$#%])\s*([0-9]{0,5})\s*([WB]?)", re.ASCII)


def is_temporary_id(text: str) -> bool:
    """Return whether *text* is the temporary ID of a new member.

    >>> is_temporary_id("NEW-1"), is_temporary_id("NEW"), is_temporary_id("")
    (True, False, False)
    """
    return _TEMPORARY.fullmatch(text) is not None


class NoSuchEntry(LookupError):
    """A section or pairing number that the report does not have."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One player in one round: result code, opponent's pairing number, color.

    A blank cell has no code. Text that is not a result is kept in ``raw``.
    """

    code: str = ""
    opponent: int | None = None
    color: str = ""
    raw: str = ""

    def __post_init__(self) -> None:
        if self.raw and (self.code or self.opponent or self.color):
            raise ValueError("A cell is either a result or unreadable text.")
        if self.code and self.code not in ALL_CODES:
            raise ValueError(f"{self.code!r} is not a result code.")
        if not self.code and (self.opponent is not None or self.color):
            raise ValueError("A cell with an opponent or color needs a result code.")
        if self.opponent is not None and not (1 <= self.opponent <= MAX_PAIRING_NUMBER):
            raise ValueError(f"{self.opponent} is not a pairing number.")
        if self.color not in ("", "W", "B"):
            raise ValueError(f"{self.color!r} is not a color.")

    @property
    def is_blank(self) -> bool:
        return not self.code and not self.raw

    @property
    def is_padding(self) -> bool:
        """Return whether this may follow the last round of a shorter section."""
        return self.is_blank or (self.code == "U" and self.opponent is None)


BLANK = Cell()


@lru_cache(maxsize=8192)
def parse_cell(text: str) -> Cell:
    """Return the cell that *text* spells, in the files' form or loosely typed.

    >>> parse_cell("W12W")
    Cell(code='W', opponent=12, color='W', raw='')
    >>> parse_cell(" h0 ")
    Cell(code='H', opponent=None, color='', raw='')
    >>> parse_cell("won?")
    Cell(code='', opponent=None, color='', raw='won?')
    """
    text = text.strip()
    if not text:
        return BLANK
    match = _CELL.fullmatch(text.upper())
    if match is None or match[1] not in ALL_CODES:
        return Cell(raw=text)
    opponent = int(match[2] or 0)
    if opponent > MAX_PAIRING_NUMBER:
        return Cell(raw=text)
    return Cell(match[1], opponent or None, match[3])


def unreadable_cell(text: str) -> Cell:
    """Return a cell that keeps *text* in a form that is never read as a result.

    >>> unreadable_cell("w 1").raw, unreadable_cell("3 w x").raw
    ('w 1?', '3 w x')
    """
    text = text.strip()
    return Cell(raw=text if parse_cell(text).raw == text else f"{text}?")


def format_cell(cell: Cell) -> str:
    """Return *cell* as the files spell it, with opponent 0 where there is none.

    >>> format_cell(Cell("W", 12, "B"))
    'W12B'
    >>> format_cell(Cell("U"))
    'U0'
    """
    if cell.raw or not cell.code:
        return cell.raw
    return f"{cell.code}{cell.opponent or 0}{cell.color}"


class _Record:
    """Converts a record to JSON and back."""

    __slots__ = ()
    # How the items of a field are read, and fields that are left out if blank.
    _ITEMS: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    _OPTIONAL: ClassVar[Container[str]] = ()

    def to_json(self) -> dict[str, Any]:
        names = self.__dataclass_fields__  # type: ignore[attr-defined]
        data = {}
        for name in names:
            value = getattr(self, name)
            if value or name not in self._OPTIONAL:
                data[name] = value if isinstance(value, str) else _to_json(value)
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Skip fields that the record does not have, so that old copies still load."""
        names = cls.__dataclass_fields__  # type: ignore[attr-defined]
        return cls(
            **{name: cls._value(name, data[name]) for name in names if name in data}
        )

    @classmethod
    def _value(cls, name: str, value: Any) -> Any:
        if name in ("starts", "ends"):
            return value and date.fromisoformat(value)
        if isinstance(value, (list, tuple)):
            return tuple(map(cls._ITEMS[name], value) if name in cls._ITEMS else value)
        return cls.from_json(value) if isinstance(value, dict) else value


def _to_json(value: Any) -> Any:
    if isinstance(value, Cell):
        return format_cell(value)
    if isinstance(value, tuple):
        return list(map(_to_json, value))
    if isinstance(value, date):
        return value.isoformat()
    return value.to_json() if isinstance(value, _Record) else value


@dataclass(frozen=True, slots=True)
class ReportedEntry(_Record):
    """One pairing number of a section, with its cells from round 1 on."""

    _ITEMS = {"cells": parse_cell}
    _OPTIONAL = ("rating_after", "as_reported")

    pairing_number: int
    member_id: str = ""
    name: str = ""
    state: str = ""
    rating: str = ""
    cells: tuple[Cell, ...] = ()
    fide_id: str = ""
    fide_rating: str = ""
    cfc_id: str = ""
    cfc_rating: str = ""
    # From old crosstables; a report to be rated has none.
    rating_after: str = ""
    # The entry as reported, as long as a later edit differs from it.
    as_reported: ReportedEntry | None = None

    @property
    def identity(self) -> str:
        """Return name, member ID and state in one line.

        >>> ReportedEntry(4, "00000000", "EK, BO", "IL").identity
        'EK, BO, IL'
        """
        member_id = self.member_id if self.member_id.strip("0") else ""
        return ", ".join(filter(None, (self.name, member_id, self.state)))

    def edited_from(self, before: ReportedEntry) -> ReportedEntry:
        """Return this edited entry with what was reported.

        >>> entry = ReportedEntry(4, name="EK, BO")
        >>> edited = replace(entry, name="EK, BOB").edited_from(entry)
        >>> edited.as_reported == entry
        True
        >>> replace(edited, name="EK, BO").edited_from(edited).as_reported is None
        True
        """
        reported = before.as_reported or before
        is_same = replace(self, as_reported=None) == reported
        return replace(self, as_reported=None if is_same else reported)

    @property
    def normalized_fide_id(self) -> str:
        """Return the FIDE ID as FIDE writes it, without the file's zeros and spaces.

        >>> ReportedEntry(1, fide_id="002 020 001").normalized_fide_id
        '2020001'
        """
        return "".join(self.fide_id.split()).lstrip("0")

    def cell(self, round_number: int) -> Cell:
        """Return the cell of *round_number* (from 1), blank where there is none."""
        if 1 <= round_number <= len(self.cells):
            return self.cells[round_number - 1]
        return BLANK

    def with_cell(self, round_number: int, cell: Cell) -> ReportedEntry:
        if round_number < 1:
            raise NoSuchEntry(
                translatable(
                    "There is no round {round_number}.", round_number=round_number
                )
            )
        cells = list(self.cells)
        cells += [BLANK] * (round_number - len(cells))
        cells[round_number - 1] = cell
        return replace(self, cells=tuple(cells))


@dataclass(frozen=True, slots=True)
class ReportedSchedule(_Record):
    """Rounds of a section that some or all players had at a separate time control.

    A 2-day schedule that merges with a 3-day one in round 4 has its own first three
    rounds. Without *entries* it is for all players; rounds without a schedule have the
    section's time control.
    """

    name: str = ""
    time_control: str = ""
    first_round: int = 1
    last_round: int = 1
    starts: date | None = None
    ends: date | None = None
    entries: tuple[int, ...] = ()

    def covers(self, round_number: int, *pairing_numbers: int) -> bool:
        """Return whether the schedule has a game of these two in that round."""
        if not self.first_round <= round_number <= self.last_round:
            return False
        return not self.entries or any(n in self.entries for n in pairing_numbers)


# Without slots, so that cached properties work.
@dataclass(frozen=True)
class ReportedSection(_Record):
    """One section as reported. Blank dates mean the event's dates."""

    _ITEMS = {
        "entries": ReportedEntry.from_json,
        "schedules": ReportedSchedule.from_json,
    }
    _OPTIONAL = ("schedules",)

    number: int
    name: str = ""
    system_letter: str = ""
    time_control: str = ""
    chief_td_id: str = ""
    assistant_td_id: str = ""
    kind_letter: str = ""
    rounds: int | None = None
    last_pairing_number: int | None = None
    starts: date | None = None
    ends: date | None = None
    scholastic_level: str = ""
    grand_prix: bool = False
    grand_prix_points: int | None = None
    fide: bool = False
    online: bool = False
    # Lines of a TRF that the report has no fields for (``trf.reader``).
    trf_lines: tuple[str, ...] = ()
    entries: tuple[ReportedEntry, ...] = ()
    # Several schedules that merge into one section; most sections have none.
    schedules: tuple[ReportedSchedule, ...] = ()

    def entry(self, pairing_number: int) -> ReportedEntry | None:
        """Return the first entry with *pairing_number*, if there is one."""
        return self.by_number.get(pairing_number)

    @cached_property
    def by_number(self) -> dict[int, ReportedEntry]:
        """Return the entries by pairing number, the first of each number."""
        return {entry.pairing_number: entry for entry in reversed(self.entries)}

    def _edited_from(self, before: ReportedSection) -> ReportedSection:
        if self is before or len(self.entries) != len(before.entries):
            return self
        pairs = zip(before.entries, self.entries, strict=True)
        entries = (now if now == was else now.edited_from(was) for was, now in pairs)
        return replace(self, entries=tuple(entries))

    @property
    def columns(self) -> int:
        """Return how many columns of results the entries have."""
        return max((len(entry.cells) for entry in self.entries), default=0)

    @property
    def has_double_games(self) -> bool:
        return self.kind_letter == DOUBLE_GAME_KIND

    @cached_property
    def has_temporary_ids(self) -> bool:
        """Return whether an entry has a temporary ID instead of a member ID."""
        return any(is_temporary_id(entry.member_id) for entry in self.entries)

    @cached_property
    def has_double_codes(self) -> bool:
        return any(
            cell.code in DOUBLE_ONLY for entry in self.entries for cell in entry.cells
        )

    @property
    def codes_kind(self) -> str:
        """Return the type whose codes the section uses, even if it is mislabeled."""
        return DOUBLE_GAME_KIND if self.has_double_codes else self.kind_letter

    @cached_property
    def has_opponent_columns(self) -> bool:
        """Return whether a round robin's columns are opponents instead of rounds.

        Both occur. In a table by opponents, column 3 has the game against pairing
        number 3. The majority of cells decides, so that one wrong cell changes nothing.
        """
        if self.kind_letter != "R":
            return False
        same = other = 0
        for entry in self.entries:
            for column, cell in enumerate(entry.cells, start=1):
                if cell.opponent is not None:
                    same += cell.opponent == column
                    other += cell.opponent != column
        return same > other


@dataclass(frozen=True, slots=True)
class ReportedEvent(_Record):
    """A whole rating report.

    >>> report = ReportedEvent(name="May Open", starts=date(2024, 5, 4))
    >>> ReportedEvent.from_json(report.to_json()) == report
    True
    """

    _ITEMS = {"sections": ReportedSection.from_json}

    layout: str = "2C"
    program: str = ""
    event_id: str = ""
    name: str = ""
    starts: date | None = None
    ends: date | None = None
    affiliate_id: str = ""
    city: str = ""
    state: str = ""
    zip_code: str = ""
    country: str = ""
    send_crosstable: str = ""
    chief_td_id: str = ""
    assistant_td_id: str = ""
    other_td_ids: tuple[str, ...] = ()
    sections: tuple[ReportedSection, ...] = ()
    total_sections: int | None = None

    def section(self, number: int) -> ReportedSection | None:
        """Return the first section with *number*, if there is one."""
        for section in self.sections:
            if section.number == number:
                return section
        return None

    def dates_of(self, section: ReportedSection) -> tuple[date | None, date | None]:
        """Return *section*'s first and last day, the event's where they are blank."""
        return section.starts or self.starts, section.ends or self.ends

    def edited_from(self, before: ReportedEvent) -> ReportedEvent:
        """Return this edited report; entries that differ keep what was reported.

        Entries are compared by position, unless some were added or removed.
        """
        if len(self.sections) != len(before.sections):
            return self
        pairs = zip(before.sections, self.sections, strict=True)
        return replace(
            self, sections=tuple(now._edited_from(was) for was, now in pairs)
        )

    def with_event(self, **changes: Any) -> ReportedEvent:
        """Return the report with fields of the event itself changed."""
        return replace(self, **changes)

    def with_section(self, number: int, /, **changes: Any) -> ReportedEvent:
        """Return the report with fields of section *number* changed.

        Raises NoSuchEntry if there is no such section.
        """
        return self._edited(number, lambda section: replace(section, **changes))

    def with_entry(
        self,
        section_number: int,
        pairing_number: int,
        /,
        *,
        occurrence: int = 0,
        **changes: Any,
    ) -> ReportedEvent:
        """Return the report with fields of one entry changed.

        *occurrence* distinguishes entries with the same pairing number by mistake: 0 is
        the first of them. Raises NoSuchEntry if there is none.
        """
        return self._with_entry(
            section_number,
            pairing_number,
            occurrence,
            lambda entry: replace(entry, **changes),
        )

    def with_cell(
        self,
        section_number: int,
        pairing_number: int,
        round_number: int,
        cell: Cell,
        *,
        occurrence: int = 0,
    ) -> ReportedEvent:
        """Return the report with one cell changed (only this player's side).

        >>> section = ReportedSection(1, entries=(ReportedEntry(4),))
        >>> report = ReportedEvent(sections=(section,))
        >>> report = report.with_cell(1, 4, 2, parse_cell("H0"))
        >>> [format_cell(cell) for cell in report.sections[0].entries[0].cells]
        ['', 'H0']
        """
        return self._with_entry(
            section_number,
            pairing_number,
            occurrence,
            lambda entry: entry.with_cell(round_number, cell),
        )

    def with_member_id(self, temporary: str, member_id: str) -> ReportedEvent:
        """Return the report with *member_id* in place of the *temporary* one.

        >>> section = ReportedSection(1, entries=(ReportedEntry(4, "NEW-1"),))
        >>> report = ReportedEvent(sections=(section,))
        >>> report.with_member_id("NEW-1", "12345678").sections[0].entries[0].member_id
        '12345678'
        """
        sections = tuple(
            replace(
                section,
                entries=tuple(
                    replace(entry, member_id=member_id)
                    if entry.member_id == temporary
                    else entry
                    for entry in section.entries
                ),
            )
            for section in self.sections
        )
        return replace(self, sections=sections)

    def _edited(
        self, number: int, edit: Callable[[ReportedSection], ReportedSection]
    ) -> ReportedEvent:
        sections = list(self.sections)
        for index, section in enumerate(sections):
            if section.number == number:
                sections[index] = edit(section)
                return replace(self, sections=tuple(sections))
        raise NoSuchEntry(
            translatable("The report has no section {number}.", number=number)
        )

    def _with_entry(
        self,
        number: int,
        pairing_number: int,
        occurrence: int,
        edit: Callable[[ReportedEntry], ReportedEntry],
    ) -> ReportedEvent:
        def edited(section: ReportedSection) -> ReportedSection:
            numbers = [entry.pairing_number for entry in section.entries]
            places = [at for at, one in enumerate(numbers) if one == pairing_number]
            if not 0 <= occurrence < len(places):
                raise NoSuchEntry(
                    translatable(
                        "Section {number} has no pairing number {pairing_number}.",
                        number=number,
                        pairing_number=pairing_number,
                    )
                )
            entries = list(section.entries)
            entries[places[occurrence]] = edit(entries[places[occurrence]])
            return replace(section, entries=tuple(entries))

        return self._edited(number, edited)


def event_of(sections: Iterable[ReportedSection], **facts: Any) -> ReportedEvent:
    """Return an event of files that have no days of the event, only of its sections.

    >>> section = ReportedSection(1, starts=date(2024, 5, 4), ends=date(2024, 5, 5))
    >>> report = event_of([section, replace(section, ends=date(2024, 5, 6))])
    >>> report.ends == date(2024, 5, 6), [one.ends for one in report.sections]
    (True, [datetime.date(2024, 5, 5), None])
    """
    sections = tuple(sections)
    starts = min((one.starts for one in sections if one.starts), default=None)
    ends = max((one.ends for one in sections if one.ends), default=None)
    return ReportedEvent(
        starts=starts,
        ends=ends,
        send_crosstable="N",
        sections=tuple(
            replace(
                one,
                starts=None if one.starts == starts else one.starts,
                ends=None if one.ends == ends else one.ends,
            )
            for one in sections
        ),
        total_sections=len(sections),
        **facts,
    )
