"""The schedules of a section: changed in a report, and entered in the books."""

from collections.abc import Mapping

from events.books.schedules import schedules_to_keep
from events.importers.records import ReportedSchedule, ReportedSection
from events.models import Entry, Schedule, Section


def schedules_in_words(schedule: ReportedSchedule) -> str:
    rounds = f"rounds {schedule.first_round} to {schedule.last_round}"
    return f"{schedule.name} {rounds} {schedule.time_control}".strip()


def enter_schedules(
    section: Section, reported: ReportedSection, entries: Mapping[int, Entry]
) -> None:
    """Enter an accepted section's schedules, so that each game keeps its control."""
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
