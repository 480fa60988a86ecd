"""Schedules that merge into one section, and their time controls.

The slowest control decides the section's rating systems; each game keeps its own.
"""

from events.formats.played_games import played_games, round_count
from events.formats.report import ReportedSchedule, ReportedSection
from events.records.section_rater import section_rater


def controls_of(section: ReportedSection) -> list[str]:
    """Return the time controls at which games of the section were played.

    The section's own comes first; it is left out if schedules cover every game.
    """
    own = section.time_control.strip()
    controls = [schedule.time_control.strip() for schedule in section.schedules]
    if not own or (controls and all(_on_a_schedule(section))):
        return list(dict.fromkeys(filter(None, controls)))
    return list(dict.fromkeys([own, *filter(None, controls)]))


def _on_a_schedule(section: ReportedSection) -> list[bool]:
    """Return for each game whether a schedule covers it."""
    found = [
        any(
            schedule.covers(game.round_number, game.first, game.second)
            for schedule in section.schedules
        )
        for game in played_games(section)
    ]
    return found or [False]


def deciding_control(section: ReportedSection) -> str:
    """Return the time control that decides the section's rating systems."""
    if not section.schedules:
        return section.time_control.strip()
    return section_rater().deciding_control(controls_of(section))


def schedules_to_keep(section: ReportedSection) -> tuple[ReportedSchedule, ...]:
    """Return the schedules, with one for the other games if these do not decide.

    The section stores the deciding control as its own. Games at the reported control
    then become the last schedule.
    """
    own = section.time_control.strip()
    if own not in controls_of(section) or own == deciding_control(section):
        return section.schedules
    rest = ReportedSchedule(time_control=own, last_round=round_count(section))
    return (*section.schedules, rest)
