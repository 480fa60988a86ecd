"""Findings about the ratings and time controls of a report."""

from events.formats.catalog.kinds import (
    FindingKind,
    Severity,
    caution,
    confirm,
    error,
    note,
)

RATINGS: dict[str, FindingKind] = {
    "member.rating_outlier": note(
        "{name} is rated {rating}, the highest in the section by {points} points.",
        "Check the ID.",
    ),
    "member.rating_outlier/lowest": note(
        "{name} is rated {rating}, the lowest in the section by {points} points.",
        "Check the ID.",
    ),
    "member.performance": caution(
        "{name} is rated {own} but performed at {performance}: {half_points} of "
        "{opponents} games.",
        "Check the ID, and check that these are not another player's results.",
    ),
    "member.other_rating": caution(
        "The report gives {name} a rating of {reported}, but {member_id} is rated "
        "{nearest}.",
        "Check the ID. We do not use the ratings in a report.",
    ),
    "member.two_places/hours": confirm(
        "{member_id} also played in section {number}, pairing number {other}, on the "
        "same days. That is up to {hours:.0f} hours of chess a day.",
        "Check the ID. One of the two may be another player.",
    ),
    "schedule.too_fast": error(
        "The section's slowest time control, {decides}, is rated {names}. Games at "
        "{control} are not.",
        "Report these rounds as their own section, or correct the time control.",
    ),
    "schedule.replaces": confirm(
        "No game was played at the section's time control, {own}. Its schedules are "
        "rated by {decides}, which is another system.",
        "Correct the schedules or the section's time control, or confirm it.",
    ),
    "schedule.decides": note(
        "The section is rated {names} because of its slowest time control, {decides}. "
        "Each game keeps its own time control.",
        "You don't need to do anything.",
    ),
    "schedule.time_control": error(
        "Schedule {schedule_name}: {problem}",
        "Write it like G/60;d5 or 40/90,SD/30;+30.",
    ),
    "section.before_the_rules": error(
        "{problem}",
        "Correct the date, or ask the office to import the published ratings.",
    ),
    "section.in_rating_taken_over": error(
        "An imported rating already includes this section. {players}",
        "It would be rated twice. Remove the section or withdraw the report. For old "
        "reports, choose a later start date for our own history.",
    ),
    "section.hours_a_day": note(
        "{round_count} rounds at {deciding_control} in {days} days are up to "
        "{hours:.0f} hours of chess a day.",
        "If the time control, rounds, or dates are wrong, correct them.",
        max_severity=Severity.CONFIRM,
    ),
    "section.hours_a_day/one": note(
        "{round_count} rounds at {deciding_control} in one day are up to "
        "{hours:.0f} hours of chess.",
        "If the time control, rounds, or dates are wrong, correct them.",
        max_severity=Severity.CONFIRM,
    ),
    "section.match_not_eligible": error(
        "{faults}",
        "A rated match needs two players with established published ratings no more "
        "than 400 points apart, and 1 to 20 games. The office can accept it and give a "
        "reason.",
        is_office_overridable=True,
    ),
    "section.match_limited": note(
        "{name}: the match result would change the {label} rating by {computed}, but "
        "the match limits allow {allowed} ({match_limit:.0f} points in a match; "
        "{half_year} in 180 days; {three_years} in three years).",
        "The match is still rated. You don't need to do anything.",
    ),
    "section.match_limited/no_room": note(
        "{name}: the match result would change the {label} rating by {computed}, but "
        "the match limits allow no more change ({match_limit:.0f} points in a match; "
        "{half_year} in 180 days; {three_years} in three years).",
        "The match is still rated. You don't need to do anything.",
    ),
    "time_control.unreadable": error(
        "The time control is longer than {longest} characters.",
        "Write it like G/60;d5 or 40/90,SD/30;+30.",
    ),
    "time_control.unreadable/wrong": error("{problem}"),
    "time_control.unreadable/unclear": error(
        "The time control “{written}” has no unit. It could mean {controls}.",
        "Enter the one that was used.",
    ),
    "time_control.other_system": note(
        "The report says system {system_letter}, but {deciding_control} is "
        "rated {names}.",
        "We use the time control. You don't need to do anything.",
    ),
    "time_control.not_ratable": error(
        "{problem}", "If the time control has a typo, correct it."
    ),
}
