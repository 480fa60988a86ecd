"""One tournament of a TRF: a section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from events.formats.ambiguous_dates import resolve_dates
from events.formats.archive import printable
from events.formats.dates import DateRange, event_dates, find_date_range, possible_dates
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.findings import Collector, Place
from events.formats.online_play import (
    Venue,
    detect_venue,
    server_in,
    without_server_ratings,
)
from events.formats.parsing import (
    are_member_ids,
    non_utf8_lines,
    parse_fide_id,
    parse_rating,
)
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedSection,
    format_cell,
    unreadable_cell,
)
from events.formats.translatable_text import translatable_date
from events.formats.trf import headers
from events.formats.trf.lines import (
    COMMENT,
    FIRST_ROUND,
    MAX_PLAYERS,
    MAX_RESULTS,
    PLAYER,
    ROUND_WIDTH,
    PlayerLine,
    TrfCell,
    TrfLine,
    is_ruler,
    parse_fixed_columns,
    parse_lines,
    parse_player_line,
)
from players.formats.member_ids import MEMBER_ID

LAYOUT_2016 = "TRF16"
LAYOUT_2026 = "TRF26"
LAYOUTS = (LAYOUT_2016, LAYOUT_2026)
MAX_KEPT_LINES = 2_000

_TAG = re.compile(r"[0-9A-Z]{3}|###", re.ASCII)
_MEMBER_DATA = re.compile(
    r"DAT\s+([0-9]{1,4})\s+ID:(?:USCF|USCHESS)\s+([0-9A-Z]{1,8})",
    re.ASCII | re.IGNORECASE,
)
_BYE_POINTS = re.compile(r"\b(P|PAB)\s*=?\s*([0-9]*[.,]?[0-9]+)")
_HEADING = re.compile(r"[0-9]{2}2", re.ASCII)
_FULL_DATE = re.compile(r"(?<![0-9/])[0-9]{4}([/.-])[0-9]{2}\1[0-9]{2}(?![0-9/])")
_SHORT_YEAR = re.compile(r"[0-9]{1,2}([./]) ?[0-9]{1,2}\1 ?[0-9]{2}", re.ASCII)

_PLAYED = {"1": "W", "0": "L", "=": "D", "+": "X", "-": "F"}
# A game without a move counts for the standings only, like a forfeit in a report. A
# draw without a game has no code in a report, so it becomes a half-point bye.
_WITHOUT_A_MOVE = {
    "W": ("X", "trf.no_game/win"),
    "L": ("F", "trf.no_game/loss"),
    "D": ("H", "trf.no_game"),
}
# Programs before 2006 gave byes the results of games.
_WITHOUT_OPPONENT = {
    "1": ("B", "trf.no_game/bye"),
    "=": ("H", "trf.no_game"),
    "0": ("U", "trf.no_game/absent"),
}
_BYES = {"H": "H", "F": "B", "Z": "U", "": "U"}
_HALF_POINTS = {"W": 2, "D": 1, "X": 2, "H": 1, "B": 2}


@dataclass(slots=True)
class TrfFile:
    """The lines of one file by kind."""

    file: str
    headers: dict[str, list[TrfLine]] = field(default_factory=dict)
    players: list[TrfLine] = field(default_factory=list)
    national: list[TrfLine] = field(default_factory=list)
    member_ids: dict[int, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    number: int | None = None
    kept_lines: list[TrfLine] = field(default_factory=list)
    unknown_lines: list[TrfLine] = field(default_factory=list)
    rulers: set[TrfLine] = field(default_factory=set)
    is_of_2026: bool = False
    bad_encoding_lines: list[int] = field(default_factory=list)  # lines

    @classmethod
    def parse(cls, file: str, data: bytes) -> TrfFile:
        trf_file = cls(file, bad_encoding_lines=non_utf8_lines(data))
        for line in parse_lines(data):
            if line.text.strip():
                trf_file._add(line)
        return trf_file

    def _add(self, line: TrfLine) -> None:
        tag = line.tag
        self.is_of_2026 |= tag in headers.TAGS_2026 or tag == headers.HOME_FEDERATION
        if tag == PLAYER:
            self.players.append(line)
        elif tag == headers.HOME_FEDERATION:
            self.national.append(line)
        elif tag in headers.FULLY_STORED:
            self.headers.setdefault(tag, []).append(line)
        elif not self._add_fact(line) and not self._add_member_id(line):
            self._keep_line(line)

    def _add_fact(self, line: TrfLine) -> bool:
        fact = headers.parse_comment(line.text) if line.tag == COMMENT else None
        if fact is None:
            return False
        name, number, text = fact
        self.facts.setdefault(name, text)
        if number:
            self.number = int(number)
        return True

    def _add_member_id(self, line: TrfLine) -> bool:
        match = _MEMBER_DATA.fullmatch(line.text)
        if match is None:
            return False
        member_id = match[2].upper()
        if not (member_id.isdecimal() or MEMBER_ID.whole.fullmatch(member_id)):
            return False
        self.member_ids[int(match[1])] = member_id
        return True

    def _keep_line(self, line: TrfLine) -> None:
        self.kept_lines.append(line)
        if line.tag in headers.PARTLY_STORED:
            self.headers.setdefault(line.tag, []).append(line)
        elif is_ruler(line.text):
            self.rulers.add(line)
        elif not _TAG.fullmatch(line.tag) or line.text[3:4].strip():
            self.unknown_lines.append(line)

    def values(self, tag: str) -> list[str]:
        return [line.value for line in self.headers.get(tag, ())]

    def value(self, tag: str) -> str:
        return next((value for value in self.values(tag) if value), "")

    @property
    def name(self) -> str:
        return self.value(headers.NAME)

    @property
    def places(self) -> list[str]:
        """Return the headings about places and arbiters."""
        return [value for tag in headers.PLACES for value in self.values(tag)]


# One tournament


class Tournament:
    """Builds a section from one file's lines."""

    def __init__(self, trf_file: TrfFile, number: int, findings: Collector) -> None:
        self.trf_file = trf_file
        self.number = number
        self.findings = findings
        self.place = Place(file=trf_file.file, section=number)
        self.add = findings.at(self.place)
        self.lines: list[PlayerLine] = []
        self.entries: list[ReportedEntry] = []
        self.bye = _allocated_bye(trf_file)
        self.venue = detect_venue(trf_file.places, [trf_file.name])
        self.has_custom_points = any(
            line.tag in headers.POINT_LINES for line in trf_file.kept_lines
        )

    def read_players(self) -> bool:
        """Read the player lines; return whether there is one."""
        if not self.trf_file.players:
            self._reject("trf.no_players")
            return False
        if self._has_too_many_results():
            return False
        players = len(self.trf_file.players)
        if players > MAX_PLAYERS:
            limits = {"players": players, "most_players": MAX_PLAYERS}
            self._reject("trf.too_many_players", **limits)
        self.lines = [self._cut(line) for line in self.trf_file.players[:MAX_PLAYERS]]
        national = self._national(self.lines)
        self.entries = [self._entry(line, national) for line in self.lines]
        self._take_member_ids()
        self._report_online()
        self._remove_extra_rounds()
        self._pad_rounds()
        self._check_count()
        self._report_kept_lines()
        return True

    def _has_too_many_results(self) -> bool:
        """Reject an impossible number of results, whose checks would take long."""
        wide = (len(line.text) - FIRST_ROUND for line in self.trf_file.players)
        results = sum(width // ROUND_WIDTH + 1 for width in wide if width >= 0)
        if results > MAX_RESULTS:
            limits = {"results": results, "most_results": MAX_RESULTS}
            self._reject("trf.too_many_results", **limits)
        return results > MAX_RESULTS

    def _reject(self, name: str, /, **values: Any) -> None:
        file = self.trf_file.file
        self.findings.add(name, Place(file=file), file=file, **values)

    def _add(
        self, name: str, line: int, column: int, at: dict[str, Any], /, **values: Any
    ) -> None:
        place = replace(self.place, **at)
        self.findings.add(name, place, line=line, column=column, **values)

    def _add_at(
        self,
        line: PlayerLine,
        field: str,
        name: str,
        at: dict[str, Any],
        /,
        **values: Any,
    ) -> None:
        """Add a finding about a *field* of a player's line."""
        self._add(name, line.number, line.starts[field], at, **values)

    # Lines into entries

    def _cut(self, line: TrfLine) -> PlayerLine:
        cut = parse_player_line(line)
        number, length = line.number, len(line.text)
        if not cut.in_columns:
            name = printable(cut["name"])
            self.add("trf.shifted", f"line-{number}", number=number, printable=name)
        elif length < cut.starts["points"]:
            self.add("trf.line_short", f"line-{number}", number=number, length=length)
        return cut

    def _national(self, players: Sequence[PlayerLine]) -> dict[str, PlayerLine]:
        """Return our federation's lines by starting rank."""
        ranks = {line["rank"].lstrip("0") for line in players}
        national: dict[str, PlayerLine] = {}
        for line in map(parse_fixed_columns, self.trf_file.national[:MAX_PLAYERS]):
            rank = line["rank"].lstrip("0")
            if rank in ranks:
                national.setdefault(rank, line)
            else:
                at = {"field": f"line-{line.number}"}
                self._add_at(line, "rank", "trf.national_line", at, rank=line["rank"])
        return national

    def _entry(
        self, line: PlayerLine, national: dict[str, PlayerLine]
    ) -> ReportedEntry:
        rank = self._rank(line)
        ours = national.get(line["rank"].lstrip("0"))
        cells = tuple(
            self._cell(line, rank, number, cell)
            for number, cell in enumerate(line.cells[:MAX_ROUNDS], start=1)
        )
        if len(line.cells) > MAX_ROUNDS:
            limits = {"round_number": MAX_ROUNDS + 1, "max_rounds": MAX_ROUNDS}
            column, at = line.cells[MAX_ROUNDS].column, {"pairing_number": rank}
            self._add("trf.rounds", line.number, column, at, **limits)
        self._check_points(line, rank, cells)
        return ReportedEntry(
            pairing_number=rank,
            member_id=self._member_id(rank, ours),
            name=line["name"] or (ours["name"] if ours else ""),
            state=_state(ours["federation"]) if ours else "",
            rating=ours["rating"] if ours else "",
            cells=cells,
            fide_rating=self._value(line, "rating", "fide_rating", rank),
            fide_id=self._value(line, "number", "fide_id", rank),
        )

    def _rank(self, line: PlayerLine) -> int:
        text = line["rank"]
        if text.isascii() and text.isdecimal() and int(text):
            return int(text)
        at = {"pairing_number": 0, "field": f"line-{line.number}"}
        name = "value.unreadable/rank"
        self._add_at(line, "rank", name, at, written=printable(text))
        return 0

    def _value(self, line: PlayerLine, column: str, field: str, rank: int) -> str:
        text = line[column]
        try:
            if not line.is_in_place and text:
                raise ValueError(text)
            if column == "rating":
                return str(parse_rating(text) or "")
            return parse_fide_id(text)
        except ValueError:
            name = f"value.unreadable/{field.replace('fide_rating', 'rating')}"
            at = {"pairing_number": rank, "field": field}
            self._add_at(line, column, name, at, written=printable(text))
            return ""

    def _member_id(self, rank: int, ours: PlayerLine | None) -> str:
        member_id = ours["number"] if ours else ""
        member_id = member_id or self.trf_file.member_ids.get(rank, "")
        # Programs that keep a number instead of a text lose leading zeros.
        return MEMBER_ID.with_zeros(member_id)

    # Rounds

    def _cell(self, line: PlayerLine, rank: int, number: int, cell: TrfCell) -> Cell:
        read = _regular_cell(cell.opponent, cell.color, cell.result, self.bye)
        if read is not None:
            return read
        return self._special_cell(
            line.number, cell, {"pairing_number": rank, "round_number": number}
        )

    def _special_cell(self, line: int, cell: TrfCell, at: dict[str, Any]) -> Cell:
        """Return the cell of an unusual round, and add findings about it."""
        if not cell.is_sound or not (cell.opponent.strip("0") or cell.result):
            text = " ".join(filter(None, (cell.opponent, cell.color, cell.result)))
            name = "value.unreadable/round"
            self._add(name, line, cell.column, at, written=printable(text))
            return unreadable_cell(text)
        opponent, color = _opponent(cell.opponent), _color(cell.color)
        result = cell.result.upper()
        if opponent is None and color and result in _PLAYED:
            return Cell(_PLAYED[result], None, color)  # a game without its opponent
        if opponent is None:
            return self._bye(line, cell, at)
        if not result:
            as_color = {"W": "/white", "B": "/black"}.get(color, "")
            name = f"trf.no_result{as_color}"
            self._add(name, line, cell.column, at, opponent=opponent)
            return Cell()
        code, name = _WITHOUT_A_MOVE[result]
        self._add(name, line, cell.column, at, result=result)
        return Cell(code) if result == "D" else Cell(code, opponent, color)

    def _bye(self, line: int, cell: TrfCell, at: dict[str, Any]) -> Cell:
        """Return a bye that has the result of a game."""
        result = cell.result.upper()
        code, name = _WITHOUT_OPPONENT.get(result) or _WITHOUT_A_MOVE[result]
        self._add(name, line, cell.column, at, result=result)
        return Cell(code)

    def _check_points(
        self, line: PlayerLine, rank: int, cells: tuple[Cell, ...]
    ) -> None:
        """Compare the points with the results if a win is one point."""
        text = line["points"].replace(",", ".")
        if self.has_custom_points or not re.fullmatch(r"[0-9]{1,2}(\.[0-9])?", text):
            return
        half_points = sum(_HALF_POINTS.get(cell.code, 0) for cell in cells)
        if float(text) * 2 != half_points:
            points = {"points": float(text), "results": half_points / 2}
            self._add_at(
                line, "points", "trf.points", {"pairing_number": rank}, **points
            )

    def _take_member_ids(self) -> None:
        """Use the numbers as member IDs if none of the file can be a FIDE ID."""
        numbered = [entry for entry in self.entries if entry.fide_id]
        federations = (line["federation"].upper() for line in self.lines)
        is_ours = set(federations) <= {"", headers.HOME_FEDERATION}
        if not is_ours or not are_member_ids(entry.fide_id for entry in numbered):
            return
        self.entries = [
            replace(
                entry,
                member_id=entry.member_id or entry.fide_id,
                rating=entry.rating or entry.fide_rating,
                fide_id="",
                fide_rating="",
            )
            for entry in self.entries
        ]
        self.add("trf.member_ids", "member_id", count=len(numbered))

    def _report_online(self) -> None:
        """Ask about games on a server, whose ratings are not FIDE's or US Chess's."""
        if self.venue is Venue.ONLINE:
            self.add("trf.online", "online", server=server_in(self.trf_file.places))
        elif self.venue is Venue.UNSURE and "Online" not in self.trf_file.facts:
            self.add("trf.online/unsure", "online")
        self.entries = [*without_server_ratings(self.entries, self.venue)]

    def _remove_extra_rounds(self) -> None:
        """Drop cells after the file's last round if they name no opponent."""
        rounds = self._stated_rounds()
        extra = [
            (entry, number)
            for entry in self.entries
            for number in range(rounds + 1, len(entry.cells) + 1)
            if not entry.cells[number - 1].is_padding
        ]
        cells = (entry.cells[number - 1] for entry, number in extra)
        if not rounds or any(cell.raw or cell.opponent for cell in cells):
            return
        for entry, number in extra:
            written = format_cell(entry.cells[number - 1])
            place = replace(self.place, pairing_number=entry.pairing_number)
            place = replace(place, round_number=number)
            self.findings.add("trf.extra_round", place, written=written, rounds=rounds)
        self.entries = [
            replace(entry, cells=entry.cells[:rounds]) for entry in self.entries
        ]

    def _pad_rounds(self) -> None:
        """Give all players the same rounds; missing ones are unpaired.

        Rounds without any cells are future rounds, or were never played.
        """
        played = max(_last_played(entry) for entry in self.entries)
        longest = max(len(entry.cells) for entry in self.entries)
        played = max(played, min(longest, self._stated_rounds()))
        absent = Cell("U")
        self.entries = sorted(
            (
                replace(entry, cells=(entry.cells + (absent,) * played)[:played])
                for entry in self.entries
            ),
            key=lambda entry: entry.pairing_number,
        )

    # The whole file

    def _check_count(self) -> None:
        text, count = self.trf_file.value(headers.PLAYERS), len(self.trf_file.players)
        stated = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        if stated not in (0, count):
            line = self.trf_file.headers[headers.PLAYERS][0]
            self._add("trf.player_count", line.number, 5, {}, said=stated, count=count)

    def _report_kept_lines(self) -> None:
        for number in self.trf_file.bad_encoding_lines:
            self.add("trf.encoding", f"line-{number}", number=number)
        for line in self.trf_file.unknown_lines:
            shown = {"number": line.number, "printable": printable(line.text[:12])}
            self.add("trf.unknown_line", f"line-{line.number}", **shown)
        reported = {*self.trf_file.unknown_lines, *self.trf_file.rulers}
        tags = {
            line.tag
            for line in self.trf_file.kept_lines
            if line.tag not in headers.PARTLY_STORED and line not in reported
        }
        for name, listed in (
            ("trf.teams", tags & headers.TEAM_TAGS),
            ("trf.kept", tags - headers.TEAM_TAGS),
        ):
            if listed:
                self.add(name, "lines", tags=", ".join(sorted(listed)))

    def control(self) -> str:
        lines = {tag: self.trf_file.values(tag) for tag in headers.PARTLY_STORED}
        control = headers.find_time_control(lines)
        words = self.trf_file.value(headers.CONTROL)
        if words and control != words:
            line = self.trf_file.headers[headers.CONTROL][0]
            shown = {"words": printable(words), "control": control}
            at = {"field": "time_control"}
            self._add("trf.time_control", line.number, 5, at, **shown)
        return control

    def section(self, name: str) -> ReportedSection:
        lines = {tag: self.trf_file.values(tag) for tag in headers.PARTLY_STORED}
        played = max(len(entry.cells) for entry in self.entries)
        return ReportedSection(
            number=self.number,
            name=self.trf_file.facts.get("Section", name),
            time_control=self.control(),
            kind_letter=headers.find_kind(lines),
            rounds=max(self._stated_rounds(), played),
            last_pairing_number=self.entries[-1].pairing_number,
            online=self._is_online(),
            trf_lines=tuple(
                _without_birth_dates(line)
                for line in self.trf_file.kept_lines[:MAX_KEPT_LINES]
            ),
            entries=tuple(self.entries),
        )

    def _is_online(self) -> bool:
        stated = self.trf_file.facts.get("Online", "")
        return stated.lower() == "yes" if stated else self.venue is Venue.ONLINE

    def _stated_rounds(self) -> int:
        stated = self.trf_file.value(headers.ROUNDS) or self.trf_file.value(
            headers.OTHER_ROUNDS
        )
        number = re.fullmatch(r"[0-9]{1,2}", stated, re.ASCII)
        return int(stated) if number else 0

    def days(self) -> tuple[date | None, date | None]:
        """Return the first and last day; the rounds' days where they are missing."""
        round_texts = [
            text
            for line in self.trf_file.kept_lines
            if line.tag == headers.ROUND_DAYS
            for text in line.value.split()
        ]
        tags = (headers.STARTS, headers.ENDS)
        chosen = resolve_dates(
            [self.trf_file.value(tag) for tag in tags],
            round_texts,
            today=self.findings.today,
            year_first=True,
        )
        others = chosen.others or chosen.days
        starts, ends = map(self._days, tags, chosen.days, others)
        first, last = event_dates(starts, ends)
        if first and last:
            return first, last
        rounds = {day: text for text in round_texts if (day := chosen.day(text))}
        for text in rounds.values():
            place = replace(self.place, section=None, field="rounds")
            chosen.report_if_ambiguous(self.findings, place, text)
        return first or min(rounds, default=None), last or max(rounds, default=None)

    def _days(self, tag: str, day: date | None, other: date | None) -> DateRange | None:
        """Return the first and the last day in a line, which usually has one *day*."""
        text = self.trf_file.value(tag)
        if not text:
            return None
        line = self.trf_file.headers[tag][0].number
        at = {"section": None, "field": "starts" if tag == headers.STARTS else "ends"}
        days = (day, day) if day else find_date_range(text)
        if days is None:
            self._add("value.unreadable/date", line, 5, at, written=printable(text))
            return None
        values = {"written": text, "day": translatable_date(days[0])}
        if day and other and day != other:
            values["other"] = translatable_date(other)
            self._add("value.date_spelling/unclear", line, 5, at, **values)
        elif _SHORT_YEAR.fullmatch(text) or len(possible_dates(text)) > 1:
            self._add("value.date_spelling/year", line, 5, at, **values)
        return days

    def directors(self, tag: str) -> list[str]:
        """Return the member IDs of the arbiters of a kind; some have none."""
        member_ids = []
        for line in self.trf_file.headers.get(tag, ()):
            member_id = headers.find_member_id(line.value)
            if member_id:
                member_ids.append(member_id)
            elif line.value:
                at = {"section": None, "field": f"line-{line.number}"}
                name = printable(line.value)
                self._add("trf.director", line.number, 5, at, name=name)
        return member_ids


@lru_cache(maxsize=65_536)
def _regular_cell(opponent: str, color: str, result: str, bye: str) -> Cell | None:
    """Return the cell of a regular round, None if it needs a finding."""
    if not TrfCell(opponent, color, result, 0).is_sound:
        return None
    other, side, code = _opponent(opponent), _color(color), result.upper()
    is_bye = not other and not side
    if code in _WITHOUT_A_MOVE or (is_bye and code in _WITHOUT_OPPONENT):
        return None
    if code in _PLAYED:
        return Cell(_PLAYED[code], other, side)
    if not code and not is_bye:
        return None
    return Cell(bye if code == "U" else _BYES[code], other)


def _opponent(text: str) -> int | None:
    return int(text or 0) or None


def _color(text: str) -> str:
    return {"w": "W", "b": "B"}.get(text.lower(), "")


def _without_birth_dates(line: TrfLine) -> str:
    """Return a kept line without the birth dates in lines of other federations."""
    if _HEADING.fullmatch(line.tag):
        return line.text
    return _FULL_DATE.sub(lambda match: " " * len(match[0]), line.text).rstrip()


def _state(origin: str) -> str:
    return origin.upper() if re.fullmatch(r"[A-Za-z]{2}", origin) else ""


def _last_played(entry: ReportedEntry) -> int:
    """Return the last round in which the entry is not unpaired."""
    for number in range(len(entry.cells), 0, -1):
        if entry.cells[number - 1] != Cell("U"):
            return number
    return 0


def _allocated_bye(trf_file: TrfFile) -> str:
    """Return the code of a bye by pairing: a full point if not stated."""
    for line in trf_file.kept_lines:
        if line.tag in headers.POINT_LINES:
            match = _BYE_POINTS.search(line.value)
            points = float(match[2].replace(",", ".")) if match else 1.0
            if points <= 0.5:
                return "H" if points else "U"
    return "B"
