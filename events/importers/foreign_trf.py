"""FIDE's tournament report file (TRF16): a whole tournament in fixed columns.

Each line begins with three digits that say what it holds. Player lines (001) have the
starting rank, sex, title, name, FIDE rating, federation, FIDE ID, birth date, points
and rank, and then ten characters a round: opponent's starting rank, colour, result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from events.importers.foreign_records import (
    MOST_ROUNDS,
    EventAbroad,
    ForeignReport,
    GameAbroad,
    PlayerAbroad,
    Remark,
    RoundOff,
    day_in,
    federation_in,
    fide_id_in,
    rating_in,
    refused,
    tidy,
)
from events.importers.foreign_rows import decoded, shortened

LAYOUT = "TRF"
MOST_PLAYERS = 5_000

_PLAYER = "001"
_HEADS = {"012": "name", "022": "city", "032": "federation", "042": "starts"}
_HEADS["052"] = "ends"
_FIRST_ROUND = 91
_ROUND_WIDTH = 10
_LINE = re.compile(r"[0-9]{3}( |$)", re.ASCII)

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
_COLOURS = {"w": "W", "b": "B"}


def looks_like_trf(data: bytes) -> bool:
    """Tell whether the first lines begin with the codes of a report file."""
    lines = [line for line in decoded(data[:4_000]).splitlines() if line.strip()]
    return bool(lines) and all(_LINE.match(line) for line in lines[:2])


@dataclass(frozen=True, slots=True)
class _Cell:
    opponent: int
    colour: str
    result: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A player line. *number* is the line's in the file, *rank* the starting rank."""

    number: int
    rank: int
    name: str
    rating: int | None
    federation: str
    fide_id: str
    cells: tuple[_Cell, ...]


def read_trf(data: bytes) -> ForeignReport:
    """Read a whole tournament: every player with his games and rounds off."""
    heads: dict[str, str] = {}
    players: dict[int, _Line] = {}
    remarks: list[Remark] = []
    for number, text in enumerate(decoded(data).splitlines(), start=1):
        code = text[:3]
        if code in _HEADS:
            heads.setdefault(_HEADS[code], text[4:])
        elif code == _PLAYER:
            if len(players) == MOST_PLAYERS:
                return refused(
                    LAYOUT,
                    f"There are more than {MOST_PLAYERS:,} players.",
                    "Send one tournament only.",
                    f"Line {number}",
                )
            _add(players, number, text, remarks)
    if not players:
        return refused(
            LAYOUT,
            "No player line could be read; they begin with 001.",
            "Send the report file as it went to FIDE.",
        )
    found = tuple(_player(line, players) for line in players.values())
    return ForeignReport(LAYOUT, _event(heads, remarks), found, shortened(remarks))


def _event(heads: Mapping[str, str], remarks: list[Remark]) -> EventAbroad:
    days = {}
    for what in ("starts", "ends"):
        text = tidy(heads.get(what, ""), 20)
        days[what] = day_in(text)
        if days[what] is None:
            day = "first" if what == "starts" else "last"
            said = f"is {text!r}" if text else "is missing"
            remarks.append(
                Remark("Heading", f"The {day} day {said}.", "Enter it by hand.")
            )
    return EventAbroad(
        name=tidy(heads.get("name", ""), 120),
        city=tidy(heads.get("city", ""), 60),
        federation=federation_in(heads.get("federation", "")),
        starts=days["starts"],
        ends=days["ends"],
    )


def _add(
    players: dict[int, _Line], number: int, text: str, remarks: list[Remark]
) -> None:
    try:
        line = _line(number, text)
        if line.rank in players:
            raise ValueError(f"Starting rank {line.rank} stands there already.")
    except ValueError as fault:
        remarks.append(
            Remark(
                f"Line {number}",
                str(fault),
                "The line was left out: its columns may be shifted, or it is cut off.",
            )
        )
    else:
        players[line.rank] = line


def _line(number: int, text: str) -> _Line:
    return _Line(
        number=number,
        rank=_rank(text[4:8]),
        name=tidy(text[14:47]),
        rating=rating_in(text[48:52]),
        federation=federation_in(text[53:56]),
        fide_id=fide_id_in(text[57:68]),
        cells=tuple(_cells(text)),
    )


def _rank(text: str) -> int:
    rank = text.strip()
    if not (rank.isascii() and rank.isdecimal() and int(rank) > 0):
        raise ValueError(f"The starting rank is {tidy(text)!r}.")
    return int(rank)


def _cells(text: str) -> list[_Cell]:
    cells: list[_Cell] = []
    rounds = text[_FIRST_ROUND:].rstrip()
    for start in range(0, len(rounds), _ROUND_WIDTH):
        cell = rounds[start : start + _ROUND_WIDTH]
        opponent, colour, result = cell[:4].strip(), cell[5:6], cell[7:8].strip()
        if opponent and not (opponent.isascii() and opponent.isdecimal()):
            raise ValueError(
                f"The opponent of round {len(cells) + 1} is {tidy(opponent)!r}."
            )
        if result not in _GAMES and result.upper() not in _OFF:
            raise ValueError(f"The result of round {len(cells) + 1} is {result!r}.")
        cells.append(_Cell(int(opponent or 0), _COLOURS.get(colour, ""), result))
    if len(cells) > MOST_ROUNDS:
        raise ValueError(f"There are {len(cells)} rounds.")
    return cells


def _player(line: _Line, players: Mapping[int, _Line]) -> PlayerAbroad:
    games, rounds_off, remarks = [], [], []
    for number, cell in enumerate(line.cells, start=1):
        opponent = players.get(cell.opponent)
        if cell.result not in _GAMES:
            rounds_off.append(RoundOff(number, _OFF[cell.result.upper()]))
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


def _game(number: int, cell: _Cell, opponent: _Line) -> GameAbroad:
    return GameAbroad(
        round_number=number,
        opponent_name=opponent.name,
        opponent_fide_id=opponent.fide_id,
        opponent_federation=opponent.federation,
        rating=opponent.rating,
        colour=cell.colour,
        half_points=_GAMES[cell.result],
    )


def _without_opponent(line: _Line, number: int, opponent: int) -> Remark:
    who = f"starting rank {opponent}" if opponent else "nobody"
    return Remark(
        f"Line {line.number}, round {number}",
        f"The game is against {who}, and no such player can be read.",
        "The game was left out; add it by hand if it was played.",
    )


def _not_mirrored(
    line: _Line, number: int, cell: _Cell, opponent: _Line
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
