"""The form of the roster check."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.formats.rosters import RosterRow
from ratings.pages.roster.services import MAX_ROWS, read_rows
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.ui.fields import DayField

LONGEST_PASTE = 200_000
MAX_FILE_BYTES = 2_000_000
PROBLEMS_FIRST, AS_SENT, BY_NAME = "problems", "sent", "name"


class RosterForm(forms.Form):
    rows = forms.CharField(
        label=_("Players"),
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(
            attrs={"rows": 10, "class": "rows", "spellcheck": "false", "wrap": "off"}
        ),
        help_text=_(
            "One player per line: member ID, name, or both. You can paste from a "
            "spreadsheet."
        ),
    )
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        help_text=_("CSV, XLSX, or DBF, with a column of member IDs or names."),
    )
    day = DayField(label=_("Event day"))
    order = forms.ChoiceField(
        label=_("Order"),
        choices=[
            (PROBLEMS_FIRST, _("Problems first")),
            (AS_SENT, _("As in the list")),
            (BY_NAME, _("By name")),
        ],
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > MAX_FILE_BYTES:
            raise ValidationError(
                gettext(
                    "The file is larger than {most} MB. Save only the players."
                ).format(most=MAX_FILE_BYTES // 1_000_000)
            )
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        name = "file" if cleaned["file"] else "rows"
        data = cleaned["file"].read() if cleaned["file"] else cleaned["rows"].encode()
        if not data.strip():
            self.add_error("rows", gettext("Paste the players, or choose a file."))
            return cleaned
        try:
            self.players = read_rows(data)
        except Refusal as refusal:
            self.add_error(name, str(refusal))
            return cleaned
        if not self.players:
            self.add_error(name, gettext("The list has no players below its headings."))
        elif len(self.players) > MAX_ROWS:
            self.add_error(
                name,
                gettext(
                    "The list has {number:,} players, more than {most:,}. Check it in "
                    "parts."
                ).format(number=len(self.players), most=MAX_ROWS),
            )
        return cleaned


def as_text(rows: list[RosterRow], day: date) -> dict[str, Any]:
    """Return the form's data for rows from a file or a report, to be edited there."""
    names = ("member_id", "name", "day", "state", "birth_year")
    used = [name for name in names if any(getattr(row, name) for row in rows)]
    # With a tab in each line, commas of names separate no cells.
    used = used if len(used) > 1 else [*used, "state"]
    lines = ["\t".join(name.replace("_", " ") for name in used)]
    for row in rows:
        cells = (" ".join(getattr(row, name).split()) for name in used)
        lines.append("\t".join(cells))
    return {"rows": "\n".join(lines), "day": day, "order": PROBLEMS_FIRST}
