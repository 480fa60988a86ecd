"""Schedules that merge into one section: the slowest time control decides.

Sentences stay in one language, because a TD's confirmation refers to the sentence.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from events.formats.checks.schedules import schedule_name
from events.formats.findings import Finding, Place, make_finding
from events.formats.report import ReportedEvent, ReportedSchedule, ReportedSection
from events.formats.time_controls import read_time_control
from events.formats.translatable_text import translatable, translatable_list
from events.records.schedules import controls_of
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    TimeControl,
    parse_time_control,
    systems_for,
)
from ratings.ledger.queries.engine_errors import refusal
from ratings.previews.reports.queries.time_controls import LONGEST


def slowest(controls: Sequence[str]) -> str:
    """Return the slowest readable time control, by minutes and seconds.

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
    """Find schedules that are unreadable, or too fast to be merged."""
    for section in reported.sections:
        starts, _ = reported.dates_of(section)
        if section.schedules and starts is not None:
            yield from _check_section(section, starts)


def _check_section(section: ReportedSection, starts: date) -> Iterator[Finding]:
    decides = slowest(controls_of(section))
    needed = systems_of_control(decides, section.online, starts)
    for place, schedule in enumerate(section.schedules, start=1):
        yield from _check_schedule(section, schedule, place, starts, decides, needed)
    own = section.time_control.strip()
    own_systems = systems_of_control(own, section.online, starts)
    place_of_all = Place(section=section.number, field="schedules")
    if own and own in controls_of(section) and own != decides:
        if not needed <= own_systems:
            yield _too_fast(section, "time_control", own, decides, needed)
        elif needed:
            yield make_finding(
                "schedule.decides", place_of_all, decides=decides, names=_names(needed)
            )
    elif own and own not in controls_of(section) and needed != own_systems:
        yield make_finding("schedule.replaces", place_of_all, own=own, decides=decides)


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
        return  # reported by the checks of the report itself
    problem = _problem(control)
    if problem:
        yield make_finding(
            "schedule.time_control",
            Place(section=section.number, field=field),
            about=place,
            schedule_name=schedule_name(schedule, place),
            problem=problem,
        )
    elif not needed <= systems_of_control(control, section.online, starts):
        yield _too_fast(section, field, control, decides, needed)


def _problem(control: str) -> str:
    if len(control) > LONGEST:
        return translatable(
            "The time control is longer than {longest} characters.", longest=LONGEST
        )
    if candidates := read_time_control(control).candidates:
        return translatable(
            "The time control “{written}” has no unit. Possible readings: {controls}.",
            written=control,
            controls=translatable_list(candidates),
        )
    try:
        parse_time_control(control)
    except BadTimeControl as error:
        return refusal(error)
    return ""


def systems_of_control(text: str, online: bool, day: date) -> frozenset[System]:
    """Return the systems of a time control, none if it is not rated."""
    control = _read(text)
    if control is None:
        return frozenset()
    try:
        return frozenset(systems_for(control, online=online, day=day))
    except (NotRatable, NoRuleInForce):
        return frozenset()


def _names(systems: frozenset[System]) -> str:
    return translatable_list(
        translatable(system.label) for system in System if system in systems
    )


def _too_fast(
    section: ReportedSection,
    field: str,
    control: str,
    decides: str,
    needed: frozenset[System],
) -> Finding:
    return make_finding(
        "schedule.too_fast",
        Place(section=section.number, field=field),
        control=control,
        names=_names(needed),
        decides=decides,
    )
