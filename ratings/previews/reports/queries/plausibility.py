"""Check the hours of chess per day of time control, rounds and days.

Sentences stay in one language, because a TD's confirmation refers to the sentence.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from events.formats.findings import Finding, Place, Severity, make_finding
from events.formats.played_games import round_count
from events.formats.report import ReportedEvent, ReportedSection
from events.records.schedules import deciding_control
from ratings.engine.time_controls import BadTimeControl, parse_time_control

# Three rounds of 40/90,SD/30;d5 fill a weekend's day with twelve hours and a half.
LONG_DAY = 13.0
# The hours of a day without sleep and meals; games end early, but not all of them.
LONGEST_DAY = 18.0
# A game of sixty moves with delay or increment takes both players' mm + ss.
PLAYERS = 2
MINUTES = 60


@dataclass(frozen=True, slots=True)
class _Load:
    """The hours of a section on each of its days, if all games take their full time."""

    section: ReportedSection
    days: frozenset[int]
    hours: float


def check_hours(reported: ReportedEvent) -> Iterator[Finding]:
    """Find days too short for their rounds, and players with two such days in one."""
    loads = [
        load for section in reported.sections if (load := _load(reported, section))
    ]
    for load in loads:
        yield from _check_load(load)
    yield from _check_both(loads)


def _load(reported: ReportedEvent, section: ReportedSection) -> _Load | None:
    starts, ends = reported.dates_of(section)
    if starts is None or ends is None or ends < starts:
        return None
    try:
        control = parse_time_control(deciding_control(section))
    except BadTimeControl:
        return None  # reported where it is read
    days = frozenset(range(starts.toordinal(), ends.toordinal() + 1))
    rounds = min(round_count(section), 99) * (2 if section.has_double_games else 1)
    minutes = PLAYERS * control.total * rounds
    return _Load(section, days, minutes / MINUTES / len(days))


def _check_load(load: _Load) -> Iterator[Finding]:
    if load.hours <= LONG_DAY:
        return
    section = load.section
    yield make_finding(
        "section.hours_a_day" + ("/one" if len(load.days) == 1 else ""),
        Place(section=section.number, field="time_control"),
        severity=Severity.CONFIRM if load.hours > LONGEST_DAY else Severity.NOTE,
        round_count=round_count(section),
        deciding_control=deciding_control(section),
        days=len(load.days),
        hours=load.hours,
    )


def _check_both(loads: list[_Load]) -> Iterator[Finding]:
    """Find members with more hours in two sections together than a day has."""
    seats: defaultdict[str, list[tuple[_Load, int]]] = defaultdict(list)
    for load in loads:
        for entry in load.section.entries:
            if entry.member_id.strip("0") and any(
                cell.opponent for cell in entry.cells
            ):
                seats[entry.member_id].append((load, entry.pairing_number))
    for member_id, taken in seats.items():
        for at, (load, number) in enumerate(taken):
            for earlier, other in taken[:at]:
                if _clash(load, earlier):
                    yield _two_places(member_id, load, number, earlier, other)


def _clash(one: _Load, other: _Load) -> bool:
    if one.section.number == other.section.number or not one.days & other.days:
        return False
    # Weekly evening rounds leave other days free.
    return one.hours + other.hours > LONGEST_DAY


def _two_places(
    member_id: str, load: _Load, number: int, earlier: _Load, other: int
) -> Finding:
    return make_finding(
        "member.two_places/hours",
        Place(section=load.section.number, pairing_number=number, field="member_id"),
        about=f"{earlier.section.number}.{other}",
        member_id=member_id,
        number=earlier.section.number,
        other=other,
        hours=load.hours + earlier.hours,
    )
