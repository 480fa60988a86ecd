"""What the office's records say against a report."""

from events.importers.catalog.kinds import (
    FindingKind,
    Severity,
    caution,
    confirm,
    error,
    note,
)

RECORDS: dict[str, FindingKind] = {
    "affiliate.td_not_authorized": confirm(
        "{name} has not authorized {sender} to report for it.",
        "Have the affiliate tell the office that it authorizes this "
        "director, or say who of the affiliate agreed to the report.",
    ),
    "affiliate.td_not_authorized/chief": confirm(
        "{name} has not authorized the chief director, {member_id}, to report for it.",
        "Have the affiliate tell the office that it authorizes this "
        "director, or say who of the affiliate agreed to the report.",
    ),
    "affiliate.unknown": error(
        "No affiliate has the ID {affiliate_id}.",
        "Correct the affiliate ID; it is a letter and seven digits.",
    ),
    "affiliate.expired": error(
        "The affiliation of {name} ended on {expires}, before the event did.",
        "The affiliate has to renew before the event can be rated.",
    ),
    "director.unknown": error(
        "{member_id} is not the member ID of a tournament director.",
        "Correct the ID of the director.",
    ),
    "director.lapsed": error(
        "The certification of {name} ended on {certified_until}, before the event did.",
        "Name a director who was certified, or renew the certification.",
    ),
    "event.not_over": error(
        "The event ends on {ends}, which is still to come.",
        "Correct the date, or report the event when it is over.",
    ),
    "event.late": note(
        "The report was due on {due}.", "Late reports are taken all the same."
    ),
    "event.received_before": confirm(
        "{name} ({event_id}) ended on the same day with mostly the same "
        "players. It is in the books already.",
        "Withdraw this report if it is the same event.",
    ),
    "event.received_before/imported": error(
        "{name} ({event_id}) ended on the same day with mostly the same players. It "
        "was taken over from earlier books, and is not rated a second time.",
        "Withdraw this report if it is the same event. The office can let it pass, "
        "with a reason, if it is another.",
        office=True,
    ),
    "event.old": caution(
        "The event ended on {ends}, long ago. The year may be mistyped.",
        "Correct the dates, if the year is wrong. Old events are rated all the same.",
    ),
    "event.sent_before": caution(
        "Report {pk}, of an event that ended on the same day, was received "
        "earlier and has mostly the same games.",
        "Withdraw one of the two if they are the same event.",
        up_to=Severity.CONFIRM,
    ),
    "event.same_results": confirm(
        "{name} ({event_id}) has mostly the same games under other dates. "
        "It is in the books already.",
        "Withdraw this report if it is the same event.",
    ),
    "member.lapsed": confirm(
        "{name} was not a member when the section began and ended.",
        "The membership has to be renewed; if it has been, say so.",
    ),
    "member.lapsed/began": confirm(
        "{name} was not a member when the section began.",
        "The membership has to be renewed; if it has been, say so.",
    ),
    "member.lapsed/ended": confirm(
        "{name} was not a member when the section ended.",
        "The membership has to be renewed; if it has been, say so.",
    ),
    "member.unknown": error(
        "No member has the ID {member_id}.",
        "Look the member up by name and correct the ID.",
    ),
    "member.plays_own_entry": error(
        "Pairing number {second} is the same member, {ids}; nobody plays "
        "against themselves.",
        "Correct the member ID of one of the two, or the result.",
    ),
    "member.nickname": note(
        "“{name}” is taken for a short form of {recorded}.",
        "Nothing needs to be done if it is the same person.",
    ),
    "member.spelled_otherwise": note(
        "“{name}” is spelled {recorded} in the office's records.",
        "Nothing needs to be done if it is the same person.",
    ),
    "member.other_age": caution(
        "{name} is an adult; nearly everybody else in the section is under {adult}.",
        "It may be a parent's ID. Correct it if it is.",
    ),
    "member.other_state": note(
        "The report says {state}; {name} lives in {recorded_state} as far as the "
        "office knows.",
        "Nothing needs to be done if the ID is right.",
        up_to=Severity.CAUTION,
    ),
    "member.namesake": confirm(
        "Two members are called {name}: {member_id} lives in {state}, "
        "{other_id} in {other_state}, as the report says.",
        "Make sure which of the two played, and correct the ID or confirm it.",
    ),
    "member.two_sections": note(
        "{member_id} also played in section {number}, number "
        "{pairing_number}, on the same days.",
        "Nothing needs to be done if the player took part in both.",
    ),
    "member.two_places": note(
        "{name} ({member_id}) also played in {event} in {where} on the same days.",
        "Make sure that the ID is right; one of the two may be somebody else.",
        up_to=Severity.CONFIRM,
    ),
    "member.by_fide_id": note(
        "{count:,} players were found among the members by FIDE ID.",
        "Compare the names.",
    ),
    "member.by_fide_id/one": note(
        "One player was found among the members by FIDE ID.", "Compare the names."
    ),
    "member.deceased": error(
        "The member with the ID {member_id} has died, as far as the office knows.",
        "Find the ID under which this person plays now.",
    ),
    "member.duplicate": error(
        "The ID {member_id} is a second ID of the same member and is no longer used.",
        "Find the ID under which this person plays now.",
    ),
    "member.inactive": confirm(
        "{name} is not an active member.",
        "Check the ID; if it is right, say why the player was admitted.",
    ),
    "member.suspended": confirm(
        "{name} is suspended.",
        "Check the ID; if it is right, say why the player was admitted.",
    ),
    "member.revoked": confirm(
        "The membership of {name} has been revoked.",
        "Check the ID; if it is right, say why the player was admitted.",
    ),
    "member.sibling": caution(
        "The report says “{reported}”, but {reported_id} is {recorded}: "
        "perhaps a brother, sister or parent.",
        "Look the player up by name, and correct the ID.",
    ),
    "member.sibling/known": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}: "
        "perhaps a brother, sister or parent.",
        "{name} is {member_id}. Correct the ID, or confirm that it is the same person.",
    ),
    "member.sibling/slip": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}: "
        "perhaps a brother, sister or parent.",
        "{name} is {member_id}, {slip}. Correct the ID, or confirm that it "
        "is the same person.",
    ),
    "member.other_family_name": caution(
        "The report says “{reported}”, but {reported_id} is {recorded}: the "
        "family names differ.",
        "Correct the ID, unless the name has changed.",
    ),
    "member.other_family_name/known": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}: the "
        "family names differ.",
        "{name} is {member_id}. Correct the ID, or confirm that it is the same person.",
    ),
    "member.other_family_name/slip": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}: the "
        "family names differ.",
        "{name} is {member_id}, {slip}. Correct the ID, or confirm that it "
        "is the same person.",
    ),
    "member.other_name": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}.",
        "A digit of the ID may be wrong. Correct it, or confirm that it is "
        "the same person.",
    ),
    "member.other_name/known": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}.",
        "{name} is {member_id}. Correct the ID, or confirm that it is the same person.",
    ),
    "member.other_name/slip": confirm(
        "The report says “{reported}”, but {reported_id} is {recorded}.",
        "{name} is {member_id}, {slip}. Correct the ID, or confirm that it "
        "is the same person.",
    ),
    "newcomer.unknown": error(
        "{number} is the temporary number of a new member, but nobody was entered "
        "under it in this report.",
        "Enter the new member, or the ID of a member.",
    ),
    "newcomer.waits": note(
        "{name} is a new member; the office gives the number.",
        "Only this section waits for it.",
    ),
    "result.two_games": error(
        "The game between {first} and {second} falls in round "
        "{round_number}, in which pairing number {number} has another game.",
        "Put each result in the column of its opponent.",
    ),
    "section.colors_unusual": note(
        "Three games in a row with one color, or three more with one than "
        "with the other: pairing number {named}.",
        "Colors do not count for ratings; nothing needs to be done.",
    ),
    "section.colors_unusual/more": note(
        "Three games in a row with one color, or three more with one than "
        "with the other: pairing number {named} and {more} more.",
        "Colors do not count for ratings; nothing needs to be done.",
    ),
    "section.rated_abroad": error(
        "Games of this section have been rated already. {said}",
        "No game is rated twice. Withdraw the report if it is the same "
        "event. The office can let it pass, with a reason, or leave the "
        "results abroad out.",
        office=True,
    ),
}
