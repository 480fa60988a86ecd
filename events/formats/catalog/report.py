"""Findings about faults that are visible in the report itself."""

from events.formats.catalog.kinds import FindingKind, Severity, parse_kinds, variant

# The first words about a player's side of a game, by the result's meaning.
_CLAIMS = {
    "": "Shows {phrase} against {opponent}",
    "win": "A win against {opponent}",
    "loss": "A loss to {opponent}",
    "draw": "A draw with {opponent}",
}
# The words about a game that the opponent reports differently.
_CONTRADICTIONS = {
    "result.opponent_differs": "{answer} against {other}",
    "result.opponent_differs/nobody": "{answer}",
    "result.opponent_differs/silent": "no result",
    "result.not_mirrored": "{answer}",
    "result.not_mirrored/against": "{answer} against {other}",
}

REPORT = parse_kinds(
    """
error event.several
    {name} has {rows:,} events. We read only the first one.
    > Report each event by itself.
error event.no_record
    {name} has no event.
    > Export the report again from your pairing program.
error event.ids_differ
    {name} belongs to event {other_event_id}, but THEXPORT belongs to event {event_id}.
    > Upload the three files of one report.
note event.layout
    The layout is named “{layout}”, not {format}. We read the fields we recognized.
    /missing The layout has no name. It should be {format}. We read the fields we
    recognized.
error event.name_missing
    The event has no name.
    > Enter it.
error event.dates_missing
    The event’s start date is missing.
    /ends The event’s end date is missing.
    > Enter it.
error event.dates_reversed
    The event ends on {last_day}, before it starts on {first_day}.
    > Correct one of the two dates.
note event.remembered
    The files do not say where the event was. We used {place} from your last report.
    > If the event was somewhere else, correct it.
    /affiliate The files do not name an affiliate. We used {affiliate_id} from your last
    report.
    > If it was another affiliate, correct it.
    /chief The files do not name a chief TD. We used your own ID, {member_id}.
    > If the chief TD was another person, correct it.
error event.affiliate_missing
    The affiliate ID is missing.
    > Enter the letter A and seven digits.
error event.affiliate_malformed
    The affiliate ID “{affiliate_id}” is not the letter A and seven digits.
    > Correct it.
error event.chief_td_missing
    The chief TD’s member ID is missing.
    > Enter it.
error event.td_malformed
    The TD’s member ID “{member_id}” is not eight digits.
    /other The TD’s member ID “{member_id}” is not a member ID.
    > Correct it.
caution event.place_missing
    The event’s city is missing.
    /state The event’s state is missing.
note event.send_crosstable
    The letter “{send_crosstable}” for sending the crosstable is not T (TD), A
    (affiliate), or N (none).
error event.no_sections
    The event has no sections.
    > Export the report again from your pairing program.
error event.too_many_sections
    {name} has {count:,} sections. An event has {max_sections} at most, so we
    did not read the rest.
    > Report the event in parts.
error event.section_count
    THEXPORT says there are {said} sections, but the report has {numbers}.
    > Make sure that no section is missing. Then correct the number.
    /none THEXPORT does not give the number of sections. The report has {numbers}.
    > Make sure that no section is missing. Then enter the number.
caution section.not_described
    {name} has {count:,} entries for section {number}, but TSEXPORT does not have this
    section.
    /one {name} has 1 entry for section {number}, but TSEXPORT does not have this
    section.
    > Enter the section’s name, time control, type, and rounds.
error section.number_repeated
    {count} sections have the number {number}.
    > Number the sections 1, 2, 3 … and export the report again.
error section.number_invalid
    A section has no number.
    > Number the sections 1, 2, 3 … and export the report again.
confirm section.numbers_gap
    The sections are numbered {listed}.
    > Make sure that no section is missing.
caution section.name_missing
    The section has no name.
error section.time_control_missing
    The section has no time control. Enter one such as G/60;d5.
error section.kind_missing
    The section’s type is missing. Choose Swiss, round robin, or another.
error section.kind_unknown
    We don’t know the section type “{kind_letter}”.
    > Choose one of {known}.
note section.system_letter
    The rating system “{system_letter}” is not R, D, Q, or B. We use the time control
    instead.
error section.rounds_missing
    The number of rounds is missing. Enter it.
error section.rounds_differ
    The section has {rounds} rounds, but there are results for {present}.
    > Correct the number of rounds, or enter the results.
error section.last_pairing_number
    TSEXPORT gives the last pairing number as {said}, but the highest is {highest}.
    /none TSEXPORT does not give the last pairing number. The highest is {highest}.
    > Make sure that no entry is missing. Then correct the number.
caution or error section.pairing_numbers_gap
    Pairing numbers should start at 1 with no gaps, but {missing} is missing.
    /several Pairing numbers should start at 1 with no gaps, but {missing} are missing.
    /more Pairing numbers should start at 1 with no gaps, but {missing} and {more} more
    are missing.
    > Make sure that no entry is missing.
error section.td_malformed
    The TD’s member ID “{member_id}” is not eight digits.
    /other The TD’s member ID “{member_id}” is not a member ID.
    > Correct it.
error section.dates_reversed
    The section ends on {last_day}, before it starts on {first_day}.
    > Correct one of the two dates.
error section.outside_event
    The section’s dates, {first_day} to {last_day}, are outside the event’s dates.
    > Correct the section’s or the event’s dates.
caution section.long
    The section lasts {days} days, more than six weeks.
    > Report a long event in parts. Ratings then stay current.
note section.scholastic_level
    The scholastic level “{scholastic_level}” is not N, S, P, or J.
caution section.grand_prix
    The section has {grand_prix_points} Grand Prix points, but is not marked as a Grand
    Prix.
error section.no_entries
    The section has no entries.
    > Export the report again from your pairing program.
error section.no_game
    The section has no game to rate.
    > Remove the section, or enter its results.
caution section.colors_missing
    {without_color:,} results have no colors.
error section.double_codes
    The section uses {codes}. These codes mean two games in a round, but the section is
    not type 2 (double-game Swiss).
    > Choose type 2. W, D, and L then also mean two games.
confirm section.not_coded_as_match
    Two players played several games, but the section is not coded as a match.
    > Choose the type M (match).
error section.match_players
    A match has two players. This section has {numbers}.
    > Correct the type, or report each match as its own section.
error schedule.rounds
    The schedule {name} has rounds {first} to {last}, but the section has {rounds}
    rounds.
    /unknown The schedule {name} has rounds {first} to {last}, but the section does not
    say how many rounds it has.
    > Correct its first or last round.
error schedule.time_control_missing
    The schedule {name} has no time control.
    > Enter one such as G/60;d5.
error schedule.dates
    The schedule {name} ends before it starts.
    > Correct one of its two dates.
    /outside The dates of the schedule {name} are outside the section’s dates.
    > Correct the dates of the schedule or the section.
error schedule.entries_unknown
    The schedule {name} lists pairing numbers that are not in the section: {listed}.
    > Correct its players.
error schedule.overlap
    The schedules {name} and {other_name} share players and rounds.
    > Give each player one schedule in each round.
confirm schedule.split_game
    A game against {opponent}, who is not on the schedule {schedule_name}.
    > Correct the schedule’s players or rounds, or correct the result.
error entry.pairing_number_invalid
    The entry of {shown} has no pairing number.
    > Enter it.
error entry.pairing_number_repeated
    The pairing number {number} is taken, but {shown} has it too.
    > Give each entry its own number.
error entry.member_id_missing
    The member ID of {name} is missing.
    > Look up the player and enter the ID, or add a new member.
error entry.member_id_malformed
    The member ID “{member_id}” is not eight digits.
    /other The member ID “{member_id}” is not a member ID.
    > Look up the player and correct the ID.
confirm entry.member_repeated
    Member {member_id} also has pairing number {by_member}.
    > Correct the ID, or confirm that the player re-entered.
note entry.bye_row
    “{name}” (pairing number {number}) is a bye, not a player. We skipped the row and
    read results against it as byes.
    > If it is a player, enter the member ID in the file and upload it again.
caution entry.name_missing
    The player’s name is missing.
    > Enter the name, or remove the entry if it has no results.
error entry.foreign_rating
    The {federation} rating “{written}” is not three or four digits.
    /id The {federation} ID “{written}” is not a number.
    > Correct it.
error result.unreadable
    “{written}” is not a result.
    /kind “{written}” is not a result for {kind}.
    /day “{written}” is a date. A spreadsheet program changed the result, probably ½ or
    1-0.
    > Enter the result and the opponent’s pairing number, such as W12.
error result.missing
    The result is missing.
    > Check the wall chart and enter it.
error result.beyond_rounds
    There is a result ({cell}) in column {column}, but the section has {rounds} rounds.
    /one There is a result ({cell}) in column {column}, but the section has 1 round.
    /none There is a result ({cell}) in column {column}, but the section does not say
    how many rounds it has.
    > Correct the number of rounds, or remove the result.
error result.no_opponent
    Shows {phrase} without an opponent.
    > Enter the opponent’s pairing number, or a bye or forfeit.
error result.self_pairing
    The player is paired with the same pairing number.
    > Enter the opponent’s pairing number.
error result.unknown_opponent
    Shows {phrase} against {opponent}, who is not another player in the section.
    > Enter the opponent’s pairing number, or 0.
    /in_game The opponent, {opponent}, is not in the section.
    > Enter the opponent’s pairing number.
"""
)
REPORT |= {
    variant(name, meaning): FindingKind(
        Severity.ERROR,
        f"{claim}, but {{opponent}} shows {answer}.",
        "Check the wall chart and correct one of them.",
    )
    for name, answer in _CONTRADICTIONS.items()
    for meaning, claim in _CLAIMS.items()
}
REPORT |= parse_kinds(
    """
error result.both_white
    Shows White against {opponent}, but {opponent} shows White too.
    > Check the wall chart and correct one of them.
error result.both_black
    Shows Black against {opponent}, but {opponent} shows Black too.
    > Check the wall chart and correct one of them.
error result.claimed_by_opponent
    {opponent} shows {claim} against this player, but this player shows {phrase}.
    /also {opponent} also shows {claim} against this player in this round.
    > Check the wall chart and correct one of them.
error result.forfeit_one_sided
    /against Shows {phrase} against {opponent}, but {opponent} shows {answer} against
    {other}.
    /silent Shows {phrase} against {opponent}, but {opponent} shows no result.
    /claimed {opponent} shows {claim} against this player, but this player shows
    {phrase}.
    > Check the wall chart and correct one of them.
error result.forfeit_one_sided
    Shows {phrase} against {opponent}, but {opponent} shows {answer}.
    > Check the wall chart and correct one of them.
caution result.bye_with_opponent
    Shows {phrase} with an opponent, {opponent}.
    > We removed the opponent. If there was a game, correct the result.
confirm result.asymmetric
    We read {code} as a {meaning}.
    > Confirm that the two players’ results really differ.
confirm result.in_progress
    The game is still in progress and will not be rated.
    > Confirm it, or enter the result.
error result.diagonal
    Column {column} of a round robin is the player’s own pairing number, but it shows
    {cell}.
    > Check the wall chart and correct it.
"""
)
