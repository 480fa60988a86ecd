"""The rows and problems that readers of FIDE lists return. Standard library only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

BEST_RATING = 3500
LONGEST_NAME = 80


class FideRow(NamedTuple):
    """One player of a list. Ratings are whole points, None means unrated."""

    fide_id: int
    name: str
    federation: str
    sex: str
    title: str
    birth_year: int | None
    inactive: bool
    rating: int | None
    games: int
    k: int | None
    rapid: int | None
    rapid_games: int
    blitz: int | None
    blitz_games: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the file that a reader could not parse, and its place.

    *sentence* is a pattern for *values*, so that the page can translate it. *line*
    counts from 1, *byte* from 0. Reading stops after a final problem.
    """

    sentence: str
    hint: str = ""
    line: int | None = None
    byte: int | None = None
    final: bool = False
    values: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Replace what cannot be printed or stored in the values, such as NUL."""
        clean = {name: _printable(value) for name, value in self.values.items()}
        object.__setattr__(self, "values", clean)

    @property
    def text(self) -> str:
        return self.sentence.format(**self.values)

    @property
    def place(self) -> str:
        """Return the place in words.

        >>> Problem("Odd.", line=12001, byte=1944162).place
        'Line 12,001, byte 1,944,162'
        """
        parts = []
        if self.line is not None:
            parts.append(f"line {self.line:,}")
        if self.byte is not None:
            parts.append(f"byte {self.byte:,}")
        text = ", ".join(parts)
        return text[:1].upper() + text[1:]


def _printable(value: object) -> object:
    if not isinstance(value, str):
        return value
    return "".join(one if one.isprintable() else "\ufffd" for one in value)


def translatable(pattern: str) -> str:
    """Mark a pattern for translation."""
    return pattern


class UnreadableRow(ValueError):
    """A row cannot be parsed; the message says which part of it."""

    def __init__(self, sentence: str, written: str) -> None:
        super().__init__(sentence)
        self.sentence, self.written = sentence, written

    def problem(self, hint: str, line: int, byte: int) -> Problem:
        values = {"written": self.written}
        return Problem(self.sentence, hint, line, byte, values=values)


def fide_row(cells: Mapping[str, str]) -> FideRow:
    """Return the row with these texts; raise UnreadableRow if one is invalid.

    Their names are those of FIDE's XML lists, without which a cell is blank.
    """
    text = defaultdict(str, cells)
    fide_id, federation, sex = text["fideid"], text["country"], text["sex"]
    if not (fide_id.isdecimal() and fide_id.isascii() and len(fide_id) <= 10):
        raise UnreadableRow(
            translatable("The FIDE ID “{written}” isn’t a number."), fide_id
        )
    if not _FEDERATION.fullmatch(federation):
        raise UnreadableRow(
            translatable("The federation “{written}” isn’t three letters."), federation
        )
    if sex not in _SEXES:
        raise UnreadableRow(translatable("The sex “{written}” isn’t M or F."), sex)
    flag = text["flag"].lower()
    if flag not in _FLAGS:
        raise UnreadableRow(translatable("The flag “{written}” is unknown."), flag)
    title = text["title"] or text["w_title"]
    if len(title) > 3:
        raise UnreadableRow(translatable("The title “{written}” is too long."), title)
    return FideRow(
        int(fide_id),
        text["name"][:LONGEST_NAME],
        federation,
        sex,
        title,
        _number(text["birthday"], 2100) or None,
        "i" in flag,
        _number(text["rating"], BEST_RATING) or None,
        _number(text["games"], 9999),
        _number(text["k"], 99) or None,
        _number(text["rapid_rating"], BEST_RATING) or None,
        _number(text["rapid_games"], 9999),
        _number(text["blitz_rating"], BEST_RATING) or None,
        _number(text["blitz_games"], 9999),
    )


_FEDERATION = re.compile("[A-Z]{3}")
_SEXES = frozenset(("M", "F", ""))
_FLAGS = frozenset(("", "i", "w", "wi"))


def _number(text: str, most: int) -> int:
    """Parse a number that may be blank; blank is 0, as in FIDE's own lists."""
    if not text:
        return 0
    if not (text.isdecimal() and text.isascii() and int(text) <= most):
        raise UnreadableRow(
            translatable("“{written}” isn’t a rating, a year, or a number of games."),
            text,
        )
    return int(text)
