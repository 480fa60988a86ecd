"""Normalize time controls that a reader left as they are spelled in the file."""

from __future__ import annotations

from dataclasses import replace

from events.formats.findings import Collector, Place
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.time_controls import normalize_time_control


def normalize_time_controls(
    reported: ReportedEvent, findings: Collector
) -> ReportedEvent:
    """Return the report with the office's spelling of its sections' time controls."""
    sections = [_section(section, findings) for section in reported.sections]
    return replace(reported, sections=tuple(sections))


def _section(section: ReportedSection, findings: Collector) -> ReportedSection:
    schedules = tuple(
        replace(
            schedule,
            time_control=_control(
                schedule.time_control, section.number, f"schedule_{place}", findings
            ),
        )
        for place, schedule in enumerate(section.schedules, start=1)
    )
    control = _control(section.time_control, section.number, "time_control", findings)
    return replace(section, time_control=control, schedules=schedules)


def _control(written: str, section: int, field: str, findings: Collector) -> str:
    control = normalize_time_control(written)
    if control in (written, f"G/{written.replace('+', ';+')}"):
        return written  # the office reads 90+30 as it is
    place = Place(section=section, field=field)
    findings.add("time_control.spelling", place, written=written, control=control)
    return control
