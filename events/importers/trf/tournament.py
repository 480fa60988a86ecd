"""One tournament of a TRF: a section, of one or several sheets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from events.importers.archive import printable
from events.importers.days import (
    Days,
    choose_days,
    day_in,
    days_in,
    first_and_last,
    readings,
)
from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.findings import Collector, Place
from events.importers.foreign.records import are_member_ids, fide_id_in, rating_in
from events.importers.foreign.rows import odd_letter_lines
from events.importers.online_play import may_be_online, server_in
from events.importers.records import (
    Cell,
    ReportedEntry,
    ReportedSection,
    format_cell,
    unreadable_cell,
)
from events.importers.sentences import say_day
from events.importers.trf import heads
from events.importers.trf.lines import (
    COMMENT,
    FIRST_ROUND,
    MOST_PLAYERS,
    MOST_RESULTS,
    PLAYER,
    ROUND_WIDTH,
    PlayerLine,
    TrfCell,
    TrfLine,
    cut_line,
    is_ruler,
    lines_of,
    player_line,
)

LAYOUT_2016 = "TRF16"
LAYOUT_2026 = "TRF26"
LAYOUTS = (LAYOUT_2016, LAYOUT_2026)
MOST_KEPT_LINES = 2_000

_TAG = re.compile(r"[0-9A-Z]{3}|###", re.ASCII)
_MEMBER_DATA = re.compile(
    r"DAT\s+([0-9]{1,4})\s+ID:(?:USCF|USCHESS)\s+([0-9]{1,8})", re.ASCII | re.IGNORECASE
)
_BYE_POINTS = re.compile(r"\b(P|PAB)\s*=?\s*([0-9]*[.,]?[0-9]+)")
_HEADING = re.compile(r"[0-9]{2}2", re.ASCII)
_FULL_DATE = re.compile(r"(?<![0-9/])[0-9]{4}([/.-])[0-9]{2}\1[0-9]{2}(?![0-9/])")
_SHORT_YEAR = re.compile(r"[0-9]{1,2}([./]) ?[0-9]{1,2}\1 ?[0-9]{2}", re.ASCII)

_PLAYED = {"1": "W", "0": "L", "=": "D", "+": "X", "-": "F"}
# A game without a move counts for the standings only, as a forfeit does here. A draw
# without a game has no code here: half a point without a game is what remains of it.
_WITHOUT_A_MOVE = {
    "W": ("X", "trf.no_game/win"),
    "L": ("F", "trf.no_game/loss"),
    "D": ("H", "trf.no_game"),
}
# Programs of before 2006 gave byes the results of games.
_WITHOUT_OPPONENT = {
    "1": ("B", "trf.no_game/bye"),
    "=": ("H", "trf.no_game"),
    "0": ("U", "trf.no_game/absent"),
}
_BYES = {"H": "H", "F": "B", "Z": "U", "": "U"}
_HALF_POINTS = {"W": 2, "D": 1, "X": 2, "H": 1, "B": 2}


@dataclass(slots=True)
class Sheet:
    """The lines of one file by what they hold."""

    file: str
    heads: dict[str, list[TrfLine]] = field(default_factory=dict)
    players: list[TrfLine] = field(default_factory=list)
    national: list[TrfLine] = field(default_factory=list)
    member_ids: dict[int, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    number: int | None = None
    kept: list[TrfLine] = field(default_factory=list)
    strange: list[TrfLine] = field(default_factory=list)
    rulers: set[TrfLine] = field(default_factory=set)
    is_of_2026: bool = False
    odd_letters: list[int] = field(default_factory=list)  # lines

    @classmethod
    def of(cls, file: str, data: bytes) -> Sheet:
        sheet = cls(file, odd_letters=odd_letter_lines(data))
        for line in lines_of(data):
            if line.text.strip():
                sheet._add(line)
        return sheet

    def _add(self, line: TrfLine) -> None:
        tag = line.tag
        self.is_of_2026 |= tag in heads.OF_2026 or tag == heads.HOME
        if tag == PLAYER:
            self.players.append(line)
        elif tag == heads.HOME:
            self.national.append(line)
        elif tag in heads.HELD:
            self.heads.setdefault(tag, []).append(line)
        elif not self._add_fact(line) and not self._add_member_id(line):
            self._keep(line)

    def _add_fact(self, line: TrfLine) -> bool:
        fact = heads.fact_in(line.text) if line.tag == COMMENT else None
        if fact is None:
            return False
        name, number, text = fact
        self.facts.setdefault(name, text)
        if number:
            self.number = int(number)
        return True

    def _add_member_id(self, line: TrfLine) -> bool:
        match = _MEMBER_DATA.fullmatch(line.text)
        if match is not None:
            self.member_ids[int(match[1])] = match[2]
        return match is not None

    def _keep(self, line: TrfLine) -> None:
        self.kept.append(line)
        if line.tag in heads.HELD_IN_PART:
            self.heads.setdefault(line.tag, []).append(line)
        elif is_ruler(line.text):
            self.rulers.add(line)
        elif not _TAG.fullmatch(line.tag) or line.text[3:4].strip():
            self.strange.append(line)

    def values(self, tag: str) -> list[str]:
        return [line.value for line in self.heads.get(tag, ())]

    def value(self, tag: str) -> str:
        return next((value for value in self.values(tag) if value), "")

    @property
    def name(self) -> str:
        return self.value(heads.NAME)

    @property
    def about(self) -> list[str]:
        """What the headings say of the event, its place and its arbiters."""
        return [value for tag in heads.ABOUT for value in self.values(tag)]


# One tournament


class Tournament:
    """Makes a section of one file's lines."""

    def __init__(self, sheet: Sheet, number: int, findings: Collector) -> None:
        self.sheet = sheet
        self.number = number
        self.findings = findings
        self.here = Place(file=sheet.file, section=number)
        self.lines: list[PlayerLine] = []
        self.entries: list[ReportedEntry] = []
        self.bye = _allocated_bye(sheet)
        self.server = server_in(sheet.about)
        self.has_own_points = any(line.tag in heads.POINT_LINES for line in sheet.kept)

    def read_players(self) -> bool:
        """Read the player lines; tell whether there is one."""
        if not self.sheet.players:
            self.findings.add(
                "trf.no_players", Place(file=self.sheet.file), file=self.sheet.file
            )
            return False
        if self._has_too_many_results():
            return False
        if len(self.sheet.players) > MOST_PLAYERS:
            self.findings.add(
                "trf.too_many_players",
                Place(file=self.sheet.file),
                file=self.sheet.file,
                players=len(self.sheet.players),
                most_players=MOST_PLAYERS,
            )
        self.lines = [self._cut(line) for line in self.sheet.players[:MOST_PLAYERS]]
        national = self._national(self.lines)
        self.entries = [self._entry(line, national) for line in self.lines]
        self._take_member_ids()
        self._tell_online()
        self._leave_out_extra_rounds()
        self._even_out()
        self._check_count()
        self._tell_of_kept()
        return True

    def _has_too_many_results(self) -> bool:
        """Refuse what nobody plays before it is read: its checks would take long."""
        wide = (len(line.text) - FIRST_ROUND for line in self.sheet.players)
        results = sum(width // ROUND_WIDTH + 1 for width in wide if width >= 0)
        if results > MOST_RESULTS:
            self.findings.add(
                "trf.too_many_results",
                Place(file=self.sheet.file),
                file=self.sheet.file,
                results=results,
                most_results=MOST_RESULTS,
            )
        return results > MOST_RESULTS

    def _add(
        self, name: str, line: int, column: int, at: dict[str, Any], /, **values: Any
    ) -> None:
        place = replace(self.here, **at)
        self.findings.add(name, place, line=line, column=column, **values)

    # Lines into entries

    def _cut(self, line: TrfLine) -> PlayerLine:
        cut = cut_line(line)
        if cut.in_columns:
            self._check_length(line, cut)
        else:
            self.findings.add(
                "trf.shifted",
                replace(self.here, field=f"line-{line.number}"),
                number=line.number,
                printable=printable(cut["name"]),
            )
        return cut

    def _check_length(self, line: TrfLine, cut: PlayerLine) -> None:
        if len(line.text) < cut.starts["points"]:
            self.findings.add(
                "trf.line_short",
                replace(self.here, field=f"line-{line.number}"),
                number=line.number,
                length=len(line.text),
            )

    def _national(self, players: Sequence[PlayerLine]) -> dict[str, PlayerLine]:
        """Return our federation's lines by starting rank."""
        ranks = {line["rank"].lstrip("0") for line in players}
        found: dict[str, PlayerLine] = {}
        for line in map(player_line, self.sheet.national[:MOST_PLAYERS]):
            rank = line["rank"].lstrip("0")
            if rank in ranks:
                found.setdefault(rank, line)
            else:
                self._add(
                    "trf.national_line",
                    line.number,
                    line.starts["rank"],
                    {"field": f"line-{line.number}"},
                    rank=line["rank"],
                )
        return found

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
            self._add(
                "trf.rounds",
                line.number,
                line.cells[MAX_ROUNDS].column,
                {"pairing_number": rank},
                round_number=MAX_ROUNDS + 1,
                max_rounds=MAX_ROUNDS,
            )
        self._check_points(line, rank, cells)
        rating = self._value(line, "rating", rank)
        fide_id = self._value(line, "number", rank)
        return ReportedEntry(
            pairing_number=rank,
            member_id=self._member_id(rank, ours),
            name=line["name"] or (ours["name"] if ours else ""),
            state=_state(ours["federation"]) if ours else "",
            rating=ours["rating"] if ours else "",
            cells=cells,
            fide_id=fide_id,
            fide_rating=rating,
        )

    def _rank(self, line: PlayerLine) -> int:
        text = line["rank"]
        if text.isascii() and text.isdecimal() and int(text):
            return int(text)
        self._add(
            "value.unreadable/rank",
            line.number,
            line.starts["rank"],
            {"pairing_number": 0, "field": f"line-{line.number}"},
            written=printable(text),
        )
        return 0

    def _value(self, line: PlayerLine, name: str, rank: int) -> str:
        try:
            if not line.is_in_place and line[name]:
                raise ValueError(line[name])
            if name == "rating":
                return str(rating_in(line[name]) or "")
            return fide_id_in(line[name])
        except ValueError:
            is_rating = name == "rating"
            self._add(
                f"value.unreadable/{'rating' if is_rating else 'fide_id'}",
                line.number,
                line.starts[name],
                {
                    "pairing_number": rank,
                    "field": "fide_rating" if is_rating else "fide_id",
                },
                written=printable(line[name]),
            )
            return ""

    def _member_id(self, rank: int, ours: PlayerLine | None) -> str:
        member_id = ours["number"] if ours else ""
        member_id = member_id or self.sheet.member_ids.get(rank, "")
        # Programs that keep a number instead of a text lose leading zeros.
        return member_id.zfill(8) if member_id.isdecimal() else member_id

    # Rounds

    def _cell(self, line: PlayerLine, rank: int, number: int, cell: TrfCell) -> Cell:
        read = _plain_cell(cell.opponent, cell.color, cell.result, self.bye)
        if read is not None:
            return read
        return self._odd_cell(
            line.number, cell, {"pairing_number": rank, "round_number": number}
        )

    def _odd_cell(self, line: int, cell: TrfCell, at: dict[str, Any]) -> Cell:
        """Return what can be read of a round that needs a word about it."""
        if not cell.is_sound or not (cell.opponent.strip("0") or cell.result):
            text = " ".join(filter(None, (cell.opponent, cell.color, cell.result)))
            self._add(
                "value.unreadable/round", line, cell.column, at, written=printable(text)
            )
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
        """Compare the points with the results, where a win is one point."""
        text = line["points"].replace(",", ".")
        if self.has_own_points or not re.fullmatch(r"[0-9]{1,2}(\.[0-9])?", text):
            return
        half_points = sum(_HALF_POINTS.get(cell.code, 0) for cell in cells)
        if float(text) * 2 != half_points:
            self._add(
                "trf.points",
                line.number,
                line.starts["points"],
                {"pairing_number": rank},
                points=float(text),
                results=half_points / 2,
            )

    def _take_member_ids(self) -> None:
        """Take the numbers for member IDs where none of the file can be a FIDE ID."""
        numbered = [entry for entry in self.entries if entry.fide_id]
        federations = (line["federation"].upper() for line in self.lines)
        is_ours = set(federations) <= {"", heads.HOME}
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
        place = replace(self.here, field="member_id")
        self.findings.add("trf.member_ids", place, count=len(numbered))

    def _tell_online(self) -> None:
        """Ask about games on a server, whose ratings are neither FIDE's nor ours."""
        place = replace(self.here, field="online")
        if self.server:
            self.findings.add("trf.online", place, server=self.server)
            self.entries = [
                replace(
                    entry, fide_rating="" if not entry.fide_id else entry.fide_rating
                )
                for entry in self.entries
            ]
        elif may_be_online(self.sheet.about) and "Online" not in self.sheet.facts:
            self.findings.add("trf.online/unsure", place)

    def _leave_out_extra_rounds(self) -> None:
        """Leave out what follows the file's last round if it names no opponent."""
        rounds = self._rounds_said()
        extra = [
            (entry, number)
            for entry in self.entries
            for number in range(rounds + 1, len(entry.cells) + 1)
            if not entry.cells[number - 1].padding
        ]
        cells = (entry.cells[number - 1] for entry, number in extra)
        if not rounds or any(cell.raw or cell.opponent for cell in cells):
            return
        for entry, number in extra:
            self.findings.add(
                "trf.extra_round",
                replace(
                    self.here, pairing_number=entry.pairing_number, round_number=number
                ),
                written=format_cell(entry.cells[number - 1]),
                rounds=rounds,
            )
        self.entries = [
            replace(entry, cells=entry.cells[:rounds]) for entry in self.entries
        ]

    def _even_out(self) -> None:
        """Give everybody the same rounds: who has none any more is not paired.

        Rounds in which nobody has anything are rounds to come, or never played.
        """
        played = max(_last_played(entry) for entry in self.entries)
        told = max(len(entry.cells) for entry in self.entries)
        played = max(played, min(told, self._rounds_said()))
        absent = Cell("U")
        self.entries = sorted(
            (
                replace(entry, cells=(entry.cells + (absent,) * played)[:played])
                for entry in self.entries
            ),
            key=lambda entry: entry.pairing_number,
        )

    # What concerns the whole file

    def _check_count(self) -> None:
        said = self.sheet.value(heads.PLAYERS)
        count = len(self.sheet.players)
        if said.isascii() and said.isdecimal() and int(said[:9]) not in (0, count):
            line = self.sheet.heads[heads.PLAYERS][0]
            self._add(
                "trf.player_count", line.number, 5, {}, said=int(said[:9]), count=count
            )

    def _tell_of_kept(self) -> None:
        for number in self.sheet.odd_letters:
            place = replace(self.here, field=f"line-{number}")
            self.findings.add("trf.encoding", place, number=number)
        for line in self.sheet.strange:
            self.findings.add(
                "trf.unknown_line",
                replace(self.here, field=f"line-{line.number}"),
                number=line.number,
                printable=printable(line.text[:12]),
            )
        told = {*self.sheet.strange, *self.sheet.rulers}
        tags = {
            line.tag
            for line in self.sheet.kept
            if line.tag not in heads.HELD_IN_PART and line not in told
        }
        for name, found in (
            ("trf.teams", tags & heads.OF_TEAMS),
            ("trf.kept", tags - heads.OF_TEAMS),
        ):
            if found:
                self.findings.add(
                    name,
                    replace(self.here, field="lines"),
                    tags=", ".join(sorted(found)),
                )

    def control(self) -> str:
        said = {tag: self.sheet.values(tag) for tag in heads.HELD_IN_PART}
        control = heads.control_in(said)
        words = self.sheet.value(heads.CONTROL)
        if words and control != words:
            line = self.sheet.heads[heads.CONTROL][0]
            self._add(
                "trf.time_control",
                line.number,
                5,
                {"field": "time_control"},
                words=printable(words),
                control=control,
            )
        return control

    def section(self, name: str) -> ReportedSection:
        said = {tag: self.sheet.values(tag) for tag in heads.HELD_IN_PART}
        played = max(len(entry.cells) for entry in self.entries)
        return ReportedSection(
            number=self.number,
            name=self.sheet.facts.get("Section", name),
            time_control=self.control(),
            kind_letter=heads.kind_in(said),
            rounds=max(self._rounds_said(), played),
            last_pairing_number=self.entries[-1].pairing_number,
            online=self._is_online(),
            trf_lines=tuple(
                _without_birth_dates(line) for line in self.sheet.kept[:MOST_KEPT_LINES]
            ),
            entries=tuple(self.entries),
        )

    def _is_online(self) -> bool:
        said = self.sheet.facts.get("Online", "yes" if self.server else "")
        return said.lower() == "yes"

    def _rounds_said(self) -> int:
        said = self.sheet.value(heads.ROUNDS) or self.sheet.value(heads.OTHER_ROUNDS)
        number = re.fullmatch(r"[0-9]{1,2}", said, re.ASCII)
        return int(said) if number else 0

    def days(self) -> tuple[date | None, date | None]:
        """Return the first and last day; the rounds' days where they are missing."""
        of_rounds = [
            text
            for line in self.sheet.kept
            if line.tag == heads.ROUND_DAYS
            for text in line.value.split()
        ]
        tags = (heads.STARTS, heads.ENDS)
        chosen = choose_days(
            [self.sheet.value(tag) for tag in tags],
            of_rounds,
            today=self.findings.today,
            year_first=True,
        )
        others = chosen.others or chosen.days
        starts, ends = map(self._days, tags, chosen.days, others)
        first, last = first_and_last(starts, ends)
        rounds = [day for text in of_rounds if (day := day_in(text))]
        return first or min(rounds, default=None), last or max(rounds, default=None)

    def _days(self, tag: str, day: date | None, other: date | None) -> Days | None:
        """Return the first and the last day of a line; mostly it has one *day*."""
        text = self.sheet.value(tag)
        if not text:
            return None
        line = self.sheet.heads[tag][0].number
        at = {"section": None, "field": "starts" if tag == heads.STARTS else "ends"}
        days = (day, day) if day else days_in(text)
        if days is None:
            self._add("value.unreadable/date", line, 5, at, written=printable(text))
            return None
        said = {"written": text, "day": say_day(days[0])}
        if day and other and day != other:
            said["other"] = say_day(other)
            self._add("value.date_spelling/unclear", line, 5, at, **said)
        elif _SHORT_YEAR.fullmatch(text) or len(readings(text)) > 1:
            self._add("value.date_spelling/year", line, 5, at, **said)
        return days

    def directors(self, tag: str) -> list[str]:
        """Return the member IDs of the arbiters of a kind; some have none."""
        member_ids = []
        for line in self.sheet.heads.get(tag, ()):
            member_id = heads.member_id_in(line.value)
            if member_id:
                member_ids.append(member_id)
            elif line.value:
                self._add(
                    "trf.director",
                    line.number,
                    5,
                    {"section": None, "field": f"line-{line.number}"},
                    name=printable(line.value),
                )
        return member_ids


@lru_cache(maxsize=65_536)
def _plain_cell(opponent: str, color: str, result: str, bye: str) -> Cell | None:
    """Return the cell of a round of which there is nothing to say, else None."""
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
    """Return a line that is kept; those of other federations have birth dates."""
    if _HEADING.fullmatch(line.tag):
        return line.text
    return _FULL_DATE.sub(lambda found: " " * len(found[0]), line.text).rstrip()


def _state(origin: str) -> str:
    return origin.upper() if re.fullmatch(r"[A-Za-z]{2}", origin) else ""


def _last_played(entry: ReportedEntry) -> int:
    """Return the last round in which the entry has anything but no pairing."""
    for number in range(len(entry.cells), 0, -1):
        if entry.cells[number - 1] != Cell("U"):
            return number
    return 0


def _allocated_bye(sheet: Sheet) -> str:
    """Return the code of a bye that the pairing gave: a point if not said."""
    for line in sheet.kept:
        if line.tag in heads.POINT_LINES:
            match = _BYE_POINTS.search(line.value)
            points = float(match[2].replace(",", ".")) if match else 1.0
            if points <= 0.5:
                return "H" if points else "U"
    return "B"
