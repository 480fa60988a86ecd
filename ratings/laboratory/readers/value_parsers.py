"""Parsers of a day, a result, a rating and a time control.

Each function takes any text and never fails; None means that it is not valid.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from ratings.engine.time_controls import BadTimeControl, parse_time_control

FIRST_YEAR: Final = 1800
LAST_YEAR: Final = 2100
LOWEST_RATING: Final = 1
HIGHEST_RATING: Final = 4000
MAX_NAME_LENGTH: Final = 100
MAX_MINUTES: Final = 1_000_000

# No valid value is longer, so the caches hold no long text.
_MAX_VALUE_LENGTH = 40
_MOVES = 60

_YEAR_FIRST = re.compile(
    r"([0-9]{4})(?:[-./]([0-9]{1,2}|\?\?)(?:[-./]([0-9]{1,2}|\?\?))?)?", re.ASCII
)
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})", re.ASCII)
_MONTH_FIRST = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})", re.ASCII)
_DAY_FIRST = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", re.ASCII)
_RATING = re.compile(r"(-?[0-9]{1,6}(?:[.,][0-9]{1,9})?)(?:[Pp/][0-9]{1,5})?", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}(?:[.,][0-9]{1,9})?", re.ASCII)
_PGN_STAGE = re.compile(r"(?:([0-9]{1,4})/)?([0-9]{1,8})(?:\+([0-9]{1,6}))?", re.ASCII)

_DASHES = str.maketrans("–—−‒", "----")
_WON: Final = ("1-0", "1", "W", "WHITE")
_LOST: Final = ("0-1", "0", "L", "B", "BLACK")
_DRAWN: Final = ("½-½", "½", "=", "D", "DRAW", "DRAWN", "=-=")
_POINTS: Final = {
    **dict.fromkeys(_WON, 1.0),
    **dict.fromkeys(_LOST, 0.0),
    **dict.fromkeys(_DRAWN, 0.5),
}
_NOT_PLAYED: Final = frozenset(
    (
        *("+--", "--+", "+-", "-+", "---", "--", "0-0", "BYE", "FORFEIT"),
        *("1-0F", "1F-0", "1F-0F", "0-1F", "0F-1", "0F-1F", "0F-0F", "1-0FF", "0-1FF"),
        *("1X-0F", "0F-1X", "X", "F"),
    )
)
_UNRATED: Final = frozenset(("", "-", "0", "?", "UNR", "UNRATED", "NEW", "N/A"))
_NOBODY: Final = frozenset(("", "?", "-", "N.N.", "NN", "N. N.", "BYE", "UNKNOWN"))


class Day(NamedTuple):
    """An ordinal day; *is_whole* unless its day or month was not known."""

    ordinal: int
    is_whole: bool


def day_of(text: str) -> Day | None:
    """Return the day that *text* means.

    An unknown day or month is the last possible one, so that nothing is learned from a
    game before it was certainly played. 2024-05-04, 2024.05.04, 20240504, 4.5.2024 and,
    as written in the United States, 5/4/2024 are one day.

    >>> day_of("2024-05-04") == day_of("5/4/2024") == day_of("4.5.2024")
    True
    >>> date.fromordinal(day_of("2024.02.??").ordinal).isoformat()
    '2024-02-29'
    >>> day_of("2024-02-30"), day_of("????.??.??")
    (None, None)
    """
    return _day_of(text) if len(text) <= _MAX_VALUE_LENGTH else None


@lru_cache(maxsize=65536)
def _day_of(text: str) -> Day | None:
    written = re.split("[T ]", text.strip(), maxsplit=1)[0]
    if match := _COMPACT.fullmatch(written) or _YEAR_FIRST.fullmatch(written):
        return _day(*match.groups())
    if match := _MONTH_FIRST.fullmatch(written):
        return _day(match[3], match[1], match[2])
    if match := _DAY_FIRST.fullmatch(written):
        return _day(match[3], match[2], match[1])
    return None


def _day(year: str, month: str | None, day: str | None) -> Day | None:
    known_month = month if month and month != "??" else None
    known_day = day if known_month and day and day != "??" else None
    number = int(year)
    if not FIRST_YEAR <= number <= LAST_YEAR:
        return None
    try:
        in_year = int(known_month or 12)
        last = int(known_day) if known_day else monthrange(number, in_year)[1]
        return Day(date(number, in_year, last).toordinal(), known_day is not None)
    except ValueError:  # there is no such month or day
        return None


def is_undated(text: str) -> bool:
    """Return whether *text* says that the date is unknown.

    >>> is_undated(""), is_undated("????.??.??"), is_undated("May")
    (True, True, False)
    """
    return not text.strip("?.-/ ")


def points_of(text: str) -> float | None:
    """Return White's points of a game that was played.

    >>> [points_of(text) for text in ("1-0", "1/2-1/2", "0 : 1", "0.5", "1-0F", "3-0")]
    [1.0, 0.5, 0.0, 0.5, None, None]
    """
    return _POINTS.get(_plain_result(text))


def is_unplayed(text: str) -> bool:
    """Return whether *text* is the result of a forfeit or a bye.

    >>> is_unplayed("+/-"), is_unplayed("1F-0F"), is_unplayed("1-0"), is_unplayed("*")
    (True, True, False, False)
    """
    return _plain_result(text) in _NOT_PLAYED


def is_unfinished(text: str) -> bool:
    """Return whether *text* says that the result is unknown, or is empty.

    >>> is_unfinished("*"), is_unfinished(" "), is_unfinished("0-0")
    (True, True, False)
    """
    return text.strip() in ("", "*", "?")


def _plain_result(text: str) -> str:
    return _plain(text) if len(text) <= _MAX_VALUE_LENGTH else ""


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    written = "".join(text.upper().translate(_DASHES).split())
    for half in ("1/2", "0.5", "0,5", ".5"):
        written = written.replace(half, "½")
    for whole in ("1.0", "1,0"):
        written = written.replace(whole, "1")
    for zero in ("0.0", "0,0"):
        written = written.replace(zero, "0")
    written = written.replace(":", "-").replace("/", "-")
    return "".join(written.split())


def is_unknown_player(name: str) -> bool:
    """Return whether a name means that the player is unknown, or that there is none.

    >>> is_unknown_player("?"), is_unknown_player("N.N."), is_unknown_player("Ann")
    (True, True, False)
    """
    return name.upper() in _NOBODY


class Rating(NamedTuple):
    """A rating, None where unrated; not *is_valid* where the text makes no sense."""

    value: float | None
    is_valid: bool = True


def rating_of(text: str) -> Rating:
    """Return the rating that *text* means, in points of its own system.

    A provisional rating may come with its games: 1500P12.

    >>> rating_of("1500P12"), rating_of("unr."), rating_of("9999")
    (Rating(value=1500.0, is_valid=True), Rating(value=None, is_valid=True), \
Rating(value=None, is_valid=False))
    """
    return _rating_of(text) if len(text) <= _MAX_VALUE_LENGTH else Rating(None, False)


@lru_cache(maxsize=16384)
def _rating_of(text: str) -> Rating:
    written = text.strip()
    if written.upper().rstrip(".") in _UNRATED:
        return Rating(None)
    match = _RATING.fullmatch(written)
    value = float(match[1].replace(",", ".")) if match else 0.0
    if LOWEST_RATING <= value <= HIGHEST_RATING:
        return Rating(value)
    return Rating(None, is_valid=False)


def birth_year_of(text: str) -> int | None:
    """Return the year of birth, from a year or a date.

    >>> birth_year_of("2011"), birth_year_of("2011-03-02"), birth_year_of("11")
    (2011, 2011, None)
    """
    day = day_of(text)
    return date.fromordinal(day.ordinal).year if day else None


def minutes_of(text: str) -> int | None:
    """Return the minutes that a player has for 60 moves, from a number or a control.

    >>> minutes_of("90"), minutes_of("90+30"), minutes_of("G/60;d5"), minutes_of("fast")
    (90, 120, 65, None)
    """
    return _minutes_of(text) if len(text) <= _MAX_VALUE_LENGTH else None


@lru_cache(maxsize=1024)
def _minutes_of(text: str) -> int | None:
    written = text.strip()
    if _NUMBER.fullmatch(written):
        return _whole_minutes(60 * float(written.replace(",", ".")))
    try:
        # So many seconds a move are as many minutes in 60 moves.
        return _whole_minutes(60.0 * parse_time_control(written).total)
    except BadTimeControl:
        return None


def pgn_minutes_of(text: str) -> int | None:
    """Return the minutes for 60 moves of PGN's TimeControl, which counts in seconds.

    >>> pgn_minutes_of("5400+30"), pgn_minutes_of("40/7200:3600"), pgn_minutes_of("180")
    (120, 180, 3)
    >>> pgn_minutes_of("40/7200"), pgn_minutes_of("*180"), pgn_minutes_of("?")
    (180, None, None)
    """
    return _pgn_minutes_of(text) if len(text) <= _MAX_VALUE_LENGTH else None


@lru_cache(maxsize=1024)
def _pgn_minutes_of(text: str) -> int | None:
    seconds, moves = 0.0, 0
    for stage in text.strip().split(":"):
        match = _PGN_STAGE.fullmatch(stage)
        if match is None or moves >= _MOVES:
            return _whole_minutes(seconds) if match else None
        count = int(match[1]) if match[1] else _MOVES - moves
        if count < 1:
            return None
        seconds += int(match[2]) + int(match[3] or 0) * min(count, _MOVES - moves)
        per_move = int(match[2]) / count
        moves += count
    # The last stage repeats until the game is over.
    return _whole_minutes(seconds + per_move * max(0, _MOVES - moves))


def _whole_minutes(seconds: float) -> int | None:
    minutes = math.ceil(seconds / 60)
    return minutes if minutes <= MAX_MINUTES else None
