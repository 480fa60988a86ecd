"""Findings on tables and wall charts."""

from events.importers.catalog.kinds import FindingKind, caution, confirm, error, note

TABLES: dict[str, FindingKind] = {
    "table.unreadable": error(
        "{name} was not read: {reason}",
        "Save it again as XLSX or CSV, and send that file.",
    ),
    "table.unreadable/pasted": error(
        "The pasted text was not read: {reason}",
        "Save it as XLSX or CSV, and send that file.",
    ),
    "table.not_found/pasted": error(
        "The pasted text holds neither a crosstable nor a list of games.",
        "A crosstable has a row for each player, with the name or member ID "
        "and a result such as W12 for each round. The templates show how.",
    ),
    "table.not_found": error(
        "{name} holds neither a crosstable nor a list of games.",
        "A crosstable has a row for each player, with the name or member ID "
        "and a result such as W12 for each round. The templates show how.",
    ),
    "table.too_large": error(
        "There are more than {max_sections} sections or {max_records:,} "
        "entries; the rest was not read.",
        "Report the event in parts.",
    ),
    "table.columns_unknown": error(
        "{place}: these columns are not found by their headings: {listed}.",
        "Say which column is which.",
    ),
    "table.column_twice": caution(
        "“{column}” is the second column of its kind and was left out.",
        "Look whether the first one was meant.",
    ),
    "table.merged_cells": caution(
        "Cells {cells} are merged; what they hold was read as the first of them."
    ),
    "table.formula": caution(
        "Cell {cell} holds a formula that no program has worked out; it was "
        "read as blank."
    ),
    "table.fact_unreadable": caution(
        "{label}: “{written}” cannot be read.", "Enter it in the report below."
    ),
    "table.game_left_out": error(
        "“{written}” is not a result.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.game_left_out/day": error(
        "“{written}” is a day: a spreadsheet made it of a result, probably ½ or 1-0.",
        "The row was left out. Give the column the format of text, type the result "
        "again, and send the table again.",
    ),
    "table.game_left_out/round": error(
        "“{written}” is not a round.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.game_left_out/nobody": error(
        "no player is named.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.game_left_out/one_player": error(
        "White and Black are one player.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.game_left_out/bye": error(
        "“{written}” is not a result without an opponent; bye, ½ or 0 is.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.game_left_out/taken": error(
        "{player} has a result in round {round_number} already.",
        "The row was left out. Correct it, and send the table again.",
    ),
    "table.numbered_in_order": caution(
        "the table has no pairing numbers, so the players were numbered in "
        "the order of their rows.",
        "Look whether the opponents' numbers mean these.",
    ),
    "table.dialect": note("The file spells its results in a known way."),
    "table.dialect/scid": note(
        "Results are spelled as Scid and ChessDB do: “4w+” was read as a win against "
        "4 with White, and “4w-” as a loss.",
        "If these are forfeits, correct the results.",
    ),
    "table.dialect/forfeits": note(
        "Games have points (“4w1”), so “4w+” was read as a forfeit win against 4, and "
        "“4w-” as a forfeit loss.",
        "If these games were played, correct the results.",
    ),
    "table.dialect/swissperfect": note(
        "Results are spelled as SwissPerfect does: “4:W” was read as a win against 4, "
        "“7:+” as a forfeit win, “0:W” as a full-point bye, and “0:D” as a half-point "
        "bye."
    ),
    "table.dialect/signs": note(
        "“+12” was read as a win against 12, and “-12” as a loss.",
        "If these are forfeits, correct the results.",
    ),
    "table.member_ids": confirm(
        "The column of FIDE IDs holds US Chess member IDs. {count} were entered as "
        "member IDs.",
        "Compare the names with the members, or enter the numbers as FIDE IDs.",
    ),
    "table.encoding": caution(
        "Line {line} holds a letter that is not UTF-8; the file was read as "
        "Western Windows writes it. Look whether the names are right."
    ),
    "table.row_left_out": note("“{row}” is not a player's row and was left out."),
    "table.no_result": note(
        "“{written}” was not understood as a result.",
        "Enter the result in the report below.",
    ),
    "table.row_left_out/results": error(
        "“{row}” holds results, but no table could take them in.",
        "Correct the line, or put it under the headings of its table, and send the "
        "table again.",
    ),
    "table.row_left_out/rest": error(
        "“{row}” holds results apart from the others; they were left out.",
        "Write the results of a player one beside the other, and send the table again.",
    ),
    "table.row_left_out/column": error(
        "“{row}” holds a result, but its column is no round.",
        "Name the rounds in the headings (Rd 1, Rd 2), each once, and send the table "
        "again.",
    ),
    "table.no_result/day": note(
        "“{written}” is a day: a spreadsheet made it of a result, probably ½ or 1-0.",
        "Enter the result in the report below.",
    ),
    "table.hidden_sheet": note(
        "The sheet {name} is hidden; it was left out.",
        "Show it in your spreadsheet program if it belongs to the report.",
    ),
    "table.hidden_cells": caution(
        "Some rows or columns are hidden ({listed}); they were read like the others.",
        "Look whether they belong to the report.",
    ),
    "table.numbers_chosen": note(
        "the results agree with each other if opponents are told by this number, so "
        "the players were numbered by it."
    ),
    "table.numbers_chosen/order": note(
        "the results agree with each other if opponents are told by the order of the "
        "rows, so the players were numbered by it."
    ),
}
