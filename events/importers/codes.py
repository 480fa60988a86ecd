"""Every code a finding can have, its severity and its meaning."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is, gravest first."""

    ERROR = "error"  # the report cannot be submitted
    CONFIRM = "confirm"  # to be fixed, or overridden with a reason
    CAUTION = "caution"  # probably wrong, does not hold the report up
    NOTE = "note"  # for information


_E, _C, _W, _N = Severity.ERROR, Severity.CONFIRM, Severity.CAUTION, Severity.NOTE

CODES: dict[str, tuple[Severity, str]] = {
    # Files and ZIP archives
    "upload.empty": (_E, "nothing was uploaded"),
    "upload.too_many_files": (_E, "more files than a report can have"),
    "upload.too_large": (_E, "the files together are larger than allowed"),
    "file.missing": (_E, "one of the three files is not there"),
    "file.twice": (_E, "two files have the same role"),
    "file.too_large": (_E, "a file is larger than allowed"),
    "file.not_dbf": (_E, "a file is not a DBF file"),
    "file.ignored": (_N, "a file that is not part of the report was left aside"),
    "file.renamed": (_N, "a file was recognised by its fields, not by its name"),
    "file.fields_missing": (_W, "a field of the layout is not in the file"),
    "file.legacy_layout": (_N, "the files are in the layout of the 1990s"),
    "zip.unreadable": (_E, "the ZIP archive is damaged"),
    "zip.encrypted": (_E, "the ZIP archive needs a password"),
    "zip.too_large": (_E, "the ZIP archive unpacks to more than allowed"),
    "zip.unsafe_name": (_E, "a name in the ZIP archive leads out of its folder"),
    "zip.nested": (_N, "a ZIP archive inside the ZIP archive was left aside"),
    # DBF tables
    "dbf.truncated": (_E, "the file ends in the middle"),
    "dbf.record_count": (_E, "the header's record count is wrong"),
    "dbf.too_many_records": (_E, "the file has more records than a report can have"),
    "dbf.header": (_W, "the header is inconsistent and was read by its fields"),
    "dbf.field_repeated": (_W, "two fields have the same name"),
    "dbf.field_type": (_W, "a field has an unknown type and was read as text"),
    "dbf.field_damaged": (_E, "a field description cannot be read"),
    "dbf.memo": (_W, "a text lives in a memo file that was not uploaded"),
    "dbf.overflow": (_W, "a number did not fit its field and was written as stars"),
    "dbf.deleted": (_N, "deleted records were left out"),
    "dbf.encoding": (_N, "the code page was guessed"),
    # FIDE's tournament report file
    "trf.no_players": (_E, "no player line could be read"),
    "trf.too_many_players": (_E, "more players than a report can have"),
    "trf.player_count": (_C, "the heading counts other than the player lines"),
    "trf.line_short": (_C, "a player line ends before its rounds"),
    "trf.shifted": (_W, "a line's columns were found by what stands in them"),
    "trf.points": (_W, "the points differ from the results"),
    "trf.national_line": (_W, "a national line belongs to no player line"),
    "trf.director": (_W, "an arbiter is named without a member ID"),
    "trf.unknown_line": (_W, "a line begins with no code of the format"),
    "trf.rounds": (_W, "a player line has more rounds than a report can have"),
    "trf.no_result": (_N, "a pairing without a result"),
    "trf.no_game": (_N, "a result without a game"),
    "trf.time_control": (_N, "the time control was put into the office's spelling"),
    "trf.kept": (_N, "lines that a report has no place for were kept"),
    # Crosstables and game lists
    "table.unreadable": (_E, "the table cannot be read"),
    "table.not_found": (_E, "there is no crosstable and no list of games"),
    "table.too_large": (_E, "more sections or entries than a report can have"),
    "table.columns_unknown": (_E, "a needed column is not recognised"),
    "table.column_twice": (_W, "two columns have the same heading"),
    "table.merged_cells": (_W, "cells of the spreadsheet are merged"),
    "table.formula": (_W, "a formula was never worked out"),
    "table.fact_unreadable": (_W, "a line above the table could not be read"),
    "table.game_left_out": (_W, "a row of the list is no game"),
    "table.numbered_in_order": (_W, "the table has no pairing numbers"),
    "table.encoding": (_W, "the letters' code was guessed"),
    "table.row_left_out": (_N, "a row of the table is no player's"),
    "table.no_result": (_N, "where in the file a text stands that is no result"),
    # Values that could not be read from a file
    "value.unreadable": (_W, "a number or date could not be read"),
    "value.date_spelling": (_N, "a date is not spelled YYYYMMDD"),
    # The event
    "event.several": (_E, "the files hold more than one event"),
    "event.no_record": (_E, "THEXPORT has no record"),
    "event.ids_differ": (_E, "the files carry different event IDs"),
    "event.layout": (_N, "the report is not in the 2C layout"),
    "event.name_missing": (_E, "the event has no name"),
    "event.dates_missing": (_E, "the event's first or last day is missing"),
    "event.dates_reversed": (_E, "the event ends before it starts"),
    "event.affiliate_missing": (_E, "the affiliate's ID is missing"),
    "event.affiliate_malformed": (_E, "the affiliate's ID is not A and seven digits"),
    "event.chief_td_missing": (_E, "the chief TD's member ID is missing"),
    "event.td_malformed": (_E, "a TD's member ID is not eight digits"),
    "event.place_missing": (_W, "the city or the state is missing"),
    "event.send_crosstable": (_N, "the crosstable letter is not T, A or N"),
    "event.no_sections": (_E, "the event has no section"),
    "event.too_many_sections": (_E, "more than 99 sections"),
    "event.section_count": (_E, "the number of sections differs between the files"),
    # Sections
    "section.not_described": (_W, "entries name a section that TSEXPORT lacks"),
    "section.number_repeated": (_E, "two sections have the same number"),
    "section.number_invalid": (_E, "a section has no number"),
    "section.numbers_gap": (_C, "the sections are not numbered 1, 2, 3 …"),
    "section.name_missing": (_W, "the section has no name"),
    "section.time_control_missing": (_E, "the section has no time control"),
    "section.kind_missing": (_E, "the section's type is missing"),
    "section.kind_unknown": (_E, "the section's type letter is not known"),
    "section.system_letter": (_N, "the rating system letter is not known"),
    "section.rounds_missing": (_E, "the number of rounds is missing"),
    "section.rounds_differ": (_E, "the number of rounds differs between the files"),
    "section.last_pairing_number": (_E, "the highest pairing number differs"),
    "section.pairing_numbers_gap": (_E, "pairing numbers are missing"),
    "section.td_malformed": (_E, "a section TD's member ID is not eight digits"),
    "section.dates_reversed": (_E, "the section ends before it starts"),
    "section.outside_event": (_E, "the section's dates lie outside the event's"),
    "section.long": (_W, "the section lasts longer than six weeks"),
    "section.scholastic_level": (_N, "the scholastic letter is not N, S, P or J"),
    "section.grand_prix": (_W, "Grand Prix points without the Grand Prix flag"),
    "section.no_entries": (_E, "the section has no entries"),
    "section.no_game": (_E, "the section has no game to rate"),
    "section.colours_missing": (_W, "games without colours"),
    "section.double_codes": (_E, "double-game codes in a single-game section"),
    "section.not_coded_as_match": (_C, "two players, several games, not a match"),
    "section.match_players": (_E, "a match has other than two players"),
    # Entries
    "entry.pairing_number_invalid": (_E, "an entry has no pairing number"),
    "entry.pairing_number_repeated": (_E, "two entries have one pairing number"),
    "entry.member_id_missing": (_E, "the member ID is missing or 00000000"),
    "entry.member_id_malformed": (_E, "the member ID is not eight digits"),
    "entry.member_repeated": (_C, "a member is entered twice in a section"),
    "entry.name_missing": (_W, "the name is missing"),
    "entry.foreign_rating": (_E, "a FIDE or CFC ID or rating is not a number"),
    # Results
    "result.unreadable": (_E, "the text of a cell is not a result"),
    "result.missing": (_E, "a result is missing"),
    "result.beyond_rounds": (_E, "a result after the section's last round"),
    "result.no_opponent": (_E, "a game without an opponent"),
    "result.self_pairing": (_E, "a player is paired with himself or herself"),
    "result.unknown_opponent": (_E, "the opponent is not in the section"),
    "result.opponent_differs": (_E, "the opponent reports something else"),
    "result.not_mirrored": (_E, "the opponent reports another result"),
    "result.both_white": (_E, "both players report White"),
    "result.both_black": (_E, "both players report Black"),
    "result.forfeit_one_sided": (_W, "the opponent does not report the forfeit"),
    "result.bye_with_opponent": (_W, "a bye names an opponent"),
    "result.asymmetric": (_C, "a code for a result that differs for the two players"),
    "result.in_progress": (_C, "a game still in progress"),
    "result.diagonal": (_E, "a round robin's own column has a result"),
    # Text, when the report is written as files
    "text.too_long": (_N, "a text is longer than its field and will be cut"),
    "text.characters": (_N, "a character that the files cannot hold"),
}
