"""The sentences for why a row or a file is not taken, in the reader's language."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

COLUMNS = {
    "member_id": gettext_lazy("Member ID"),
    "name": gettext_lazy("Name"),
    "given_name": gettext_lazy("Given name"),
    "family_name": gettext_lazy("Family name"),
    "suffix": gettext_lazy("Suffix"),
    "birth_date": gettext_lazy("Birth date"),
    "birth_year": gettext_lazy("Birth year"),
    "gender": gettext_lazy("Gender"),
    "state": gettext_lazy("State"),
    "residence": gettext_lazy("Residence"),
    "federation": gettext_lazy("Federation"),
    "fide_id": gettext_lazy("FIDE ID"),
    "status": gettext_lazy("Status"),
    "membership": gettext_lazy("Membership"),
    "starts": gettext_lazy("Starts"),
    "expires": gettext_lazy("Expires"),
    "email": gettext_lazy("E-mail"),
    "guardian_email": gettext_lazy("Guardian e-mail"),
    "guardian_id": gettext_lazy("Guardian’s member ID"),
}

SENTENCES = {
    # Files
    "file_is_empty": gettext_lazy("The file is empty."),
    "file_is_an_old_spreadsheet": gettext_lazy(
        "The file is a spreadsheet of an old kind, or has a password. Save it as XLSX "
        "without one, or as “CSV UTF-8”."
    ),
    "workbook_unreadable": gettext_lazy(
        "This is no spreadsheet that can be read, or it is damaged. Save it once more "
        "as XLSX, or as “CSV UTF-8”."
    ),
    "workbook_too_large": gettext_lazy(
        "The spreadsheet is too large when it is unpacked. Save it as “CSV UTF-8”, "
        "which may have a million rows."
    ),
    "workbook_has_many_rows": gettext_lazy(
        "The sheet has a row below row {most}. Delete what is that far down."
    ),
    "file_is_no_text": gettext_lazy(
        "Line {line} holds what no text holds. Save the table as “CSV UTF-8”."
    ),
    "file_is_not_utf8": gettext_lazy(
        "Line {line} is not in UTF-8, so nobody can tell what letters its names have. "
        "Save the table as “CSV UTF-8”."
    ),
    "file_breaks_off": gettext_lazy(
        "The table cannot be read from line {line} on: {error}. A quotation mark is "
        "open or out of place."
    ),
    "columns_missing": gettext_lazy(
        "The headings in line {line} lack: {missing}. Say which column it is, or take "
        "the template."
    ),
    "column_twice": gettext_lazy(
        "“{first}” and “{second}” mean the same column. Say which of them counts, or "
        "take the other out."
    ),
    "waited_too_long": gettext_lazy(
        "Nobody decided on the file within {days} days. If it is to count, send it "
        "again."
    ),
    "all_rows_refused": gettext_lazy(
        "Each of the {rows} rows is refused. If the columns are shifted, say which is "
        "which."
    ),
    # Cells
    "too_many_cells": gettext_lazy(
        "The row has {cells} cells under {headings} headings: its columns are shifted. "
        "A comma within a name needs quotation marks around it."
    ),
    "letters_garbled": gettext_lazy(
        "“{cell}” was saved in one encoding and opened in another. Export it again as "
        "UTF-8."
    ),
    "cell_not_worked_out": gettext_lazy(
        "The formula in cell {cell} was never worked out. Open the file in a "
        "spreadsheet program, save it, and send it again."
    ),
    "cell_is_an_error": gettext_lazy(
        "A cell holds the error {cell} of a formula. Put a value in its place."
    ),
    "cell_too_long": gettext_lazy(
        "“{cell}…” is longer than {most} letters. Are columns shifted?"
    ),
    "text_too_long": gettext_lazy("{column}: “{cell}” is longer than {most} letters."),
    "no_day": gettext_lazy(
        "{column}: “{cell}” is no day. Write it as 2001-02-13 or 2/13/2001."
    ),
    "no_number": gettext_lazy("{column}: “{cell}” is no number."),
    # Members
    "no_member_id": gettext_lazy(
        "“{cell}” is no member ID: it has eight digits and does not begin with 0."
    ),
    "name_without_comma": gettext_lazy(
        "“{cell}” does not say which is the family name. Write “Adams, Ada”, or use "
        "two columns."
    ),
    "no_name": gettext_lazy("“{cell}” is no name. Are columns shifted?"),
    "birth_date_too_early": gettext_lazy(
        "Nobody here was born on {cell}; programs write that for “unknown”. Leave the "
        "cell blank."
    ),
    "birth_date_to_come": gettext_lazy("The birth date {cell} is still to come."),
    "birth_year_impossible": gettext_lazy("Nobody here was born in {cell}."),
    "birth_year_differs": gettext_lazy(
        "The birth year {cell} is not that of the birth date on record."
    ),
    "membership_without_end": gettext_lazy(
        "The membership “{cell}” has no last day. For life, write 9999-12-31."
    ),
    "membership_ends_before_it_starts": gettext_lazy(
        "The membership ends on {cell}, before it starts."
    ),
    "gender_unknown": gettext_lazy("Gender: “{cell}” is not known. Write F or M."),
    "status_unknown": gettext_lazy(
        "Status: “{cell}” is not known. Write active, inactive, deceased, suspended or "
        "revoked."
    ),
    "status_is_duplicate": gettext_lazy(
        "A duplicate is made by merging two members, on the page of duplicates."
    ),
    "no_country": gettext_lazy(
        "{column}: “{cell}” is no country. Write three letters, such as USA."
    ),
    "state_unknown": gettext_lazy(
        "“{cell}” is no state. Write two letters, such as TX; for members abroad, name "
        "the country as well."
    ),
    "no_fide_id": gettext_lazy("“{cell}” is no FIDE ID: it has up to ten digits."),
    "no_email": gettext_lazy("{column}: “{cell}” is no e-mail address."),
    # Against other rows and the records
    "member_id_twice": gettext_lazy("Line {line} has this member ID already."),
    "fide_id_twice": gettext_lazy("Line {line} has the FIDE ID {fide_id} already."),
    "new_without_name": gettext_lazy(
        "No member has this ID, and the row names nobody: a new member needs a family "
        "name."
    ),
    "member_is_merged": gettext_lazy(
        "This number is merged into {other}. Let the membership system use that one."
    ),
    "guardian_unknown": gettext_lazy(
        "The guardian’s member ID {cell} is neither on record nor in this file."
    ),
    "guardian_is_self": gettext_lazy("The guardian is the member."),
    "guardian_is_merged": gettext_lazy(
        "The guardian’s number is merged into {other}. Write that one."
    ),
    "guardian_is_a_child": gettext_lazy("The guardian {cell} is under 18."),
    "guardian_without_email": gettext_lazy(
        "No e-mail address of the guardian {cell} is known. Write it in this row, or "
        "with the guardian."
    ),
    "fide_id_differs": gettext_lazy(
        "The member has the FIDE ID {known}. The office corrects a link, on the page "
        "of FIDE IDs."
    ),
    "fide_id_of_another": gettext_lazy("{other} has the FIDE ID {fide_id}."),
    # Acts
    "changed_since": gettext_lazy(
        "Member {member_id} (line {line}) has changed since. Nothing was done."
    ),
    "could_not_be_handled": gettext_lazy(
        "Something in this file could not be handled, and nothing was done. The page "
        "of jobs says what; the people who run the office can mend it."
    ),
    "entered_meanwhile": gettext_lazy(
        "Somebody entered the same ID at the same moment. Nothing was done; read the "
        "file again."
    ),
    "busy": gettext_lazy(
        "Another file is being entered, or ratings are being written. Nothing was "
        "done; try again in a minute."
    ),
    "rested_on": gettext_lazy(
        "Something rests on member {member_id} already: {what}. Nothing was undone."
    ),
}


# How a value of one name is said, where it is not said as it stands.
VALUES: dict[str, Callable[[str], str]] = {}


def add_words(
    sentences: Mapping[str, Any],
    columns: Mapping[str, Any],
    values: Mapping[str, Callable[[str], str]] | None = None,
) -> None:
    """Let another app say why it does not take a row of its own kind."""
    SENTENCES.update(sentences)
    VALUES.update(values or {})
    for name, words in columns.items():
        COLUMNS.setdefault(name, words)


def said(reason: Mapping[str, str]) -> str:
    """Return the sentence of a stored reason; nothing if there is none."""
    if not reason:
        return ""
    values = {
        name: VALUES.get(name, str)(text)
        for name, text in reason.items()
        if name != "code"
    }
    return str(SENTENCES[reason["code"]]).format(**values)


def column_name(name: str) -> str:
    return str(COLUMNS.get(name, name))


def _column_names(names: str) -> str:
    return ", ".join(map(column_name, names.split(", ")))


VALUES.update(column=column_name, missing=_column_names)


def value_in_words(name: str, value: Any) -> str:
    return VALUES.get(name, in_words)(value)


def change_in_words(pair: Sequence[object]) -> str:
    """Return a change of one field, as it was and as it will be."""
    before, after = (in_words(value) or "–" for value in pair)
    return _("{before} → {after}").format(before=before, after=after)


def in_words(value: object) -> str:
    """Return what a file says of one field; of a membership, all of it."""
    if isinstance(value, dict):
        return _("{membership}, {starts} to {expires}").format(
            membership=value["type"], starts=value["starts"], expires=value["expires"]
        )
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value).removesuffix(".0")
