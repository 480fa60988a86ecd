"""Shared code of the readers of SwissSys event files and published pages.

Both have sections with players and their results by round; they differ in field names
and in the spelling of results.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from events.formats.ambiguous_dates import resolve_dates
from events.formats.archive import printable
from events.formats.dates import possible_dates
from events.formats.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.formats.dbf.tables import MAX_RECORDS
from events.formats.findings import Collector, Place
from events.formats.json.values import (
    BOM,
    UNREADABLE,
    Document,
    JsonLocation,
    Object,
    Values,
)
from events.formats.json.values import parse_json as parse_json_text
from events.formats.parsing import (
    LONG_FIDE_ID,
    RATING,
    match_or_blank,
)
from events.formats.report import (
    BLANK,
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
)
from players.formats.member_ids import MEMBER_ID
from players.formats.text import decode_text

# A reserved bye: half a point, or zero with z.
_RESERVED = {"": "H", "h": "H", "z": "U"}
_RESERVED_BYE = re.compile(r"([0-9]{1,2})([a-z]?)", re.ASCII)


def has_two_names(names: Iterable[bytes], data: bytes) -> bool:
    """Return whether a document, cut off or not, uses at least two of *names*.

    >>> has_two_names([b"a", b"b", b"c"], b'{"a": {"b": [')
    True
    >>> has_two_names([b"a", b"b"], b'"a", "b"')
    False
    """
    if not data.removeprefix(BOM)[:200].lstrip().startswith(b"{"):
        return False
    return sum(b'"%s"' % name in data for name in names) >= 2


def parse_json(name: str, data: bytes, findings: Collector) -> Object | None:
    """Return the JSON object in the file, or None with a finding.

    Files should be UTF-8; other bytes are decoded as Windows-1252.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        findings.add("swisssys.encoding", Place(file=name), name=name)
    text = decode_text(data)
    document = parse_json_text(name, text, findings, twice="swisssys.name_twice")
    if isinstance(document, dict):
        return document
    if document is not UNREADABLE:
        findings.add("swisssys.no_players", Place(file=name), name=name)
    return None


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One round in a player's list; *paired* is the opponent of an open game."""

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
    def at(self) -> JsonLocation:
        return self.values.at


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The names in one kind of file of the fields that both kinds have."""

    section: tuple[str, ...]
    players: str
    rounds: str
    name: str
    state: str
    ids: tuple[str, str]
    ratings: tuple[str, str]
    byes: str
    withdrawn: str
    # Not in both kinds.
    pairing_number: str = ""
    count: str = ""


class SwissSysDocument(Document, ABC):
    """Reads one document; adds findings for values that cannot be read."""

    # Unreadable values may have results.
    no_list = "swisssys.unreadable"
    no_object = "swisssys.unreadable/object"
    names: FieldNames

    def __init__(self, findings: Collector, file: str) -> None:
        super().__init__(findings)
        self.file = file
        self.entries = 0

    @abstractmethod
    def round_results(
        self, section: Values, players: Sequence[Player]
    ) -> list[list[RoundResult]]:
        """Return the results of each player by round."""

    @abstractmethod
    def section_fields(self, section: Values) -> Mapping[str, Any]:
        """Return further values of a section, by the record's fields."""

    def finish(self, report: ReportedEvent) -> ReportedEvent | None:
        """Return *report* if it has players, else None."""
        if report.sections:
            return replace(report, total_sections=len(report.sections))
        self.findings.add("swisssys.no_players", Place(file=self.file), name=self.file)
        return None

    def days(self, values: Values, *names: str) -> list[date | None]:
        """Return the first and the last day of the event, None if missing."""
        texts = [values.text(name).strip() for name in names]
        chosen = resolve_dates(texts, today=self.findings.today, month_first=True)
        for name, text, day in zip(names, texts, chosen.days, strict=True):
            at = values.at.at(name)
            if text and day is None:
                self.unreadable("value.unreadable/day", at, text)
            elif chosen.other(text):
                chosen.report_if_ambiguous(self.findings, at.finding_place, text)
            elif day and day == possible_dates(text).get("mdy"):
                self.add(
                    "value.date_spelling", at, name=name, printable=printable(text)
                )
        return list(chosen.days)

    def required_list(
        self, values: Values, name: str, most: int, too_large: str
    ) -> list[Any]:
        """Return the items of a list that every file has."""
        at = values.at.at(name)
        if values.data.get(name) is None:
            self.add("swisssys.missing", at, pointer=at.pointer)
        return self.items(values.data.get(name), at, most, too_large)

    # Sections

    def sections(self, document: Values, name: str) -> tuple[ReportedSection, ...]:
        """Return the sections that have players, numbered in their order."""
        at = document.at.at(name)
        kept: list[ReportedSection] = []
        written = self.required_list(document, name, MAX_SECTIONS, "json.too_large")
        for index, item in enumerate(written):
            number = len(kept) + 1
            spot = JsonLocation(at.at(index).pointer, Place(section=number))
            if self.is_object(item, spot):
                section = self._section(number, Values(self, item, spot))
                kept += [section] if section is not None else []
        return tuple(kept)

    def _section(self, number: int, values: Values) -> ReportedSection | None:
        names = (values.text(name).strip() for name in self.names.section)
        name = next(filter(None, names), "")
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
            **self.section_fields(values),
        )

    def _check_players(self, section: Values, name: str, count: int) -> None:
        stated = section.number(self.names.count, MAX_RECORDS)
        if stated is not None and stated != count:
            shown = {"said": stated, "section": printable(name), "count": count}
            self.add("swisssys.player_count", section.at, **shown)
        elif section.data.get(self.names.players) == []:
            place = Place(file=self.file, field=section.at.pointer)
            name = printable(name)
            self.findings.add("swisssys.section_empty", place, section=name)

    def _players(self, section: Values) -> list[Player]:
        at = section.at.at(self.names.players)
        most = MAX_RECORDS - self.entries
        items = self.required_list(
            section, self.names.players, most, "json.too_large/entries"
        )
        self.entries += len(items)
        return [
            self._player(item, at.at(index), index + 1)
            for index, item in enumerate(items)
            if self.is_object(item, at.at(index))
        ]

    def _player(self, data: Object, at: JsonLocation, position: int) -> Player:
        number = Values(self, data, at).number(
            self.names.pairing_number, MAX_PAIRING_NUMBER
        )
        # A missing number is the position in the list.
        number = position if number is None else number
        spot = JsonLocation(at.pointer, replace(at.place, pairing_number=number))
        values = Values(self, data, spot)
        (first, second), (one, other) = self.names.ids, self.names.ratings
        return Player(
            number,
            (_id(values, first), _id(values, second)),
            (_text_or_blank(values, one), _text_or_blank(values, other)),
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
        both = zip(players, cells, strict=True)
        return tuple(self._entry(player, own, ours, theirs) for player, own in both)

    def fide_first(self, players: Sequence[Player]) -> bool:
        """Return whether the first ID and rating are FIDE's, not the member's.

        A norm tournament may be set up that way. A FIDE ID has fewer digits than a
        member ID, which is then the second ID.
        """
        for_it = sum(_is_fide_first(*player.ids) for player in players)
        against = sum(_is_fide_first(*reversed(player.ids)) for player in players)
        return for_it > against

    def _entry(
        self, player: Player, cells: tuple[Cell, ...], ours: int, theirs: int
    ) -> ReportedEntry:
        fide_id, fide_rating = player.ids[theirs].lstrip("0"), player.ratings[theirs]
        if not LONG_FIDE_ID.fullmatch(fide_id):
            # Without a FIDE ID, it is a rating at another speed.
            fide_id = fide_rating = ""
        return ReportedEntry(
            pairing_number=player.number,
            member_id=player.ids[ours],
            name=player.values.text(self.names.name).strip(),
            state=player.values.text(self.names.state).strip().upper(),
            rating=player.ratings[ours],
            cells=cells,
            fide_id=fide_id,
            fide_rating=match_or_blank(RATING, fide_rating),
        )

    # Rounds

    def _cells(
        self, section: Values, players: Sequence[Player]
    ) -> tuple[int, list[tuple[Cell, ...]]]:
        """Return how many rounds were played, and each player's cells of them."""
        round_results = self.round_results(section, players)
        played = section.number(self.names.rounds, MAX_ROUNDS) or 0
        rounds = max([played, *map(_last_result, round_results)])
        self._report_future_rounds(section, round_results, rounds)
        columns = min(rounds, max(map(len, round_results)))
        return rounds, [
            self._final_cells(player, row, columns)
            for player, row in zip(players, round_results, strict=True)
        ]

    def _report_future_rounds(
        self,
        section: Values,
        round_results: Sequence[Sequence[RoundResult]],
        rounds: int,
    ) -> None:
        to_come = {
            number
            for row in round_results
            for number, one in enumerate(row, start=1)
            if number > rounds and one.paired
        }
        for number in sorted(to_come):
            place = replace(section.at.place, round_number=number)
            self.findings.add("swisssys.round_to_come", place)

    def _final_cells(
        self, player: Player, row: Sequence[RoundResult], columns: int
    ) -> tuple[Cell, ...]:
        """Return the cells; a reserved bye counts in rounds without a result."""
        byes = self._reserved_byes(player)
        absent = Cell("U") if player.values.flag(self.names.withdrawn) else BLANK
        cells = []
        for number in range(1, columns + 1):
            one = row[number - 1] if number <= len(row) else RoundResult()
            if one.paired:
                place = replace(player.at.place, round_number=number)
                self.findings.add("swisssys.no_result", place, opponent=one.paired)
            elif one.cell.is_blank:
                one = RoundResult(byes.get(number, absent))
            cells.append(one.cell)
        return tuple(cells)

    def _reserved_byes(self, player: Player) -> dict[int, Cell]:
        text = player.values.text(self.names.byes).lower()
        matches = (_RESERVED_BYE.fullmatch(part) for part in re.split(r"[\s,;]+", text))
        return {
            int(match[1]): Cell(_RESERVED[match[2]])
            for match in matches
            if match and match[2] in _RESERVED
        }


def _text_or_blank(values: Values, name: str) -> str:
    """Return a text or whole number, blank for 0."""
    text = values.text(name).strip().removesuffix(".0")
    return text if text.strip("0") else ""


def _id(values: Values, name: str) -> str:
    """Return an ID; restore the leading zeros of one that is stored as a number."""
    written = _text_or_blank(values, name)
    is_number = isinstance(values.data.get(name), (int, float))
    return MEMBER_ID.with_zeros(written) if is_number else written


def _is_fide_first(first: str, second: str) -> bool:
    return bool(
        LONG_FIDE_ID.fullmatch(first)
        and not MEMBER_ID.whole.fullmatch(first)
        and MEMBER_ID.whole.fullmatch(second)
    )


def _last_result(row: Sequence[RoundResult]) -> int:
    return max(
        (number for number, one in enumerate(row, start=1) if not one.cell.is_blank),
        default=0,
    )
