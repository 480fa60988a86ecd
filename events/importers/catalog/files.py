"""What the readers of files have to say."""

from events.importers.catalog.kinds import FindingKind, caution, confirm, error, note

FILES: dict[str, FindingKind] = {
    "upload.empty": error(
        "No file of a report was uploaded.",
        "Choose THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF.",
    ),
    "upload.too_many_files": error(
        "{files:,} files were uploaded; a report has three.",
        "Upload THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF only.",
    ),
    "upload.too_large": error(
        "The files together are larger than {max_upload_bytes} MB.",
        "Upload the three files of one report only.",
    ),
    "upload.too_much_work": error(
        "Reading this takes more than {seconds} seconds or {megabytes} MB of memory, "
        "which no rating report does.",
        "Look whether it is the right file, or report the event in parts.",
    ),
    "file.unopened": error("{name} cannot be opened: {reason}."),
    "file.missing": error(
        "{role}.DBF is missing.", "Upload all three files of the report together."
    ),
    "file.twice": error(
        "{name} and {other_name} are both {role} files; the second was left aside.",
        "Upload the three files of one report only.",
    ),
    "file.too_large": error(
        "{name} has {megabytes:.1f} MB; at most {max_file_bytes} MB are read.",
        "Look whether it is the right file.",
    ),
    "file.not_dbf": error("{reason}"),
    "file.not_read/access": error(
        "{name} is an Access database, such as Papi keeps. It is not read here.",
        "Export the tournament for FIDE (TRF) in Papi, and upload that file.",
    ),
    "file.not_read/swiss_manager": error(
        "{name} is a tournament of Swiss-Manager. Such files are not read here.",
        "Export the tournament for FIDE (TRF) in Swiss-Manager, and upload that file.",
    ),
    "file.not_read/swiss_chess": error(
        "{name} is a tournament of Swiss-Chess. Such files are not read here.",
        "Export the tournament for FIDE (TRF) in Swiss-Chess, and upload that file.",
    ),
    "file.not_read/vega": error(
        "{name} is a tournament of Vega. Such files are not read here.",
        "Write FIDE's report file (TRF) from Vega's menu of rating reports, and upload "
        "that file.",
    ),
    "file.not_read/chessbase": error(
        "{name} is a database of games. Such files are not read here.",
        "Export the games of the event as PGN, and upload that file.",
    ),
    "file.not_read/database": error(
        "{name} is the database of a program. Such files are not read here.",
        "Export the tournament for FIDE (TRF) or as a table (CSV) in that program, and "
        "upload that file.",
    ),
    "file.not_read/pdf": error(
        "{name} is a PDF document. No results can be read from it.",
        "Copy its table and paste it as a wall chart, or export the event from your "
        "pairing program.",
    ),
    "file.not_read/picture": error(
        "{name} is a picture. No results can be read from it.",
        "Type the results in, or export the event from your pairing program.",
    ),
    "file.not_read/old_office": error(
        "{name} is an old Office document (XLS or DOC) or one with a password. Such "
        "files are not read here.",
        "Save it as XLSX or CSV without a password, or copy its table and paste it.",
    ),
    "file.not_read/open_document": error(
        "{name} is an OpenDocument file, which is not read here.",
        "Save a table as XLSX or CSV; copy a text and paste it.",
    ),
    "file.not_read/document": error(
        "{name} is a document of a word processor, which is not read here.",
        "Copy its table and paste it as a wall chart.",
    ),
    "file.not_read/iwork": error(
        "{name} is a document of Numbers, Pages or Keynote, which is not read here.",
        "Export its table as CSV or XLSX, and upload that file.",
    ),
    "file.not_read/json_lines": error(
        "{name} is a list of JSON objects, one on each line, as game servers send "
        "them. It is not a rating report.",
        "Export the tournament for FIDE (TRF) or its games as PGN, and upload that "
        "file.",
    ),
    "file.not_read/program": error(
        "{name} is a program or its settings, not a rating report.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV or "
        "XLSX; or paste a wall chart.",
    ),
    "file.not_read/calendar": error(
        "{name} is a file of calendar entries or contacts, not a rating report.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV or "
        "XLSX; or paste a wall chart.",
    ),
    "file.not_read/archive": error(
        "{name} is packed in a way that is not read here.",
        "Unpack it, and upload the files or a ZIP archive of them.",
    ),
    "file.not_read/web_page": error(
        "{name} is a web page in which no table of results was found.",
        "Open it in a browser, copy the table and paste it as a wall chart.",
    ),
    "file.not_read/empty": error(
        "{name} is empty.", "Copy or export it again; it may have been cut off."
    ),
    "file.not_read/text": error(
        "{name} is a text in which no results were found.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV or "
        "XLSX; or paste a wall chart.",
    ),
    "file.not_read": error(
        "{name} is of a kind that is not known here.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV or "
        "XLSX; or paste a wall chart.",
    ),
    "file.ignored": note(
        "{name} was left aside: the report was read from {other}.",
        "Upload it by itself if a report is in it.",
    ),
    "file.ignored/unreadable": note("{name} was left aside: {reason}"),
    "file.other_event": confirm(
        "{name} states {label} as {told}, and a file before it as {before}: they may "
        "be two events.",
        "Report each event by itself; in an archive, put each report into a folder of "
        "its own. Confirm it if they are sections of one event.",
    ),
    "file.other_event/tournament": confirm(
        "{name} may be of another event than the files before it: its name or its days "
        "are quite different.",
        "Report each event by itself; in an archive, put each report into a folder of "
        "its own. Confirm it if they are sections of one event.",
    ),
    "file.renamed": note("{name} was read as {role}.DBF, whose fields it has."),
    "file.fields_missing": caution(
        "{name} lacks the field {expected}.", "Enter its values by hand."
    ),
    "file.legacy_layout": note(
        "{name} has the layout of the 1990s, which knows no names, colors "
        "or time controls.",
        "Fill in the time control of each section.",
    ),
    "zip.unreadable": error(
        "{name} is a ZIP archive without its end.",
        "It was probably not copied completely: upload it again.",
    ),
    "zip.unreadable/document": error(
        "{name} is a spreadsheet or document, not an archive of DBF files.",
        "Export the report from your pairing program as DBF files.",
    ),
    "zip.unreadable/packing": error(
        "{name} uses an unusual way of packing.",
        "Pack the three files as an ordinary ZIP archive.",
    ),
    "zip.unreadable/damaged": error(
        "{name} is a damaged ZIP archive.",
        "Pack the three files again, or upload them one by one.",
    ),
    "zip.encrypted": error(
        "{name} is protected by a password.", "Pack the three files without a password."
    ),
    "zip.too_large": error(
        "{name} would unpack to more than {megabytes} MB or far more than a report.",
        "Pack THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF only.",
    ),
    "zip.too_large/many_files": error(
        "{name} is made for more than {max_members} files; a report has three.",
        "Pack THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF only.",
    ),
    "zip.unsafe_name": error(
        "{archive} holds a file whose name leads out of its folder: {printable}.",
        "Pack the three files again without folders.",
    ),
    "zip.nested": note(
        "The ZIP archive {inner} inside {name} was left aside.",
        "Upload it by itself if the report is in it.",
    ),
    "dbf.truncated": error(
        "The file ends in the middle of record {number:,}.",
        "Copy or export it again; what comes before was read.",
    ),
    "dbf.truncated/too_few": error(
        "The header announces {count:,} records, but the file ends after {number:,}.",
        "Copy or export it again; what is there was read.",
    ),
    "dbf.truncated/one": error(
        "The header announces 1 record, but the file ends after {number:,}.",
        "Copy or export it again; what is there was read.",
    ),
    "dbf.record_count": error(
        "The header announces {count:,} records, but the file holds {number:,}.",
        "Export it again from your pairing program.",
    ),
    "dbf.record_count/one": error(
        "The header announces 1 record, but the file holds {number:,}.",
        "Export it again from your pairing program.",
    ),
    "dbf.too_many_records": error(
        "{name} says that it has {declared_records:,} records; a report has "
        "at most {max_records:,}.",
        "Export it again from your pairing program.",
    ),
    "dbf.too_many_records/unread": error(
        "{reason}", "Look whether it is the right file, or report the event in parts."
    ),
    "dbf.header": caution(
        "The header says that records start at byte {header_length:,}; its "
        "fields end at byte {after_fields:,}, and the file was read from "
        "there."
    ),
    "dbf.header/record_length": caution(
        "The header says that a record has {declared:,} bytes; its fields "
        "have {needed:,}, and the file was read that way."
    ),
    "dbf.field_repeated": caution(
        "The file has the field {name} more than once; the first one was used."
    ),
    "dbf.field_type": caution(
        "Field {name} has the unknown type {type!r} and was read as text."
    ),
    "dbf.field_damaged": error(
        "The description of field {number} (after {name}) cannot be read.",
        "Export the report again from your pairing program.",
    ),
    "dbf.memo": caution(
        "The text of {name} is in a memo file that was not uploaded, in {records}.",
        "Enter it by hand if it matters.",
    ),
    "dbf.overflow": caution(
        "The number in {name} was too long for its field in {records}.",
        "Enter it by hand.",
    ),
    "dbf.deleted": note("{count:,} records marked as deleted were left out."),
    "dbf.deleted/one": note("1 record marked as deleted was left out."),
    "dbf.encoding": note(
        "The file does not say how its letters are coded; it was read as {upper}.",
        "Look at names with accents.",
    ),
    "trf.no_players": error(
        "{file} has no player line; they begin with 001.",
        "Export the tournament again from your pairing program.",
    ),
    "trf.too_many_players": error(
        "{file} has {players:,} player lines; a section has at most "
        "{most_players:,}, and no more were read.",
        "Look whether it is the right file, or report the event in parts.",
    ),
    "trf.too_many_results": error(
        "{file} has {results:,} rounds of players; a section has at most "
        "{most_results:,}, and nothing was read.",
        "Look whether it is the right file, or report the event in parts.",
    ),
    "trf.player_count": confirm(
        "Line {line}, column {column} counts {said:,} players, but there "
        "are {count:,} player lines.",
        "The file may be cut off. Compare it with the tournament.",
    ),
    "trf.line_short": confirm(
        "Line {number} ends in column {length}, before points and rounds; no "
        "game of this player was read.",
        "Enter the results by hand, or upload the whole file.",
    ),
    "trf.encoding": caution(
        "Line {number} holds a letter that is not UTF-8; it was read as Western "
        "Windows writes it.",
        "Check the names on this line.",
    ),
    "trf.member_ids": confirm(
        "The column of FIDE IDs holds US Chess member IDs. {count} were entered as "
        "member IDs, and the ratings beside them as US Chess ratings.",
        "Compare the names with the members, or enter the numbers as FIDE IDs.",
    ),
    "trf.extra_round": caution(
        "The file has {rounds} rounds. “{written}” stands in a column after them and "
        "names no opponent, so it was left out.",
        "If there was another round, correct the number of rounds and enter it.",
    ),
    "trf.online": confirm(
        "The file names {server}, so the section was marked as played online. The "
        "server's ratings were left out.",
        "Confirm it, or correct it if the games were played over the board.",
    ),
    "trf.online/unsure": confirm(
        "The file says that the event was online, but the section is marked as played "
        "over the board.",
        "Mark the section as online, or confirm that the games were played over the "
        "board.",
    ),
    "trf.shifted": caution(
        "Line {number} does not keep to the columns; its fields were found by "
        "their contents.",
        "Compare the entry of {printable} with the wall chart.",
    ),
    "trf.points": caution(
        "Line {line}, column {column} gives {points:g} points, but the "
        "results add up to {results:g}.",
        "Compare the results with the wall chart.",
    ),
    "trf.national_line": caution(
        "Line {line}, column {column} holds “{rank}”, and no player line "
        "has that rank.",
        "Enter the member ID by hand where it belongs.",
    ),
    "trf.director": caution(
        "Line {line}, column {column} names “{name}” as an arbiter, without "
        "a member ID.",
        "Enter the ID of the TD by hand.",
    ),
    "trf.unknown_line": caution(
        "Line {number} begins with “{printable}”, which is not a code of the "
        "format. Nothing was read from it."
    ),
    "trf.rounds": error(
        "Line {line}, column {column} begins round {round_number}; no more "
        "than {max_rounds} are read.",
        "Look whether it is the right file, or report the event in parts.",
    ),
    "trf.no_result": note(
        "Line {line}, column {column} pairs the player with {opponent}, "
        "without a result.",
        "Enter the result if the game was played.",
    ),
    "trf.no_result/white": note(
        "Line {line}, column {column} pairs the player with {opponent} as "
        "White, without a result.",
        "Enter the result if the game was played.",
    ),
    "trf.no_result/black": note(
        "Line {line}, column {column} pairs the player with {opponent} as "
        "Black, without a result.",
        "Enter the result if the game was played.",
    ),
    "trf.no_game": note(
        "Line {line}, column {column} holds {result}, a result without a "
        "rated game; it was read as a half-point bye."
    ),
    "trf.no_game/win": note(
        "Line {line}, column {column} holds {result}, a result without a "
        "rated game; it was read as a forfeit win."
    ),
    "trf.no_game/loss": note(
        "Line {line}, column {column} holds {result}, a result without a "
        "rated game; it was read as a forfeit loss."
    ),
    "trf.no_game/bye": note(
        "Line {line}, column {column} holds {result}, a result without a "
        "rated game; it was read as a full-point bye."
    ),
    "trf.no_game/absent": note(
        "Line {line}, column {column} holds {result}, a result without a "
        "rated game; it was read as no pairing."
    ),
    "time_control.spelling": note(
        "The file gives the time control as “{written}”; it was read as {control}.",
        "Correct it if it was another.",
    ),
    "trf.time_control": note(
        "Line {line}, column {column} gives the time control as “{words}”; "
        "it was read as {control}.",
        "Correct it if it was another.",
    ),
    "trf.kept": note(
        "The lines {tags} say nothing that a rating report holds. They are "
        "kept and given back when the report is written as such a file."
    ),
    "trf.teams": note(
        "The file tells of teams (lines {tags}). Their boards were read as games of "
        "one section; line-ups and match points were left aside."
    ),
    "json.unreadable": error(
        "{name} cannot be read as JSON: it breaks off or goes wrong at line "
        "{lineno:,}, column {colno:,}.",
        "Check quotes, commas and brackets there.",
    ),
    "json.unreadable/encoding": error(
        "{name} cannot be read as JSON: it is not UTF-8 at byte {start:,}.",
        "Write it as UTF-8.",
    ),
    "json.unreadable/nested": error(
        "{name} cannot be read as JSON: its brackets are nested too deeply.",
        "Check its brackets.",
    ),
    "json.not_a_report": error(
        "{name} is JSON, but not a rating report: it is not an object with a list "
        "of sections.",
        "Its description is on the page of the API.",
    ),
    "json.too_large": error(
        "There are {items:,} sections; {most:,} of them were read.",
        "Report the event in parts.",
    ),
    "json.too_large/schedules": error(
        "There are {items:,} schedules; {most:,} of them were read.",
        "Report the event in parts.",
    ),
    "json.too_large/entries": error(
        "There are {items:,} entries; {most:,} of them were read.",
        "Report the event in parts.",
    ),
    "json.too_large/results": error(
        "There are {items:,} results; {most:,} of them were read.",
        "Report the event in parts.",
    ),
    "json.version": caution(
        "The document does not say that it is a {format} of version "
        "{version}; it was read as one.",
        "Look whether everything has been read.",
    ),
    "json.name_twice": caution(
        "The name “{printable}” appears twice in one object; the last was read.",
        "Leave out the others.",
    ),
    "json.unknown_name": note(
        "“{printable}” means nothing in a report and was left aside."
    ),
    "json.results_left_out": error(
        "{pointer} holds results, such as {shown}, where a report has none; they were "
        "left out.",
        "Correct it in the document: a section has “entries”, and an entry “cells”.",
    ),
    "json.characters": note("{pointer} held control characters, which were left out."),
    "value.unreadable": caution(
        "{pointer} holds {shown}, which is not a list.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/object": caution(
        "{pointer} holds {shown}, which is not an object with names.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/text": caution(
        "{pointer} holds {shown}, which is not a text.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/texts": caution(
        "{pointer} holds {shown}, which is not a list of texts.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/whole_number": caution(
        "{pointer} holds {shown}, which is not a whole number up to {highest:,}.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/whole_numbers": caution(
        "{pointer} holds {shown}, which is not a list of whole numbers up to "
        "{highest:,}.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/day": caution(
        "{pointer} holds {shown}, which is not a date such as 2024-05-04.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/flag": caution(
        "{pointer} holds {shown}, which is neither true nor false.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/result": caution(
        "{pointer} holds {shown}, which is not a result such as W12W.",
        "Correct it in the document, or enter it by hand.",
    ),
    "value.unreadable/field_number": caution(
        "{name} holds “{printable}”, which is not a whole number.", "Enter it by hand."
    ),
    "value.unreadable/field_day": caution(
        "{name} holds “{printable}”, which is not a date such as 20240504.",
        "Enter it by hand.",
    ),
    "value.unreadable/rank": caution(
        "Line {line}, column {column} holds “{written}”, which is not a starting rank.",
        "The line may be cut off or shifted. Correct the file and upload it again.",
    ),
    "value.unreadable/rating": caution(
        "Line {line}, column {column} holds “{written}”, which is not a rating.",
        "Enter it by hand if it is needed.",
    ),
    "value.unreadable/fide_id": caution(
        "Line {line}, column {column} holds “{written}”, which is not a FIDE ID.",
        "Enter it by hand if it is needed.",
    ),
    "value.unreadable/round": caution(
        "Line {line}, column {column} holds “{written}”, which is not a round.",
        "Enter the result by hand.",
    ),
    "value.unreadable/date": caution(
        "Line {line}, column {column} holds “{written}”, which is not a date "
        "such as 2024/05/04.",
        "Enter it by hand.",
    ),
    "value.date_spelling": note(
        "{name} is spelled {printable}; it was read with the month first.",
        "Look whether day and month are right.",
    ),
    "value.date_spelling/unclear": confirm(
        "Line {line}, column {column}: “{written}” may be {day} or {other}. It was "
        "read as {day}.",
        "Check the event’s dates and correct them if needed.",
    ),
    "value.date_spelling/unclear_text": confirm(
        "“{written}” may be {day} or {other}. It was read as {day}.",
        "Check the event’s dates and correct them if needed.",
    ),
    "value.date_spelling/year": note(
        "Line {line}, column {column} spells a date {written}; it was read as {day}.",
        "Look whether day, month and year are right.",
    ),
    "text.too_long": note("{pointer} has {kept:,} characters; {longest:,} were kept."),
    "text.too_long/file": note(
        "{label}: the files keep {width} of {length} characters, “{kept}”."
    ),
    "text.characters": note("{label}: “{written}” becomes “{kept}” in the files."),
}
