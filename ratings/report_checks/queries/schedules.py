"""Schedules that merge into one section: the slowest time control decides.

Sentences stay in one language: a TD's word stands for the sentence it answers.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from events.books.schedules import controls_of
from events.importers.checks.schedules import schedule_name
from events.importers.findings import Finding, Place, found
from events.importers.records import ReportedEvent, ReportedSchedule, ReportedSection
from events.importers.sentences import say, say_list
from events.importers.time_controls import read_control
from ratings.engine.dated import NoRuleInForce
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)
from ratings.ledger.queries.refusals import refusal
from ratings.report_checks.queries.controls import LONGEST


def slowest(controls: Sequence[str]) -> str:
    """Return the slowest of the controls that can be read, by minutes and seconds.

    >>> slowest(["G/60;d5", "40/90,SD/30;d10", "G/90;d5"])
    '40/90,SD/30;d10'
    """
    read = [text for text in controls if _read(text) is not None]
    return max(read or controls, key=_total, default="")


def _read(text: str) -> TimeControl | None:
    try:
        return parse_time_control(text)
    except BadTimeControl:
        return None


def _total(text: str) -> int:
    control = _read(text)
    return control.total if control else 0


def check_schedules(reported: ReportedEvent) -> Iterator[Finding]:
    """Say which schedules cannot be read, or are too fast to be mixed in."""
    for section in reported.sections:
        starts, _ = reported.dates_of(section)
        if section.schedules and starts is not None:
            yield from _check_section(section, starts)


def _check_section(section: ReportedSection, starts: date) -> Iterator[Finding]:
    decides = slowest(controls_of(section))
    needed = _systems(decides, section, starts)
    for place, schedule in enumerate(section.schedules, start=1):
        yield from _check_schedule(section, schedule, place, starts, decides, needed)
    own = section.time_control.strip()
    own_systems = _systems(own, section, starts)
    if own and own in controls_of(section) and own != decides:
        if not needed <= own_systems:
            yield _too_fast(section, "time_control", own, decides, needed)
        elif needed:
            yield _decided(section, decides, needed)
    elif own and own not in controls_of(section) and needed != own_systems:
        yield _replaced(section, own, decides)


def _check_schedule(
    section: ReportedSection,
    schedule: ReportedSchedule,
    place: int,
    starts: date,
    decides: str,
    needed: frozenset[System],
) -> Iterator[Finding]:
    control = schedule.time_control.strip()
    field = f"schedule_{place}"
    if not control:
        return  # said by the checks of the report itself
    problem = _problem(control)
    if problem:
        yield found(
            "schedule.time_control",
            Place(section=section.number, field=field),
            about=place,
            schedule_name=schedule_name(schedule, place),
            problem=problem,
        )
    elif not needed <= _systems(control, section, starts):
        yield _too_fast(section, field, control, decides, needed)


def _problem(control: str) -> str:
    if len(control) > LONGEST:
        return say(
            "The time control is longer than {longest} characters.", longest=LONGEST
        )
    if may_mean := read_control(control).may_mean:
        return say(
            "The time control “{written}” has no unit. Possible readings: {controls}.",
            written=control,
            controls=say_list(may_mean),
        )
    try:
        parse_time_control(control)
    except BadTimeControl as error:
        return refusal(error)
    return ""


def _systems(text: str, section: ReportedSection, starts: date) -> frozenset[System]:
    """Return the systems of a control; of what is not rated, none."""
    control = _read(text)
    if control is None:
        return frozenset()
    try:
        return frozenset(systems_for(control, online=section.online, day=starts))
    except (NotRatable, NoRuleInForce):
        return frozenset()


def _names(systems: frozenset[System]) -> str:
    return say_list(say(system.label) for system in System if system in systems)


def _too_fast(
    section: ReportedSection,
    field: str,
    control: str,
    decides: str,
    needed: frozenset[System],
) -> Finding:
    return found(
        "schedule.too_fast",
        Place(section=section.number, field=field),
        control=control,
        names=_names(needed),
        decides=decides,
    )


def _replaced(section: ReportedSection, own: str, decides: str) -> Finding:
    return found(
        "schedule.replaces",
        Place(section=section.number, field="schedules"),
        own=own,
        decides=decides,
    )


def _decided(
    section: ReportedSection, decides: str, needed: frozenset[System]
) -> Finding:
    return found(
        "schedule.decides",
        Place(section=section.number, field="schedules"),
        decides=decides,
        names=_names(needed),
    )
