"""Findings of the readers of SwissSys event files and published pages."""

from events.formats.catalog.kinds import FindingKind, caution, confirm, error, note

_AGAIN = (
    "Save the event in SwissSys and upload its file again. Or upload the three DBF "
    "files that SwissSys exports."
)

SWISSSYS: dict[str, FindingKind] = {
    "swisssys.no_players": error("{name} has no section with players.", _AGAIN),
    "swisssys.unreadable": error(
        "{pointer} has {shown}, which is not a list. Results may be missing.", _AGAIN
    ),
    "swisssys.unreadable/object": error(
        "{pointer} has {shown}, which is not an object with names. Results may be "
        "missing.",
        _AGAIN,
    ),
    "swisssys.missing": error(
        "The file does not have {pointer}. Results may be missing.", _AGAIN
    ),
    "swisssys.name_twice": error(
        "The name “{printable}” appears twice in one object. We used the last one, and "
        "results may be missing.",
        _AGAIN,
    ),
    "swisssys.encoding": note(
        "{name} is not UTF-8. We read it as Windows-1252 text.",
        "Check the names with accents.",
    ),
    "swisssys.section_empty": note(
        "The section “{section}” has no players. We skipped it."
    ),
    "swisssys.section_unrated": confirm(
        "SwissSys says not to rate this section.",
        "Remove the section, or confirm that it should be rated.",
    ),
    "swisssys.player_count": confirm(
        "The file says section “{section}” has {said:,} players, but it lists "
        "{count:,}.",
        "The file may be damaged. Check the list of players.",
    ),
    "swisssys.teams": note(
        "The section has {count:,} teams. We read their players and skipped the teams."
    ),
    "swisssys.teams/one": note(
        "The section has one team. We read its players and skipped the team."
    ),
    "swisssys.fide_first": caution(
        "The players' first ID and rating in SwissSys are from FIDE. We read the "
        "second ID as the member ID.",
        "Check some of the member IDs against the names.",
    ),
    "swisssys.fide_first/alone": caution(
        "The players' IDs are FIDE IDs. The file has no member IDs.",
        "Enter the member IDs.",
    ),
    "swisssys.round_to_come": note(
        "The round is paired but has no results. We skipped it.",
        "If the round was played, enter its results.",
    ),
    "swisssys.no_result": note(
        "There is a pairing with {opponent}, but no result.",
        "If the game was played, enter the result.",
    ),
    "swisssys.pairing_differs": caution(
        "The list of pairings shows “{pairing}”, but the list of players shows "
        "“{player}”.",
        "Check the wall chart and enter the result it shows.",
    ),
    "swisssys.pairing_unknown": error(
        "Round {round_number} pairs {white} with {black} ({result}), but the section "
        "does not have both players.",
        _AGAIN,
    ),
}
