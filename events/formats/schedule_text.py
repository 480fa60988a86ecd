"""Schedules of a section in one line of text, as tables hold them and people type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date

from events.formats.dates import parse_date
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.report import MAX_PAIRING_NUMBER, ReportedSchedule

MAX_NAME_LENGTH = 40
_RANGE = re.compile(r"([0-9]{1,4})(?:\s*[-–]\s*([0-9]{1,4}))?", re.ASCII)
_ROUNDS = re.compile(r"rounds? ([0-9]{1,2})(?:\s*[-–]\s*([0-9]{1,2}))?", re.ASCII)
# No program separates columns by it, so that tables keep their columns.
_SEPARATOR = " · "


def format_schedule(schedule: ReportedSchedule) -> str:
    """Return *schedule* as one line.

    >>> format_schedule(ReportedSchedule("2-day", "G/60;d5", 1, 3, entries=(1, 2, 5)))
    '2-day · G/60;d5 · rounds 1-3 ·  ·  · 1-2, 5'
    """
    return _SEPARATOR.join(
        (
            schedule.name.replace("·", "-"),
            schedule.time_control.replace("·", "-"),
            f"rounds {schedule.first_round}-{schedule.last_round}",
            schedule.starts.isoformat() if schedule.starts else "",
            schedule.ends.isoformat() if schedule.ends else "",
            format_numbers(schedule.entries),
        )
    )


def parse_schedule(
    text: str, day: Callable[[str], date | None] = parse_date
) -> ReportedSchedule:
    """Read what ``format_schedule`` wrote. Raises ValueError for anything else.

    *day* parses the first and the last day.

    >>> parse_schedule("2-day · G/60;d5 · rounds 1-3 ·  ·  · 1-2, 5").entries
    (1, 2, 5)
    """
    parts = _parts(text)
    if not 3 <= len(parts) <= 6:
        raise ValueError("A schedule has a name, a control and rounds between dots.")
    name, control, rounds, starts, ends, players = [*parts, "", "", ""][:6]
    match = _ROUNDS.fullmatch(rounds.lower())
    if match is None or not control:
        raise ValueError("A schedule needs a time control and rounds.")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last <= MAX_ROUNDS:
        raise ValueError("A schedule's first round comes before its last.")
    return ReportedSchedule(
        name=name[:MAX_NAME_LENGTH],
        time_control=control[:60],
        first_round=first,
        last_round=last,
        starts=day(starts),
        ends=day(ends),
        entries=parse_numbers(players),
    )


def schedule_date_texts(text: str) -> list[str]:
    """Return how a schedule spells its first and its last day, if it has any."""
    return _parts(text)[3:5]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("·")]


def format_numbers(numbers: Iterable[int]) -> str:
    """Return pairing numbers as people write them.

    >>> format_numbers([4, 1, 2, 3, 9])
    '1-4, 9'
    """
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts
    )


def parse_numbers(text: str) -> tuple[int, ...]:
    """Read pairing numbers such as "1-4, 9". Raises ValueError for anything else.

    >>> parse_numbers("9, 1 – 3")
    (1, 2, 3, 9)
    """
    numbers: set[int] = set()
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"“{part[:20]}” is no pairing number.")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= MAX_PAIRING_NUMBER:
            raise ValueError(f"“{part[:20]}” does not count upward.")
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))
