"""Several schedules that merge into one section: whose control decides, whose counts.

The slowest control decides what the section is rated in; each game keeps its own.
"""

from events.books.rater import rater
from events.importers.played import played_games, round_count
from events.importers.records import ReportedSchedule, ReportedSection


def controls_of(section: ReportedSection) -> list[str]:
    """Return the time controls that games of the section were played at.

    The section's own comes first; it is left out where the schedules hold every game.
    """
    own = section.time_control.strip()
    controls = [schedule.time_control.strip() for schedule in section.schedules]
    if not own or (controls and all(_on_a_schedule(section))):
        return list(dict.fromkeys(filter(None, controls)))
    return list(dict.fromkeys([own, *filter(None, controls)]))


def _on_a_schedule(section: ReportedSection) -> list[bool]:
    """Tell of each game whether a schedule holds it; without games nothing does."""
    found = [
        any(
            schedule.covers(game.round_number, game.first, game.second)
            for schedule in section.schedules
        )
        for game in played_games(section)
    ]
    return found or [False]


def deciding_control(section: ReportedSection) -> str:
    """Return the time control that decides what the section is rated in."""
    if not section.schedules:
        return section.time_control.strip()
    return rater().deciding_control(controls_of(section))


def schedules_to_keep(section: ReportedSection) -> tuple[ReportedSchedule, ...]:
    """Return the section's schedules, and the rest's where another control decides.

    The books keep the deciding control as the section's own. Games at the one that
    was reported as such are then a schedule like the others, the last to be asked.
    """
    own = section.time_control.strip()
    if own not in controls_of(section) or own == deciding_control(section):
        return section.schedules
    rest = ReportedSchedule(time_control=own, last_round=round_count(section))
    return (*section.schedules, rest)
