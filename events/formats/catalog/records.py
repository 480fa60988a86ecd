"""Findings from comparing a report with the office's records."""

from events.formats.catalog.kinds import parse_kinds

RECORDS = parse_kinds(
    """
confirm affiliate.td_not_authorized
    {name} has not authorized {sender} to send its reports.
    /chief {name} has not authorized the chief TD, {member_id}, to send its reports.
    > Ask the affiliate to contact the office and authorize this TD. Or enter who at the
    affiliate approved the report.
error (office) affiliate.td_not_listed
    Only the listed TDs of {name} can report for it, and {sender} is not on the list.
    > Have a listed TD send the report, or ask {name} to have the office add you. If the
    affiliate ID is wrong, correct it.
    /chief Only the listed TDs of {name} can report for it, and the chief TD,
    {member_id}, is not on the list.
    > Correct the chief TD or the affiliate ID, or ask {name} which TD may report.
error affiliate.unknown
    No affiliate has the ID {affiliate_id}.
    > Correct the affiliate ID. It is a letter and seven digits.
error affiliate.expired
    The affiliation of {name} ended on {expires}, before the end of the event.
    > The affiliate must renew before the event can be rated.
error director.unknown
    Member {member_id} is not a certified TD.
    > Correct the TD’s member ID.
error director.lapsed
    {name} was not a certified TD at the end of the event. The certification ended on
    {certified_until}.
    > Name a certified TD, or renew it.
caution director.safe_play
    The Safe Play training of {name} expired on {safe_play_until}, before the end of the
    event.
    > {name} must take the refresher course. If it’s done, ask the ratings office to
    record the new date.
error event.not_over
    The event ends on {ends}, which is in the future.
    > Correct the date, or send the report when the event is over.
note event.late
    The report was due on {due}.
    > We accept late reports.
confirm event.registered_days
    The dates do not match the registered event “{name}”, planned for {day}.
    /several The dates do not match the registered event “{name}”, planned for
    {first_day} to {last_day}.
    > Correct the dates, or choose another registered event.
confirm event.registered_affiliate
    The registered event “{name}” is from {affiliate}. The report names another
    affiliate.
    > Correct it, or choose another event.
confirm event.received_before
    {name} ({event_id}) ended on the same day with mostly the same players. It is
    already rated.
    > If it is the same event, withdraw this report.
error (office) event.received_before/imported
    {name} ({event_id}) ended on the same day with mostly the same players. It came with
    the imported history and is not rated again.
    > If it is the same event, withdraw this report. If not, the office can accept it
    and give a reason.
caution event.old
    The event ended on {ends}, which is long ago. The year may be wrong.
    > If the year is wrong, correct the dates. Old events are still rated.
caution or confirm event.sent_before
    Report {pk} came first. Its event ended on the same day and has mostly the same
    games.
    > If they are the same event, withdraw one of the two reports.
confirm event.same_results
    {name} ({event_id}) has mostly the same games on other dates. It is already rated.
    > If it is the same event, withdraw this report.
confirm member.lapsed
    {name} was not a member when the section began and ended.
    /began {name} was not a member when the section began.
    /ended {name} was not a member when the section ended.
    > Renew the membership. If it was renewed, say so.
error member.unknown
    No member has the ID {member_id}.
    > Look up the member by name and correct the ID.
error member.plays_own_entry
    The opponent, pairing number {second}, is the same member, {ids}.
    > Correct one of the two member IDs, or the result.
note member.nickname
    “{name}” is {recorded} in our records. The first names are forms of the same name.
    > If it is the same person, you don’t need to do anything.
note member.spelled_otherwise
    “{name}” is {recorded} in our records. The names sound alike.
    > If it is the same person, you don’t need to do anything.
caution member.other_age
    {name} is an adult, but nearly all other players in the section are under {adult}.
    > This may be a parent’s ID. If it is, correct it.
note or caution member.other_state
    The report says {state}, but our records say that {name} lives in {recorded_state}.
    > If the ID is right, you don’t need to do anything.
confirm member.namesake
    Two members are named {name}: {member_id} lives in {state}, and {other_id} lives in
    {other_state}, as the report says.
    > Check which one played. Then correct or confirm the ID.
note member.two_sections
    {member_id} also played in section {number}, pairing number {pairing_number}, on the
    same days.
    > If the player was in both, you don’t need to do anything.
note or confirm member.two_places
    {name} ({member_id}) also played in {event} in {where} on the same days.
    > Check the ID. One of the two may be another player.
note member.by_fide_id
    We found {count:,} players in our records by FIDE ID.
    /one We found one player in our records by FIDE ID.
    > Compare the names.
note member.by_number
    {count:,} numbers in the FIDE ID column belong to members with the same or a similar
    name. We entered them as member IDs.
    > If the names match, you don’t need to do anything.
    /one One number in the FIDE ID column belongs to a member with the same or a similar
    name. We entered it as the member ID.
    > If the name matches, you don’t need to do anything.
    /section The FIDE ID column has member IDs. {matched:,} of {count:,} belong to
    members with the same or a similar name. We entered all of them as member IDs.
    > Look up the players whose names differ or whose IDs are unknown.
error member.deceased
    Our records say that member {member_id} has died.
    > Look up the player’s current ID.
error member.duplicate
    {member_id} is a duplicate ID that is no longer used.
    > Look up the player’s current ID.
confirm member.inactive
    {name} is not an active member.
    > Check the ID. If it is right, say why the player was allowed to play.
confirm member.suspended
    {name} is suspended.
    > Check the ID. If it is right, say why the player was allowed to play.
confirm member.revoked
    The membership of {name} has been revoked.
    > Check the ID. If it is right, say why the player was allowed to play.
caution member.sibling
    The report says “{reported}”, but {reported_id} is {recorded}. This may be a
    brother, sister, or parent.
    > Look up the player by name and correct the ID.
confirm member.sibling
    /known The report says “{reported}”, but {reported_id} is {recorded}. This may be a
    brother, sister, or parent.
    > {name} is {member_id}. Correct the ID, or confirm that it is the same person.
    /slip The report says “{reported}”, but {reported_id} is {recorded}. This may be a
    brother, sister, or parent.
    > {name} is {member_id} ({slip}). Correct the ID, or confirm that it is the same
    person.
caution member.other_family_name
    The report says “{reported}”, but {reported_id} is {recorded}. The last names
    differ.
    > If the name has not changed, correct the ID.
confirm member.other_family_name
    /known The report says “{reported}”, but {reported_id} is {recorded}. The last names
    differ.
    > {name} is {member_id}. Correct the ID, or confirm that it is the same person.
    /slip The report says “{reported}”, but {reported_id} is {recorded}. The last names
    differ.
    > {name} is {member_id} ({slip}). Correct the ID, or confirm that it is the same
    person.
confirm member.other_name
    The report says “{reported}”, but {reported_id} is {recorded}.
    > A digit of the ID may be wrong. Correct it, or confirm that it is the same person.
    /known The report says “{reported}”, but {reported_id} is {recorded}.
    > {name} is {member_id}. Correct the ID, or confirm that it is the same person.
    /slip The report says “{reported}”, but {reported_id} is {recorded}.
    > {name} is {member_id} ({slip}). Correct the ID, or confirm that it is the same
    person.
error newcomer.unknown
    {number} is a temporary number, but this report has no new member with it.
    > Add the new member, or enter a member ID.
note newcomer.waits
    {name} is a new member. The office assigns the ID.
    > Only this section waits for the ID.
error result.two_games
    The game between {first} and {second} is in round {round_number}, but pairing number
    {number} has another game in that round.
    > Put each result in its opponent’s column.
note section.colors_unusual
    Pairing numbers with one color three times in a row, or three times more than the
    other color: {named}.
    /more Pairing numbers with one color three times in a row, or three times more than
    the other color: {named} and {more} more.
    > Colors do not affect ratings. You don’t need to do anything.
error (office) section.rated_abroad
    Games of this section are already rated. {said}
    > A game is rated only once. If it is the same event, withdraw the report. The
    office can also accept it with a reason, or remove the foreign results.
"""
)
