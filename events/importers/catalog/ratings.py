"""What ratings and time controls say against a report."""

from events.importers.catalog.kinds import (
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
        "Make sure that the ID is right.",
    ),
    "member.rating_outlier/lowest": note(
        "{name} is rated {rating}, the lowest in the section by {points} points.",
        "Make sure that the ID is right.",
    ),
    "member.performance": caution(
        "{name}, rated {own}, played like {performance}: {half_points} of "
        "{opponents} games.",
        "Make sure that the ID is right, and that the results are not those "
        "of another player.",
    ),
    "member.other_rating": caution(
        "The report gives {name} the rating {reported}; {member_id} is "
        "rated {nearest}.",
        "Make sure that the ID is right. Ratings in the report do not count.",
    ),
    "member.two_places/hours": confirm(
        "{member_id} also played in section {number}, number {other}, on "
        "the same days: up to {hours:.0f} hours of chess a day.",
        "Make sure that the ID is right; one of the two may be somebody else.",
    ),
    "schedule.too_fast": error(
        "Games at {control} are not rated {names}, as the section is by its "
        "slowest control, {decides}.",
        "Report these rounds as a section of their own, or correct the time control.",
    ),
    "schedule.replaces": confirm(
        "No game is played at the section's own time control, {own}; its "
        "schedules are rated by {decides}, which is another system.",
        "Correct the schedules or the section's control, or say that it is so.",
    ),
    "schedule.decides": note(
        "The slowest control, {decides}, decides: the section is rated "
        "{names}. Each game keeps its own control in the books.",
        "Nothing needs to be done.",
    ),
    "schedule.time_control": error(
        "The schedule {schedule_name}: {problem}",
        "Write it like G/60;d5 or 40/90,SD/30;+30.",
    ),
    "section.before_the_rules": error(
        "{problem}",
        "Correct the date, or ask the office to take the ratings over as "
        "they were published.",
    ),
    "section.in_rating_taken_over": error(
        "A rating taken over holds this section already. {players}",
        "It would count twice. Leave the section out, or withdraw the report; for an "
        "archive of reports, choose a later day from which history is ours.",
    ),
    "section.hours_a_day": note(
        "{round_count} rounds at {deciding_control} in {days} days are up to "
        "{hours:.0f} hours of chess a day.",
        "Correct the time control, the rounds or the dates, if one of them is wrong.",
        up_to=Severity.CONFIRM,
    ),
    "section.hours_a_day/one": note(
        "{round_count} rounds at {deciding_control} in one day are up to "
        "{hours:.0f} hours of chess.",
        "Correct the time control, the rounds or the dates, if one of them is wrong.",
        up_to=Severity.CONFIRM,
    ),
    "section.match_not_eligible": error(
        "{faults}",
        "A rated match needs two players with established published ratings "
        "at most 400 points apart, and 1 to 20 games. The office can let it "
        "pass, with a reason.",
        office=True,
    ),
    "section.match_limited": note(
        "{name}: the result would move the {label} rating by {computed}, but the "
        "limits on matches leave {allowed} ({match_limit:.0f} points in a match; "
        "{half_year} in 180 days; {three_years} in three years).",
        "The match is rated all the same; nothing needs to be done.",
    ),
    "section.match_limited/no_room": note(
        "{name}: the result would move the {label} rating by {computed}, but the "
        "limits on matches leave no room, so it does not change ({match_limit:.0f} "
        "points in a match; {half_year} in 180 days; {three_years} in three years).",
        "The match is rated all the same; nothing needs to be done.",
    ),
    "time_control.unreadable": error(
        "The time control is longer than {longest} characters.",
        "Write it like G/60;d5 or 40/90,SD/30;+30.",
    ),
    "time_control.unreadable/wrong": error("{problem}"),
    "time_control.unreadable/unclear": error(
        "The time control “{written}” has no unit. Possible readings: {controls}.",
        "Enter the one that was played.",
    ),
    "time_control.other_system": note(
        "The report says system {system_letter}, but {deciding_control} is "
        "rated {names}.",
        "The time control decides; nothing needs to be done.",
    ),
    "time_control.not_ratable": error(
        "{problem}", "Correct the time control, if it was mistyped."
    ),
}
