"""What SwissSys's event files and its published pages have in common.

Both hold sections with players, and of each player a result by round; they differ in
names and in how a result is spelled.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from events.importers.archive import printable
from events.importers.days import readings
from events.importers.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.importers.dbf.tables import MAX_RECORDS
from events.importers.findings import Collector, Place
from events.importers.json.values import (
    BOM,
    NOTHING,
    Document,
    Object,
    Spot,
    Values,
)
from events.importers.json.values import parsed as parsed_text
from events.importers.records import (
    BLANK,
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)

# What a round that was asked for as a bye becomes: half a point, or z for zero.
_RESERVED = {"": "H", "h": "H", "z": "U"}
_RESERVED_BYE = re.compile(r"([0-9]{1,2})([a-z]?)", re.ASCII)
_MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_FIDE_RATING = re.compile(r"[1-9][0-9]{2,3}", re.ASCII)


def holds_two_of(names: Iterable[bytes], data: bytes) -> bool:
    """Tell whether a document, cut off or not, uses at least two of *names*.

    >>> holds_two_of([b"a", b"b", b"c"], b'{"a": {"b": [')
    True
    >>> holds_two_of([b"a", b"b"], b'"a", "b"')
    False
    """
    if not data.removeprefix(BOM)[:200].lstrip().startswith(b"{"):
        return False
    return sum(b'"%s"' % name in data for name in names) >= 2


def parsed(name: str, data: bytes, findings: Collector) -> Object | None:
    """Return the object that the file spells, or None; a finding says why.

    Files are meant to be UTF-8; in one that is not, letters are those of Windows.
    """
    data = data.removeprefix(BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        findings.add("swisssys.encoding", Place(file=name), name=name)
        text = data.decode("cp1252", errors="replace")
    document = parsed_text(name, text, findings, twice="swisssys.name_twice")
    if isinstance(document, dict):
        return document
    if document is not NOTHING:
        findings.add("swisssys.no_players", Place(file=name), name=name)
    return None


def day_in(text: str) -> date:
    """Return the day that *text* spells; among numbers alone the month comes first.

    Raises ValueError if it spells none.

    >>> day_in("12/19/25"), day_in("6-Mar-2026")
    (datetime.date(2025, 12, 19), datetime.date(2026, 3, 6))
    >>> day_in("May 29, 2020"), day_in("2025/4/1")
    (datetime.date(2020, 5, 29), datetime.date(2025, 4, 1))
    """
    found = readings(text)
    day = found.get("") or found.get("mdy")
    if day is None:
        raise ValueError(f"{text!r} is not a date")
    return day


@dataclass(frozen=True, slots=True)
class Given:
    """What a player's list says of one round; *paired* with whom, while it is open."""

    cell: Cell = BLANK
    paired: int | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """One player of a section, with both IDs and ratings, and all values by name."""

    number: int
    ids: tuple[str, str]
    ratings: tuple[str, str]
    values: Values

    @property
    def at(self) -> Spot:
        return self.values.at


@dataclass(frozen=True, slots=True)
class Names:
    """What a kind of file calls the things that both kinds have."""

    section: tuple[str, ...]
    players: str
    rounds: str
    name: str
    state: str
    ids: tuple[str, str]
    ratings: tuple[str, str]
    byes: str
    withdrawn: str
    # Not told by both.
    pairing_number: str = ""
    count: str = ""


