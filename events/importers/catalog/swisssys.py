"""What the readers of SwissSys's event files and of its published pages have to say."""

from events.importers.catalog.kinds import FindingKind, caution, confirm, error, note

_AGAIN = (
    "Save the event in SwissSys and upload its file again, or the three DBF files "
    "that SwissSys exports."
)

SWISSSYS: dict[str, FindingKind] = {
    "swisssys.no_players": error("{name} has no section with players.", _AGAIN),
    "swisssys.unreadable": error(
        "{pointer} holds {shown}, which is not a list; results may be missing.", _AGAIN
    ),
    "swisssys.unreadable/object": error(
        "{pointer} holds {shown}, which is not an object with names; results may be "
        "missing.",
        _AGAIN,
    ),
    "swisssys.missing": error(
        "{pointer} is missing from the file; results may be missing.", _AGAIN
    ),
    "swisssys.name_twice": error(
        "The name “{printable}” appears twice in one object; the last was read, and "
        "results may be missing.",
        _AGAIN,
    ),
    "swisssys.encoding": note(
        "{name} is not UTF-8, and was read as Windows writes letters.",
        "Look whether names with accents are right.",
    ),
    "swisssys.section_empty": note(
        "The section “{section}” has no players and was left aside."
    ),
    "swisssys.section_unrated": confirm(
        "The section is marked in SwissSys to be left out of the ratings.",
        "Remove the section, or confirm that it is to be rated.",
    ),
    "swisssys.player_count": confirm(
        "The file counts {said:,} players in the section “{section}”, but holds "
        "{count:,}.",
        "The file may be damaged. Compare it with the tournament.",
    ),
    "swisssys.teams": note(
        "The section has {count:,} teams, which were left aside; their players were "
        "read."
    ),
    "swisssys.teams/one": note(
        "The section has one team, which was left aside; its players were read."
    ),
    "swisssys.fide_first": caution(
        "The first ID and rating of the players are FIDE's; what SwissSys keeps as the "
        "second ID was read as the member's.",
        "Compare some member IDs with the names.",
    ),
    "swisssys.fide_first/alone": caution(
        "The players' IDs are FIDE's; the members' are not told.",
        "Enter the member IDs.",
    ),
    "swisssys.round_to_come": note(
        "The round is paired, but has no results; it was left aside.",
        "Enter its results if it was played.",
    ),
    "swisssys.no_result": note(
        "The player is paired with {opponent}, without a result.",
        "Enter the result if the game was played.",
    ),
    "swisssys.pairing_differs": caution(
        "The list of pairings says “{pairing}”, and the list of players “{player}”.",
        "Enter the result as the wall chart has it.",
    ),
    "swisssys.pairing_unknown": error(
        "Round {round_number} pairs {white} with {black} ({result}), but the section "
        "does not have both.",
        _AGAIN,
    ),
}
