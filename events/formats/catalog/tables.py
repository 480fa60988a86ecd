"""Findings on tables and wall charts."""

from events.formats.catalog.kinds import FindingKind, caution, confirm, error, note

TABLES: dict[str, FindingKind] = {
    "table.unreadable": error(
        "We can't read {name}: {reason}",
        "Save it again as XLSX or CSV, and upload that file.",
    ),
    "table.unreadable/pasted": error(
        "We can't read the pasted text: {reason}",
        "Save it as XLSX or CSV, and upload that file.",
    ),
    "table.not_found/pasted": error(
        "The pasted text has neither a crosstable nor a list of games.",
        "A crosstable has a row for each player, with the name or member ID and a "
        "result such as W12 for each round. See the templates.",
    ),
    "table.not_found": error(
        "{name} has neither a crosstable nor a list of games.",
        "A crosstable has a row for each player, with the name or member ID and a "
        "result such as W12 for each round. See the templates.",
    ),
    "table.too_large": error(
        "There are more than {max_sections} sections or {max_records:,} entries. We "
        "did not read the rest.",
        "Report the event in parts.",
    ),
    "table.columns_unknown": error(
        "{place}: we can't tell from the headings which columns these are: {listed}.",
        "Choose what each column means.",
    ),
    "table.column_twice": caution(
        "“{column}” is the second column of its kind. We skipped it.",
        "Check that the first one is the right one.",
    ),
    "table.merged_cells": caution(
        "Cells {cells} are merged. We read their content as part of the first one."
    ),
    "table.formula": caution(
        "Cell {cell} has a formula without a saved value. We read it as blank."
    ),
    "table.fact_unreadable": caution(
        "{label}: we can't read “{written}”.", "Enter it in the report below."
    ),
    "table.game_left_out": error(
        "“{written}” is not a result.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.game_left_out/day": error(
        "“{written}” is a date. A spreadsheet program changed the result, probably ½ "
        "or 1-0.",
        "We skipped the row. Format the column as text, type the result again, and "
        "send the table again.",
    ),
    "table.game_left_out/round": error(
        "“{written}” is not a round.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.game_left_out/nobody": error(
        "both players' names are missing.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.game_left_out/unknown": error(
        "“{written}” is not the name of an opponent.",
        "We skipped the row. Enter the opponent's name, or “bye” if there was none, "
        "and send the table again.",
    ),
    "table.game_left_out/one_player": error(
        "White and Black are the same player.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.game_left_out/bye": error(
        "“{written}” needs an opponent. Without one, use bye, ½, or 0.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.game_left_out/taken": error(
        "{player} already has a result in round {round_number}.",
        "We skipped the row. Correct it, and send the table again.",
    ),
    "table.numbered_in_order": caution(
        "the table has no pairing numbers. We numbered the players in the order of "
        "their rows.",
        "Check that the opponents' numbers match.",
    ),
    "table.dialect": note("The file uses a known way of writing results."),
    "table.dialect/scid": note(
        "The results look like those of Scid and ChessDB. We read “4w+” as a win "
        "against 4 with White, and “4w-” as a loss.",
        "If these are forfeits, correct the results.",
    ),
    "table.dialect/forfeits": note(
        "Games have points (“4w1”), so we read “4w+” as a forfeit win against 4, and "
        "“4w-” as a forfeit loss.",
        "If these games were played, correct the results.",
    ),
    "table.dialect/swissperfect": note(
        "The results look like those of SwissPerfect. We read “4:W” as a win against "
        "4, “7:+” as a forfeit win, “0:W” as a full-point bye, and “0:D” as a "
        "half-point bye."
    ),
    "table.dialect/signs": note(
        "We read “+12” as a win against 12, and “-12” as a loss.",
        "If these are forfeits, correct the results.",
    ),
    "table.member_ids": confirm(
        "The FIDE ID column has US Chess member IDs. We entered {count} of them as "
        "member IDs.",
        "Compare the names with the member records, or enter the numbers as FIDE IDs.",
    ),
    "table.bye_word": note(
        "We read “{written}” as a bye, not a player.",
        "If it is a player, enter the member ID in the file and upload it again.",
    ),
    "table.local_ids": note(
        "these IDs are not eight digits. They come from the pairing program or another "
        "federation. We skipped {count} of them.",
        "Enter the member IDs.",
    ),
    "table.local_ids/one": note(
        "this column has an ID that is not eight digits. It comes from the pairing "
        "program or another federation. We skipped it.",
        "Enter the member ID.",
    ),
    "table.extra_column": note(
        "the section has {rounds} rounds. This column comes after them and has no "
        "results, so we skipped it.",
        "If there was another round, correct the number of rounds.",
    ),
    "table.encoding": caution(
        "Line {line} has a letter that is not UTF-8. We read the file as Windows-1252 "
        "text. Check that the names are right."
    ),
    "table.row_left_out": note("“{row}” is not a player's row. We skipped it."),
    "table.no_result": note(
        "“{written}” is not a result that we know.",
        "Enter the result in the report below.",
    ),
    "table.row_left_out/results": error(
        "“{row}” has results, but does not belong to a table.",
        "Correct the line or move it under the headings of its table. Then send the "
        "table again.",
    ),
    "table.row_left_out/rest": error(
        "“{row}” has some results apart from the others. We skipped them.",
        "Put a player's results side by side, and send the table again.",
    ),
    "table.row_left_out/column": error(
        "“{row}” has a result in a column that is not a round.",
        "Name each round once in the headings (Rd 1, Rd 2), and send the table again.",
    ),
    "table.no_result/day": note(
        "“{written}” is a date. A spreadsheet program changed the result, probably ½ "
        "or 1-0.",
        "Enter the result in the report below.",
    ),
    "table.hidden_sheet": note(
        "The sheet {name} is hidden. We skipped it.",
        "If it belongs to the report, unhide it in your spreadsheet program and upload "
        "the file again.",
    ),
    "table.hidden_cells": caution(
        "Some rows or columns are hidden ({listed}). We read them like the others.",
        "Check whether they belong to the report.",
    ),
    "table.numbers_chosen": note(
        "we numbered the players by this column, because then the results agree with "
        "each other."
    ),
    "table.numbers_chosen/order": note(
        "we numbered the players in the order of their rows, because then the results "
        "agree with each other."
    ),
}
