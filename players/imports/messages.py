"""Messages for why a row or a file is refused, in the reader's language."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.dates import MONTHS
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.formats.dates import DAY_FIRST, MONTH_FIRST, split_six_digits
from players.models.membership import is_life_membership
from players.models.player import member_id_sentence

COLUMNS = {
    "member_id": _("Member ID"),
    "name": _("Name"),
    "given_name": _("Given name"),
    "middle_name": _("Middle name"),
    "family_name": _("Family name"),
    "suffix": _("Suffix"),
    "birth_date": _("Birth date"),
    "birth_year": _("Birth year"),
    "gender": _("Gender"),
    "state": _("State"),
    "residence": _("Residence"),
    "federation": _("Federation"),
    "fide_id": _("FIDE ID"),
    "status": _("Status"),
    "membership": _("Membership"),
    "memberships": _("Other memberships"),
    "starts": _("Starts"),
    "expires": _("Expires"),
    "email": _("Email"),
    "guardian_email": _("Guardian email"),
    "guardian_id": _("Guardian’s member ID"),
}

MESSAGES = {
    # Files
    "file_is_empty": _("The file is empty."),
    "file_is_an_old_spreadsheet": _(
        "This is an old spreadsheet format, or the file has a password. Save it as "
        "XLSX without a password, or as “CSV UTF-8.”"
    ),
    "workbook_unreadable": _(
        "This spreadsheet can’t be read or is damaged. Save it again as XLSX, or as "
        "“CSV UTF-8.”"
    ),
    "workbook_too_large": _(
        "The spreadsheet is too large. Save it as “CSV UTF-8,” which can have a "
        "million rows."
    ),
    "workbook_has_many_rows": _(
        "The sheet has data below row {most}. Delete those rows."
    ),
    "file_is_no_text": _(
        "Line {line} has characters that can’t be read. Save the table as “CSV UTF-8.”"
    ),
    "file_is_json": _(
        "This is JSON, not a table. Save it as CSV or XLSX, or send it to the "
        "membership feed."
    ),
    "file_is_a_fide_list": _(
        "This is one of FIDE’s lists. Upload it on the FIDE lists page; members with a "
        "FIDE ID get their ratings from there."
    ),
    "file_is_a_web_page": _(
        "This is a web page or XML, even if its name ends in .xls. Open it in a "
        "spreadsheet program and save it as XLSX."
    ),
    "dbf_unreadable": _(
        "This DBF table is damaged. Export it again, or save it as CSV or XLSX."
    ),
    "row_breaks_off": _(
        "The file ends in the middle of this row. Export it again; other rows may be "
        "missing."
    ),
    "rows_joined": _(
        "Line {line} may be a row of its own: it is inside quotation marks that begin "
        "in this row. Remove the quotation marks if it is a row. Otherwise, put the "
        "text on one line."
    ),
    # How a file was read
    "total_skipped": _("Line {line} is a total and was skipped: {cell}"),
    "headings_repeated": _(
        "Line {line} repeats the column names. Such lines were skipped."
    ),
    "letters_repaired": _(
        "Damaged letters were repaired, for example “{cell}” to “{repaired}.”"
    ),
    "years_of_two_digits": _(
        "{column}: years with two digits were read as {first} to {last}."
    ),
    "read_as_windows_1252": _(
        "The file isn’t in UTF-8. Its accented letters were read as Windows-1252 "
        "(Latin-1)."
    ),
    "columns_missing": _(
        "The column names in line {line} don’t include: {missing}. Match the columns, "
        "or use the template."
    ),
    "column_twice": _(
        "“{first}” and “{second}” are the same column. Choose which one to use, or "
        "delete one."
    ),
    "day_orders_contradict": _(
        "{column}: “{month_cell}” in line {month_line} has the month first, but "
        "“{day_cell}” in line {day_line} has the day first. Correct the column and "
        "write dates as 2001-02-13."
    ),
    "day_order_unclear": _(
        "We can’t tell if the month, the day, or the year comes first: {columns}, for "
        "example {examples}."
    ),
    "waited_too_long": _(
        "The file was rejected because it wasn’t imported within {days} days. To use "
        "it, upload it again."
    ),
    "all_rows_refused": _(
        "All {rows} rows are rejected. If the columns are shifted, match them again."
    ),
    # Cells
    "too_many_cells": _(
        "The row has {cells} cells, but the table has {headings} columns. Put "
        "quotation marks around names that contain a comma."
    ),
    "letters_garbled": _(
        "“{cell}” has damaged letters. Export the file again as UTF-8."
    ),
    "cell_not_worked_out": _(
        "The formula in cell {cell} has no result. Open the file in a spreadsheet "
        "program, save it, and upload it again."
    ),
    "cell_is_an_error": _(
        "A cell has the formula error {cell}. Replace it with a value."
    ),
    "cell_too_long": _(
        "“{cell}…” is longer than {most} characters. Check if the columns are shifted."
    ),
    "text_too_long": _(
        "{column}: “{cell}” is longer than {most} characters. Shorten it."
    ),
    "no_day": _(
        "{column}: “{cell}” isn’t a date. Write it as 2001-02-13 or 2/13/2001."
    ),
    "day_has_two_readings": _(
        "{column}: “{cell}” could have the month or the day first. Write it as "
        "2001-02-13."
    ),
    "year_of_two_digits": _(
        "{column}: “{cell}” has a two-digit year. Write the year with four digits."
    ),
    "no_number": _("{column}: “{cell}” isn’t a number."),
    # Members
    "no_member_id": member_id_sentence(
        _("“{cell}” isn’t a member ID. Enter eight digits that don’t start with 0.")
    ),
    "name_without_comma": _(
        "We can’t tell which part of “{cell}” is the family name. Write “Adams, Ada” "
        "or use two columns."
    ),
    "no_name": _("“{cell}” isn’t a name. Check if the columns are shifted."),
    "birth_date_too_early": _(
        "The birth date {cell} is too early; some programs write it for “unknown.” "
        "Leave the cell blank."
    ),
    "birth_date_to_come": _("The birth date {cell} is in the future. Correct it."),
    "birth_year_impossible": _(
        "The birth year {cell} isn’t possible. Correct it or leave it blank."
    ),
    "birth_year_differs": _(
        "The birth year {cell} doesn’t match the birth date on record."
    ),
    "birth_date_differs": _(
        "The birth date {cell} doesn’t match the birth year on record, {known}. "
        "Correct one of them."
    ),
    "birth_year_contradicts": _(
        "The birth year {cell} doesn’t match the birth date. Correct one of them."
    ),
    "membership_without_end": _(
        "The membership “{cell}” has no last day. For a life member, write 9999-12-31."
    ),
    "membership_ends_before_it_starts": _(
        "The membership ends on {cell}, before it starts. Correct one of the dates."
    ),
    "gender_unknown": _("Gender: “{cell}” isn’t valid. Write F or M."),
    "status_unknown": _(
        "Status: “{cell}” isn’t valid. Write active, inactive, deceased, suspended, "
        "or revoked."
    ),
    "status_is_duplicate": _(
        "To mark a duplicate, merge the two members on the Duplicates page."
    ),
    "no_country": _(
        "{column}: “{cell}” isn’t a country. Write three letters, for example USA."
    ),
    "state_unknown": _(
        "“{cell}” isn’t a state. Write two letters, for example TX. For members "
        "abroad, also enter the country."
    ),
    "no_fide_id": _("“{cell}” isn’t a FIDE ID. Enter up to ten digits."),
    "no_email": _("{column}: “{cell}” isn’t an email address."),
    "several_emails": _(
        "{column}: “{cell}” has several addresses, but there can be only one."
    ),
    "state_too_long": _(
        "“{cell}” has more than the two letters that a state can have here. Leave it "
        "blank."
    ),
    "name_says_deceased": _("The name says that the member has died: “{cell}.”"),
    "name_says_duplicate": _(
        "The name says that this is a duplicate: “{cell}.” Leave the row out, or "
        "import it and merge the two members on the Duplicates page."
    ),
    "name_of_two": _("“{cell}” is the name of two people. Give each their own row."),
    # Conflicts with other rows and the records
    "member_id_twice": _(
        "Line {line} already has this member ID. Delete one of the rows."
    ),
    "rows_contradict": _(
        "This member’s rows don’t agree. {column}: “{first}” in line {line}, "
        "“{second}” in line {other_line}. Correct one of them."
    ),
    "history_without_first_day": _(
        "Another row of this member has a later last day. If you import past "
        "memberships, each row needs a first day."
    ),
    "fide_id_twice": _(
        "Line {line} already has FIDE ID {fide_id}. Correct one of them."
    ),
    "new_without_name": _(
        "No member has this ID, and the row has no family name. Add one to create a "
        "new member."
    ),
    "member_is_merged": _(
        "This ID was merged into {other}. Use that ID in the membership system."
    ),
    "guardian_unknown": _(
        "The guardian’s member ID {cell} isn’t on record or in this file."
    ),
    "guardian_is_self": _(
        "A member can’t be their own guardian. Correct the guardian’s member ID."
    ),
    "guardian_is_merged": _("The guardian’s ID was merged into {other}. Use that ID."),
    "guardian_is_a_child": _("The guardian {cell} is under 18. Choose an adult."),
    "guardian_without_email": _(
        "The guardian {cell} has no email address on record. Add it to this row or "
        "to the guardian’s row."
    ),
    "fide_id_differs": _(
        "The member has FIDE ID {known}. To change it, use the FIDE IDs page."
    ),
    "fide_id_of_another": _("{other} already has FIDE ID {fide_id}."),
    # Actions
    "changed_since": _(
        "Member {member_id} (line {line}) has changed since the file was checked. "
        "Nothing was changed. Check the file again."
    ),
    "could_not_be_handled": _(
        "Something in this file caused an error, and nothing was changed. See the "
        "Background jobs page, or contact your system administrator."
    ),
    "entered_meanwhile": _(
        "The same ID was added by someone else at the same time. Nothing was changed. "
        "Check the file again."
    ),
    "busy": _(
        "Another import or rating job is running. Nothing was changed. Try again in a "
        "minute."
    ),
    "rested_on": _(
        "Other records depend on member {member_id}: {what}. Nothing was undone."
    ),
}


# Formatters of values that are not shown unchanged, by name.
VALUE_FORMATS: dict[str, Callable[[str], str]] = {}


def register_messages(
    sentences: Mapping[str, Any],
    columns: Mapping[str, Any],
    values: Mapping[str, Callable[[str], str]] | None = None,
) -> None:
    """Add another app's messages for rows of its own kind."""
    MESSAGES.update(sentences)
    VALUE_FORMATS.update(values or {})
    for name, words in columns.items():
        COLUMNS.setdefault(name, words)


