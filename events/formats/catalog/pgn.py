"""Findings of the PGN reader."""

from events.formats.catalog.kinds import parse_kinds

PGN = parse_kinds(
    """
error pgn.no_games
    {name} has no game with the names of its players.
    > Export the games again with the tags White, Black, and Result.
error pgn.too_many
    There are more than {most:,} games. We did not read the rest.
    > Report the event in parts.
    /sections The games are from {sections:,} sections. We read {most:,} of them.
    > Give all games of a section the same Event and Section tags.
    /players The games have more than {most:,} players. We did not read “{section}” or
    what comes after it.
    > Report the event in parts.
note pgn.characters
    We removed zero bytes from {name}.
caution pgn.encoding
    Line {line} is not UTF-8. We read it as Windows-1252 text.
    > Check the names on this line.
    /lines {lines:,} lines are not UTF-8, starting with line {line}. We read them as
    Windows-1252 text.
    > Check that the names are right.
caution pgn.tag
    Line {line} is not a tag: {written}
    > Write tags like [White "Smith, Ann"], each on its own line.
error pgn.no_player
    Line {line}, {white} – {black}, round {round}, result {result}: a player’s name is
    missing.
    > Each game needs the tags White and Black. Correct the tag and upload the file
    again, or enter the game by hand.
caution pgn.no_player/text
    Line {line} starts moves or other text without tags. We skipped it.
    > Check whether it is a game.
error pgn.one_player
    Line {line}, {white} – {black}, round {round}, result {result}: White and Black are
    the same player.
    > Correct the tag and upload the file again, or enter the game by hand.
confirm pgn.no_result
    Line {line}, {white} – {black}, round {round}, result {result}: this is not the
    result of a game.
    /ending Line {line}, {white} – {black}, round {round}, result {result}: the tag has
    no result, but the moves end with {ending}.
    > Enter the result in the report below. You can’t submit the report without it.
confirm pgn.other_ending
    Line {line}, {white} – {black}, round {round}, result {result}: the moves end with
    {ending}. We used the result in the tag.
    > Check the score sheet.
error pgn.variant
    Line {line}, {white} – {black}, round {round}, result {result}: a game of {variant}
    cannot be rated.
    > Remove the games of other variants from the file.
confirm pgn.position
    Line {line}, {white} – {black}, round {round}, result {result}: the game does not
    start from the usual position.
    > Confirm that it was a normal game and only its moves are incomplete.
confirm pgn.termination
    Line {line}, {white} – {black}, round {round}, result {result}: the game ended with
    “{termination}”. We used its result.
    > If the game was not played, enter a forfeit in the report below.
confirm pgn.unplayed
    Line {line}, {white} – {black}, round {round}, result {result}: the file says
    “{reason}” and has no moves. We entered a forfeit, which is not rated.
    > If the game was played, enter its result in the report below.
confirm pgn.no_moves
    Line {line}, {white} – {black}, round {round}, result {result}: this game has a
    result but no moves. Other games in the file have moves.
    /one Line {line}, {white} – {black}, round {round}, result {result}: this game has
    only one move by one player.
    > Confirm that it was played. If it was not, enter a forfeit in the report below.
    /many {games:,} games have a result but no moves. Other games in the file have
    moves. The first ones: {listed}.
    > Confirm that all of them were played. If one was not, enter a forfeit in the
    report below.
confirm pgn.online
    Line {line} gives “{written}” as the event or place, so the games may be online
    games. We read them as over the board, without FIDE ratings.
    > If they were played online, mark the section as online. If not, confirm that they
    were played over the board.
    /some Some games were played online, others over the board or at an unknown place
    (line {line}, “{written}”). We read all of them as over the board.
    > Report online games as their own section, or mark the section as online.
confirm pgn.twice
    Line {line}, {white} – {black}, round {round}, result {result}: this game is also on
    line {other_line} of {other_file}. We used it once.
    > If there were two games, give them different Round tags and upload the files
    again.
    /likely Line {line}, {white} – {black}, round {round}, result {result}: this looks
    like the game on line {other_line} of {other_file}, with the same players. We used
    both.
    > If it is one game, delete one copy from the file and upload it again. If there
    were two games, confirm it.
error pgn.no_room
    Line {line}, {white} – {black}, round {round}, result {result}: a section can have
    {most} rounds at most.
    > Report the games in more than one section.
confirm pgn.several_events
    The games are from several events or sections: {listed}.
    > If they are sections of one event, confirm it. If not, report each event by
    itself.
caution pgn.rounds_in_order
    A game has the round “{written}”, which is not a number from 1 to {most}. We put all
    games of the section in the first open rounds, in order of date.
    > The rounds do not affect ratings. If the crosstable should show them, correct the
    Round tags.
confirm pgn.rounds_in_order/twice
    {player} has two games in round {number}. We put all games of the section in the
    first open rounds, in order of date.
    > Make sure that no game is in the files twice. It would be rated twice.
caution pgn.rounds_missing
    There are games of round {last}, but none of rounds {listed}.
    > Check whether a file is missing.
caution pgn.date
    {games} games have no full date, such as “{written}”.
    /one A game has no full date: “{written}”.
    > Check the first and last day.
note pgn.time_control
    The tag gives the time control as “{written}”. We read it as {control}.
    > If there was a delay, add it. The tag cannot show one.
confirm pgn.time_control/typed
    The tag gives the time control as “{written}”. By the standard these are seconds,
    but we read them as minutes: {control}.
    > If this is wrong, correct it.
confirm pgn.time_controls
    The games have different time controls: {listed}.
    > If they were played at one time control, enter it. If not, report each time
    control as its own section.
caution pgn.other_name
    Line {line} gives the player with ID {member_id} the name {name}. An earlier line
    has {known}.
    > Check the ID.
caution pgn.alike
    The names of pairing numbers {listed} are very similar. We read them as different
    players.
    > If they are one player, spell the name one way and upload the file again.
    /namesakes Pairing numbers {listed} have the same name.
    > Check whether they are one player, and who played the games without an ID.
"""
)
