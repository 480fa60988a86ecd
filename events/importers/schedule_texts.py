"""Schedules of a section in one line of text, as tables hold them and people type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from events.importers.dbf.layout_2c import MAX_ROUNDS, parse_date
from events.importers.records import HIGHEST_PAIRING_NUMBER, ReportedSchedule

LONGEST_NAME = 40
_RANGE = re.compile(r"([0-9]{1,4})(?:\s*[-–]\s*([0-9]{1,4}))?", re.ASCII)
_ROUNDS = re.compile(r"rounds? ([0-9]{1,2})(?:\s*[-–]\s*([0-9]{1,2}))?", re.ASCII)
# No program separates columns by it, so that a table stays a table.
_DOT = " · "


def write_schedule(schedule: ReportedSchedule) -> str:
    """Return *schedule* as one line.

    >>> write_schedule(ReportedSchedule("2-day", "G/60;d5", 1, 3, entries=(1, 2, 5)))
    '2-day · G/60;d5 · rounds 1-3 ·  ·  · 1-2, 5'
    """
    return _DOT.join(
        (
            schedule.name.replace("·", "-"),
            schedule.time_control.replace("·", "-"),
            f"rounds {schedule.first_round}-{schedule.last_round}",
            schedule.starts.isoformat() if schedule.starts else "",
            schedule.ends.isoformat() if schedule.ends else "",
            write_numbers(schedule.entries),
        )
    )


def read_schedule(text: str) -> ReportedSchedule:
    """Read what ``write_schedule`` wrote. Raises ValueError for anything else.

    >>> read_schedule("2-day · G/60;d5 · rounds 1-3 ·  ·  · 1-2, 5").entries
    (1, 2, 5)
    """
    parts = [part.strip() for part in text.split("·")]
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
        name=name[:LONGEST_NAME],
        time_control=control[:60],
        first_round=first,
        last_round=last,
        starts=parse_date(starts) if starts else None,
        ends=parse_date(ends) if ends else None,
        entries=read_numbers(players),
    )


def write_numbers(numbers: Iterable[int]) -> str:
    """Return pairing numbers as people write them.

    >>> write_numbers([4, 1, 2, 3, 9])
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


def read_numbers(text: str) -> tuple[int, ...]:
    """Read pairing numbers such as "1-4, 9". Raises ValueError for anything else.

    >>> read_numbers("9, 1 – 3")
    (1, 2, 3, 9)
    """
    found: set[int] = set()
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"“{part[:20]}” is no pairing number.")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= HIGHEST_PAIRING_NUMBER:
            raise ValueError(f"“{part[:20]}” does not count upward.")
        found.update(range(first, last + 1))
    return tuple(sorted(found))
