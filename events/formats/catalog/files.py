"""Findings of the file readers."""

from events.formats.catalog.kinds import parse_kinds

FILES = parse_kinds(
    """
error upload.empty
    No report file was uploaded.
    > Choose the files that your pairing program exported.
error upload.too_many_files
    You uploaded {files:,} files. The limit is {most} at a time.
    > Upload the files of one report only, or put them in one ZIP file.
error upload.too_large
    The files are larger than {max_upload_bytes} MB in total.
    > Upload the files of one report only.
error upload.too_much_work
    This file takes more than {seconds} seconds or {megabytes} MB of memory to read. No
    rating report does.
    > Check that this is the right file, or report the event in parts.
error file.unopened
    We can’t open {name}: {reason}.
error file.missing
    {role}.DBF is missing.
    > Upload all three files of the report at once.
error file.twice
    {name} and {other_name} are both {role} files. We skipped the second one.
    > Upload the three files of one report only.
error file.too_large
    {name} has {megabytes:.1f} MB. The limit is {max_file_bytes} MB.
    > Check that this is the right file.
error file.not_dbf
    {reason}
error file.not_read
    /access {name} is an Access database, such as Papi uses. We can’t read these files.
    > In Papi, export the event for FIDE (TRF), and upload that file.
    /swiss_manager {name} is a Swiss-Manager file. We can’t read these files.
    > In Swiss-Manager, export the event for FIDE (TRF), and upload that file.
    /swiss_chess {name} is a Swiss-Chess file. We can’t read these files.
    > In Swiss-Chess, export the event for FIDE (TRF), and upload that file.
    /vega {name} is a Vega file. We can’t read these files.
    > In Vega, open the menu of rating reports, save the report for FIDE (TRF), and
    upload that file.
    /chessbase {name} is a database of games. We can’t read these files.
    > Export the games of the event as PGN, and upload that file.
    /database {name} is a program’s own database. We can’t read these files.
    > In that program, export the event for FIDE (TRF) or as a table (CSV), and upload
    that file.
    /pdf {name} is a PDF. We can’t read results from it.
    > Copy its table and paste it as a wall chart, or export the event from your pairing
    program.
    /picture {name} is a picture. We can’t read results from it.
    > Enter the results manually, or export the event from your pairing program.
    /old_office {name} is an old Office file (XLS or DOC) or has a password. We can’t
    read these files.
    > Save it as XLSX or CSV without a password, or copy its table and paste it.
    /open_document {name} is an OpenDocument file. We can’t read these files.
    > Save a table as XLSX or CSV, or copy the text and paste it.
    /document {name} is a word processor file. We can’t read these files.
    > Copy its table and paste it as a wall chart.
    /iwork {name} is a Numbers, Pages, or Keynote file. We can’t read these files.
    > Export its table as CSV or XLSX, and upload that file.
    /json_lines {name} is a list of JSON objects, one on each line, as game servers send
    them. It is not a rating report.
    > Export the event for FIDE (TRF) or its games as PGN, and upload that file.
    /program {name} is a program or its settings, not a rating report.
    /calendar {name} is a file of calendar entries or contacts, not a rating report.
    > Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or XLSX.
    Or paste a wall chart.
    /archive {name} is packed in a way that we can’t read.
    > Unpack it, and upload the files or a ZIP file of them.
    /web_page {name} is a web page, and we found no table of results in it.
    > Open it in a browser, copy the table and paste it as a wall chart.
    /empty {name} is empty.
    > Copy or export it again. It may have been cut off.
    /text {name} is a text file, and we found no results in it.
    > Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or XLSX.
    Or paste a wall chart.
error file.not_read
    {name} is a type of file that we don’t know.
    > Upload what your pairing program exports: DBF, TRF, SwissSys, PGN, CSV, or XLSX.
    Or paste a wall chart.
note file.ignored
    We read the report from {other} and skipped {name}.
    > If it is a report too, upload it by itself.
    /unreadable We skipped {name}: {reason}
confirm file.other_event
    {name} gives {label} as {told}, but an earlier file gives {before}. They may be two
    events.
    /tournament {name} may belong to another event than the earlier files. Its name or
    dates are quite different.
    > If they are sections of one event, confirm it. If not, report each event by
    itself; in a ZIP file, put each report in its own folder.
note file.renamed
    {name} has the fields of {role}.DBF, so we read it as that file.
caution file.fields_missing
    {name} does not have the field {expected}.
    > Enter its values by hand.
note file.legacy_layout
    {name} has the old layout of the 1990s, which has no names, colors, or time
    controls.
    > Enter the time control of each section.
error zip.unreadable
    {name} is a ZIP file that was cut off.
    > The copy may not be complete. Upload it again.
    /document {name} is a document, not a ZIP file with a report.
    > Copy its table and paste it as a wall chart, or export the report from your
    pairing program.
    /packing {name} is packed in an unusual way.
    > Pack the files as a normal ZIP file.
    /damaged {name} is a damaged ZIP file.
    > Pack the files again, or upload them at once without a ZIP file.
error zip.encrypted
    {name} has a password.
    > Pack the files without a password.
error zip.too_large
    {name} would unpack to more than {megabytes} MB or is far larger than a report.
    /many_files {name} holds more than {max_members} files.
    > Pack the files of one report only.
error zip.unsafe_name
    {archive} has a file whose name points outside its folder: {printable}.
    > Pack the files again without folders.
note zip.nested
    We skipped the ZIP file {inner} inside {name}.
    > If the report is in it, upload it by itself.
error dbf.truncated
    The file ends in the middle of record {number:,}.
    > Copy or export it again. We read everything before that point.
    /too_few The file should have {count:,} records, but it ends after {number:,}.
    /one The file should have 1 record, but it ends after {number:,}.
    > Copy or export it again. We read the records that are there.
error dbf.record_count
    The file should have {count:,} records, but it has {number:,}.
    /one The file should have 1 record, but it has {number:,}.
    > Export it again from your pairing program.
error dbf.too_many_records
    {name} should have {declared_records:,} records. A report has {max_records:,} at
    most.
    > Export it again from your pairing program.
    /unread {reason}
    > Check that this is the right file, or report the event in parts.
caution dbf.header
    The file says its records start at byte {header_length:,}, but its fields end at
    byte {after_fields:,}. We read it from there.
    /record_length The file says a record has {declared:,} bytes, but its fields have
    {needed:,}. We used {needed:,}.
caution dbf.field_repeated
    The file has the field {name} more than once. We used the first one.
caution dbf.field_type
    Field {name} has the unknown type {type!r}. We read it as text.
error dbf.field_damaged
    We can’t read the description of field {number} (after {name}).
    > Export the report again from your pairing program.
caution dbf.memo
    In {records}, the text of {name} is in a memo file that you did not upload.
    > Enter it by hand if you need it.
caution dbf.overflow
    In {records}, the number in {name} is too long for its field.
    > Enter it by hand.
note dbf.deleted
    We skipped {count:,} records that are marked as deleted.
    /one We skipped 1 record that is marked as deleted.
note dbf.encoding
    The file does not give its text encoding. We read it as {upper}.
    > Check the names with accents.
error trf.no_players
    {file} has no player lines. Player lines start with 001.
    > Export the event again from your pairing program.
error trf.too_many_players
    {file} has {players:,} player lines. A section has {most_players:,} at most, so we
    did not read the rest.
    > Check that this is the right file, or report the event in parts.
error trf.too_many_results
    {file} has {results:,} results of players. A section has {most_results:,} at most,
    so we read none.
    > Check that this is the right file, or report the event in parts.
confirm trf.player_count
    Line {line}, column {column} says there are {said:,} players, but the file has
    {count:,} player lines.
    > The file may be cut off. Check the list of players.
confirm trf.line_short
    Line {number} ends at column {length}, before the points and rounds. We read no
    games for this player.
    > Enter the results by hand, or upload the whole file.
caution trf.encoding
    Line {number} has a letter that is not UTF-8. We read it as Windows-1252 text.
    > Check the names on this line.
confirm trf.member_ids
    The FIDE ID column has US Chess member IDs. We entered {count} of them as member
    IDs, and the ratings beside them as US Chess ratings.
    > Compare the names with the member records, or enter the numbers as FIDE IDs.
caution trf.extra_round
    The file has {rounds} rounds. “{written}” is in a later column and has no opponent,
    so we skipped it.
    > If there was another round, correct the number of rounds and enter the result.
confirm trf.online
    The file names {server}, so we marked the section as online. We skipped the server’s
    ratings.
    > Confirm it, or correct it if the games were played over the board.
    /unsure The file mentions online play or a web address, but the section is marked as
    over the board. We skipped FIDE ratings without a FIDE ID.
    > Mark the section as online, or confirm that it was played over the board.
confirm section.online
    The file names {server}, so we marked the section as online. We skipped the server’s
    ratings.
    > Confirm it, or correct it if the games were played over the board.
    /unsure The file mentions online play or a web address, but the section is marked as
    over the board. We skipped FIDE ratings without a FIDE ID.
    > Mark the section as online, or confirm that it was played over the board.
caution event.address
    “{written}” is a web address or a server, not a city. We skipped it.
    > If the games were played in a city, enter it.
note event.address/country
    “{written}” is a web address or a server, not a country. We skipped it.
caution trf.shifted
    Line {number} does not follow the columns. We guessed its fields from what they
    contain.
    > Compare the entry of {printable} with the wall chart.
caution trf.points
    Line {line}, column {column} gives {points:g} points, but the results add up to
    {results:g}.
    > Check the results against the wall chart.
caution trf.national_line
    Line {line}, column {column} has “{rank}”, but no player line has that rank.
    > Enter the member ID by hand for the right player.
caution trf.director
    Line {line}, column {column} names “{name}” as an arbiter, but gives no member ID.
    > Enter the TD’s member ID by hand.
caution trf.unknown_line
    Line {number} starts with “{printable}”, which is not a code of this format. We
    skipped the line.
error trf.rounds
    Line {line}, column {column} starts round {round_number}. We read {max_rounds}
    rounds at most.
    > Check that this is the right file, or report the event in parts.
note trf.no_result
    Line {line}, column {column} has a pairing with {opponent}, but no result.
    /white Line {line}, column {column} has a pairing with {opponent} as White, but no
    result.
    /black Line {line}, column {column} has a pairing with {opponent} as Black, but no
    result.
    > If the game was played, enter the result.
note trf.no_game
    Line {line}, column {column} has {result}, a result with no rated game. We read it
    as a half-point bye.
    /win Line {line}, column {column} has {result}, a result with no rated game. We read
    it as a forfeit win.
    /loss Line {line}, column {column} has {result}, a result with no rated game. We
    read it as a forfeit loss.
    /bye Line {line}, column {column} has {result}, a result with no rated game. We read
    it as a full-point bye.
    /absent Line {line}, column {column} has {result}, a result with no rated game. We
    read it as unpaired.
note time_control.spelling
    The file gives the time control as “{written}”. We read it as {control}.
    > If this is wrong, correct it.
note trf.time_control
    Line {line}, column {column} gives the time control as “{words}”. We read it as
    {control}.
    > If this is wrong, correct it.
note trf.kept
    The lines {tags} hold nothing that a rating report needs. We keep them for when you
    export the report in this format.
note trf.teams
    The file has teams (lines {tags}). We read their boards as games of one section and
    skipped lineups and match points.
error json.unreadable
    We can’t read {name} as JSON. It ends or has an error at line {lineno:,}, column
    {colno:,}.
    > Check the quotes, commas, and brackets there.
    /encoding We can’t read {name} as JSON. It is not UTF-8 at byte {start:,}.
    > Save it as UTF-8.
    /nested We can’t read {name} as JSON. Its brackets are nested too deep.
    > Check its brackets.
error json.not_a_report
    {name} is JSON but not a rating report. It needs to be an object with a list of
    sections.
    > See the API page for the format.
error json.too_large
    There are {items:,} sections. We read {most:,} of them.
    /schedules There are {items:,} schedules. We read {most:,} of them.
    /entries There are {items:,} entries. We read {most:,} of them.
    /results There are {items:,} results. We read {most:,} of them.
    > Report the event in parts.
caution json.version
    The file does not say that it is a {format} of version {version}. We read it as one.
    > Check that nothing is missing.
caution json.name_twice
    The name “{printable}” appears twice in one object. We used the last one.
    > Delete the others.
note json.unknown_name
    We don’t know the name “{printable}”, so we skipped it.
error json.results_left_out
    {pointer} has results, such as {shown}, in the wrong place. We skipped them.
    > Correct the file. A section has “entries”, and an entry has “cells”.
note json.characters
    We removed control characters from {pointer}.
caution value.unreadable
    {pointer} has {shown}, which is not a list.
    /object {pointer} has {shown}, which is not an object with names.
    /text {pointer} has {shown}, which is not text.
    /texts {pointer} has {shown}, which is not a list of texts.
    /whole_number {pointer} has {shown}, which is not a whole number up to {highest:,}.
    /whole_numbers {pointer} has {shown}, which is not a list of whole numbers up to
    {highest:,}.
    /day {pointer} has {shown}, which is not a date such as 2024-05-04.
    /flag {pointer} has {shown}, which is neither true nor false.
    /result {pointer} has {shown}, which is not a result such as W12W.
    > Correct it in the file, or enter it by hand.
    /field_number {name} has “{printable}”, which is not a whole number.
    /field_day {name} has “{printable}”, which is not a date such as 20240504.
    > Enter it by hand.
    /rank Line {line}, column {column} has “{written}”, which is not a starting rank.
    > The line may be cut off or shifted. Correct the file and upload it again.
    /rating Line {line}, column {column} has “{written}”, which is not a rating.
    /fide_id Line {line}, column {column} has “{written}”, which is not a FIDE ID.
    > Enter it by hand if you need it.
    /round Line {line}, column {column} has “{written}”, which is not a round.
    > Enter the result by hand.
    /date Line {line}, column {column} has “{written}”, which is not a date such as
    2024/05/04.
    > Enter it by hand.
note value.date_spelling
    {name} is written as {printable}. We read the month first.
    > Check that the day and month are right.
confirm value.date_spelling
    /unclear Line {line}, column {column}: “{written}” can mean {day} or {other}. We
    read it as {day}.
    /unclear_text “{written}” can mean {day} or {other}. We read it as {day}.
    > Check the event’s dates and correct them if needed.
note value.date_spelling/year
    Line {line}, column {column} gives a date as {written}. We read it as {day}.
    > Check that the day, month, and year are right.
note text.too_long
    {pointer} has {kept:,} characters. We kept the first {longest:,}.
    /file {label}: the files have room for {width} of its {length} characters, “{kept}”.
note text.characters
    {label}: the files will show “{kept}” for “{written}”.
"""
)
