"""Findings about faults that are visible in the report itself."""

from events.formats.catalog.kinds import (
    FindingKind,
    Severity,
    caution,
    confirm,
    error,
    note,
    variant,
)

# The first words about a player's side of a game, by the result's meaning.
_CLAIMS = {
    "": "Shows {phrase} against {opponent}",
    "win": "A win against {opponent}",
    "loss": "A loss to {opponent}",
    "draw": "A draw with {opponent}",
}
_CHECK_BOTH = "Check the wall chart and correct one of them."


def _contradiction_kinds(name: str, answer: str) -> dict[str, FindingKind]:
    """Return the messages for a game that the opponent reports differently."""
    return {
        variant(name, meaning): error(
            f"{claim}, but {{opponent}} shows {answer}.", _CHECK_BOTH
        )
        for meaning, claim in _CLAIMS.items()
    }


REPORT: dict[str, FindingKind] = {
    "event.several": error(
        "{name} has {rows:,} events. We read only the first one.",
        "Report each event by itself.",
    ),
    "event.no_record": error(
        "{name} has no event.", "Export the report again from your pairing program."
    ),
    "event.ids_differ": error(
        "{name} belongs to event {other_event_id}, but THEXPORT belongs to event "
        "{event_id}.",
        "Upload the three files of one report.",
    ),
    "event.layout": note(
        "The layout is named “{layout}”, not {format}. We read what fits."
    ),
    "event.layout/missing": note(
        "The layout has no name. It should be {format}. We read what fits."
    ),
    "event.name_missing": error("The event has no name.", "Enter it."),
    "event.dates_missing": error("The event's start date is missing.", "Enter it."),
    "event.dates_missing/ends": error("The event's end date is missing.", "Enter it."),
    "event.dates_reversed": error(
        "The event ends on {last_day}, before it starts on {first_day}.",
        "Correct one of the two dates.",
    ),
    "event.remembered": note(
        "The files do not say where the event was. We used {place} from your last "
        "report.",
        "If the event was somewhere else, correct it.",
    ),
    "event.remembered/affiliate": note(
        "The files do not name an affiliate. We used {affiliate_id} from your last "
        "report.",
        "If it was another affiliate, correct it.",
    ),
    "event.remembered/chief": note(
        "The files do not name a chief TD. We used your own ID, {member_id}.",
        "If the chief TD was another person, correct it.",
    ),
    "event.affiliate_missing": error(
        "The affiliate ID is missing.", "Enter the letter A and seven digits."
    ),
    "event.affiliate_malformed": error(
        "The affiliate ID “{affiliate_id}” is not the letter A and seven digits.",
        "Correct it.",
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
        "The letter “{send_crosstable}” for sending the crosstable is not T (TD), A "
        "(affiliate), or N (none)."
    ),
    "event.no_sections": error(
        "The event has no sections.",
        "Export the report again from your pairing program.",
    ),
    "event.too_many_sections": error(
        "{name} has {count:,} sections. An event has {max_sections} at most, so we "
        "read no more.",
        "Report the event in parts.",
    ),
    "event.section_count": error(
        "THEXPORT says there are {said} sections, but the report has {numbers}.",
        "Make sure that no section is missing. Then correct the number.",
    ),
    "event.section_count/none": error(
        "THEXPORT does not give the number of sections. The report has {numbers}.",
        "Make sure that no section is missing. Then enter the number.",
    ),
    "section.not_described": caution(
        "{name} has {count:,} entries for section {number}, but TSEXPORT does not have "
        "this section.",
        "Enter the section's name, time control, type, and rounds.",
    ),
    "section.not_described/one": caution(
        "{name} has 1 entry for section {number}, but TSEXPORT does not have this "
        "section.",
        "Enter the section's name, time control, type, and rounds.",
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
        "We don't know the section type “{kind_letter}”.", "Choose one of {known}."
    ),
    "section.system_letter": note(
        "The rating system “{system_letter}” is not R, D, Q, or B. We use the time "
        "control instead."
    ),
    "section.rounds_missing": error("The number of rounds is missing. Enter it."),
    "section.rounds_differ": error(
        "The section has {rounds} rounds, but there are results for {present}.",
        "Correct the number of rounds, or enter the results.",
    ),
    "section.last_pairing_number": error(
        "TSEXPORT gives the last pairing number as {said}, but the highest is "
        "{highest}.",
        "Make sure that no entry is missing. Then correct the number.",
    ),
    "section.last_pairing_number/none": error(
        "TSEXPORT does not give the last pairing number. The highest is {highest}.",
        "Make sure that no entry is missing. Then correct the number.",
    ),
    "section.pairing_numbers_gap": caution(
        "Pairing numbers should start at 1 with no gaps, but {missing} is missing.",
        "Make sure that no entry is missing.",
        max_severity=Severity.ERROR,
    ),
    "section.pairing_numbers_gap/several": caution(
        "Pairing numbers should start at 1 with no gaps, but {missing} are missing.",
        "Make sure that no entry is missing.",
        max_severity=Severity.ERROR,
    ),
    "section.pairing_numbers_gap/more": caution(
        "Pairing numbers should start at 1 with no gaps, but {missing} and {more} more "
        "are missing.",
        "Make sure that no entry is missing.",
        max_severity=Severity.ERROR,
    ),
    "section.td_malformed": error(
        "The TD's member ID “{member_id}” is not eight digits.", "Correct it."
    ),
    "section.dates_reversed": error(
        "The section ends on {last_day}, before it starts on {first_day}.",
        "Correct one of the two dates.",
    ),
    "section.outside_event": error(
        "The section's dates, {first_day} to {last_day}, are outside the event's "
        "dates.",
        "Correct the section's or the event's dates.",
    ),
    "section.long": caution(
        "The section lasts {days} days, more than six weeks.",
        "Report a long event in parts. Ratings then stay current.",
    ),
    "section.scholastic_level": note(
        "The scholastic level “{scholastic_level}” is not N, S, P, or J."
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
        "The section has no game to rate.", "Remove the section, or enter its results."
    ),
    "section.colors_missing": caution("{without_color:,} results have no colors."),
    "section.double_codes": error(
        "The section uses {codes}. These codes mean two games in a round, but the "
        "section is not type 2 (double-game Swiss).",
        "Choose type 2. W, D, and L then also mean two games.",
    ),
    "section.not_coded_as_match": confirm(
        "Two players played several games, but the section is not coded as a match.",
        "Choose the type M (match).",
    ),
    "section.match_players": error(
        "A match has two players. This section has {numbers}.",
        "Correct the type, or report each match as its own section.",
    ),
    "schedule.rounds": error(
        "The schedule {name} has rounds {first} to {last}, but the section has "
        "{rounds} rounds.",
        "Correct its first or last round.",
    ),
    "schedule.rounds/unknown": error(
        "The schedule {name} has rounds {first} to {last}, but the section does not "
        "say how many rounds it has.",
        "Correct its first or last round.",
    ),
    "schedule.time_control_missing": error(
        "The schedule {name} has no time control.", "Enter one such as G/60;d5."
    ),
    "schedule.dates": error(
        "The schedule {name} ends before it starts.", "Correct one of its two dates."
    ),
    "schedule.dates/outside": error(
        "The dates of the schedule {name} are outside the section's dates.",
        "Correct the dates of the schedule or the section.",
    ),
    "schedule.entries_unknown": error(
        "The schedule {name} lists pairing numbers that are not in the section: "
        "{listed}.",
        "Correct its players.",
    ),
    "schedule.overlap": error(
        "The schedules {name} and {other_name} share players and rounds.",
        "Give each player one schedule in each round.",
    ),
    "schedule.split_game": confirm(
        "A game against {opponent}, who is not on the schedule {schedule_name}.",
        "Correct the schedule's players or rounds, or correct the result.",
    ),
    "entry.pairing_number_invalid": error(
        "The entry of {shown} has no pairing number.", "Enter it."
    ),
    "entry.pairing_number_repeated": error(
        "The pairing number {number} is taken, but {shown} has it too.",
        "Give each entry its own number.",
    ),
    "entry.member_id_missing": error(
        "The member ID of {name} is missing.",
        "Look up the player and enter the ID, or add a new member.",
    ),
    "entry.member_id_malformed": error(
        "The member ID “{member_id}” is not eight digits.",
        "Look up the player and correct the ID.",
    ),
    "entry.member_repeated": confirm(
        "Member {member_id} also has pairing number {by_member}.",
        "Correct the ID, or confirm that the player re-entered.",
    ),
    "entry.bye_row": note(
        "“{name}” (pairing number {number}) is a bye, not a player. We skipped the row "
        "and read results against it as byes.",
        "If it is a player, enter the member ID in the file and upload it again.",
    ),
    "entry.name_missing": caution(
        "The player's name is missing.",
        "Enter the name, or remove the entry if it has no results.",
    ),
    "entry.foreign_rating": error(
        "The {federation} rating “{written}” is not three or four digits.",
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
        "“{written}” is not a result for {kind}.",
        "Enter the result and the opponent's pairing number, such as W12.",
    ),
    "result.unreadable/day": error(
        "“{written}” is a date. A spreadsheet program changed the result, probably ½ "
        "or 1-0.",
        "Enter the result and the opponent's pairing number, such as W12.",
    ),
    "result.missing": error(
        "The result is missing.", "Check the wall chart and enter it."
    ),
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
        "There is a result ({cell}) in column {column}, but the section does not say "
        "how many rounds it has.",
        "Correct the number of rounds, or remove the result.",
    ),
    "result.no_opponent": error(
        "Shows {phrase} without an opponent.",
        "Enter the opponent's pairing number, or a bye or forfeit.",
    ),
    "result.self_pairing": error(
        "The player is paired with the same pairing number.",
        "Enter the opponent's pairing number.",
    ),
    "result.unknown_opponent": error(
        "Shows {phrase} against {opponent}, who is not another player in the section.",
        "Enter the opponent's pairing number, or 0.",
    ),
    "result.unknown_opponent/in_game": error(
        "The opponent, {opponent}, is not in the section.",
        "Enter the opponent's pairing number.",
    ),
    **_contradiction_kinds("result.opponent_differs", "{answer} against {other}"),
    **_contradiction_kinds("result.opponent_differs/nobody", "{answer}"),
    **_contradiction_kinds("result.opponent_differs/silent", "no result"),
    **_contradiction_kinds("result.not_mirrored", "{answer}"),
    **_contradiction_kinds("result.not_mirrored/against", "{answer} against {other}"),
    "result.both_white": error(
        "Shows White against {opponent}, but {opponent} shows White too.",
        _CHECK_BOTH,
    ),
    "result.both_black": error(
        "Shows Black against {opponent}, but {opponent} shows Black too.",
        _CHECK_BOTH,
    ),
    "result.claimed_by_opponent": error(
        "{opponent} shows {claim} against this player, but this player shows {phrase}.",
        _CHECK_BOTH,
    ),
    "result.claimed_by_opponent/also": error(
        "{opponent} also shows {claim} against this player in this round.",
        _CHECK_BOTH,
    ),
    "result.forfeit_one_sided/against": caution(
        "Shows {phrase} against {opponent}, but {opponent} shows {answer} against "
        "{other}.",
        _CHECK_BOTH,
    ),
    "result.forfeit_one_sided/silent": caution(
        "Shows {phrase} against {opponent}, but {opponent} shows no result.",
        _CHECK_BOTH,
    ),
    "result.forfeit_one_sided/claimed": caution(
        "{opponent} shows {claim} against this player, but this player shows {phrase}.",
        _CHECK_BOTH,
    ),
    "result.forfeit_one_sided": caution(
        "Shows {phrase} against {opponent}, but {opponent} shows {answer}.",
        _CHECK_BOTH,
    ),
    "result.bye_with_opponent": caution(
        "Shows {phrase} with an opponent, {opponent}.",
        "We removed the opponent. If there was a game, correct the result.",
    ),
    "result.asymmetric": confirm(
        "We read {code} as a {meaning}.",
        "Confirm that the two players' results really differ.",
    ),
    "result.in_progress": confirm(
        "The game is still in progress and will not be rated.",
        "Confirm it, or enter the result.",
    ),
    "result.diagonal": error(
        "Column {column} of a round robin is the player's own pairing number, but it "
        "shows {cell}.",
        "Check the wall chart and correct it.",
    ),
}
