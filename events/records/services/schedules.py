"""Store the schedules of an accepted section."""

from collections.abc import Mapping

from events.formats.report import ReportedSchedule, ReportedSection
from events.models import Entry, Schedule, Section
from events.records.schedules import schedules_to_keep


def schedules_in_words(schedule: ReportedSchedule) -> str:
    rounds = f"rounds {schedule.first_round} to {schedule.last_round}"
    return f"{schedule.name} {rounds} {schedule.time_control}".strip()


def enter_schedules(
    section: Section, reported: ReportedSection, entries: Mapping[int, Entry]
) -> None:
    """Create the schedules of an accepted section."""
    for place, told in enumerate(schedules_to_keep(reported), start=1):
        schedule = Schedule.objects.create(
            section=section,
            place=place,
            name=told.name[:40],
            time_control=told.time_control.strip()[:60],
            first_round=told.first_round,
            last_round=told.last_round,
            starts=told.starts,
            ends=told.ends,
        )
        schedule.entries.set([entries[number] for number in told.entries])
