"""What the reader of files for chess-results.com has to say."""

from events.importers.catalog.kinds import FindingKind, caution, confirm, error, note

_PAIRING = "Line {line}, round {round}, {white} – {black}, {result}: "
_MEND = "Correct it in the pairing program and save the file again."

CHESS_RESULTS: dict[str, FindingKind] = {
    "chess_results.unreadable": error(
        "{name} cannot be read as XML: it breaks off or goes wrong at line {line:,}. "
        "What comes before was read.",
        "Save the file again in the pairing program.",
    ),
    "chess_results.unreadable/declarations": error(
        "{name} declares a document type or entities, which these files do not.",
        "Save the file again in the pairing program.",
    ),
    "chess_results.unreadable/depth": error(
        "{name} has elements within elements as these files never have.",
        "Look whether it is the right file.",
    ),
    "chess_results.unreadable/element": error(
        "{name} has an element longer than any of these files; what comes before was "
        "read.",
        "Look whether it is the right file.",
    ),
    "chess_results.text": error(
        "Line {line} holds text outside of the elements, and nothing was read from it: "
        "{written}",
        "Save the file again in the pairing program.",
    ),
    "chess_results.characters": note("{name} held zero bytes, which were left out."),
    "chess_results.encoding": caution(
        "{name} holds letters that are not of the encoding it states; it was read as "
        "Western Windows writes it.",
        "Look whether the names are right.",
    ),
    "chess_results.no_players": error(
        "{name} names no players.",
        "Save the file again in the pairing program, with players and results.",
    ),
    "chess_results.too_large": error(
        "{name} has more than {players:,} players or {pairings:,} pairings; the rest "
        "was not read.",
        "Look whether it is the right file, or report the event in parts.",
    ),
    "chess_results.player": error(
        "Line {line} holds the player {player} with the number “{written}”, which is "
        "not a starting number.",
        _MEND,
    ),
    "chess_results.pairing": error(
        _PAIRING + "this is not a result of a game or a bye.", _MEND
    ),
    "chess_results.pairing/round": error(
        _PAIRING + "this is not a round from 1 to {most}.", _MEND
    ),
    "chess_results.pairing/player": error(
        _PAIRING + "these are not two players of the file.", _MEND
    ),
    "chess_results.pairing/taken": error(
        _PAIRING + "a player has something else in this round already.", _MEND
    ),
    "chess_results.nameless": note(
        "The last {count} players have no name, ID or result; they were left out."
    ),
    "chess_results.nameless/one": note(
        "The last player has no name, ID or result and was left out."
    ),
    "chess_results.no_result": note(
        _PAIRING + "the game has no result.", "Enter the result if it was played."
    ),
    "chess_results.nobody_won": confirm(
        _PAIRING + "neither player has a point. It was read as a double forfeit, which "
        "is not rated.",
        "If they did play, enter a loss for both (S).",
    ),
    "chess_results.not_rated": note(
        _PAIRING + "the file says that the game is not rated; it was read as a "
        "forfeit, or as a half-point bye."
    ),
    "chess_results.points": caution(
        "The file gives {points:g} points, but the results add up to {results:g}.",
        "Compare the results with the wall chart.",
    ),
    "chess_results.director": caution(
        "The file names “{name}” as the chief arbiter, without a member ID.",
        "Enter the ID of the TD by hand.",
    ),
    "chess_results.date": caution(
        "“{written}” is not a date such as 20240504 or 04.05.2024.",
        "Enter it by hand.",
    ),
    "chess_results.time_control": note(
        "The file gives the time control as “{written}”; it was read as {control}.",
        "Correct it if it was another.",
    ),
    "chess_results.teams": note(
        "It is a competition of teams. The games of its boards were read as those of "
        "a Swiss."
    ),
    "chess_results.other_ids": caution(
        "{count:,} players have an ID in the file, but are of other federations than "
        "ours; it was not taken for a member ID.",
        "Look their member IDs up.",
    ),
    "chess_results.other_ids/one": caution(
        "A player has an ID in the file, but is of another federation than ours; it "
        "was not taken for a member ID.",
        "Look the member ID up.",
    ),
}
