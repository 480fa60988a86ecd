"""FIDE's tournament report file as the results of a foreign event.

Its lines are cut, and its days read, as those of the files of events here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from events.importers.days import days_in, first_and_last
from events.importers.foreign.records import (
    MOST_ROUNDS,
    EventAbroad,
    GameAbroad,
    PlayerAbroad,
    Remark,
    ReportedForeignEvent,
    RoundOff,
    federation_in,
    fide_id_in,
    rating_in,
    refused,
    tidy,
)
from events.importers.foreign.rows import shortened
from events.importers.trf.lines import (
    MOST_PLAYERS,
    PLAYER,
    PlayerLine,
    TrfCell,
    TrfLine,
    cut_line,
    lines_of,
)

LAYOUT = "TRF"
_Value = TypeVar("_Value")

_HEADS = {"012": "name", "022": "city", "032": "federation", "042": "starts"}
_HEADS["052"] = "ends"

_GAMES = {"1": 2, "=": 1, "0": 0}
_MIRRORS = {"1": "0", "=": "=", "0": "1"}
_OFF = {
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
    """One round; *unread* is what stands there if it makes no sense."""

    opponent: int = 0
    color: str = ""
    result: str = ""
    unread: str = ""

    @property
    def off(self) -> str:
        """Why it is no game that counts, blank if it is one."""
        if self.unread:
            return "cannot be read"
        if self.result in _GAMES:
            is_bye = not (self.opponent or self.color)
            return _NOT_PLAYED[self.result] if is_bye else ""
        return _OFF[self.result]


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
    heads: dict[str, str] = {}
    players: dict[int, _RankedPlayer] = {}
    remarks: list[Remark] = []
    for line in lines_of(data):
        if line.tag in _HEADS:
            heads.setdefault(_HEADS[line.tag], line.value)
        elif line.tag == PLAYER:
            if len(players) == MOST_PLAYERS:
                return refused(
                    LAYOUT,
                    f"There are more than {MOST_PLAYERS:,} players.",
                    "Send one tournament only.",
                    f"Line {line.number}",
                )
            _add(players, line, remarks)
    if not players:
        return refused(
            LAYOUT,
            "No player line could be read; they begin with 001.",
            "Send the report file as it went to FIDE.",
        )
    found = tuple(_player(line, players) for line in players.values())
    return ReportedForeignEvent(
        LAYOUT, _event(heads, remarks), found, shortened(remarks)
    )


def _event(heads: Mapping[str, str], remarks: list[Remark]) -> EventAbroad:
    starts, ends = (tidy(heads.get(what, ""), 60) for what in ("starts", "ends"))
    days = first_and_last(days_in(starts), days_in(ends))
    for day, text, found in zip(("first", "last"), (starts, ends), days, strict=True):
        if found is None:
            said = f"is {text!r}" if text else "is missing"
            remarks.append(
                Remark("Heading", f"The {day} day {said}.", "Enter it by hand.")
            )
    return EventAbroad(
        name=tidy(heads.get("name", ""), 120),
        city=tidy(heads.get("city", ""), 60),
        federation=federation_in(heads.get("federation", "")),
        starts=days[0],
        ends=days[1],
    )


def _add(
    players: dict[int, _RankedPlayer], text: TrfLine, remarks: list[Remark]
) -> None:
    cut = cut_line(text)
    try:
        line = _line(cut, remarks)
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


def _line(fields: PlayerLine, remarks: list[Remark]) -> _RankedPlayer:
    if not fields.is_in_place:
        raise ValueError("Rank, federation or points do not stand in their columns.")
    if len(fields.cells) > MOST_ROUNDS:
        raise ValueError(f"There are {len(fields.cells)} rounds.")
    return _RankedPlayer(
        number=fields.number,
        rank=_rank(fields["rank"]),
        name=tidy(fields["name"]),
        rating=_value(rating_in, fields, "rating", remarks),
        federation=federation_in(fields["federation"]),
        fide_id=_value(fide_id_in, fields, "number", remarks) or "",
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
        raise ValueError(f"The starting rank is {tidy(rank)!r}.")
    return int(rank)


def _cell(cell: TrfCell) -> _Cell:
    if not cell.is_sound:
        return _Cell(unread=tidy(f"{cell.opponent} {cell.color} {cell.result}"))
    color = _COLORS.get(cell.color.lower(), "")
    return _Cell(int(cell.opponent or 0), color, cell.result.upper())


def _player(line: _RankedPlayer, players: Mapping[int, _RankedPlayer]) -> PlayerAbroad:
    games, rounds_off, remarks = [], [], []
    for number, cell in enumerate(line.cells, start=1):
        opponent = players.get(cell.opponent)
        if cell.off:
            rounds_off.append(RoundOff(number, cell.off))
            if cell.unread:
                remarks.append(_unreadable(line, number, cell.unread))
        elif opponent is None:
            rounds_off.append(RoundOff(number, "opponent cannot be read"))
            remarks.append(_without_opponent(line, number, cell.opponent))
        else:
            games.append(_game(number, cell, opponent))
            remarks += _not_mirrored(line, number, cell, opponent)
    return PlayerAbroad(
        place=f"Line {line.number}",
        fide_id=line.fide_id,
        name=line.name,
        games=tuple(games),
        rounds_off=tuple(rounds_off),
        remarks=tuple(remarks),
    )


def _game(number: int, cell: _Cell, opponent: _RankedPlayer) -> GameAbroad:
    return GameAbroad(
        round_number=number,
        opponent_name=opponent.name,
        opponent_fide_id=opponent.fide_id,
        opponent_federation=opponent.federation,
        rating=opponent.rating,
        color=cell.color,
        half_points=_GAMES[cell.result],
    )


def _unreadable(line: _RankedPlayer, number: int, text: str) -> Remark:
    return Remark(
        f"Line {line.number}, round {number}",
        f"The round is {text!r}, which cannot be read.",
        "The game was left out; add it by hand if it was played.",
    )


def _without_opponent(line: _RankedPlayer, number: int, opponent: int) -> Remark:
    who = f"starting rank {opponent}" if opponent else "nobody"
    return Remark(
        f"Line {line.number}, round {number}",
        f"The game is against {who}, and no such player can be read.",
        "The game was left out; add it by hand if it was played.",
    )


def _not_mirrored(
    line: _RankedPlayer, number: int, cell: _Cell, opponent: _RankedPlayer
) -> list[Remark]:
    """Remark on a game that the opponent reports otherwise."""
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
