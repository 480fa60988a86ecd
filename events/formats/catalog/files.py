"""Findings of the file readers."""

from events.formats.catalog.kinds import FindingKind, caution, confirm, error, note


def _online(code: str) -> dict[str, FindingKind]:
    """Return the kinds that ask whether a section was played online."""
    return {
        code: confirm(
            "The file names {server}, so we marked the section as online. We skipped "
            "the server's ratings.",
            "Confirm it, or correct it if the games were played over the board.",
        ),
        f"{code}/unsure": confirm(
            "The file mentions online play or a web address, but the section is marked "
            "as over the board. We skipped FIDE ratings without a FIDE ID.",
            "Mark the section as online, or confirm that it was played over the board.",
        ),
    }


FILES: dict[str, FindingKind] = {
    "upload.empty": error(
        "No report file was uploaded.",
        "Choose the files that your pairing program exported.",
    ),
    "upload.too_many_files": error(
        "You uploaded {files:,} files. The limit is {most} at a time.",
        "Upload the files of one report only, or put them in one ZIP file.",
    ),
    "upload.too_large": error(
        "The files are larger than {max_upload_bytes} MB in total.",
        "Upload the files of one report only.",
    ),
    "upload.too_much_work": error(
        "This file takes more than {seconds} seconds or {megabytes} MB of memory to "
        "read. No rating report does.",
        "Check that this is the right file, or report the event in parts.",
    ),
    "file.unopened": error("We can't open {name}: {reason}."),
    "file.missing": error(
        "{role}.DBF is missing.", "Upload all three files of the report at once."
    ),
    "file.twice": error(
        "{name} and {other_name} are both {role} files. We skipped the second one.",
        "Upload the three files of one report only.",
    ),
    "file.too_large": error(
        "{name} has {megabytes:.1f} MB. The limit is {max_file_bytes} MB.",
        "Check that this is the right file.",
    ),
    "file.not_dbf": error("{reason}"),
    "file.not_read/access": error(
        "{name} is an Access database, such as Papi uses. We can't read these files.",
        "In Papi, export the event for FIDE (TRF), and upload that file.",
    ),
    "file.not_read/swiss_manager": error(
        "{name} is a Swiss-Manager file. We can't read these files.",
        "In Swiss-Manager, export the event for FIDE (TRF), and upload that file.",
    ),
    "file.not_read/swiss_chess": error(
        "{name} is a Swiss-Chess file. We can't read these files.",
        "In Swiss-Chess, export the event for FIDE (TRF), and upload that file.",
    ),
    "file.not_read/vega": error(
        "{name} is a Vega file. We can't read these files.",
        "In Vega, open the menu of rating reports, save the report for FIDE (TRF), and "
        "upload that file.",
    ),
    "file.not_read/chessbase": error(
        "{name} is a database of games. We can't read these files.",
        "Export the games of the event as PGN, and upload that file.",
    ),
    "file.not_read/database": error(
        "{name} is a program's own database. We can't read these files.",
        "In that program, export the event for FIDE (TRF) or as a table (CSV), and "
        "upload that file.",
    ),
    "file.not_read/pdf": error(
        "{name} is a PDF. We can't read results from it.",
        "Copy its table and paste it as a wall chart, or export the event from your "
        "pairing program.",
    ),
    "file.not_read/picture": error(
        "{name} is a picture. We can't read results from it.",
        "Enter the results manually, or export the event from your pairing program.",
    ),
    "file.not_read/old_office": error(
        "{name} is an old Office file (XLS or DOC) or has a password. We can't read "
        "these files.",
        "Save it as XLSX or CSV without a password, or copy its table and paste it.",
    ),
    "file.not_read/open_document": error(
        "{name} is an OpenDocument file. We can't read these files.",
        "Save a table as XLSX or CSV, or copy the text and paste it.",
    ),
    "file.not_read/document": error(
        "{name} is a word processor file. We can't read these files.",
        "Copy its table and paste it as a wall chart.",
    ),
    "file.not_read/iwork": error(
        "{name} is a Numbers, Pages, or Keynote file. We can't read these files.",
        "Export its table as CSV or XLSX, and upload that file.",
    ),
    "file.not_read/json_lines": error(
        "{name} is a list of JSON objects, one on each line, as game servers send "
        "them. It is not a rating report.",
        "Export the event for FIDE (TRF) or its games as PGN, and upload that file.",
    ),
    "file.not_read/program": error(
        "{name} is a program or its settings, not a rating report.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or "
        "XLSX. Or paste a wall chart.",
    ),
    "file.not_read/calendar": error(
        "{name} is a file of calendar entries or contacts, not a rating report.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or "
        "XLSX. Or paste a wall chart.",
    ),
    "file.not_read/archive": error(
        "{name} is packed in a way that we can't read.",
        "Unpack it, and upload the files or a ZIP file of them.",
    ),
    "file.not_read/web_page": error(
        "{name} is a web page, and we found no table of results in it.",
        "Open it in a browser, copy the table and paste it as a wall chart.",
    ),
    "file.not_read/empty": error(
        "{name} is empty.", "Copy or export it again. It may have been cut off."
    ),
    "file.not_read/text": error(
        "{name} is a text file, and we found no results in it.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or "
        "XLSX. Or paste a wall chart.",
    ),
    "file.not_read": error(
        "{name} is a type of file that we don't know.",
        "Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or "
        "XLSX. Or paste a wall chart.",
    ),
    "file.ignored": note(
        "We read the report from {other} and skipped {name}.",
        "If it is a report too, upload it by itself.",
    ),
    "file.ignored/unreadable": note("We skipped {name}: {reason}"),
    "file.other_event": confirm(
        "{name} gives {label} as {told}, but an earlier file gives {before}. They may "
        "be two events.",
        "If they are sections of one event, confirm it. If not, report each event by "
        "itself; in a ZIP file, put each report in its own folder.",
    ),
    "file.other_event/tournament": confirm(
        "{name} may belong to another event than the earlier files. Its name or dates "
        "are quite different.",
        "If they are sections of one event, confirm it. If not, report each event by "
        "itself; in a ZIP file, put each report in its own folder.",
    ),
    "file.renamed": note(
        "{name} has the fields of {role}.DBF, so we read it as that file."
    ),
    "file.fields_missing": caution(
        "{name} does not have the field {expected}.", "Enter its values by hand."
    ),
    "file.legacy_layout": note(
        "{name} has the old layout of the 1990s, which has no names, colors, or time "
        "controls.",
        "Enter the time control of each section.",
    ),
    "zip.unreadable": error(
        "{name} is a ZIP file that was cut off.",
        "The copy may not be complete. Upload it again.",
    ),
    "zip.unreadable/document": error(
        "{name} is a document, not a ZIP file with a report.",
        "Copy its table and paste it as a wall chart, or export the report from your "
        "pairing program.",
    ),
    "zip.unreadable/packing": error(
        "{name} is packed in an unusual way.",
        "Pack the files as a normal ZIP file.",
    ),
    "zip.unreadable/damaged": error(
        "{name} is a damaged ZIP file.",
        "Pack the files again, or upload them at once without a ZIP file.",
    ),
    "zip.encrypted": error(
        "{name} has a password.", "Pack the files without a password."
    ),
    "zip.too_large": error(
        "{name} would unpack to more than {megabytes} MB or is far larger than a "
        "report.",
        "Pack the files of one report only.",
    ),
    "zip.too_large/many_files": error(
        "{name} holds more than {max_members} files.",
        "Pack the files of one report only.",
    ),
    "zip.unsafe_name": error(
        "{archive} has a file whose name points outside its folder: {printable}.",
        "Pack the files again without folders.",
    ),
    "zip.nested": note(
        "We skipped the ZIP file {inner} inside {name}.",
        "If the report is in it, upload it by itself.",
    ),
    "dbf.truncated": error(
        "The file ends in the middle of record {number:,}.",
        "Copy or export it again. We read what comes before.",
    ),
    "dbf.truncated/too_few": error(
        "The file should have {count:,} records, but it ends after {number:,}.",
        "Copy or export it again. We read what is there.",
    ),
    "dbf.truncated/one": error(
        "The file should have 1 record, but it ends after {number:,}.",
        "Copy or export it again. We read what is there.",
    ),
    "dbf.record_count": error(
        "The file should have {count:,} records, but it has {number:,}.",
        "Export it again from your pairing program.",
    ),
    "dbf.record_count/one": error(
        "The file should have 1 record, but it has {number:,}.",
        "Export it again from your pairing program.",
    ),
    "dbf.too_many_records": error(
        "{name} should have {declared_records:,} records. A report has {max_records:,} "
        "at most.",
        "Export it again from your pairing program.",
    ),
    "dbf.too_many_records/unread": error(
        "{reason}", "Check that this is the right file, or report the event in parts."
    ),
    "dbf.header": caution(
        "The file says its records start at byte {header_length:,}, but its fields end "
        "at byte {after_fields:,}. We read it from there."
    ),
    "dbf.header/record_length": caution(
        "The file says a record has {declared:,} bytes, but its fields have "
        "{needed:,}. We used {needed:,}."
    ),
    "dbf.field_repeated": caution(
        "The file has the field {name} more than once. We used the first one."
    ),
    "dbf.field_type": caution(
        "Field {name} has the unknown type {type!r}. We read it as text."
    ),
    "dbf.field_damaged": error(
        "We can't read the description of field {number} (after {name}).",
        "Export the report again from your pairing program.",
    ),
    "dbf.memo": caution(
        "In {records}, the text of {name} is in a memo file that you did not upload.",
        "Enter it by hand if you need it.",
    ),
    "dbf.overflow": caution(
        "In {records}, the number in {name} is too long for its field.",
        "Enter it by hand.",
    ),
    "dbf.deleted": note("We skipped {count:,} records that are marked as deleted."),
    "dbf.deleted/one": note("We skipped 1 record that is marked as deleted."),
    "dbf.encoding": note(
        "The file does not give its text encoding. We read it as {upper}.",
        "Check the names with accents.",
    ),
    "trf.no_players": error(
        "{file} has no player lines. Player lines start with 001.",
        "Export the event again from your pairing program.",
    ),
    "trf.too_many_players": error(
        "{file} has {players:,} player lines. A section has {most_players:,} at most, "
        "so we read no more.",
        "Check that this is the right file, or report the event in parts.",
    ),
    "trf.too_many_results": error(
        "{file} has {results:,} results of players. A section has {most_results:,} at "
        "most, so we read none.",
        "Check that this is the right file, or report the event in parts.",
    ),
    "trf.player_count": confirm(
        "Line {line}, column {column} says there are {said:,} players, but the file "
        "has {count:,} player lines.",
        "The file may be cut off. Check the list of players.",
    ),
    "trf.line_short": confirm(
        "Line {number} ends at column {length}, before the points and rounds. We read "
        "no games for this player.",
        "Enter the results by hand, or upload the whole file.",
    ),
    "trf.encoding": caution(
        "Line {number} has a letter that is not UTF-8. We read it as Windows-1252 "
        "text.",
        "Check the names on this line.",
    ),
    "trf.member_ids": confirm(
        "The FIDE ID column has US Chess member IDs. We entered {count} of them as "
        "member IDs, and the ratings beside them as US Chess ratings.",
        "Compare the names with the member records, or enter the numbers as FIDE IDs.",
    ),
    "trf.extra_round": caution(
        "The file has {rounds} rounds. “{written}” is in a later column and has no "
        "opponent, so we skipped it.",
        "If there was another round, correct the number of rounds and enter the "
        "result.",
    ),
    **_online("trf.online"),
    **_online("section.online"),
    "event.address": caution(
        "“{written}” is a web address or a server, not a city. We skipped it.",
        "If the games were played in a city, enter it.",
    ),
    "event.address/country": note(
        "“{written}” is a web address or a server, not a country. We skipped it."
    ),
    "trf.shifted": caution(
        "Line {number} does not follow the columns. We guessed its fields from what "
        "they contain.",
        "Compare the entry of {printable} with the wall chart.",
    ),
    "trf.points": caution(
        "Line {line}, column {column} gives {points:g} points, but the "
        "results add up to {results:g}.",
        "Check the results against the wall chart.",
    ),
    "trf.national_line": caution(
        "Line {line}, column {column} has “{rank}”, but no player line has that rank.",
        "Enter the member ID by hand for the right player.",
    ),
    "trf.director": caution(
        "Line {line}, column {column} names “{name}” as an arbiter, but gives no "
        "member ID.",
        "Enter the TD's member ID by hand.",
    ),
    "trf.unknown_line": caution(
        "Line {number} starts with “{printable}”, which is not a code of this format. "
        "We skipped the line."
    ),
    "trf.rounds": error(
        "Line {line}, column {column} starts round {round_number}. We read "
        "{max_rounds} rounds at most.",
        "Check that this is the right file, or report the event in parts.",
    ),
    "trf.no_result": note(
        "Line {line}, column {column} has a pairing with {opponent}, but no result.",
        "If the game was played, enter the result.",
    ),
    "trf.no_result/white": note(
        "Line {line}, column {column} has a pairing with {opponent} as White, but no "
        "result.",
        "If the game was played, enter the result.",
    ),
    "trf.no_result/black": note(
        "Line {line}, column {column} has a pairing with {opponent} as Black, but no "
        "result.",
        "If the game was played, enter the result.",
    ),
    "trf.no_game": note(
        "Line {line}, column {column} has {result}, a result with no rated game. We "
        "read it as a half-point bye."
    ),
    "trf.no_game/win": note(
        "Line {line}, column {column} has {result}, a result with no rated game. We "
        "read it as a forfeit win."
    ),
    "trf.no_game/loss": note(
        "Line {line}, column {column} has {result}, a result with no rated game. We "
        "read it as a forfeit loss."
    ),
    "trf.no_game/bye": note(
        "Line {line}, column {column} has {result}, a result with no rated game. We "
        "read it as a full-point bye."
    ),
    "trf.no_game/absent": note(
        "Line {line}, column {column} has {result}, a result with no rated game. We "
        "read it as unpaired."
    ),
    "time_control.spelling": note(
        "The file gives the time control as “{written}”. We read it as {control}.",
        "If this is wrong, correct it.",
    ),
    "trf.time_control": note(
        "Line {line}, column {column} gives the time control as “{words}”. We read it "
        "as {control}.",
        "If this is wrong, correct it.",
    ),
    "trf.kept": note(
        "The lines {tags} hold nothing that a rating report needs. We keep them for "
        "when you export the report in this format."
    ),
    "trf.teams": note(
        "The file has teams (lines {tags}). We read their boards as games of one "
        "section and skipped lineups and match points."
    ),
    "json.unreadable": error(
        "We can't read {name} as JSON. It ends or has an error at line {lineno:,}, "
        "column {colno:,}.",
        "Check the quotes, commas, and brackets there.",
    ),
    "json.unreadable/encoding": error(
        "We can't read {name} as JSON. It is not UTF-8 at byte {start:,}.",
        "Save it as UTF-8.",
    ),
    "json.unreadable/nested": error(
        "We can't read {name} as JSON. Its brackets are nested too deep.",
        "Check its brackets.",
    ),
    "json.not_a_report": error(
        "{name} is JSON but not a rating report. It needs to be an object with a list "
        "of sections.",
        "See the API page for the format.",
    ),
    "json.too_large": error(
        "There are {items:,} sections. We read {most:,} of them.",
        "Report the event in parts.",
    ),
    "json.too_large/schedules": error(
        "There are {items:,} schedules. We read {most:,} of them.",
        "Report the event in parts.",
    ),
    "json.too_large/entries": error(
        "There are {items:,} entries. We read {most:,} of them.",
        "Report the event in parts.",
    ),
    "json.too_large/results": error(
        "There are {items:,} results. We read {most:,} of them.",
        "Report the event in parts.",
    ),
    "json.version": caution(
        "The file does not say that it is a {format} of version {version}. We read it "
        "as one.",
        "Check that nothing is missing.",
    ),
    "json.name_twice": caution(
        "The name “{printable}” appears twice in one object. We used the last one.",
        "Delete the others.",
    ),
    "json.unknown_name": note(
        "We don't know the name “{printable}”, so we skipped it."
    ),
    "json.results_left_out": error(
        "{pointer} has results, such as {shown}, in the wrong place. We skipped them.",
        "Correct the file. A section has “entries”, and an entry has “cells”.",
    ),
    "json.characters": note("We removed control characters from {pointer}."),
    "value.unreadable": caution(
        "{pointer} has {shown}, which is not a list.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/object": caution(
        "{pointer} has {shown}, which is not an object with names.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/text": caution(
        "{pointer} has {shown}, which is not text.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/texts": caution(
        "{pointer} has {shown}, which is not a list of texts.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/whole_number": caution(
        "{pointer} has {shown}, which is not a whole number up to {highest:,}.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/whole_numbers": caution(
        "{pointer} has {shown}, which is not a list of whole numbers up to "
        "{highest:,}.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/day": caution(
        "{pointer} has {shown}, which is not a date such as 2024-05-04.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/flag": caution(
        "{pointer} has {shown}, which is neither true nor false.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/result": caution(
        "{pointer} has {shown}, which is not a result such as W12W.",
        "Correct it in the file, or enter it by hand.",
    ),
    "value.unreadable/field_number": caution(
        "{name} has “{printable}”, which is not a whole number.", "Enter it by hand."
    ),
    "value.unreadable/field_day": caution(
        "{name} has “{printable}”, which is not a date such as 20240504.",
        "Enter it by hand.",
    ),
    "value.unreadable/rank": caution(
        "Line {line}, column {column} has “{written}”, which is not a starting rank.",
        "The line may be cut off or shifted. Correct the file and upload it again.",
    ),
    "value.unreadable/rating": caution(
        "Line {line}, column {column} has “{written}”, which is not a rating.",
        "Enter it by hand if you need it.",
    ),
    "value.unreadable/fide_id": caution(
        "Line {line}, column {column} has “{written}”, which is not a FIDE ID.",
        "Enter it by hand if you need it.",
    ),
    "value.unreadable/round": caution(
        "Line {line}, column {column} has “{written}”, which is not a round.",
        "Enter the result by hand.",
    ),
    "value.unreadable/date": caution(
        "Line {line}, column {column} has “{written}”, which is not a date such as "
        "2024/05/04.",
        "Enter it by hand.",
    ),
    "value.date_spelling": note(
        "{name} is written as {printable}. We read the month first.",
        "Check that the day and month are right.",
    ),
    "value.date_spelling/unclear": confirm(
        "Line {line}, column {column}: “{written}” can mean {day} or {other}. We read "
        "it as {day}.",
        "Check the event's dates and correct them if needed.",
    ),
    "value.date_spelling/unclear_text": confirm(
        "“{written}” can mean {day} or {other}. We read it as {day}.",
        "Check the event's dates and correct them if needed.",
    ),
    "value.date_spelling/year": note(
        "Line {line}, column {column} gives a date as {written}. We read it as {day}.",
        "Check that the day, month, and year are right.",
    ),
    "text.too_long": note(
        "{pointer} has {kept:,} characters. We kept the first {longest:,}."
    ),
    "text.too_long/file": note(
        "{label}: the files have room for {width} of its {length} characters, “{kept}”."
    ),
    "text.characters": note("{label}: the files will show “{kept}” for “{written}”."),
}
