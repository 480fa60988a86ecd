"""What the reader of games in PGN has to say."""

from events.importers.catalog.kinds import FindingKind, caution, confirm, error, note

_GAME = "Line {line}, {white} – {black}, round {round}, result {result}: "
_ENTER_IT = "Correct the tag and upload the file again, or report the game by hand."
_IN_ORDER = (
    "So all games of the section were put into the first rounds that were free, in "
    "the order of their dates."
)
_ROUNDS_BY_HAND = (
    "Ratings do not depend on the rounds. Correct the Round tags if the crosstable "
    "is to show them."
)

PGN: dict[str, FindingKind] = {
    "pgn.no_games": error(
        "{name} holds no game with the tags of its players.",
        "Export the games again, with the tags White, Black and Result.",
    ),
    "pgn.too_many": error(
        "There are more than {most:,} games; no more were read.",
        "Report the event in parts.",
    ),
    "pgn.too_many/sections": error(
        "The games are of {sections:,} sections; {most:,} of them were read.",
        "Give all games of a section the same tags Event and Section.",
    ),
    "pgn.too_many/players": error(
        "The games have more than {most:,} players; “{section}” and what comes "
        "after it was not read.",
        "Report the event in parts.",
    ),
    "pgn.characters": note("{name} held zero bytes, which were left out."),
    "pgn.encoding": caution(
        "Line {line} is not UTF-8, so it was read as Windows-1252 text.",
        "Check the names on this line.",
    ),
    "pgn.encoding/lines": caution(
        "{lines:,} lines are not UTF-8, the first of them line {line}. They were read "
        "as Windows-1252 text.",
        "Check that the names are right.",
    ),
    "pgn.tag": caution(
        "Line {line} is not a tag: {written}",
        'Write tags as in [White "Smith, Ann"], each on a line of its own.',
    ),
    "pgn.no_player": error(
        _GAME + "the players are not both named.",
        "Each game needs the tags White and Black. " + _ENTER_IT,
    ),
    "pgn.no_player/text": caution(
        "Line {line} begins moves or other text without tags; it was left aside.",
        "Look whether it is a game.",
    ),
    "pgn.one_player": error(_GAME + "White and Black are one player.", _ENTER_IT),
    "pgn.no_result": confirm(
        _GAME + "this is not the result of a game.",
        "Enter the result in the report below; with a result missing it cannot be "
        "sent.",
    ),
    "pgn.no_result/ending": confirm(
        _GAME + "the tag tells no result, but the moves end with {ending}.",
        "Enter the result in the report below; with a result missing it cannot be "
        "sent.",
    ),
    "pgn.other_ending": confirm(
        _GAME + "the moves end with {ending}. The tag was believed.",
        "Compare it with the score sheet.",
    ),
    "pgn.variant": error(
        _GAME + "a game of {variant} cannot be rated.",
        "Take the games of other variants out of the file.",
    ),
    "pgn.position": confirm(
        _GAME + "the game does not begin in the initial position.",
        "Confirm that only the record of the game begins late.",
    ),
    "pgn.termination": confirm(
        _GAME + "the game ended as “{termination}”, and was counted as it says.",
        "If it was not played, enter a forfeit in the report below.",
    ),
    "pgn.unplayed": confirm(
        _GAME + "the file says “{reason}” and has no moves, so this round was entered "
        "as a forfeit, which is not rated.",
        "If the game was played, enter its result in the report below.",
    ),
    "pgn.no_moves": confirm(
        _GAME + "this game has a result but no moves, unlike other games of the file.",
        "Confirm that it was played. If it was not, enter a forfeit in the report "
        "below.",
    ),
    "pgn.no_moves/one": confirm(
        _GAME + "this game has only one move by one player.",
        "Confirm that it was played. If it was not, enter a forfeit in the report "
        "below.",
    ),
    "pgn.no_moves/many": confirm(
        "{games:,} games have a result but no moves, unlike other games of the file. "
        "The first ones: {listed}.",
        "Confirm that all of them were played. If one was not, enter a forfeit in the "
        "report below.",
    ),
    "pgn.online": confirm(
        "Line {line} gives “{written}” as the event or place: the games may have been "
        "played online. They were read as played over the board, without FIDE ratings.",
        "If they were played online, mark the section as online. If not, confirm that "
        "they were played over the board.",
    ),
    "pgn.online/some": confirm(
        "Some games were played online, others over the board or at an unknown place: "
        "see line {line}, “{written}”. All were read as played over the board.",
        "Report online games as a section of their own, or mark the section as online.",
    ),
    "pgn.twice": confirm(
        _GAME + "this game is already on line {other_line} of {other_file}, so it was "
        "counted once.",
        "If there were two games, give them different Round tags and upload the "
        "files again.",
    ),
    "pgn.twice/likely": confirm(
        _GAME + "this looks like the game on line {other_line} of {other_file}, with "
        "the same players and day. Both games were counted.",
        "If it is one game, delete one copy from the file and upload it again. If "
        "there were two games, confirm it.",
    ),
    "pgn.no_room": error(
        _GAME + "there are more rounds than the {most} that a section can have.",
        "Report the games in several sections.",
    ),
    "pgn.several_events": confirm(
        "The games are of several events or sections: {listed}.",
        "Report each event by itself. Confirm it if they are sections of one event.",
    ),
    "pgn.rounds_in_order": caution(
        "A game is of round “{written}”, not of one from 1 to {most}. " + _IN_ORDER,
        _ROUNDS_BY_HAND,
    ),
    "pgn.rounds_in_order/twice": confirm(
        "{player} has two games in round {number}. " + _IN_ORDER,
        "Make sure that no game stands in the files twice, for it would count twice.",
    ),
    "pgn.rounds_missing": caution(
        "There are games of round {last}, but none of these rounds: {listed}.",
        "Look whether a file is missing.",
    ),
    "pgn.date": caution(
        "{games} games have no full date, such as “{written}”.",
        "Look at the first and the last day.",
    ),
    "pgn.date/one": caution(
        "A game has no full date: “{written}”.",
        "Look at the first and the last day.",
    ),
    "pgn.time_control": note(
        "The tag gives the time control as “{written}”; it was read as {control}.",
        "Correct it if there was a delay, of which the tag knows nothing.",
    ),
    "pgn.time_control/typed": confirm(
        "The tag gives the time control as “{written}”, which by the standard means "
        "seconds; it was read as minutes, {control}.",
        "Correct it if it was another.",
    ),
    "pgn.time_controls": confirm(
        "The games have different time controls: {listed}.",
        "Report games of different time controls as sections of their own, or enter "
        "the one that all were played at.",
    ),
    "pgn.other_name": caution(
        "Line {line} calls the player with the ID {member_id} {name}; before, it was "
        "{known}.",
        "Look whether the ID is right.",
    ),
    "pgn.alike": caution(
        "The names of pairing numbers {listed} are alike; they were kept apart.",
        "If they are one player, write the name in one way and upload the file again.",
    ),
    "pgn.alike/namesakes": caution(
        "Pairing numbers {listed} have one name.",
        "Look whether they are one player, and whose games are those without an ID.",
    ),
}
