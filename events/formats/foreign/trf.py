"""FIDE's tournament report file as the results of a foreign event.

Lines and dates are parsed in the same way as in files of domestic events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

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
    rejected_report,
)
from events.formats.foreign.rows import truncate_remarks
from events.formats.parsing import (
    clean_text,
    parse_federation,
    parse_fide_id,
    parse_rating,
)
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

_HEADER_TAGS = {
    **{"012": "name", "022": "city", "032": "federation"},
    **{"042": "starts", "052": "ends"},
}

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


class _Player(NamedTuple):
    """A player's line, and what the games of others tell of the player."""

    line: PlayerLine
    as_opponent: dict[str, Any]

    @property
    def rank(self) -> int:
        return int(self.line["rank"])


def read_trf(data: bytes) -> ReportedForeignEvent:
    """Read a whole tournament: every player with their games and rounds off."""
    headers: dict[str, str] = {}
    players: dict[int, _Player] = {}
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
    parsed = tuple(_player(player, players) for player in players.values())
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


def _add(players: dict[int, _Player], text: TrfLine, remarks: list[Remark]) -> None:
    line, place = parse_player_line(text), f"Line {text.number}"
    try:
        player = _Player(line, _as_opponent(line, remarks))
        if player.rank in players:
            raise ValueError(f"Starting rank {player.rank} stands there already.")
    except ValueError as fault:
        hint = "The line was left out: its columns may be shifted, or it is cut off."
        remarks.append(Remark(place, str(fault), hint))
        return
    players[player.rank] = player
    if not line.in_columns:
        sentence = "It does not keep to the columns; its fields were found by their "
        hint = "Compare it with the published crosstable."
        remarks.append(Remark(place, f"{sentence}contents.", hint))


def _as_opponent(line: PlayerLine, remarks: list[Remark]) -> dict[str, Any]:
    if not line.is_in_place:
        raise ValueError("Rank, federation or points do not stand in their columns.")
    if len(line.cells) > MAX_ROUNDS:
        raise ValueError(f"There are {len(line.cells)} rounds.")
    rank = line["rank"]
    if not (rank.isascii() and rank.isdecimal() and int(rank) > 0):
        raise ValueError(f"The starting rank is {clean_text(rank)!r}.")
    return {
        "opponent_name": clean_text(line["name"]),
        "stated_rating": _value(parse_rating, line, "rating", remarks),
        "opponent_federation": parse_federation(line["federation"]),
        "opponent_fide_id": _value(parse_fide_id, line, "number", remarks) or "",
    }


def _value(
    read: Callable[[str], _Value], line: PlayerLine, name: str, remarks: list[Remark]
) -> _Value | None:
    try:
        return read(line[name])
    except ValueError as fault:
        hint = "It was left out; look it up if it is needed."
        remarks.append(Remark(f"Line {line.number}", str(fault), hint))
        return None


def _opponent_and_result(cell: TrfCell) -> tuple[int, str]:
    """Return the opponent's rank and the result; 0 and "" if they cannot be read."""
    return (int(cell.opponent or 0), cell.result.upper()) if cell.is_sound else (0, "")


def _color(cell: TrfCell) -> str:
    return _COLORS.get(cell.color.lower(), "")


def _unplayed_reason(cell: TrfCell) -> str:
    """Return why it is not a game that counts, blank if it is one."""
    if not cell.is_sound:
        return "cannot be read"
    opponent, result = _opponent_and_result(cell)
    if result in _GAMES:
        return "" if opponent or _color(cell) else _NOT_PLAYED[result]
    return _UNPLAYED[result]


def _player(player: _Player, players: Mapping[int, _Player]) -> ReportedForeignPlayer:
    games, rounds_off, remarks = [], [], []
    line = player.line
    for number, cell in enumerate(line.cells, start=1):
        rank, result = _opponent_and_result(cell)
        opponent = players.get(rank)
        fault, hint = "", "The game was left out; add it by hand if it was played."
        if reason := _unplayed_reason(cell):
            rounds_off.append(ReportedUnplayedRound(number, reason))
            if not cell.is_sound:
                text = clean_text(f"{cell.opponent} {cell.color} {cell.result}")
                fault = f"The round is {text!r}, which cannot be read."
        elif opponent is None:
            rounds_off.append(ReportedUnplayedRound(number, "opponent cannot be read"))
            named = f"starting rank {rank}" if rank else "nobody"
            fault = f"The game is against {named}, and no such player can be read."
        else:
            games.append(
                ReportedForeignGame(
                    round_number=number,
                    color=_color(cell),
                    half_points=_GAMES[result],
                    **opponent.as_opponent,
                )
            )
            if not _is_mirrored(player, number, result, opponent):
                fault = f"Starting rank {player.rank} reports {result} against "
                fault += f"{opponent.rank}, who reports something else."
                hint = "Compare it with the published crosstable."
        if fault:
            remarks.append(Remark(f"Line {line.number}, round {number}", fault, hint))
    return ReportedForeignPlayer(
        place=f"Line {line.number}",
        fide_id=player.as_opponent["opponent_fide_id"],
        name=player.as_opponent["opponent_name"],
        games=tuple(games),
        rounds_off=tuple(rounds_off),
        remarks=tuple(remarks),
    )


def _is_mirrored(player: _Player, number: int, result: str, opponent: _Player) -> bool:
    """Return whether the opponent reports the same game."""
    cells = opponent.line.cells[number - 1 : number]
    mirror = (player.rank, _MIRRORS[result])
    return any(_opponent_and_result(cell) == mirror for cell in cells)