def said(reason: Mapping[str, Any]) -> str:
    """Return the messages of a stored reason and the others with it, or ""."""
    if not reason:
        return ""
    values = {
        name: VALUE_FORMATS.get(name, str)(text)
        for name, text in reason.items()
        if name not in ("code", "others")
    }
    sentence = str(MESSAGES[reason["code"]]).format(**values)
    return " ".join([sentence, *map(said, reason.get("others", ()))])


def column_name(name: str) -> str:
    return str(COLUMNS.get(name, name))


def _column_names(names: str) -> str:
    return ", ".join(map(column_name, names.split(", ")))


VALUE_FORMATS.update(column=column_name, columns=_column_names, missing=_column_names)


def format_field(name: str, value: Any) -> str:
    return VALUE_FORMATS.get(name, format_value)(value)


def format_change(pair: Sequence[Any]) -> str:
    """Return the change of one field, from its old to its new value."""
    if pair and isinstance(pair[0], list):  # several memberships
        return "; ".join(map(format_change, pair))
    before, after = (format_value(value) or "–" for value in pair)
    return gettext("{before} → {after}").format(before=before, after=after)


def format_day_reading(text: str, order: str) -> str:
    """Return the meaning of a date such as 3/5/2007 or 070503 in one of its orders."""
    if text.isdecimal():
        year, month, day = split_six_digits(text, order)
    else:
        first, second, year = re.split("[/-]", text.split()[0])
        month, day = (first, second) if order == MONTH_FIRST else (second, first)
    named = MONTHS[int(month)]
    if order == MONTH_FIRST:
        message = gettext("{month} {day}, {year}: the month comes first")
    elif order == DAY_FIRST:
        message = gettext("{month} {day}, {year}: the day comes first")
    else:
        message = gettext("{month} {day}, {year}: the year comes first")
    return message.format(month=named, day=int(day), year=year)


def format_value(value: object) -> str:
    """Return the value of one field in words; for a membership, all of it."""
    if isinstance(value, dict) and is_life_membership(
        date.fromisoformat(value["expires"])
    ):
        return gettext("{membership}, life member from {starts}").format(
            membership=value["type"], starts=value["starts"]
        )
    if isinstance(value, dict):
        return gettext("{membership}, {starts} to {expires}").format(
            membership=value["type"], starts=value["starts"], expires=value["expires"]
        )
    if isinstance(value, list):
        return "; ".join(map(format_value, value))
    return "" if value is None else str(value).removesuffix(".0")
