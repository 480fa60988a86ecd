"""Games from a PGN file: the tag pairs alone, never the moves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from ratings.laboratory.words import _

from .findings import Effect, Findings
from .lines import LONGEST_LINE, decoded, numbered_lines
from .making import Told, record_of
from .records import MOST_GAMES, GameRecord, Reading, first_games
from .values import is_undated, pgn_minutes_of

_TAG: Final = re.compile(rb'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
# Where a quotation mark within the value was not escaped.
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


def read_pgn(stream: BinaryIO, *, most_games: int = MOST_GAMES) -> Reading:
    """Return the games of a PGN file, read as they are asked for.

    Of a date with question marks the last day it can be counts; without a date, that
    of the event. A player is known by FIDE ID where the tag is there, else by name.
    Bad content never raises; it is told in findings, with the line in which the game's
    tags begin.

    >>> from io import BytesIO
    >>> tags = '[White "Ann"]\\n[Black "Bob"]\\n[Date "2024.05.??"]\\n[Result "1-0"]\\n'
    >>> reading = read_pgn(BytesIO((tags + "\\n1. e4 1-0\\n").encode()))
    >>> [(game.white, game.black, game.points) for game in reading]
    [('Ann', 'Bob', 1.0)]
    >>> print(*reading.findings)
    Line 1: “2024.05.??” leaves the day open; the game counts for 2024-05-31. Add the \
day if it is known.
    """
    findings = Findings()
    records = _records(stream, findings)
    return Reading(first_games(records, most_games, findings), findings)


def _records(stream: BinaryIO, findings: Findings) -> Iterator[GameRecord]:
    for line, tags in _games(stream, findings):
        record = record_of(_told(tags), line, findings, pgn_minutes_of)
        if record is not None:
            yield record


def _told(tags: Mapping[str, str]) -> Told:
    dates = [tags[name] for name in _DATES if not is_undated(tags.get(name, ""))]
    said = tags.get
    return Told(
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

    A game begins with the first tag after moves, or with a tag it has already.
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
    """Return the tags of a line that are of use; None if it is no line of tags."""
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
    text = decoded(value, number, findings)
    return _ESCAPED.sub(r"\1", text).strip() if "\\" in text else text.strip()


def _no_tag(line: bytes, number: int, findings: Findings) -> None:
    findings.add(
        "tag",
        Effect.REMARK,
        number,
        _("This is not a tag: {shown}"),
        _("Write tags like [White “Ann”], with straight quotation marks."),
        shown=line[:LONGEST_LINE].decode(errors="replace"),
    )


def _no_tags(number: int, findings: Findings) -> None:
    findings.add(
        "no_tags",
        Effect.LEFT_OUT,
        number,
        _("Here are moves, or other text, without the tags of a game."),
        _("Put the tags above the moves."),
    )
