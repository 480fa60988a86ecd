"""Time controls as directors write them, and the systems they are rated in.

Footnote 1 of the 2025 paper: the main time of all controls in minutes plus the delay
or increment in seconds gives the system.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from .messages import EngineMessage, engine_message
from .parameters import TimeControlRange
from .rule_history import NoRuleInForce
from .rules import rules_in_force
from .systems import System

MAX_TEXT_LENGTH: Final = 100
MAX_CONTROLS: Final = 6
MAX_MOVES: Final = 200
MAX_MINUTES: Final = 1000
MAX_SECONDS: Final = 600


class BadTimeControl(ValueError):
    """The text is no time control; the message says why and how to write one."""


class NotRatable(ValueError):
    """Games at this time control are not rated; the message says why."""


@dataclass(frozen=True, slots=True)
class Control:
    """Minutes for a number of moves, or (None) for the rest of the game."""

    moves: int | None
    minutes: int


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The main times in order, and the delay or increment per move in seconds."""

    controls: tuple[Control, ...]
    seconds: int = 0
    is_increment: bool = False

    @property
    def text(self) -> str:
        """The spelling the office stores: `G/60;d5`, `40/90,SD/30;+30`, `G/60;d0`."""
        sudden_death = "G" if len(self.controls) == 1 else "SD"
        main = ",".join(
            f"{control.moves or sudden_death}/{control.minutes}"
            for control in self.controls
        )
        sign = "+" if self.is_increment and self.seconds else "d"
        return f"{main};{sign}{self.seconds}"

    @property
    def main_minutes(self) -> int:
        return sum(control.minutes for control in self.controls)

    @property
    def first_main_minutes(self) -> int:
        return self.controls[0].minutes

    @property
    def total(self) -> int:
        """Minutes of all controls plus seconds of delay or increment (mm + ss)."""
        return self.main_minutes + self.seconds

    def __str__(self) -> str:
        return self.text


# One piece of a time control. "SD/30" must be tried before "d30"; "90+30" needs no G.
_PIECE = re.compile(
    r"""
      (?: (?: game (?:\s+in)? | sd | g ) \s* [/:]? \s* | (?= [0-9]+ \s* \+ ) )
      (?P<rest>[0-9]+)
    | (?P<moves>[0-9]+) \s* / \s* (?P<minutes>[0-9]+)
    | (?: delay | d ) \s* [/:=]? \s* (?P<delay>[0-9]+)
    | (?: \+ | increment | inc ) \s* [/:=+]? \s* (?P<increment>[0-9]+)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_BETWEEN = re.compile(r"[\s,;]*")


@lru_cache(maxsize=1024)
def parse_time_control(text: str) -> TimeControl:
    """Read a time control in any spelling that directors use.

    Raises BadTimeControl, with a sentence for the director, for anything else.

    >>> parse_time_control("G60; d5").text
    'G/60;d5'
    >>> parse_time_control("40/90, SD/30, d10").total
    130
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise BadTimeControl(
            engine_message(
                "The time control has {length} characters; the limit is {longest}. "
                "Enter it like G/60;d5, G/90;+30 or 40/90,SD/30;d5.",
                length=len(text),
                longest=MAX_TEXT_LENGTH,
            )
        )
    if not text.strip(" \t\r\n,;"):
        raise BadTimeControl(
            engine_message(
                "The time control is missing. Enter it like G/60;d5, G/90;+30 or "
                "40/90,SD/30;d5."
            )
        )
    pieces = _pieces(text)
    controls = _controls(text, pieces)
    seconds, is_increment = _delay_or_increment(text, pieces)
    return TimeControl(controls, seconds, is_increment and seconds > 0)


def _pieces(text: str) -> list[dict[str, str]]:
    pieces = []
    place = _end_of_gap(text, 0)
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            raise BadTimeControl(
                engine_message(
                    "We could not read the time control “{written}” from “{rest}” "
                    "on. Enter it like G/60;d5, G/90;+30 or 40/90,SD/30;d5.",
                    written=text,
                    rest=text[place : place + 20],
                )
            )
        pieces.append({k: v for k, v in match.groupdict().items() if v is not None})
        place = _end_of_gap(text, match.end())
    return pieces


def _end_of_gap(text: str, place: int) -> int:
    gap = _BETWEEN.match(text, place)
    return gap.end() if gap else place


def _controls(text: str, pieces: list[dict[str, str]]) -> tuple[Control, ...]:
    controls = []
    for piece in pieces:
        if "rest" in piece:
            minutes = _number(text, piece["rest"], MAX_MINUTES)
            controls.append(Control(None, minutes))
        elif "moves" in piece:
            moves = _number(text, piece["moves"], MAX_MOVES, least=1)
            minutes = _number(text, piece["minutes"], MAX_MINUTES)
            controls.append(Control(moves, minutes))
    if not controls:
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has no main time. Enter it like "
                "G/60;d5, G/90;+30 or 40/90,SD/30;d5.",
                written=text,
            )
        )
    if len(controls) > MAX_CONTROLS:
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has {controls} parts; the limit is "
                "{most_controls}.",
                written=text,
                controls=len(controls),
                most_controls=MAX_CONTROLS,
            )
        )
    if controls[-1].moves is not None:
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has no time after the last move count. "
                "Add the time for the rest of the game, for example SD/30.",
                written=text,
            )
        )
    if any(control.moves is None for control in controls[:-1]):
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has more than one time for the whole "
                "game. If rounds differ, enter only the slowest.",
                written=text,
            )
        )
    return tuple(controls)


