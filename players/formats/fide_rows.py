"""The rows and problems that readers of FIDE lists return. Standard library only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
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

    *line* counts from 1, *byte* from 0. Reading stops after a final problem.
    """

    sentence: str
    hint: str = ""
    line: int | None = None
    byte: int | None = None
    final: bool = False

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


class UnreadableRow(ValueError):
    """A row cannot be parsed; the message says which part of it."""


def fide_row(cells: Mapping[str, str]) -> FideRow:
    """Return the row with these texts; raise UnreadableRow if one is invalid.

    Their names are those of FIDE's XML lists, without which a cell is blank.
    """
    text = defaultdict(str, cells)
    fide_id, federation, sex = text["fideid"], text["country"], text["sex"]
    if not (fide_id.isdecimal() and fide_id.isascii() and len(fide_id) <= 10):
        raise UnreadableRow(f"The FIDE ID is {fide_id!r}.")
    if not _FEDERATION.fullmatch(federation):
        raise UnreadableRow(f"The federation is {federation!r}.")
    if sex not in _SEXES:
        raise UnreadableRow(f"The sex is {sex!r}.")
    flag = text["flag"].lower()
    if flag not in _FLAGS:
        raise UnreadableRow(f"The flag is {flag!r}.")
    title = text["title"] or text["w_title"]
    if len(title) > 3:
        raise UnreadableRow(f"The title is {title!r}.")
    return FideRow(
        int(fide_id),
        text["name"][:LONGEST_NAME],
        federation,
        sex,
        title,
        _number("birth year", text["birthday"], 2100) or None,
        "i" in flag,
        _number("rating", text["rating"], BEST_RATING) or None,
        _number("number of games", text["games"], 9999),
        _number("K", text["k"], 99) or None,
        _number("rapid rating", text["rapid_rating"], BEST_RATING) or None,
        _number("number of rapid games", text["rapid_games"], 9999),
        _number("blitz rating", text["blitz_rating"], BEST_RATING) or None,
        _number("number of blitz games", text["blitz_games"], 9999),
    )


_FEDERATION = re.compile("[A-Z]{3}")
_SEXES = frozenset(("M", "F", ""))
_FLAGS = frozenset(("", "i", "w", "wi"))


def _number(what: str, text: str, most: int) -> int:
    """Parse a number that may be blank; blank is 0, as in FIDE's own lists."""
    if not text:
        return 0
    if not (text.isdecimal() and text.isascii() and int(text) <= most):
        raise UnreadableRow(f"The {what} is {text!r}.")
    return int(text)
