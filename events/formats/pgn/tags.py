"""The games of a PGN file: the tags of each, and the result that its moves end with.

Moves, comments and variations are skipped; the tags of the next game must be found
after them, whatever they contain. A game begins with the first tag after moves, or with
a tag that repeats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from events.formats.archive import printable
from events.formats.findings import Collector, Place
from players.formats.text import UTF_16_BOMS, decode_text

MAX_VALUE_LENGTH = 200
# Twice the games of the largest events, with every move commented on.
MAX_GAMES = 20_000
RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))

_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
# With a quotation mark within the value, or with a word processor's marks.
_LOOSE_TAG = re.compile(r"\[\s*([A-Za-z0-9_]+)\s+(.*)\]")
_QUOTES = "\"'“”„«»"
_ESCAPED = re.compile(r"\\(.)")
_MAX_TAG_LINE_LENGTH = 5_000
# An ending is in the last characters of the last line, at most before a comment.
_ENDING_WITHIN = 1_000
_UTF_8_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?|\n")
# These begin a new game if they repeat; others may repeat by mistake.
_ROSTER = frozenset(("event", "site", "date", "round", "white", "black", "result"))


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game: its tags by name in lower case, its moves and how they end."""

    file: str
    line: int
    tags: Mapping[str, str]
    ending: str = ""
    movetext: str = ""

    def tag(self, name: str) -> str:
        """Return the value of a tag, "" if it is missing or marked as unknown.

        >>> game = PgnGame("may.pgn", 1, {"round": "3.1", "site": "?"})
        >>> game.tag("Round"), game.tag("Site")
        ('3.1', '')
        """
        value = self.tags.get(name.lower(), "")
        return value if value.strip("?-. ") else ""


def parse_games(file: str, data: bytes, findings: Collector) -> list[PgnGame]:
    """Return the games of a file in its order; at most one more than `MAX_GAMES`.

    >>> data = b'[White "Ann"]\\n[Black "Bob"]\\n\\n1. e4 {[%clk 0:05:00]} e5 1-0\\n'
    >>> [game] = parse_games("may.pgn", data, Collector())
    >>> game.tag("White"), game.ending
    ('Ann', '1-0')
    """
    return _Reader(file, findings).read(_text(file, data, findings))


def _text(file: str, data: bytes, findings: Collector) -> str:
    if data.startswith(UTF_16_BOMS):
        text = data.decode("utf-16", errors="replace")
    else:
        text = _decoded(file, data.replace(_UTF_8_MARK, b""), findings)
    if "\x00" in text:
        findings.add("pgn.characters", Place(file=file), name=file)
        text = text.replace("\x00", "")
    if not text.isascii():
        # Joined files have byte order marks inside; macOS decomposes accented letters.
        text = unicodedata.normalize("NFC", text.replace("\ufeff", ""))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(file: str, data: bytes, findings: Collector) -> str:
    """Return the text; each line that is not UTF-8 is decoded as Windows-1252."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        lines, odd = [], []
    for number, line in enumerate(_LINE_END.split(data), start=1):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            lines.append(decode_text(line))
            odd.append(number)
    name, place = "pgn.encoding", Place(file, field=f"line {odd[0]}")
    name += "/lines" if len(odd) > 1 else ""
    findings.add(name, place, line=odd[0], lines=len(odd))
    return "\n".join(lines)


@dataclass(slots=True)
class _Reader:
    file: str
    findings: Collector
    games: list[PgnGame] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    first: int = 0
    moves: list[str] = field(default_factory=list)
    last_line: str = ""
    in_moves: bool = False
    in_comment: bool = False
    after_blank: bool = False
    # Whether the moves have ended, so that what follows is another game.
    is_over: bool = False

    def read(self, text: str) -> list[PgnGame]:
        for number, line in enumerate(text.split("\n"), start=1):
            if len(self.games) > MAX_GAMES:
                return self.games
            bare = line.strip()
            if not bare:
                self._blank()
                continue
            if bare[0] == "[" and (tags := self._tags(number, bare)) is not None:
                self._add_tags(number, tags)
            elif bare[0] != "%":  # the escape of a line for programs only
                self._add_moves(number, bare)
            self.after_blank = False
        self._finish()
        return self.games

    def _blank(self) -> None:
        self.after_blank = True
        if self.in_moves and not self.in_comment:
            self.is_over = bool(_ending(self.last_line))

    def _tags(self, number: int, line: str) -> dict[str, str] | None:
        """Return the tags of a line; None if it belongs to the moves."""
        if len(line) > _MAX_TAG_LINE_LENGTH:
            return None
        # A comment may hold anything; one that was never closed must not hold games.
        names_game = self.after_blank or line.startswith(("[Event ", "[White "))
        if self.in_comment and not names_game:
            return None
        tags = _strict_tags(line)
        if tags is not None or self.in_moves:
            return tags
        if loose := _LOOSE_TAG.fullmatch(line):
            return {loose[1].lower(): _value(loose[2].strip(f" {_QUOTES}"))}
        place, written = Place(self.file, field=f"line {number}"), printable(line[:60])
        self.findings.add("pgn.tag", place, line=number, written=written)
        return {}

    def _add_tags(self, number: int, tags: dict[str, str]) -> None:
        repeated = self.tags.keys() & tags.keys() & _ROSTER
        if self.in_moves or repeated:
            self._finish()
        self.first = self.first or number
        self.tags = tags | self.tags

    def _add_moves(self, number: int, line: str) -> None:
        if self.is_over:
            self._finish()
        self.first = self.first or number
        self.in_moves = True
        self.moves.append(line)
        opened, closed = line.rfind("{"), line.rfind("}")
        if opened != closed:
            self.in_comment = opened > closed
        self.last_line = line

    def _finish(self) -> None:
        if self.first:
            ending = _ending(self.last_line)
            moves = "\n".join(self.moves)
            self.games.append(PgnGame(self.file, self.first, self.tags, ending, moves))
        self.tags, self.moves, self.first, self.last_line = {}, [], 0, ""
        self.in_moves = self.in_comment = self.is_over = False


def _strict_tags(line: str) -> dict[str, str] | None:
    """Return the tags of a line with nothing but well-formed tags, else None."""
    tags: dict[str, str] = {}
    place = 0
    while match := _TAG.match(line, place):
        tags.setdefault(match[1].lower(), _value(match[2]))
        place = match.end()
    return tags if place == len(line) else None


def _value(written: str) -> str:
    text = _ESCAPED.sub(r"\1", written) if "\\" in written else written
    return text.strip()[:MAX_VALUE_LENGTH]


def _ending(line: str) -> str:
    """Return the result at the end of moves, before comments that may follow it.

    >>> _ending("34. Qh7# 1-0 {White wins}"), _ending("34. Qh7#")
    ('1-0', '')
    """
    text = line[-_ENDING_WITHIN:]
    while text.endswith("}"):
        text = text[: max(text.rfind("{"), 0)].rstrip()
    word = text.rpartition(" ")[2]
    return word if word in RESULTS else ""
