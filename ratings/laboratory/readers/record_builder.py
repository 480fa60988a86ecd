"""Builds one game from its texts in a file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ratings.laboratory.words import _

from .findings import Findings
from .records import GameRecord
from .value_parsers import (
    HIGHEST_RATING,
    LOWEST_RATING,
    MAX_NAME_LENGTH,
    birth_year_of,
    day_of,
    is_undated,
    is_unfinished,
    is_unknown_player,
    is_unplayed,
    points_of,
    rating_of,
)

# Messages about a side that is unknown, and about an invalid name.
_WHITE = (
    _("White is missing or not a player: “{shown}”."),
    _("White’s name is too long or has unreadable characters: “{shown}”."),
)
_BLACK = (
    _("Black is missing or not a player: “{shown}”."),
    _("Black’s name is too long or has unreadable characters: “{shown}”."),
)
_MISSING_VALUES = frozenset(("", "?", "-", "0", "????"))


class RawGame(NamedTuple):
    """The texts of one game in a file."""

    date: str
    white: str
    black: str
    result: str
    event: str = ""
    white_id: str = ""
    black_id: str = ""
    white_rating: str = ""
    black_rating: str = ""
    white_birth_year: str = ""
    black_birth_year: str = ""
    minutes: str = ""


def build_record(
    raw_game: RawGame,
    line: int,
    findings: Findings,
    minutes_of: Callable[[str], int | None],
) -> GameRecord | None:
    """Return the game of *line*, None if it cannot be rated.

    Problems go into *findings*. *minutes_of* reads the time control.
    """
    builder = _RecordBuilder(line, findings)
    day = builder.day(raw_game.date)
    points = builder.points(raw_game.result) if day else None
    if day is None or points is None:
        return None
    white, white_id = builder.player(raw_game.white, raw_game.white_id, _WHITE)
    black, black_id = builder.player(raw_game.black, raw_game.black_id, _BLACK)
    if builder.is_skipped:
        return None
    return GameRecord(
        line,
        day,
        white,
        black,
        points,
        white_id,
        black_id,
        builder.event(raw_game.event) if raw_game.event else "",
        builder.rating(raw_game.white_rating) if raw_game.white_rating else None,
        builder.rating(raw_game.black_rating) if raw_game.black_rating else None,
        builder.born(raw_game.white_birth_year) if raw_game.white_birth_year else None,
        builder.born(raw_game.black_birth_year) if raw_game.black_birth_year else None,
        builder.minutes(raw_game.minutes, minutes_of) if raw_game.minutes else 0,
    )


class _RecordBuilder:
    """Reads the parts of one game, and reports their problems."""

    __slots__ = ("findings", "is_skipped", "line")

    def __init__(self, line: int, findings: Findings) -> None:
        self.line = line
        self.findings = findings
        self.is_skipped = False

    def day(self, text: str) -> int | None:
        day = day_of(text)
        if day is None:
            if is_undated(text):
                self._skip_game(
                    "undated",
                    _("The game has no date."),
                    _("Add the date of the game."),
                )
            else:
                self._skip_game(
                    "date",
                    _("“{shown}” is not a date."),
                    _("Enter dates as 2024-05-31."),
                    shown=text,
                )
            return None
        if not day.is_whole:
            self.findings.remark(
                "part_date",
                self.line,
                _("“{shown}” has no day. The game was dated {day}."),
                _("Add the day if you know it."),
                shown=text,
                day=date.fromordinal(day.ordinal).isoformat(),
            )
        return day.ordinal

    def points(self, text: str) -> float | None:
        points = points_of(text)
        if points is not None:
            return points
        if is_unfinished(text):
            self._skip_game(
                "unfinished",
                _("The game has no result."),
                _("Enter 1-0, 0-1, or 1/2-1/2."),
            )
        elif is_unplayed(text):
            self._skip_game(
                "unplayed",
                _("“{shown}” is not the result of a played game."),
                _("Forfeits and byes are not rated."),
                shown=text,
            )
        else:
            self._skip_game(
                "result",
                _("“{shown}” is not a result."),
                _("Enter 1-0, 0-1, or 1/2-1/2."),
                shown=text,
            )
        return None

    def player(self, name: str, id: str, sentences: tuple[str, str]) -> tuple[str, str]:
        """Return name and ID; without either the game is left out."""
        not_known, unfit = sentences
        tidy_name, tidy_id = normalize_name(name), normalize_name(id) if id else ""
        if is_unknown_player(tidy_id):
            tidy_id = ""
        if not tidy_id and is_unknown_player(tidy_name):
            self._skip_game(
                "unknown_player",
                not_known,
                _("Enter the player’s name or ID."),
                shown=name,
            )
        elif not (_is_usable(tidy_name) and _is_usable(tidy_id)):
            self._skip_game(
                "name",
                unfit,
                _("Use up to 100 ordinary characters."),
                shown=name or id,
            )
        return tidy_name, tidy_id

    def event(self, text: str) -> str:
        event = normalize_name(text)
        if event in _MISSING_VALUES:
            return ""
        if _is_usable(event):
            return event
        self.findings.drop(
            "event",
            self.line,
            _("The event’s name is too long or has unreadable characters: “{shown}”."),
            _("Enter a shorter name."),
            shown=event,
        )
        return ""

    def rating(self, text: str) -> float | None:
        rating = rating_of(text)
        if not rating.is_valid:
            self.findings.drop(
                "rating",
                self.line,
                _("“{shown}” is not a rating from {low} to {high}."),
                _("Leave it empty for an unrated player."),
                shown=text,
                low=LOWEST_RATING,
                high=HIGHEST_RATING,
            )
        return rating.value

    def born(self, text: str) -> int | None:
        if text in _MISSING_VALUES:
            return None
        year = birth_year_of(text)
        if year is None:
            self.findings.drop(
                "born",
                self.line,
                _("“{shown}” is not a birth year."),
                _("Enter a year such as 2011."),
                shown=text,
            )
        return year

    def minutes(self, text: str, minutes_of: Callable[[str], int | None]) -> int:
        if text in _MISSING_VALUES:
            return 0
        minutes = minutes_of(text)
        if minutes is None:
            self.findings.drop(
                "minutes",
                self.line,
                _("“{shown}” is not a time control."),
                _("Enter minutes for 60 moves, or a time control such as 90+30."),
                shown=text,
            )
        return minutes or 0

    def _skip_game(self, kind: str, pattern: str, hint: str, **values: object) -> None:
        self.is_skipped = True
        self.findings.skip(kind, self.line, pattern, hint, **values)


def normalize_name(text: str) -> str:
    """Return a name with single blanks, and accents composed in one way.

    >>> normalize_name(" Ann  Lee "), normalize_name("Jose\u0301") == "Jos\u00e9"
    ('Ann Lee', True)
    """
    return (
        _normalize_name(text)
        if len(text) <= MAX_NAME_LENGTH
        else " ".join(text.split())
    )


@lru_cache(maxsize=65536)
def _normalize_name(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _is_usable(name: str) -> bool:
    return len(name) <= MAX_NAME_LENGTH and name.isprintable()
