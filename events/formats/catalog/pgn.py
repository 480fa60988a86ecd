"""Findings of the PGN reader."""

from events.formats.catalog.kinds import FindingKind, caution, confirm, error, note

_GAME = "Line {line}, {white} – {black}, round {round}, result {result}: "
_ENTER_IT = "Correct the tag and upload the file again, or enter the game by hand."
_IN_ORDER = (
    "We put all games of the section in the first open rounds, in order of date."
)
_ROUNDS_BY_HAND = (
    "The rounds do not affect ratings. If the crosstable should show them, correct "
    "the Round tags."
)

PGN: dict[str, FindingKind] = {
    "pgn.no_games": error(
        "{name} has no game with the names of its players.",
        "Export the games again with the tags White, Black, and Result.",
    ),
    "pgn.too_many": error(
        "There are more than {most:,} games. We read no more.",
        "Report the event in parts.",
    ),
    "pgn.too_many/sections": error(
        "The games are from {sections:,} sections. We read {most:,} of them.",
        "Give all games of a section the same Event and Section tags.",
    ),
    "pgn.too_many/players": error(
        "The games have more than {most:,} players. We did not read “{section}” or "
        "what comes after it.",
        "Report the event in parts.",
    ),
    "pgn.characters": note("We removed zero bytes from {name}."),
    "pgn.encoding": caution(
        "Line {line} is not UTF-8. We read it as Windows-1252 text.",
        "Check the names on this line.",
    ),
    "pgn.encoding/lines": caution(
        "{lines:,} lines are not UTF-8, starting with line {line}. We read them as "
        "Windows-1252 text.",
        "Check that the names are right.",
    ),
    "pgn.tag": caution(
        "Line {line} is not a tag: {written}",
        'Write tags like [White "Smith, Ann"], each on its own line.',
    ),
    "pgn.no_player": error(
        _GAME + "a player's name is missing.",
        "Each game needs the tags White and Black. " + _ENTER_IT,
    ),
    "pgn.no_player/text": caution(
        "Line {line} starts moves or other text without tags. We skipped it.",
        "Check whether it is a game.",
    ),
    "pgn.one_player": error(_GAME + "White and Black are the same player.", _ENTER_IT),
    "pgn.no_result": confirm(
        _GAME + "this is not the result of a game.",
        "Enter the result in the report below. You can't submit the report without it.",
    ),
    "pgn.no_result/ending": confirm(
        _GAME + "the tag has no result, but the moves end with {ending}.",
        "Enter the result in the report below. You can't submit the report without it.",
    ),
    "pgn.other_ending": confirm(
        _GAME + "the moves end with {ending}. We used the result in the tag.",
        "Check the score sheet.",
    ),
    "pgn.variant": error(
        _GAME + "a game of {variant} cannot be rated.",
        "Remove the games of other variants from the file.",
    ),
    "pgn.position": confirm(
        _GAME + "the game does not start from the usual position.",
        "Confirm that it was a normal game and only its moves are incomplete.",
    ),
    "pgn.termination": confirm(
        _GAME + "the game ended with “{termination}”. We used its result.",
        "If the game was not played, enter a forfeit in the report below.",
    ),
    "pgn.unplayed": confirm(
        _GAME + "the file says “{reason}” and has no moves. We entered a forfeit, "
        "which is not rated.",
        "If the game was played, enter its result in the report below.",
    ),
    "pgn.no_moves": confirm(
        _GAME + "this game has a result but no moves. Other games in the file have "
        "moves.",
        "Confirm that it was played. If it was not, enter a forfeit in the report "
        "below.",
    ),
    "pgn.no_moves/one": confirm(
        _GAME + "this game has only one move by one player.",
        "Confirm that it was played. If it was not, enter a forfeit in the report "
        "below.",
    ),
    "pgn.no_moves/many": confirm(
        "{games:,} games have a result but no moves. Other games in the file have "
        "moves. The first ones: {listed}.",
        "Confirm that all of them were played. If one was not, enter a forfeit in the "
        "report below.",
    ),
    "pgn.online": confirm(
        "Line {line} gives “{written}” as the event or place, so the games may be "
        "online games. We read them as over the board, without FIDE ratings.",
        "If they were played online, mark the section as online. If not, confirm that "
        "they were played over the board.",
    ),
    "pgn.online/some": confirm(
        "Some games were played online, others over the board or at an unknown place "
        "(line {line}, “{written}”). We read all of them as over the board.",
        "Report online games as their own section, or mark the section as online.",
    ),
    "pgn.twice": confirm(
        _GAME + "this game is also on line {other_line} of {other_file}. We used it "
        "once.",
        "If there were two games, give them different Round tags and upload the "
        "files again.",
    ),
    "pgn.twice/likely": confirm(
        _GAME + "this looks like the game on line {other_line} of {other_file}, with "
        "the same players. We used both.",
        "If it is one game, delete one copy from the file and upload it again. If "
        "there were two games, confirm it.",
    ),
    "pgn.no_room": error(
        _GAME + "a section can have {most} rounds at most.",
        "Report the games in more than one section.",
    ),
    "pgn.several_events": confirm(
        "The games are from several events or sections: {listed}.",
        "If they are sections of one event, confirm it. If not, report each event by "
        "itself.",
    ),
    "pgn.rounds_in_order": caution(
        "A game has the round “{written}”, which is not a number from 1 to {most}. "
        + _IN_ORDER,
        _ROUNDS_BY_HAND,
    ),
    "pgn.rounds_in_order/twice": confirm(
        "{player} has two games in round {number}. " + _IN_ORDER,
        "Make sure that no game is in the files twice. It would be rated twice.",
    ),
    "pgn.rounds_missing": caution(
        "There are games of round {last}, but none of rounds {listed}.",
        "Check whether a file is missing.",
    ),
    "pgn.date": caution(
        "{games} games have no full date, such as “{written}”.",
        "Check the first and last day.",
    ),
    "pgn.date/one": caution(
        "A game has no full date: “{written}”.",
        "Check the first and last day.",
    ),
    "pgn.time_control": note(
        "The tag gives the time control as “{written}”. We read it as {control}.",
        "If there was a delay, add it. The tag cannot show one.",
    ),
    "pgn.time_control/typed": confirm(
        "The tag gives the time control as “{written}”. By the standard these are "
        "seconds, but we read them as minutes: {control}.",
        "If this is wrong, correct it.",
    ),
    "pgn.time_controls": confirm(
        "The games have different time controls: {listed}.",
        "If they were played at one time control, enter it. If not, report each time "
        "control as its own section.",
    ),
    "pgn.other_name": caution(
        "Line {line} gives the player with ID {member_id} the name {name}. An earlier "
        "line has {known}.",
        "Check the ID.",
    ),
    "pgn.alike": caution(
        "The names of pairing numbers {listed} are much alike. We read them as "
        "different players.",
        "If they are one player, spell the name one way and upload the file again.",
    ),
    "pgn.alike/namesakes": caution(
        "Pairing numbers {listed} have the same name.",
        "Check whether they are one player, and who played the games without an ID.",
    ),
}
