"""Findings of the reader of files for chess-results.com."""

from events.formats.catalog.kinds import FindingKind, caution, confirm, error, note

_PAIRING = "Line {line}, round {round}, {white} – {black}, {result}: "
_FIX = "Correct it in your pairing program and save the file again."

CHESS_RESULTS: dict[str, FindingKind] = {
    "chess_results.unreadable": error(
        "We can't read {name} as XML. It ends or has an error at line {line:,}. We "
        "read what comes before.",
        "Save the file again in your pairing program.",
    ),
    "chess_results.unreadable/declarations": error(
        "{name} declares a document type or entities. Files of this format never do.",
        "Save the file again in your pairing program.",
    ),
    "chess_results.unreadable/depth": error(
        "{name} has elements nested in a way that this format does not use.",
        "Check that this is the right file.",
    ),
    "chess_results.unreadable/element": error(
        "{name} has an element that is too long for this format. We read what comes "
        "before.",
        "Check that this is the right file.",
    ),
    "chess_results.text": error(
        "Line {line} has text outside the elements. We skipped it: {written}",
        "Save the file again in your pairing program.",
    ),
    "chess_results.characters": note("We removed zero bytes from {name}."),
    "chess_results.encoding": caution(
        "{name} has letters that do not fit its text encoding. We read it as "
        "Windows-1252 text.",
        "Check that the names are right.",
    ),
    "chess_results.no_players": error(
        "{name} has no players.",
        "Save the file again in your pairing program, with players and results.",
    ),
    "chess_results.too_large": error(
        "{name} has more than {players:,} players or {pairings:,} pairings. We did not "
        "read the rest.",
        "Check that this is the right file, or report the event in parts.",
    ),
    "chess_results.player": error(
        "Line {line} gives player {player} the number “{written}”, which is not a "
        "starting number.",
        _FIX,
    ),
    "chess_results.pairing": error(
        _PAIRING + "this is not the result of a game or a bye.", _FIX
    ),
    "chess_results.pairing/round": error(
        _PAIRING + "this is not a round from 1 to {most}.", _FIX
    ),
    "chess_results.pairing/player": error(
        _PAIRING + "these are not two players in the file.", _FIX
    ),
    "chess_results.pairing/taken": error(
        _PAIRING + "a player already has another result in this round.", _FIX
    ),
    "chess_results.nameless": note(
        "The last {count} players have no name, ID, or result. We skipped them."
    ),
    "chess_results.nameless/one": note(
        "The last player has no name, ID, or result. We skipped that player."
    ),
    "chess_results.no_result": note(
        _PAIRING + "the game has no result.",
        "If the game was played, enter the result.",
    ),
    "chess_results.nobody_won": confirm(
        _PAIRING
        + "neither player has a point. We read it as a double forfeit, which is not "
        "rated.",
        "If they did play, enter a loss for both (S).",
    ),
    "chess_results.not_rated": note(
        _PAIRING
        + "the file says that the game is not rated. We read it as a forfeit or a "
        "half-point bye."
    ),
    "chess_results.points": caution(
        "The file gives {points:g} points, but the results add up to {results:g}.",
        "Check the results against the wall chart.",
    ),
    "chess_results.director": caution(
        "The file names “{name}” as the chief arbiter, but gives no member ID.",
        "Enter the TD's member ID by hand.",
    ),
    "chess_results.date": caution(
        "“{written}” is not a date such as 20240504 or 04.05.2024.",
        "Enter it by hand.",
    ),
    "chess_results.time_control": note(
        "The file gives the time control as “{written}”. We read it as {control}.",
        "If this is wrong, correct it.",
    ),
    "chess_results.teams": note(
        "This is a team event. We read its boards as games of a Swiss."
    ),
    "chess_results.other_ids": caution(
        "{count:,} players from other federations have an ID in the file. We did not "
        "use it as a member ID.",
        "Look up their member IDs.",
    ),
    "chess_results.other_ids/one": caution(
        "A player from another federation has an ID in the file. We did not use it as "
        "a member ID.",
        "Look up the member ID.",
    ),
}
