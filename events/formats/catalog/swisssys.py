"""Findings of the readers of SwissSys event files and published pages."""

from events.formats.catalog.kinds import parse_kinds

SWISSSYS = parse_kinds(
    """
error swisssys.no_players
    {name} has no section with players.
    > Save the event in SwissSys and upload its file again. Or upload the three DBF
    files that SwissSys exports.
error swisssys.unreadable
    {pointer} has {shown}, which is not a list. Results may be missing.
    /object {pointer} has {shown}, which is not an object with names. Results may be
    missing.
    > Save the event in SwissSys and upload its file again. Or upload the three DBF
    files that SwissSys exports.
error swisssys.missing
    The file does not have {pointer}. Results may be missing.
    > Save the event in SwissSys and upload its file again. Or upload the three DBF
    files that SwissSys exports.
error swisssys.name_twice
    The name “{printable}” appears twice in one object. We used the last one, and
    results may be missing.
    > Save the event in SwissSys and upload its file again. Or upload the three DBF
    files that SwissSys exports.
note swisssys.encoding
    {name} is not UTF-8. We read it as Windows-1252 text.
    > Check the names with accents.
note swisssys.section_empty
    The section “{section}” has no players. We skipped it.
confirm swisssys.section_unrated
    SwissSys says not to rate this section.
    > Remove the section, or confirm that it should be rated.
confirm swisssys.player_count
    The file says section “{section}” has {said:,} players, but it lists {count:,}.
    > The file may be damaged. Check the list of players.
note swisssys.teams
    The section has {count:,} teams. We read their players and skipped the teams.
    /one The section has one team. We read its players and skipped the team.
caution swisssys.fide_first
    The players’ first ID and rating in SwissSys are from FIDE. We read the second ID as
    the member ID.
    > Check some of the member IDs against the names.
    /alone The players’ IDs are FIDE IDs. The file has no member IDs.
    > Enter the member IDs.
note swisssys.round_to_come
    The round is paired but has no results. We skipped it.
    > If the round was played, enter its results.
note swisssys.no_result
    There is a pairing with {opponent}, but no result.
    > If the game was played, enter the result.
caution swisssys.pairing_differs
    The list of pairings shows “{pairing}”, but the list of players shows “{player}”.
    > Check the wall chart and enter the result it shows.
error swisssys.pairing_unknown
    Round {round_number} pairs {white} with {black} ({result}), but the section does not
    have both players.
    > Save the event in SwissSys and upload its file again. Or upload the three DBF
    files that SwissSys exports.
"""
)
