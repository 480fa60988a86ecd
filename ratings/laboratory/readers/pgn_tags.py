"""Games from a PGN file: the tag pairs alone, never the moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .findings import Findings
from .lines import MAX_LINE_LENGTH, decode_line, numbered_lines
from .record_builder import RawGame, build_record
from .records import MAX_GAMES, GameRecord, Reading, read_records
from .value_parsers import is_undated, pgn_minutes_of

_TAG: Final = re.compile(rb'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
# The value has a quotation mark that is not escaped.
_LOOSE_TAG: Final = re.compile(rb'\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*')
_ESCAPED: Final = re.compile(r"\\(.)")
_DATES: Final = ("Date", "UTCDate", "EventDate")
_USED: Final = {
    name.encode(): name
    for name in (
        *_DATES,
        *("Event", "White", "Black", "Result", "TimeControl"),
        *("WhiteFideId", "BlackFideId", "WhiteElo", "BlackElo"),
    )
}
_SPACE: Final = b" \t\xef\xbb\xbf"
_BRACKET: Final = ord("[")
_PERCENT: Final = ord("%")

Tags = dict[str, str]


def read_pgn(stream: BinaryIO, *, max_games: int = MAX_GAMES) -> Reading:
    """Return the games of a PGN file, read lazily.

    A date with question marks counts as its last possible day; without a date, the
    event's date counts. A player is identified by FIDE ID if there is one, else by
    name. Bad content never raises; it is reported in findings, with the line in which
    the game's tags begin.

    >>> from io import BytesIO
    >>> tags = '[White "Ann"]\\n[Black "Bob"]\\n[Date "2024.05.??"]\\n[Result "1-0"]\\n'
    >>> reading = read_pgn(BytesIO((tags + "\\n1. e4 1-0\\n").encode()))
    >>> [(game.white, game.black, game.points) for game in reading]
    [('Ann', 'Bob', 1.0)]
    >>> print(*reading.findings)
    Line 1: “2024.05.??” has no day. The game was dated 2024-05-31. Add the day if you \
know it.
    """
    return read_records(_records, stream, max_games)


def _records(stream: BinaryIO, findings: Findings) -> Iterator[GameRecord]:
    for line, tags in _games(stream, findings):
        record = build_record(_raw_game(tags), line, findings, pgn_minutes_of)
        if record is not None:
            yield record


def _raw_game(tags: Mapping[str, str]) -> RawGame:
    dates = [tags[name] for name in _DATES if not is_undated(tags.get(name, ""))]
    said = tags.get
    return RawGame(
        date=dates[0] if dates else "",
        white=said("White", ""),
        black=said("Black", ""),
        result=said("Result", ""),
        event=said("Event", ""),
        white_id=said("WhiteFideId", ""),
        black_id=said("BlackFideId", ""),
        white_rating=said("WhiteElo", ""),
        black_rating=said("BlackElo", ""),
        minutes=said("TimeControl", ""),
    )


def _games(stream: BinaryIO, findings: Findings) -> Iterator[tuple[int, Tags]]:
    """Yield the tags of each game with the line in which they begin.

    A game begins with the first tag after moves, or with a repeated tag.
    """
    tags: Tags = {}
    first = 0
    in_moves = False
    for number, line in numbered_lines(stream):
        text = line.lstrip(_SPACE)
        if not text or text[0] == _PERCENT:
            continue
        if text[0] != _BRACKET:
            if not (first or in_moves):
                _no_tags(number, findings)
            in_moves = True
            continue
        found = _tags(text, number, findings, in_moves)
        if found is None:
            continue
        if first and (in_moves or not tags.keys().isdisjoint(found)):
            yield first, tags
            tags, first = {}, 0
        first = first or number
        in_moves = False
        tags.update(found)
    if first:
        yield first, tags


def _tags(line: bytes, number: int, findings: Findings, in_moves: bool) -> Tags | None:
    """Return the useful tags of a line; None if it is not a line of tags."""
    match = _TAG.fullmatch(line)
    matches = [match] if match else list(_TAG.finditer(line))
    if not match and sum(map(_length, matches)) != len(line):
        loose = _LOOSE_TAG.fullmatch(line)
        if loose is None:
            # Comments hold commands in brackets; only this cannot be one of them.
            if not in_moves or line.startswith(b"[Event "):
                _no_tag(line, number, findings)
            return None
        matches = [loose]
    return {
        _USED[one[1]]: _value(one[2], number, findings)
        for one in matches
        if one[1] in _USED
    }


def _length(match: re.Match[bytes]) -> int:
    return match.end() - match.start()


def _value(value: bytes, number: int, findings: Findings) -> str:
    text = decode_line(value, number, findings)
    return _ESCAPED.sub(r"\1", text).strip() if "\\" in text else text.strip()


def _no_tag(line: bytes, number: int, findings: Findings) -> None:
    findings.remark(
        "tag",
        number,
        _("This is not a PGN tag: {shown}"),
        _("Enter tags such as [White “Ann”], with straight quotation marks."),
        shown=line[:MAX_LINE_LENGTH].decode(errors="replace"),
    )


def _no_tags(number: int, findings: Findings) -> None:
    findings.skip(
        "no_tags",
        number,
        _("Moves or other text appear before any game tags."),
        _("Put each game’s tags above its moves."),
    )
