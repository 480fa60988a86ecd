"""Findings of the reader of files for chess-results.com."""

from events.formats.catalog.kinds import parse_kinds

CHESS_RESULTS = parse_kinds(
    """
error chess_results.unreadable
    We can’t read {name} as XML. It ends or has an error at line {line:,}. We read
    everything before that point.
    /declarations {name} declares a document type or entities. Files of this format
    never do.
    > Save the file again in your pairing program.
    /depth {name} has elements nested in a way that this format does not use.
    /element {name} has an element that is too long. We read everything before that
    point.
    > Check that this is the right file.
error chess_results.text
    Line {line} has text outside the elements. We skipped it: {written}
    > Save the file again in your pairing program.
note chess_results.characters
    We removed zero bytes from {name}.
caution chess_results.encoding
    {name} has letters that do not fit its text encoding. We read it as Windows-1252
    text.
    > Check that the names are right.
error chess_results.no_players
    {name} has no players.
    > Save the file again in your pairing program, with players and results.
error chess_results.too_large
    {name} has more than {players:,} players or {pairings:,} pairings. We did not read
    the rest.
    > Check that this is the right file, or report the event in parts.
error chess_results.player
    Line {line} gives player {player} the number “{written}”, which is not a starting
    number.
    > Correct it in your pairing program and save the file again.
error chess_results.pairing
    Line {line}, round {round}, {white} – {black}, {result}: this is not the result of a
    game or a bye.
    /round Line {line}, round {round}, {white} – {black}, {result}: this is not a round
    from 1 to {most}.
    /player Line {line}, round {round}, {white} – {black}, {result}: these are not two
    players in the file.
    /taken Line {line}, round {round}, {white} – {black}, {result}: a player already has
    another result in this round.
    > Correct it in your pairing program and save the file again.
note chess_results.nameless
    The last {count} players have no name, ID, or result. We skipped them.
    /one The last player has no name, ID, or result. We skipped that player.
note chess_results.no_result
    Line {line}, round {round}, {white} – {black}, {result}: the game has no result.
    > If the game was played, enter the result.
confirm chess_results.nobody_won
    Line {line}, round {round}, {white} – {black}, {result}: neither player has a point.
    We read it as a double forfeit, which is not rated.
    > If they did play, enter a loss for both (S).
note chess_results.not_rated
    Line {line}, round {round}, {white} – {black}, {result}: the file says that the game
    is not rated. We read it as a forfeit or a half-point bye.
caution chess_results.points
    The file gives {points:g} points, but the results add up to {results:g}.
    > Check the results against the wall chart.
caution chess_results.director
    The file names “{name}” as the chief arbiter, but gives no member ID.
    > Enter the TD’s member ID by hand.
caution chess_results.date
    “{written}” is not a date such as 20240504 or 04.05.2024.
    > Enter it by hand.
note chess_results.time_control
    The file gives the time control as “{written}”. We read it as {control}.
    > If this is wrong, correct it.
note chess_results.teams
    This is a team event. We read its boards as games of a Swiss.
caution chess_results.other_ids
    {count:,} players from other federations have an ID in the file. We did not use it
    as a member ID.
    > Look up their member IDs.
    /one A player from another federation has an ID in the file. We did not use it as a
    member ID.
    > Look up the member ID.
"""
)
