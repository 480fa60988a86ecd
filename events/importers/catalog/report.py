"""What a report says against itself."""

from events.importers.catalog.kinds import (
    FindingKind,
    caution,
    confirm,
    error,
    note,
    variant,
)

# How a player's side of a game begins, by what its result means.
_CLAIMS = {
    "": "Reports {phrase} against {opponent}",
    "win": "Won against {opponent}",
    "loss": "Lost to {opponent}",
    "draw": "Drew with {opponent}",
}


def _contradicted(name: str, answer: str) -> dict[str, FindingKind]:
    """Return the sentences for a game of which the opponent says something else."""
    return {
        variant(name, meaning): error(
            f"{claim}, but {{opponent}} reports {answer}.", "Check the wall chart."
        )
        for meaning, claim in _CLAIMS.items()
    }


REPORT: dict[str, FindingKind] = {
    "event.several": error(
        "{name} holds {rows:,} events; only the first was read.",
        "Report each event by itself.",
    ),
    "event.no_record": error(
        "{name} holds no event.", "Export the report again from your pairing program."
    ),
    "event.ids_differ": error(
        "{name} belongs to event {other_event_id}, THEXPORT to event {event_id}.",
        "Upload the three files of one report.",
    ),
    "event.layout": note(
        "The layout's name is “{layout}” instead of {format}; the report was "
        "read as far as it fits."
    ),
    "event.layout/missing": note(
        "The layout's name is missing instead of {format}; the report was "
        "read as far as it fits."
    ),
    "event.name_missing": error("The event has no name.", "Enter it."),
    "event.dates_missing": error("The event's first day is missing.", "Enter it."),
    "event.dates_missing/ends": error("The event's last day is missing.", "Enter it."),
    "event.dates_reversed": error(
        "The event ends on {last_day}, before it starts on {first_day}.",
        "Correct one of the two days.",
    ),
    "event.remembered": note(
        "The files do not say where the event was; {place} is from your last report.",
        "Correct it if it was elsewhere.",
    ),
    "event.remembered/affiliate": note(
        "The files name no affiliate; {affiliate_id} is from your last report.",
        "Correct it if it was another one.",
    ),
    "event.remembered/chief": note(
        "The files name no chief director; {member_id} is your own ID.",
        "Correct it if it was somebody else.",
    ),
    "event.affiliate_missing": error(
        "The affiliate's ID is missing.", "Enter A and its seven digits."
    ),
    "event.affiliate_malformed": error(
        "The affiliate's ID “{affiliate_id}” is not A and seven digits.", "Correct it."
    ),
    "event.chief_td_missing": error(
        "The chief TD's member ID is missing.", "Enter it."
    ),
    "event.td_malformed": error(
        "The TD's member ID “{member_id}” is not eight digits.", "Correct it."
    ),
    "event.place_missing": caution("The event's city is missing."),
    "event.place_missing/state": caution("The event's state is missing."),
    "event.send_crosstable": note(
        "The letter “{send_crosstable}” for sending the crosstable is not T "
        "(TD), A (affiliate) or N (nobody)."
    ),
    "event.no_sections": error(
        "The event has no section.",
        "Export the report again from your pairing program.",
    ),
    "event.too_many_sections": error(
        "{name} has {count:,} sections; an event has at most "
        "{max_sections}, and no more were read.",
        "Report the event in parts.",
    ),
    "event.section_count": error(
        "THEXPORT gives {said} as the number of sections, but the report "
        "has {numbers}.",
        "Make sure that no section is missing, then correct the number.",
    ),
    "event.section_count/none": error(
        "THEXPORT does not give the number of sections; the report has {numbers}.",
        "Make sure that no section is missing, then enter the number.",
    ),
    "section.not_described": caution(
        "{name} has {count:,} entries for section {number}, which TSEXPORT "
        "does not describe.",
        "Fill in the section's name, time control, type and rounds.",
    ),
    "section.not_described/one": caution(
        "{name} has 1 entry for section {number}, which TSEXPORT does not describe.",
        "Fill in the section's name, time control, type and rounds.",
    ),
    "section.number_repeated": error(
        "{count} sections have the number {number}.",
        "Number the sections 1, 2, 3 … and export the report again.",
    ),
    "section.number_invalid": error(
        "A section has no number.",
        "Number the sections 1, 2, 3 … and export the report again.",
    ),
    "section.numbers_gap": confirm(
        "The sections are numbered {listed}.", "Make sure that no section is missing."
    ),
    "section.name_missing": caution("The section has no name."),
    "section.time_control_missing": error(
        "The section has no time control. Enter one such as G/60;d5."
    ),
    "section.kind_missing": error(
        "The section's type is missing. Choose Swiss, round robin or another."
    ),
    "section.kind_unknown": error(
        "The type “{kind_letter}” is not known.", "Choose one of {known}."
    ),
    "section.system_letter": note(
        "The rating system “{system_letter}” is not R, D, Q or B; the time "
        "control decides anyway."
    ),
    "section.rounds_missing": error("The number of rounds is missing. Enter it."),
    "section.rounds_differ": error(
        "The section is said to have {rounds} rounds, but there are results "
        "for {present}.",
        "Correct the number of rounds, or enter the results.",
    ),
    "section.last_pairing_number": error(
        "TSEXPORT gives {said} as the last pairing number, but the highest "
        "is {highest}.",
        "Make sure that no entry is missing, then correct the number.",
    ),
    "section.last_pairing_number/none": error(
        "TSEXPORT gives none as the last pairing number, but the highest is {highest}.",
        "Make sure that no entry is missing, then correct the number.",
    ),
    "section.pairing_numbers_gap": error(
        "Pairing numbers run from 1 without gaps, but {missing} is missing.",
        "Make sure that no entry is missing.",
    ),
    "section.pairing_numbers_gap/several": error(
        "Pairing numbers run from 1 without gaps, but {missing} are missing.",
        "Make sure that no entry is missing.",
    ),
    "section.pairing_numbers_gap/more": error(
        "Pairing numbers run from 1 without gaps, but {missing} and {more} more "
        "are missing.",
        "Make sure that no entry is missing.",
    ),
    "section.td_malformed": error(
        "The TD's member ID “{member_id}” is not eight digits.", "Correct it."
    ),
    "section.dates_reversed": error(
        "The section ends on {last_day}, before it starts on {first_day}.",
        "Correct one of the two days.",
    ),
    "section.outside_event": error(
        "The section's dates {first_day} to {last_day} lie outside the event's.",
        "Correct the section's or the event's dates.",
    ),
    "section.long": caution(
        "The section lasts {days} days, more than six weeks.",
        "Report a long event in parts, so that ratings stay current.",
    ),
    "section.scholastic_level": note(
        "The scholastic level “{scholastic_level}” is not N, S, P or J."
    ),
    "section.grand_prix": caution(
        "The section has {grand_prix_points} Grand Prix points, but is not "
        "marked as a Grand Prix."
    ),
    "section.no_entries": error(
        "The section has no entries.",
        "Export the report again from your pairing program.",
    ),
    "section.no_game": error(
        "The section has no game to rate.", "Leave it out, or enter its results."
    ),
    "section.colors_missing": caution(
        "In {without_color:,} of the results nobody's color is given."
    ),
    "section.double_codes": error(
        "The section uses {codes}, which stand for two games in a round, "
        "but is not of type 2 (double-game Swiss).",
        "Choose type 2; W, D and L then also stand for two games.",
    ),
    "section.not_coded_as_match": confirm(
        "Two players played several games, but the section is not coded as a match.",
        "Choose the type M (match).",
    ),
    "section.match_players": error(
        "A match has two players; this section has {numbers}.",
        "Correct the type, or report each match as a section.",
    ),
    "schedule.rounds": error(
        "The schedule {name} has the rounds {first} to {last}, which are "
        "not among the section's {rounds} rounds.",
        "Correct its first or last round.",
    ),
    "schedule.rounds/unknown": error(
        "The schedule {name} has the rounds {first} to {last}, which are "
        "not among the section's unknown number of rounds.",
        "Correct its first or last round.",
    ),
    "schedule.time_control_missing": error(
        "The schedule {name} has no time control.", "Enter one such as G/60;d5."
    ),
    "schedule.dates": error(
        "The schedule {name} ends before it starts.", "Correct one of its two days."
    ),
    "schedule.dates/outside": error(
        "The days of the schedule {name} lie outside the section's.",
        "Correct the schedule's or the section's days.",
    ),
    "schedule.entries_unknown": error(
        "The schedule {name} names pairing numbers that the section does "
        "not have: {listed}.",
        "Correct its players.",
    ),
    "schedule.overlap": error(
        "The schedules {name} and {other_name} have players and rounds in common.",
        "Give each player one schedule in each round.",
    ),
    "schedule.split_game": confirm(
        "Played against {opponent}, who is not on the schedule {schedule_name}.",
        "Correct the schedule's players or rounds, or the result.",
    ),
    "entry.pairing_number_invalid": error(
        "The entry of {shown} has no pairing number.", "Enter it."
    ),
    "entry.pairing_number_repeated": error(
        "The pairing number {number} is taken already; {shown} has it too.",
        "Give each entry its own.",
    ),
    "entry.member_id_missing": error(
        "The member ID of {name} is missing.",
        "Look the player up and enter the ID, or enter a new member.",
    ),
    "entry.member_id_malformed": error(
        "The member ID “{member_id}” is not eight digits.",
        "Look the player up and correct the ID.",
    ),
    "entry.member_repeated": confirm(
        "The member {member_id} also has pairing number {by_member}.",
        "Correct the ID, or confirm that the player re-entered.",
    ),
    "entry.name_missing": caution("The player's name is missing."),
    "entry.foreign_rating": error(
        "The {federation} rating “{written}” is not a number of three or four digits.",
        "Correct it.",
    ),
    "entry.foreign_rating/id": error(
        "The {federation} ID “{written}” is not a number.", "Correct it."
    ),
    "result.unreadable": error(
        "“{written}” is not a result.",
        "Enter the result and the opponent's pairing number, such as W12.",
    ),
    "result.unreadable/kind": error(
        "“{written}” is not a result of {kind}.",
        "Enter the result and the opponent's pairing number, such as W12.",
    ),
    "result.unreadable/day": error(
        "“{written}” is a day: a spreadsheet made it of a result, probably ½ or 1-0.",
        "Enter the result and the opponent's pairing number, such as W12.",
    ),
    "result.missing": error("The result is missing.", "Check the wall chart."),
    "result.beyond_rounds": error(
        "There is a result ({cell}) in column {column}, but the section has "
        "{rounds} rounds.",
        "Correct the number of rounds, or remove the result.",
    ),
    "result.beyond_rounds/one": error(
        "There is a result ({cell}) in column {column}, but the section has 1 round.",
        "Correct the number of rounds, or remove the result.",
    ),
    "result.beyond_rounds/none": error(
        "There is a result ({cell}) in column {column}, but the section has "
        "no number of rounds.",
        "Correct the number of rounds, or remove the result.",
    ),
    "result.no_opponent": error(
        "Reports {phrase} without an opponent.",
        "Enter the opponent's pairing number, or a bye or forfeit.",
    ),
    "result.self_pairing": error(
        "The player is paired with their own number.",
        "Enter the opponent's pairing number.",
    ),
    "result.unknown_opponent": error(
        "The opponent {opponent} of {phrase} is not another player of the section.",
        "Enter the opponent's pairing number, or 0.",
    ),
    "result.unknown_opponent/in_game": error(
        "The opponent {opponent} is not in the section.",
        "Enter the opponent's pairing number.",
    ),
    **_contradicted("result.opponent_differs", "{answer} against {other}"),
    **_contradicted("result.opponent_differs/nobody", "{answer}"),
    **_contradicted("result.opponent_differs/silent", "no result"),
    **_contradicted("result.not_mirrored", "{answer}"),
    **_contradicted("result.not_mirrored/against", "{answer} against {other}"),
    "result.both_white": error(
        "Had White against {opponent}, but {opponent} reports the same color.",
        "Check the wall chart.",
    ),
    "result.both_black": error(
        "Had Black against {opponent}, but {opponent} reports the same color.",
        "Check the wall chart.",
    ),
    "result.claimed_by_opponent": error(
        "{opponent} reports {claim} against this player, but this cell reports "
        "{phrase}.",
        "Check the wall chart and correct one of the two cells.",
    ),
    "result.forfeit_one_sided": caution(
        "Reports {phrase} against {opponent}, but {opponent} reports {answer}.",
        "Check the wall chart.",
    ),
    "result.bye_with_opponent": caution(
        "Reports {phrase} and names {opponent} as opponent.",
        "The opponent is left out. Correct the result if there was a game.",
    ),
    "result.asymmetric": confirm(
        "{code} was read as a {meaning}.",
        "Confirm that the two players' results really differ.",
    ),
    "result.in_progress": confirm(
        "The game is still in progress and will not be rated.",
        "Confirm it, or enter the result.",
    ),
    "result.diagonal": error(
        "Column {column} of a round robin belongs to the player's own "
        "pairing number, but holds {cell}.",
        "Check the wall chart.",
    ),
}
