"""One game out of the texts that a file has for it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ratings.laboratory.words import _

from .findings import Effect, Findings
from .records import GameRecord
from .values import (
    HIGHEST_RATING,
    LONGEST_NAME,
    LOWEST_RATING,
    birth_year_of,
    day_of,
    is_nobody,
    is_undated,
    is_unfinished,
    is_unplayed,
    points_of,
    rating_of,
)

# What is said of a side that is not known, and of one whose name is unfit.
_WHITE = (
    _("White is not known: “{shown}”."),
    _("White’s name is too long or cannot be printed: “{shown}”."),
)
_BLACK = (
    _("Black is not known: “{shown}”."),
    _("Black’s name is too long or cannot be printed: “{shown}”."),
)
_NOT_SAID = frozenset(("", "?", "-", "0", "????"))


class Told(NamedTuple):
    """What a file says of one game, as it is written there."""

    date: str
    white: str
    black: str
    result: str
    event: str = ""
    white_id: str = ""
    black_id: str = ""
    white_rating: str = ""
    black_rating: str = ""
    white_born: str = ""
    black_born: str = ""
    minutes: str = ""


def record_of(
    told: Told,
    line: int,
    findings: Findings,
    minutes_of: Callable[[str], int | None],
) -> GameRecord | None:
    """Return the game that stands in *line*, None if it cannot be rated.

    Whatever is wrong with it goes into *findings*. *minutes_of* reads the time control.
    """
    making = _Making(line, findings)
    day = making.day(told.date)
    points = making.points(told.result) if day else None
    if day is None or points is None:
        return None
    white, white_id = making.player(told.white, told.white_id, _WHITE)
    black, black_id = making.player(told.black, told.black_id, _BLACK)
    if making.is_left_out:
        return None
    return GameRecord(
        line,
        day,
        white,
        black,
        points,
        white_id,
        black_id,
        making.event(told.event) if told.event else "",
        making.rating(told.white_rating) if told.white_rating else None,
        making.rating(told.black_rating) if told.black_rating else None,
        making.born(told.white_born) if told.white_born else None,
        making.born(told.black_born) if told.black_born else None,
        making.minutes(told.minutes, minutes_of) if told.minutes else 0,
    )


class _Making:
    """Reads the parts of one game, and says what is wrong with them."""

    __slots__ = ("findings", "is_left_out", "line")

    def __init__(self, line: int, findings: Findings) -> None:
        self.line = line
        self.findings = findings
        self.is_left_out = False

    def day(self, text: str) -> int | None:
        day = day_of(text)
        if day is None:
            if is_undated(text):
                self._leave_out(
                    "undated",
                    _("The game has no date."),
                    _("Add the day on which it was played."),
                )
            else:
                self._leave_out(
                    "date",
                    _("“{shown}” is not a date."),
                    _("Write dates like 2024-05-31."),
                    shown=text,
                )
            return None
        if not day.is_whole:
            self.findings.add(
                "part_date",
                Effect.REMARK,
                self.line,
                _("“{shown}” leaves the day open; the game counts for {day}."),
                _("Add the day if it is known."),
                shown=text,
                day=date.fromordinal(day.ordinal).isoformat(),
            )
        return day.ordinal

    def points(self, text: str) -> float | None:
        points = points_of(text)
        if points is not None:
            return points
        if is_unfinished(text):
            self._leave_out(
                "unfinished",
                _("The game has no result."),
                _("Write 1-0, 0-1 or 1/2-1/2."),
            )
        elif is_unplayed(text):
            self._leave_out(
                "unplayed",
                _("“{shown}” is not the result of a game that was played."),
                _("Forfeits and byes are not rated."),
                shown=text,
            )
        else:
            self._leave_out(
                "result",
                _("“{shown}” is not a result of 1, ½ or 0."),
                _("Write 1-0, 0-1 or 1/2-1/2."),
                shown=text,
            )
        return None

    def player(self, name: str, id: str, sentences: tuple[str, str]) -> tuple[str, str]:
        """Return name and ID; without either the game is left out."""
        not_known, unfit = sentences
        tidy_name, tidy_id = tidied(name), tidied(id) if id else ""
        if is_nobody(tidy_id):
            tidy_id = ""
        if not tidy_id and is_nobody(tidy_name):
            self._leave_out(
                "unknown_player",
                not_known,
                _("Write the player’s name or ID."),
                shown=name,
            )
        elif not (_is_fit(tidy_name) and _is_fit(tidy_id)):
            self._leave_out(
                "name",
                unfit,
                _("Write it in at most 100 ordinary letters."),
                shown=name or id,
            )
        return tidy_name, tidy_id

    def event(self, text: str) -> str:
        event = tidied(text)
        if event in _NOT_SAID:
            return ""
        if _is_fit(event):
            return event
        self._do_without(
            "event",
            _("The event’s name is too long or cannot be printed: “{shown}”."),
            _("Write a shorter name."),
            shown=event,
        )
        return ""

    def rating(self, text: str) -> float | None:
        rating = rating_of(text)
        if not rating.is_good:
            self._do_without(
                "rating",
                _("“{shown}” is not a rating from {low} to {high}."),
                _("Leave it empty for an unrated player."),
                shown=text,
                low=LOWEST_RATING,
                high=HIGHEST_RATING,
            )
        return rating.value

    def born(self, text: str) -> int | None:
        if text in _NOT_SAID:
            return None
        year = birth_year_of(text)
        if year is None:
            self._do_without(
                "born",
                _("“{shown}” is not a year of birth."),
                _("Write years like 2011."),
                shown=text,
            )
        return year

    def minutes(self, text: str, minutes_of: Callable[[str], int | None]) -> int:
        if text in _NOT_SAID:
            return 0
        minutes = minutes_of(text)
        if minutes is None:
            self._do_without(
                "minutes",
                _("“{shown}” is not a time control."),
                _("Write minutes for 60 moves, or a control like 90+30."),
                shown=text,
            )
        return minutes or 0

    def _leave_out(self, kind: str, pattern: str, hint: str, **values: object) -> None:
        self.is_left_out = True
        self.findings.add(kind, Effect.LEFT_OUT, self.line, pattern, hint, **values)

    def _do_without(self, kind: str, pattern: str, hint: str, **values: object) -> None:
        self.findings.add(kind, Effect.PARTLY, self.line, pattern, hint, **values)


def tidied(text: str) -> str:
    """Return a name with single blanks, and accents composed in one way.

    >>> tidied(" Ann  Lee "), tidied("Jose\u0301") == "Jos\u00e9"
    ('Ann Lee', True)
    """
    return _tidied(text) if len(text) <= LONGEST_NAME else " ".join(text.split())


@lru_cache(maxsize=65536)
def _tidied(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _is_fit(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.isprintable()
