"""Findings on tables and wall charts."""

from events.formats.catalog.kinds import parse_kinds

TABLES = parse_kinds(
    """
error table.unreadable
    We can’t read {name}: {reason}
    > Save it again as XLSX or CSV, and upload that file.
    /pasted We can’t read the pasted text: {reason}
    > Save it as XLSX or CSV, and upload that file.
error table.not_found/pasted
    The pasted text has neither a crosstable nor a list of games.
    > A crosstable has a row for each player, with the name or member ID and a result
    such as W12 for each round. See the templates.
error table.not_found
    {name} has neither a crosstable nor a list of games.
    > A crosstable has a row for each player, with the name or member ID and a result
    such as W12 for each round. See the templates.
error table.too_large
    There are more than {max_sections} sections or {max_records:,} entries. We did not
    read the rest.
    > Report the event in parts.
error table.columns_unknown
    {place}: we can’t tell from the headings which columns these are: {listed}.
    > Choose what each column means.
caution table.column_twice
    “{column}” is the second column of its kind. We skipped it.
    > Check that the first one is the right one.
caution table.merged_cells
    Cells {cells} are merged. We read their content as part of the first one.
caution table.formula
    Cell {cell} has a formula without a saved value. We read it as blank.
caution table.fact_unreadable
    {label}: we can’t read “{written}”.
    > Enter it in the report below.
error table.game_left_out
    “{written}” is not a result.
    > We skipped the row. Correct it, and send the table again.
    /day “{written}” is a date. A spreadsheet program changed the result, probably ½ or
    1-0.
    > We skipped the row. Format the column as text, type the result again, and send the
    table again.
    /round “{written}” is not a round.
    /nobody both players’ names are missing.
    > We skipped the row. Correct it, and send the table again.
    /unknown “{written}” is not the name of an opponent.
    > We skipped the row. Enter the opponent’s name, or “bye” if there was none, and
    send the table again.
    /one_player White and Black are the same player.
    /bye “{written}” needs an opponent. Without one, use bye, ½, or 0.
    /taken {player} already has a result in round {round_number}.
    > We skipped the row. Correct it, and send the table again.
confirm table.unplayed
    the row says “{reason}”. We entered a forfeit, which is not rated.
    > If the game was played, enter its result in the report below.
    /doubtful the row says “{reason}”. We used the result of the game.
    > If the game was not played, enter a forfeit in the report below.
caution table.numbered_in_order
    the table has no pairing numbers. We numbered the players in the order of their
    rows.
    > Check that the opponents’ numbers match.
note table.dialect
    The file uses a known way of writing results.
note table.dialect
    /scid The results look like those of Scid and ChessDB. We read “4w+” as a win
    against 4 with White, and “4w-” as a loss.
    > If these are forfeits, correct the results.
    /forfeits Games have points (“4w1”), so we read “4w+” as a forfeit win against 4,
    and “4w-” as a forfeit loss.
    > If these games were played, correct the results.
    /swissperfect The results look like those of SwissPerfect. We read “4:W” as a win
    against 4, “7:+” as a forfeit win, “0:W” as a full-point bye, and “0:D” as a
    half-point bye.
note table.dialect/signs
    We read “+12” as a win against 12, and “-12” as a loss.
    > If these are forfeits, correct the results.
confirm table.member_ids
    The FIDE ID column has US Chess member IDs. We entered {count} of them as member
    IDs.
    > Compare the names with the member records, or enter the numbers as FIDE IDs.
note table.bye_word
    We read “{written}” as a bye, not a player.
    > If it is a player, enter the member ID in the file and upload it again.
note table.local_ids
    these IDs are not member IDs. They come from the pairing program or another
    federation. We skipped {count} of them.
    > Enter the member IDs.
    /one this column has an ID that is not a member ID. It comes from the pairing
    program or another federation. We skipped it.
    > Enter the member ID.
note table.extra_column
    the section has {rounds} rounds. This column comes after them and has no results, so
    we skipped it.
    > If there was another round, correct the number of rounds.
caution table.encoding
    Line {line} is not UTF-8. We read it as Windows-1252 text.
    > Check the names on this line.
note table.row_left_out
    “{row}” is not a player’s row. We skipped it.
note table.no_result
    “{written}” is not a result that we know.
    > Enter the result in the report below.
error table.row_left_out
    /results “{row}” has results, but does not belong to a table.
    > Correct the line or move it under the headings of its table. Then send the table
    again.
    /rest “{row}” has some results apart from the others. We skipped them.
    > Put a player’s results side by side, and send the table again.
    /column “{row}” has a result in a column that is not a round.
    > Name each round once in the headings (Rd 1, Rd 2), and send the table again.
note table.no_result/day
    “{written}” is a date. A spreadsheet program changed the result, probably ½ or 1-0.
    > Enter the result in the report below.
note table.hidden_sheet
    The sheet {name} is hidden. We skipped it.
    > If it belongs to the report, unhide it in your spreadsheet program and upload the
    file again.
caution table.hidden_cells
    Some rows or columns are hidden ({listed}). We read them like the others.
    > Check whether they belong to the report.
note table.numbers_chosen
    we numbered the players by this column, because then the results agree with each
    other.
    /order we numbered the players in the order of their rows, because then the results
    agree with each other.
"""
)