class Written(Document, ABC):
    """Reads one document; what cannot be read leaves a finding."""

    # What cannot be read may hold results.
    no_list = "swisssys.unreadable"
    no_object = "swisssys.unreadable/object"
    names: Names

    def __init__(self, findings: Collector, file: str) -> None:
        super().__init__(findings)
        self.file = file
        self.entries = 0

    @abstractmethod
    def given(self, section: Values, players: Sequence[Player]) -> list[list[Given]]:
        """Return what the section says of each player's rounds."""

    @abstractmethod
    def described(self, section: Values) -> Mapping[str, Any]:
        """Return what else is told of a section, by the record's fields."""

    def finished(self, report: ReportedEvent) -> ReportedEvent | None:
        """Return *report* if there is anybody in it."""
        if report.sections:
            return replace(report, total_sections=len(report.sections))
        self.findings.add("swisssys.no_players", Place(file=self.file), name=self.file)
        return None

    def day(self, values: Values, name: str) -> date | None:
        text = values.text(name).strip()
        if not text:
            return None
        at = values.at.at(name)
        try:
            day = day_in(text)
        except ValueError:
            self.unreadable("value.unreadable/day", at, text)
            return None
        if "mdy" in readings(text):
            self.findings.add(
                "value.date_spelling", at.found, name=name, printable=printable(text)
            )
        return day

    def listed(self, values: Values, name: str, most: int, too_large: str) -> list[Any]:
        """Return what a list holds that every file has."""
        at = values.at.at(name)
        if values.data.get(name) is None:
            self.findings.add("swisssys.missing", at.found, pointer=at.pointer)
        return self.items(values.data.get(name), at, most, too_large)

    # Sections

    def sections(self, document: Values, name: str) -> tuple[ReportedSection, ...]:
        """Return the sections that have players, numbered in their order."""
        at = document.at.at(name)
        kept: list[ReportedSection] = []
        written = self.listed(document, name, MAX_SECTIONS, "json.too_large")
        for index, item in enumerate(written):
            number = len(kept) + 1
            spot = Spot(at.at(index).pointer, Place(section=number))
            if self.is_object(item, spot):
                section = self._section(number, Values(self, item, spot))
                kept += [section] if section is not None else []
        return tuple(kept)

    def _section(self, number: int, values: Values) -> ReportedSection | None:
        told = (values.text(name).strip() for name in self.names.section)
        name = next(filter(None, told), "")
        players = self._players(values)
        self._check_players(values, name, len(players))
        if not players:
            return None
        rounds, cells = self._cells(values, players)
        return ReportedSection(
            number=number,
            name=name,
            rounds=rounds,
            last_pairing_number=max(player.number for player in players),
            entries=self._entries(values, players, cells),
            **self.described(values),
        )

    def _check_players(self, section: Values, name: str, count: int) -> None:
        said = section.number(self.names.count, MAX_RECORDS)
        if said is not None and said != count:
            self.findings.add(
                "swisssys.player_count",
                replace(section.at.place, field=section.at.pointer),
                said=said,
                section=printable(name),
                count=count,
            )
        elif section.data.get(self.names.players) == []:
            self.findings.add(
                "swisssys.section_empty",
                Place(file=self.file, field=section.at.pointer),
                section=printable(name),
            )

    def _players(self, section: Values) -> list[Player]:
        at = section.at.at(self.names.players)
        most = MAX_RECORDS - self.entries
        items = self.listed(section, self.names.players, most, "json.too_large/entries")
        self.entries += len(items)
        return [
            self._player(item, at.at(index), index + 1)
            for index, item in enumerate(items)
            if self.is_object(item, at.at(index))
        ]

    def _player(self, data: Object, at: Spot, position: int) -> Player:
        number = Values(self, data, at).number(
            self.names.pairing_number, HIGHEST_PAIRING_NUMBER
        )
        # Where it is missing, the place in the list tells it.
        number = position if number is None else number
        spot = Spot(at.pointer, replace(at.place, pairing_number=number))
        values = Values(self, data, spot)
        (first, second), (one, other) = self.names.ids, self.names.ratings
        return Player(
            number,
            (_id(values, first), _id(values, second)),
            (_word(values, one), _word(values, other)),
            values,
        )

    # Entries

    def _entries(
        self,
        section: Values,
        players: Sequence[Player],
        cells: Sequence[tuple[Cell, ...]],
    ) -> tuple[ReportedEntry, ...]:
        ours, theirs = 0, 1
        if self.fide_first(players):
            ours, theirs = 1, 0
            alone = "" if any(player.ids[1] for player in players) else "/alone"
            place = replace(section.at.place, field=self.names.ids[0])
            self.findings.add(f"swisssys.fide_first{alone}", place)
        return tuple(
            self._entry(player, own, ours, theirs)
            for player, own in zip(players, cells, strict=True)
        )

    def fide_first(self, players: Sequence[Player]) -> bool:
        """Tell whether the first ID and rating are FIDE's, and the second the member's.

        A norm tournament may be set up so. Some ID of FIDE's has fewer digits than a
        member's, and then the member's stands beside it.
        """
        for_it = sum(_is_fide_first(*player.ids) for player in players)
        against = sum(_is_fide_first(*reversed(player.ids)) for player in players)
        return for_it > against

    def _entry(
        self, player: Player, cells: tuple[Cell, ...], ours: int, theirs: int
    ) -> ReportedEntry:
        fide_id, fide_rating = player.ids[theirs].lstrip("0"), player.ratings[theirs]
        if not _FIDE_ID.fullmatch(fide_id):
            # What stands beside no ID of FIDE's is a rating at another speed.
            fide_id = fide_rating = ""
        return ReportedEntry(
            pairing_number=player.number,
            member_id=player.ids[ours],
            name=player.values.text(self.names.name).strip(),
            state=player.values.text(self.names.state).strip().upper(),
            rating=player.ratings[ours],
            cells=cells,
            fide_id=fide_id,
            fide_rating=fide_rating if _FIDE_RATING.fullmatch(fide_rating) else "",
        )

    # Rounds

    def _cells(
        self, section: Values, players: Sequence[Player]
    ) -> tuple[int, list[tuple[Cell, ...]]]:
        """Return how many rounds were played, and each player's cells of them."""
        given = self.given(section, players)
        played = section.number(self.names.rounds, MAX_ROUNDS) or 0
        rounds = max([played, *map(_last_result, given)])
        self._tell_of_rounds_to_come(section, given, rounds)
        columns = min(rounds, max(map(len, given)))
        return rounds, [
            self._settled(player, row, columns)
            for player, row in zip(players, given, strict=True)
        ]

    def _tell_of_rounds_to_come(
        self, section: Values, given: Sequence[Sequence[Given]], rounds: int
    ) -> None:
        to_come = {
            number
            for row in given
            for number, one in enumerate(row, start=1)
            if number > rounds and one.paired
        }
        for number in sorted(to_come):
            place = replace(section.at.place, round_number=number)
            self.findings.add("swisssys.round_to_come", place)

    def _settled(
        self, player: Player, row: Sequence[Given], columns: int
    ) -> tuple[Cell, ...]:
        """Return the cells; where no result is given, a bye asked for stands."""
        byes = self._reserved(player)
        absent = Cell("U") if player.values.flag(self.names.withdrawn) else BLANK
        cells = []
        for number in range(1, columns + 1):
            one = row[number - 1] if number <= len(row) else Given()
            if one.paired:
                place = replace(player.at.place, round_number=number)
                self.findings.add("swisssys.no_result", place, opponent=one.paired)
            elif one.cell.blank:
                one = Given(byes.get(number, absent))
            cells.append(one.cell)
        return tuple(cells)

    def _reserved(self, player: Player) -> dict[int, Cell]:
        text = player.values.text(self.names.byes).lower()
        found = (_RESERVED_BYE.fullmatch(part) for part in re.split(r"[\s,;]+", text))
        return {
            int(match[1]): Cell(_RESERVED[match[2]])
            for match in found
            if match and match[2] in _RESERVED
        }


def _word(values: Values, name: str) -> str:
    """Return a text or whole number, blank for 0."""
    text = values.text(name).strip().removesuffix(".0")
    return text if text.strip("0") else ""


def _id(values: Values, name: str) -> str:
    """Return an ID; where it is kept as a number, its first zeros are lost."""
    written = _word(values, name)
    is_number = isinstance(values.data.get(name), (int, float))
    return written.zfill(8) if is_number and written else written


def _is_fide_first(first: str, second: str) -> bool:
    return bool(
        _FIDE_ID.fullmatch(first)
        and not _MEMBER_ID.fullmatch(first)
        and _MEMBER_ID.fullmatch(second)
    )


def _last_result(row: Sequence[Given]) -> int:
    return max(
        (number for number, one in enumerate(row, start=1) if not one.cell.blank),
        default=0,
    )
