"""FIDE's tournament report file as the results of a foreign event.

Lines and dates are parsed in the same way as in files of domestic events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from events.formats.ambiguous_dates import resolve_dates
from events.formats.dates import event_dates, find_date_range
from events.formats.foreign.report import (
    MAX_ROUNDS,
    ForeignEventHeader,
    Remark,
    ReportedForeignEvent,
    ReportedForeignGame,
    ReportedForeignPlayer,
    ReportedUnplayedRound,
    clean_text,
    parse_federation,
    parse_fide_id,
    parse_rating,
    rejected_report,
)
from events.formats.foreign.rows import truncate_remarks
from events.formats.trf.lines import (
    MAX_PLAYERS,
    PLAYER,
    PlayerLine,
    TrfCell,
    TrfLine,
    parse_lines,
    parse_player_line,
)

LAYOUT = "TRF"
_Value = TypeVar("_Value")

_HEADER_TAGS = {"012": "name", "022": "city", "032": "federation", "042": "starts"}
_HEADER_TAGS["052"] = "ends"

_GAMES = {"1": 2, "=": 1, "0": 0}
_MIRRORS = {"1": "0", "=": "=", "0": "1"}
_UNPLAYED = {
    "+": "won by forfeit",
    "-": "lost by forfeit",
    "W": "won without a rated game",
    "D": "drawn without a rated game",
    "L": "lost without a rated game",
    "H": "half-point bye",
    "F": "full-point bye",
    "U": "bye",
    "Z": "absent",
    "": "absent",
}
# Byes that have the result of a game.
_NOT_PLAYED = {"1": "full-point bye", "=": "half-point bye", "0": "absent"}
_COLORS = {"w": "W", "b": "B"}


@dataclass(frozen=True, slots=True)
class _Cell:
    """One round; *unreadable_text* is the text of an invalid one."""

    opponent: int = 0
    color: str = ""
    result: str = ""
    unreadable_text: str = ""

    @property
    def unplayed_reason(self) -> str:
        """Return why it is not a game that counts, blank if it is one."""
        if self.unreadable_text:
            return "cannot be read"
        if self.result in _GAMES:
            is_bye = not (self.opponent or self.color)
            return _NOT_PLAYED[self.result] if is_bye else ""
        return _UNPLAYED[self.result]


@dataclass(frozen=True, slots=True)
class _RankedPlayer:
    """A player line. *number* is the line's in the file, *rank* the starting rank."""

    number: int
    rank: int
    name: str
    rating: int | None
    federation: str
    fide_id: str
    cells: tuple[_Cell, ...]


def read_trf(data: bytes) -> ReportedForeignEvent:
    """Read a whole tournament: every player with their games and rounds off."""
    headers: dict[str, str] = {}
    players: dict[int, _RankedPlayer] = {}
    remarks: list[Remark] = []
    for line in parse_lines(data):
        if line.tag in _HEADER_TAGS:
            headers.setdefault(_HEADER_TAGS[line.tag], line.value)
        elif line.tag == PLAYER:
            if len(players) == MAX_PLAYERS:
                return rejected_report(
                    LAYOUT,
                    f"There are more than {MAX_PLAYERS:,} players.",
                    "Send one tournament only.",
                    f"Line {line.number}",
                )
            _add(players, line, remarks)
    if not players:
        return rejected_report(
            LAYOUT,
            "No player line could be read; they begin with 001.",
            "Send the report file as it went to FIDE.",
        )
    parsed = tuple(_player(line, players) for line in players.values())
    return ReportedForeignEvent(
        LAYOUT, _event(headers, remarks), parsed, truncate_remarks(remarks)
    )


def _event(headers: Mapping[str, str], remarks: list[Remark]) -> ForeignEventHeader:
    starts, ends = (clean_text(headers.get(key, ""), 60) for key in ("starts", "ends"))
    chosen = resolve_dates([starts, ends], year_first=True)
    clear = [
        day.isoformat() if day else text
        for day, text in zip(chosen.days, (starts, ends), strict=True)
    ]
    days = event_dates(*map(find_date_range, clear))
    for text in dict.fromkeys((starts, ends)):
        if other := chosen.other(text):
            sentence = f"{text!r} may be {chosen.day(text)} or {other}."
            remarks.append(
                Remark("Heading", sentence, "Check the first and the last day.")
            )
    for day, text, parsed in zip(("first", "last"), (starts, ends), days, strict=True):
        if parsed is None:
            fault = f"is {text!r}" if text else "is missing"
            remarks.append(
                Remark("Heading", f"The {day} day {fault}.", "Enter it by hand.")
            )
    return ForeignEventHeader(
        name=clean_text(headers.get("name", ""), 120),
        city=clean_text(headers.get("city", ""), 60),
        federation=parse_federation(headers.get("federation", "")),
        starts=days[0],
        ends=days[1],
    )


