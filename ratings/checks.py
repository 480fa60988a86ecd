"""The checks of a report that need the engine or ratings."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings

from events.importers.findings import Finding, Place, Severity
from events.importers.records import EventReport, SectionReport
from events.models import Section
from events.queries import members_of
from events.registry import report_check
from ratings.engine.rules import NoRuleInForce, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.services.previews import preview_section

LONGEST = Section._meta.get_field("time_control").max_length
# The letters of the report files, and the systems they mean.
LETTERS = {
    "R": {System.OTBR, System.OLR},
    "D": {System.OTBR, System.OTBQ},
    "Q": {System.OTBQ, System.OLQ},
    "B": {System.OTBB, System.OLB},
}


@report_check
def check_time_controls(report: EventReport) -> Iterator[Finding]:
    """Say which sections have a time control that cannot be read, or be rated."""
    for section in report.sections:
        if section.time_control.strip():
            yield from _check_time_control(report, section)


def _check_time_control(
    report: EventReport, section: SectionReport
) -> Iterator[Finding]:
    place = Place(section=section.number, field="time_control")
    starts, _ = report.dates_of(section)
    if len(section.time_control.strip()) > LONGEST:
        yield Finding(
            Severity.ERROR,
            "time_control.unreadable",
            place,
            f"The time control is longer than {LONGEST} characters.",
            "Write it like G/60;d5 or 40/90,SD/30;+30.",
        )
        return
    try:
        control = parse_time_control(section.time_control)
        if starts is None:
            return  # said by the checks of the report itself
        systems = systems_for(control, online=section.online, day=starts)
        _require_known_rules(report, section, starts)
    except BadTimeControl as error:
        yield Finding(
            Severity.ERROR,
            "time_control.unreadable",
            place,
            str(error),
        )
        return
    except NoRuleInForce as error:
        yield Finding(
            Severity.ERROR,
            "section.before_the_rules",
            Place(section=section.number, field="starts"),
            f"A section of that day cannot be rated: {error}",
            "Correct the date, or ask the office to take the ratings over as they "
            "were published.",
        )
        return
    except NotRatable as error:
        yield Finding(
            Severity.ERROR,
            "time_control.not_ratable",
            place,
            str(error),
            "Correct the time control, if it was mistyped.",
        )
        return
    said = LETTERS.get(section.system_letter)
    if said and not set(systems) <= said:
        names = " and ".join(system.label for system in systems)
        yield Finding(
            Severity.NOTE,
            "time_control.other_system",
            place,
            f"The report says system {section.system_letter}, but "
            f"{section.time_control} is rated {names}.",
            "The time control decides; nothing needs to be done.",
        )


def _require_known_rules(
    report: EventReport, section: SectionReport, starts: date
) -> None:
    """Raise NoRuleInForce if the section needs a rule that nobody knows for its day.

    Every calculation needs the effective games; what else one needs shows only when
    it is done, which days long past are worth.
    """
    rules = rules_in_force(starts, settings.RATING_EDITION)
    _ = rules.effective_games
    try:
        _ = rules.blended_start
    except NoRuleInForce:
        preview = preview_section(report, section, members_of(report))
        if preview.lacks_a_rule:
            raise
