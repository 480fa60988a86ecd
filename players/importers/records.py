"""What the readers of FIDE lists hand over. Standard library only."""

from __future__ import annotations

import re
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
    """Something that a reader could not make sense of, and where.

    *line* counts from 1, *byte* from 0. After a final one nothing more can be read.
    """

    sentence: str
    hint: str = ""
    line: int | None = None
    byte: int | None = None
    final: bool = False

    @property
    def place(self) -> str:
        """Where it is, in words.

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


class Unreadable(ValueError):
    """A row makes no sense; the message says which part of it."""


def fide_row(
    *,
    fide_id: str,
    name: str,
    federation: str,
    sex: str,
    title: str,
    women_title: str,
    birth_year: str,
    flag: str,
    rating: str,
    games: str,
    k: str,
    rapid: str,
    rapid_games: str,
    blitz: str,
    blitz_games: str,
) -> FideRow:
    """Make a row of the texts in a file, or say what is wrong with them."""
    if not (fide_id.isdecimal() and fide_id.isascii() and len(fide_id) <= 10):
        raise Unreadable(f"The FIDE ID is {fide_id!r}.")
    if not _FEDERATION.fullmatch(federation):
        raise Unreadable(f"The federation is {federation!r}.")
    if sex not in _SEXES:
        raise Unreadable(f"The sex is {sex!r}.")
    flag = flag.lower()
    if flag not in _FLAGS:
        raise Unreadable(f"The flag is {flag!r}.")
    title = title or women_title
    if len(title) > 3:
        raise Unreadable(f"The title is {title!r}.")
    return FideRow(
        int(fide_id),
        name[:LONGEST_NAME],
        federation,
        sex,
        title,
        _number("birth year", birth_year, 2100) or None,
        "i" in flag,
        _number("rating", rating, BEST_RATING) or None,
        _number("number of games", games, 9999),
        _number("K", k, 99) or None,
        _number("rapid rating", rapid, BEST_RATING) or None,
        _number("number of rapid games", rapid_games, 9999),
        _number("blitz rating", blitz, BEST_RATING) or None,
        _number("number of blitz games", blitz_games, 9999),
    )


_FEDERATION = re.compile("[A-Z]{3}")
_SEXES = frozenset(("M", "F", ""))
_FLAGS = frozenset(("", "i", "w", "wi"))


def _number(what: str, text: str, most: int) -> int:
    """Read a number that a list may leave blank; blank is 0, as in FIDE's own lists."""
    if not text:
        return 0
    if not (text.isdecimal() and text.isascii() and int(text) <= most):
        raise Unreadable(f"The {what} is {text!r}.")
    return int(text)
