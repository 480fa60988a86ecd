"""Findings about the ratings and time controls of a report."""

from events.formats.catalog.kinds import parse_kinds

RATINGS = parse_kinds(
    """
note member.rating_outlier
    {name} is rated {rating}, the highest in the section by {points} points.
    /lowest {name} is rated {rating}, the lowest in the section by {points} points.
    > Check the ID.
caution member.performance
    {name} is rated {own} but performed at {performance}: {half_points} of {opponents}
    games.
    > Check the ID, and check that these are not another player’s results.
caution member.other_rating
    The report gives {name} a rating of {reported}, but {member_id} is rated {nearest}.
    > Check the ID. We do not use the ratings in a report.
confirm member.two_places/hours
    {member_id} also played in section {number}, pairing number {other}, on the same
    days. That is up to {hours:.0f} hours of chess a day.
    > Check the ID. One of the two may be another player.
error schedule.too_fast
    The section’s slowest time control, {decides}, is rated {names}. Games at {control}
    are not.
    > Report these rounds as their own section, or correct the time control.
confirm schedule.replaces
    No game was played at the section’s time control, {own}. Its schedules are rated by
    {decides}, which is another system.
    > Correct the schedules or the section’s time control, or confirm it.
note schedule.decides
    The section is rated {names} because of its slowest time control, {decides}. Each
    game keeps its own time control.
    > You don’t need to do anything.
error schedule.time_control
    Schedule {schedule_name}: {problem}
    > Write it like G/60;d5 or 40/90,SD/30;+30.
error section.before_the_rules
    {problem}
    > Correct the date, or ask the office to import the published ratings.
error section.in_rating_taken_over
    An imported rating already includes this section. {players}
    > It would be rated twice. Remove the section or withdraw the report. For old
    reports, choose a later start date for our own history.
note or confirm section.hours_a_day
    {round_count} rounds at {deciding_control} in {days} days are up to {hours:.0f}
    hours of chess a day.
    /one {round_count} rounds at {deciding_control} in one day are up to {hours:.0f}
    hours of chess.
    > If the time control, rounds, or dates are wrong, correct them.
error (office) section.match_not_eligible
    {faults}
    > A rated match needs two players with established published ratings no more than
    400 points apart, and 1 to 20 games. The office can accept it and give a reason.
note section.match_limited
    {name}: the match result would change the {label} rating by {computed}, but the
    match limits allow {allowed} ({match_limit:.0f} points in a match; {half_year} in
    180 days; {three_years} in three years).
    /no_room {name}: the match result would change the {label} rating by {computed}, but
    the match limits allow no more change ({match_limit:.0f} points in a match;
    {half_year} in 180 days; {three_years} in three years).
    > The match is still rated. You don’t need to do anything.
error time_control.unreadable
    The time control is longer than {longest} characters.
    > Write it like G/60;d5 or 40/90,SD/30;+30.
    /wrong {problem}
error time_control.unreadable/unclear
    The time control “{written}” has no unit. It could mean {controls}.
    > Enter the one that was used.
note time_control.other_system
    The report says system {system_letter}, but {deciding_control} is rated {names}.
    > We use the time control. You don’t need to do anything.
error time_control.not_ratable
    {problem}
    > If the time control has a typo, correct it.
"""
)