def _add(
    players: dict[int, _RankedPlayer], text: TrfLine, remarks: list[Remark]
) -> None:
    cut = parse_player_line(text)
    try:
        line = _ranked_player(cut, remarks)
        if line.rank in players:
            raise ValueError(f"Starting rank {line.rank} stands there already.")
    except ValueError as fault:
        remarks.append(
            Remark(
                f"Line {text.number}",
                str(fault),
                "The line was left out: its columns may be shifted, or it is cut off.",
            )
        )
    else:
        players[line.rank] = line
        if not cut.in_columns:
            remarks.append(
                Remark(
                    f"Line {text.number}",
                    "It does not keep to the columns; its fields were found by their "
                    "contents.",
                    "Compare it with the published crosstable.",
                )
            )


def _ranked_player(fields: PlayerLine, remarks: list[Remark]) -> _RankedPlayer:
    if not fields.is_in_place:
        raise ValueError("Rank, federation or points do not stand in their columns.")
    if len(fields.cells) > MAX_ROUNDS:
        raise ValueError(f"There are {len(fields.cells)} rounds.")
    return _RankedPlayer(
        number=fields.number,
        rank=_rank(fields["rank"]),
        name=clean_text(fields["name"]),
        rating=_value(parse_rating, fields, "rating", remarks),
        federation=parse_federation(fields["federation"]),
        fide_id=_value(parse_fide_id, fields, "number", remarks) or "",
        cells=tuple(map(_cell, fields.cells)),
    )


def _value(
    read: Callable[[str], _Value],
    fields: PlayerLine,
    name: str,
    remarks: list[Remark],
) -> _Value | None:
    try:
        return read(fields[name])
    except ValueError as fault:
        hint = "It was left out; look it up if it is needed."
        remarks.append(Remark(f"Line {fields.number}", str(fault), hint))
        return None


def _rank(rank: str) -> int:
    if not (rank.isascii() and rank.isdecimal() and int(rank) > 0):
        raise ValueError(f"The starting rank is {clean_text(rank)!r}.")
    return int(rank)


def _cell(cell: TrfCell) -> _Cell:
    if not cell.is_sound:
        return _Cell(
            unreadable_text=clean_text(f"{cell.opponent} {cell.color} {cell.result}")
        )
    color = _COLORS.get(cell.color.lower(), "")
    return _Cell(int(cell.opponent or 0), color, cell.result.upper())


def _player(
    line: _RankedPlayer, players: Mapping[int, _RankedPlayer]
) -> ReportedForeignPlayer:
    games, rounds_off, remarks = [], [], []
    for number, cell in enumerate(line.cells, start=1):
        opponent = players.get(cell.opponent)
        if cell.unplayed_reason:
            rounds_off.append(ReportedUnplayedRound(number, cell.unplayed_reason))
            if cell.unreadable_text:
                remarks.append(_unreadable_remark(line, number, cell.unreadable_text))
        elif opponent is None:
            rounds_off.append(ReportedUnplayedRound(number, "opponent cannot be read"))
            remarks.append(_missing_opponent_remark(line, number, cell.opponent))
        else:
            games.append(_game(number, cell, opponent))
            remarks += _mirror_remarks(line, number, cell, opponent)
    return ReportedForeignPlayer(
        place=f"Line {line.number}",
        fide_id=line.fide_id,
        name=line.name,
        games=tuple(games),
        rounds_off=tuple(rounds_off),
        remarks=tuple(remarks),
    )


def _game(number: int, cell: _Cell, opponent: _RankedPlayer) -> ReportedForeignGame:
    return ReportedForeignGame(
        round_number=number,
        opponent_name=opponent.name,
        opponent_fide_id=opponent.fide_id,
        opponent_federation=opponent.federation,
        rating=opponent.rating,
        color=cell.color,
        half_points=_GAMES[cell.result],
    )


def _unreadable_remark(line: _RankedPlayer, number: int, text: str) -> Remark:
    return Remark(
        f"Line {line.number}, round {number}",
        f"The round is {text!r}, which cannot be read.",
        "The game was left out; add it by hand if it was played.",
    )


def _missing_opponent_remark(line: _RankedPlayer, number: int, opponent: int) -> Remark:
    named = f"starting rank {opponent}" if opponent else "nobody"
    return Remark(
        f"Line {line.number}, round {number}",
        f"The game is against {named}, and no such player can be read.",
        "The game was left out; add it by hand if it was played.",
    )


def _mirror_remarks(
    line: _RankedPlayer, number: int, cell: _Cell, opponent: _RankedPlayer
) -> list[Remark]:
    """Remark on a game that the opponent reports differently."""
    other = opponent.cells[number - 1] if number <= len(opponent.cells) else None
    if other is not None and (other.opponent, other.result) == (
        line.rank,
        _MIRRORS[cell.result],
    ):
        return []
    return [
        Remark(
            f"Line {line.number}, round {number}",
            f"Starting rank {line.rank} reports {cell.result} against "
            f"{opponent.rank}, who reports something else.",
            "Compare it with the published crosstable.",
        )
    ]
