"""Checks of the schedules that merge into one section of a report."""

from __future__ import annotations

from events.formats.findings import AddFinding, Collector, Place
from events.formats.report import ReportedEvent, ReportedSchedule, ReportedSection


def check_schedules(
    reported: ReportedEvent, section: ReportedSection, findings: Collector
) -> None:
    """Add findings about the section's schedules, each at its own place."""
    for place, schedule in enumerate(section.schedules, start=1):
        add = findings.at(Place(section=section.number, field=f"schedule_{place}"))
        name = schedule_name(schedule, place)
        _check_schedule(reported, section, schedule, name, add)
    _check_overlaps(section, findings)
    _check_split_games(section, findings)


def schedule_name(schedule: ReportedSchedule, place: int) -> str:
    """Return the name of a schedule for use in a sentence.

    >>> schedule_name(ReportedSchedule("2-day"), 1)
    '“2-day”'
    >>> schedule_name(ReportedSchedule(), 2)
    'number 2'
    """
    return f"“{schedule.name}”" if schedule.name else f"number {place}"


def _check_schedule(
    reported: ReportedEvent,
    section: ReportedSection,
    schedule: ReportedSchedule,
    name: str,
    add: AddFinding,
) -> None:
    rounds, (first, last) = section.rounds, (schedule.first_round, schedule.last_round)
    if not 1 <= first <= last or (rounds is not None and last > rounds):
        kind = "schedule.rounds" if rounds else "schedule.rounds/unknown"
        add(kind, name=name, first=first, last=last, rounds=rounds)
    if not schedule.time_control.strip():
        add("schedule.time_control_missing", name=name)
    starts, ends = reported.dates_of(section)
    begins, stops = schedule.starts or starts, schedule.ends or ends
    if begins and stops and starts and ends:  # others are reported for the event
        if stops < begins:
            add("schedule.dates", name=name)
        elif begins < starts or stops > ends:
            add("schedule.dates/outside", name=name)
    numbers = {entry.pairing_number for entry in section.entries}
    if unknown := sorted(set(schedule.entries) - numbers):
        listed = ", ".join(str(number) for number in unknown[:10])
        add("schedule.entries_unknown", name=name, listed=listed)


def _without_catch_all(section: ReportedSection) -> tuple[ReportedSchedule, ...]:
    """Drop a last schedule that only covers the games without another schedule.

    Rated records store the time control of those games as such a schedule, and a report
    that is made from them must pass the checks again.
    """
    *named, last = section.schedules or (ReportedSchedule(),)
    is_catch_all = not last.name and not last.entries and last.first_round == 1
    return tuple(named) if named and is_catch_all else section.schedules


def _check_overlaps(section: ReportedSection, findings: Collector) -> None:
    """Find players who are on two schedules in one round."""
    schedules = _without_catch_all(section)
    for place, schedule in enumerate(schedules, start=1):
        for before, earlier in enumerate(schedules[: place - 1], start=1):
            if _has_overlap(earlier, schedule):
                findings.add(
                    "schedule.overlap",
                    Place(section=section.number, field=f"schedule_{place}"),
                    name=schedule_name(earlier, before),
                    other_name=schedule_name(schedule, place),
                )


def _has_overlap(one: ReportedSchedule, other: ReportedSchedule) -> bool:
    rounds = one.first_round <= other.last_round and other.first_round <= one.last_round
    is_for_all = not one.entries or not other.entries
    return rounds and (is_for_all or bool(set(one.entries) & set(other.entries)))


def _check_split_games(section: ReportedSection, findings: Collector) -> None:
    """Find games between players of different schedules before they are merged."""
    by_number = {entry.pairing_number: entry for entry in section.entries}
    for place, schedule in enumerate(section.schedules, start=1):
        if not schedule.entries or section.has_opponent_columns:
            continue
        members = set(schedule.entries)
        for number in sorted(members & by_number.keys()):
            last = min(schedule.last_round, len(by_number[number].cells))
            for round_number in range(max(1, schedule.first_round), last + 1):
                cell = by_number[number].cell(round_number)
                if cell.opponent is not None and cell.opponent not in members:
                    findings.add(
                        "schedule.split_game",
                        Place("", section.number, number, round_number),
                        opponent=cell.opponent,
                        schedule_name=schedule_name(schedule, place),
                    )
