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
from events.formats.translatable_text import error_text, translatable_date
from events.formats.translatable_text import translatable as _
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
                    _("The file has more than {most:,} players.", most=MAX_PLAYERS),
                    _("Upload one tournament only."),
                    _("Line {line}", line=line.number),
                )
            _add(players, line, remarks)
    if not players:
        return rejected_report(
            LAYOUT,
            _("The file has no player we can read. Lines of players start with 001."),
            _("Upload the file that was sent to FIDE."),
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
        day, other = chosen.day(text), chosen.other(text)
        if day and other:
            sentence = _(
                "“{written}” may be {day} or {other}.",
                written=text,
                day=translatable_date(day),
                other=translatable_date(other),
            )
            hint = _("Check the first and the last day.")
            remarks.append(Remark(_("Heading"), sentence, hint))
    if None in days:
        sentence = _("The first or the last day is missing, or we can’t read it.")
        remarks.append(Remark(_("Heading"), sentence, _("Enter it by hand.")))
    return ForeignEventHeader(
        name=clean_text(headers.get("name", ""), 120),
        city=clean_text(headers.get("city", ""), 60),
        federation=parse_federation(headers.get("federation", "")),
        starts=days[0],
        ends=days[1],
    )


def _add(players: dict[int, _Player], text: TrfLine, remarks: list[Remark]) -> None:
    line, place = parse_player_line(text), _("Line {line}", line=text.number)
    try:
        player = _Player(line, _as_opponent(line, remarks))
        if player.rank in players:
            raise ValueError(
                _("The file already has starting rank {rank}.", rank=player.rank)
            )
    except ValueError as fault:
        hint = _("We skipped this line. Its columns may be shifted.")
        remarks.append(Remark(place, error_text(fault), hint))
        return
    players[player.rank] = player
    if not line.in_columns:
        sentence = _("The columns of this line are shifted. We read it anyway.")
        hint = _("Compare it with the published crosstable.")
        remarks.append(Remark(place, sentence, hint))


def _as_opponent(line: PlayerLine, remarks: list[Remark]) -> dict[str, Any]:
    if not line.is_in_place:
        raise ValueError(_("Rank, federation, or points are not in their columns."))
    if len(line.cells) > MAX_ROUNDS:
        raise ValueError(_("The line has {rounds} rounds.", rounds=len(line.cells)))
    rank = line["rank"]
    if not (rank.isascii() and rank.isdecimal() and int(rank) > 0):
        raise ValueError(
            _("The starting rank “{written}” isn’t a number.", written=clean_text(rank))
        )
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
        hint = _("We skipped it. Look it up if you need it.")
        place = _("Line {line}", line=line.number)
        remarks.append(Remark(place, error_text(fault), hint))
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
        fault = ""
        hint = _("We skipped the game. If it was played, add it by hand.")
        if reason := _unplayed_reason(cell):
            rounds_off.append(ReportedUnplayedRound(number, reason))
            if not cell.is_sound:
                text = clean_text(f"{cell.opponent} {cell.color} {cell.result}")
                fault = _("We can’t read “{written}” as a round.", written=text)
        elif opponent is None:
            rounds_off.append(ReportedUnplayedRound(number, "opponent cannot be read"))
            fault = _("The opponent, number {rank}, isn’t in the file.", rank=rank)
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
                fault = _("The opponent, number {rank}, has another result.", rank=rank)
                hint = _("Compare it with the published crosstable.")
        if fault:
            remarks.append(
                Remark(
                    _("Line {line}, round {number}", line=line.number, number=number),
                    fault,
                    hint,
                )
            )
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
