"""Every code a finding can have, its severity and its meaning."""

from __future__ import annotations

from enum import StrEnum

from events.importers.sentences import say


class Severity(StrEnum):
    """How serious a finding is, gravest first."""

    ERROR = "error"  # the report cannot be submitted
    CONFIRM = "confirm"  # to be fixed, or overridden with a reason
    CAUTION = "caution"  # probably wrong, does not hold the report up
    NOTE = "note"  # for information


_E, _C, _W, _N = Severity.ERROR, Severity.CONFIRM, Severity.CAUTION, Severity.NOTE

CODES: dict[str, tuple[Severity, str]] = {
    # Files and ZIP archives
    "upload.empty": (_E, say("nothing was uploaded")),
    "upload.too_many_files": (_E, say("more files than a report can have")),
    "upload.too_large": (_E, say("the files together are larger than allowed")),
    "file.missing": (_E, say("one of the three files is not there")),
    "file.twice": (_E, say("two files have the same role")),
    "file.too_large": (_E, say("a file is larger than allowed")),
    "file.not_dbf": (_E, say("a file is not a DBF file")),
    "file.ignored": (_N, say("a file that is not part of the report was left aside")),
    "file.renamed": (_N, say("a file was recognised by its fields, not by its name")),
    "file.fields_missing": (_W, say("a field of the layout is not in the file")),
    "file.legacy_layout": (_N, say("the files are in the layout of the 1990s")),
    "zip.unreadable": (_E, say("the ZIP archive is damaged")),
    "zip.encrypted": (_E, say("the ZIP archive needs a password")),
    "zip.too_large": (_E, say("the ZIP archive unpacks to more than allowed")),
    "zip.unsafe_name": (_E, say("a name in the ZIP archive leads out of its folder")),
    "zip.nested": (_N, say("a ZIP archive inside the ZIP archive was left aside")),
    # DBF tables
    "dbf.truncated": (_E, say("the file ends in the middle")),
    "dbf.record_count": (_E, say("the header's record count is wrong")),
    "dbf.too_many_records": (
        _E,
        say("the file has more records than a report can have"),
    ),
    "dbf.header": (_W, say("the header is inconsistent and was read by its fields")),
    "dbf.field_repeated": (_W, say("two fields have the same name")),
    "dbf.field_type": (_W, say("a field has an unknown type and was read as text")),
    "dbf.field_damaged": (_E, say("a field description cannot be read")),
    "dbf.memo": (_W, say("a text lives in a memo file that was not uploaded")),
    "dbf.overflow": (
        _W,
        say("a number did not fit its field and was written as stars"),
    ),
    "dbf.deleted": (_N, say("deleted records were left out")),
    "dbf.encoding": (_N, say("the code page was guessed")),
    # FIDE's tournament report file
    "trf.no_players": (_E, say("no player line could be read")),
    "trf.too_many_players": (_E, say("more players than a report can have")),
    "trf.player_count": (_C, say("the heading counts other than the player lines")),
    "trf.line_short": (_C, say("a player line ends before its rounds")),
    "trf.shifted": (_W, say("a line's columns were found by what stands in them")),
    "trf.points": (_W, say("the points differ from the results")),
    "trf.national_line": (_W, say("a national line belongs to no player line")),
    "trf.director": (_W, say("an arbiter is named without a member ID")),
    "trf.unknown_line": (_W, say("a line begins with no code of the format")),
    "trf.rounds": (_W, say("a player line has more rounds than a report can have")),
    "trf.no_result": (_N, say("a pairing without a result")),
    "trf.no_game": (_N, say("a result without a game")),
    "trf.time_control": (
        _N,
        say("the time control was put into the office's spelling"),
    ),
    "trf.kept": (_N, say("lines that a report has no place for were kept")),
    # Crosstables and game lists
    "table.unreadable": (_E, say("the table cannot be read")),
    "table.not_found": (_E, say("there is no crosstable and no list of games")),
    "table.too_large": (_E, say("more sections or entries than a report can have")),
    "table.columns_unknown": (_E, say("a needed column is not recognised")),
    "table.column_twice": (_W, say("two columns have the same heading")),
    "table.merged_cells": (_W, say("cells of the spreadsheet are merged")),
    "table.formula": (_W, say("a formula was never worked out")),
    "table.fact_unreadable": (_W, say("a line above the table could not be read")),
    "table.game_left_out": (_W, say("a row of the list is no game")),
    "table.numbered_in_order": (_W, say("the table has no pairing numbers")),
    "table.encoding": (_W, say("the letters' code was guessed")),
    "table.row_left_out": (_N, say("a row of the table is no player's")),
    "table.no_result": (_N, say("where in the file a text stands that is no result")),
    # JSON documents
    "json.unreadable": (_E, say("the text is not JSON")),
    "json.not_a_report": (_E, say("the JSON document is no rating report")),
    "json.too_large": (_E, say("more sections or entries than a report can have")),
    "json.version": (_W, say("the document has a version that is not known")),
    "json.name_twice": (_W, say("a name stands twice in one object")),
    "json.unknown_name": (_N, say("a name of the document means nothing here")),
    "json.characters": (_N, say("characters that no report holds were left out")),
    # Values that could not be read from a file
    "value.unreadable": (_W, say("a number or date could not be read")),
    "value.date_spelling": (_N, say("a date is not spelled YYYYMMDD")),
    # The event
    "event.several": (_E, say("the files hold more than one event")),
    "event.no_record": (_E, say("THEXPORT has no record")),
    "event.ids_differ": (_E, say("the files carry different event IDs")),
    "event.layout": (_N, say("the report is not in the 2C layout")),
    "event.name_missing": (_E, say("the event has no name")),
    "event.dates_missing": (_E, say("the event's first or last day is missing")),
    "event.dates_reversed": (_E, say("the event ends before it starts")),
    "event.affiliate_missing": (_E, say("the affiliate's ID is missing")),
    "event.affiliate_malformed": (
        _E,
        say("the affiliate's ID is not A and seven digits"),
    ),
    "event.chief_td_missing": (_E, say("the chief TD's member ID is missing")),
    "event.td_malformed": (_E, say("a TD's member ID is not eight digits")),
    "event.place_missing": (_W, say("the city or the state is missing")),
    "event.send_crosstable": (_N, say("the crosstable letter is not T, A or N")),
    "event.no_sections": (_E, say("the event has no section")),
    "event.too_many_sections": (_E, say("more than 99 sections")),
    "event.section_count": (
        _E,
        say("the number of sections differs between the files"),
    ),
    # Sections
    "section.not_described": (_W, say("entries name a section that TSEXPORT lacks")),
    "section.number_repeated": (_E, say("two sections have the same number")),
    "section.number_invalid": (_E, say("a section has no number")),
    "section.numbers_gap": (_C, say("the sections are not numbered 1, 2, 3 …")),
    "section.name_missing": (_W, say("the section has no name")),
    "section.time_control_missing": (_E, say("the section has no time control")),
    "section.kind_missing": (_E, say("the section's type is missing")),
    "section.kind_unknown": (_E, say("the section's type letter is not known")),
    "section.system_letter": (_N, say("the rating system letter is not known")),
    "section.rounds_missing": (_E, say("the number of rounds is missing")),
    "section.rounds_differ": (
        _E,
        say("the number of rounds differs between the files"),
    ),
    "section.last_pairing_number": (_E, say("the highest pairing number differs")),
    "section.pairing_numbers_gap": (_E, say("pairing numbers are missing")),
    "section.td_malformed": (_E, say("a section TD's member ID is not eight digits")),
    "section.dates_reversed": (_E, say("the section ends before it starts")),
    "section.outside_event": (_E, say("the section's dates lie outside the event's")),
    "section.long": (_W, say("the section lasts longer than six weeks")),
    "section.scholastic_level": (_N, say("the scholastic letter is not N, S, P or J")),
    "section.grand_prix": (_W, say("Grand Prix points without the Grand Prix flag")),
    "section.no_entries": (_E, say("the section has no entries")),
    "section.no_game": (_E, say("the section has no game to rate")),
    "section.colours_missing": (_W, say("games without colours")),
    "section.double_codes": (_E, say("double-game codes in a single-game section")),
    "section.not_coded_as_match": (_C, say("two players, several games, not a match")),
    "section.match_players": (_E, say("a match has other than two players")),
    # Schedules that merge into one section
    "schedule.rounds": (_E, say("a schedule's rounds are not among the section's")),
    "schedule.time_control_missing": (_E, say("a schedule has no time control")),
    "schedule.dates": (_E, say("a schedule's days are reversed or not the section's")),
    "schedule.entries_unknown": (
        _E,
        say("a schedule names players that there are not"),
    ),
    "schedule.overlap": (_E, say("a player is on two schedules in one round")),
    "schedule.split_game": (_C, say("a game between players of different schedules")),
    # Entries
    "entry.pairing_number_invalid": (_E, say("an entry has no pairing number")),
    "entry.pairing_number_repeated": (_E, say("two entries have one pairing number")),
    "entry.member_id_missing": (_E, say("the member ID is missing or 00000000")),
    "entry.member_id_malformed": (_E, say("the member ID is not eight digits")),
    "entry.member_repeated": (_C, say("a member is entered twice in a section")),
    "entry.name_missing": (_W, say("the name is missing")),
    "entry.foreign_rating": (_E, say("a FIDE or CFC ID or rating is not a number")),
    # Results
    "result.unreadable": (_E, say("the text of a cell is not a result")),
    "result.missing": (_E, say("a result is missing")),
    "result.beyond_rounds": (_E, say("a result after the section's last round")),
    "result.no_opponent": (_E, say("a game without an opponent")),
    "result.self_pairing": (_E, say("a player is paired with himself or herself")),
    "result.unknown_opponent": (_E, say("the opponent is not in the section")),
    "result.opponent_differs": (_E, say("the opponent reports something else")),
    "result.not_mirrored": (_E, say("the opponent reports another result")),
    "result.both_white": (_E, say("both players report White")),
    "result.both_black": (_E, say("both players report Black")),
    "result.forfeit_one_sided": (_W, say("the opponent does not report the forfeit")),
    "result.bye_with_opponent": (_W, say("a bye names an opponent")),
    "result.asymmetric": (
        _C,
        say("a code for a result that differs for the two players"),
    ),
    "result.in_progress": (_C, say("a game still in progress")),
    "result.diagonal": (_E, say("a round robin's own column has a result")),
    # Text, when the report is written as files
    "text.too_long": (_N, say("a text is longer than its field and will be cut")),
    "text.characters": (_N, say("a character that the files cannot hold")),
}