def _delay_or_increment(text: str, pieces: list[dict[str, str]]) -> tuple[int, bool]:
    given = {
        (_number(text, seconds, MAX_SECONDS), kind == "increment")
        for piece in pieces
        for kind, seconds in piece.items()
        if kind in ("delay", "increment")
    }
    if len(given) > 1:
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has more than one delay or increment. "
                "Enter only one, for example ;d5 or ;+30.",
                written=text,
            )
        )
    return given.pop() if given else (0, False)


def _number(text: str, digits: str, most: int, least: int = 0) -> int:
    number = int(digits)
    if not least <= number <= most:
        raise BadTimeControl(
            engine_message(
                "The time control “{written}” has the number {digits}. Enter a "
                "number from {least} to {most} there.",
                written=text,
                digits=digits,
                least=least,
                most=most,
            )
        )
    return number


def systems_for(control: TimeControl, *, online: bool, day: date) -> tuple[System, ...]:
    """Return the systems of a section with *control* that starts on *day*.

    Two systems mean dual rating. All editions agree on the ranges. Raises NotRatable,
    with a sentence for the director, if there is no system.

    >>> systems_for(parse_time_control("G/60;d5"), online=False, day=date(2024, 5, 4))
    (<System.OTBR: 'OTBR'>, <System.OTBQ: 'OTBQ'>)
    """
    ranges = _ranges(online, day)
    for time_range in ranges:
        if _contains(time_range, control.total):
            _check_first_control(control, time_range)
            return time_range.systems
    raise NotRatable(_no_system_reason(control, day, ranges))


def is_dual(control: TimeControl, day: date) -> bool:
    """Return whether *control* is rated as regular and as quick over the board.

    >>> is_dual(parse_time_control("G/61;d5"), date(2024, 5, 4))
    False
    """
    try:
        return len(systems_for(control, online=False, day=day)) == 2
    except NotRatable:
        return False


def _ranges(online: bool, day: date) -> tuple[TimeControlRange, ...]:
    rules = rules_in_force(day)
    try:
        return rules.online_time_controls if online else rules.otb_time_controls
    except NoRuleInForce:
        raise NotRatable(_no_ratings_yet(online, day)) from None


def _no_ratings_yet(online: bool, day: date) -> EngineMessage:
    if online:
        return engine_message(
            "We have no online rating rules for sections that start on {day}. Check "
            "the dates of the section.",
            day=day,
        )
    return engine_message(
        "We have no over-the-board rating rules for sections that start on {day}. "
        "Check the dates of the section.",
        day=day,
    )


def _contains(time_range: TimeControlRange, total: int) -> bool:
    return time_range.least <= total and (
        time_range.most is None or total <= time_range.most
    )


def _check_first_control(control: TimeControl, time_range: TimeControlRange) -> None:
    if control.first_main_minutes >= time_range.first_control:
        return
    raise NotRatable(
        engine_message(
            "{control} cannot be rated. The first control needs at least {least} "
            "minutes; it has {minutes}.",
            control=control.text,
            least=time_range.first_control,
            minutes=control.first_main_minutes,
        )
    )


def _no_system_reason(
    control: TimeControl, day: date, ranges: tuple[TimeControlRange, ...]
) -> EngineMessage:
    least = min(time_range.least for time_range in ranges)
    if control.total < least:
        return engine_message(
            "{control} is too fast to be rated. Its minutes and seconds add up to "
            "{total}; at least {least} is needed.",
            control=control.text,
            total=control.total,
            least=least,
        )
    return engine_message(
        "{control} cannot be rated for a section that starts on {day}. Its minutes "
        "and seconds add up to {total}, and the rating system for such games began "
        "later.",
        control=control.text,
        day=day,
        total=control.total,
    )
