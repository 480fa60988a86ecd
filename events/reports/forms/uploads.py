"""Sending files, and saying what their columns mean."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.importers.read_report import MAX_UPLOAD_BYTES
from events.importers.tables.headings import COLUMN_WORDS
from events.importers.tables.read import (
    PASTED,
    ColumnAnswer,
    ColumnQuestion,
    answer_problem,
)
from ratings_site.common.looks.fields import NumberField
from ratings_site.common.web.forms import ColumnsForm

# A chart of a thousand players; more is better sent as a file.
LONGEST_PASTE = 500_000


# A busy affiliate sends a few dozen after a weekend.
MAX_REPORTS_PER_DAY = 200


class ManyFilesInput(forms.FileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files in one field, empty ones too: the readers say what is wrong."""

    def clean(self, data: Any, initial: Any = None) -> list:
        files = data or ([None] if self.required else [])
        return [super(ManyFilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    files = ManyFilesField(
        label=_("Report files"),
        required=False,
        allow_empty_file=True,
        max_length=200,
        widget=ManyFilesInput(
            # Phones would hide what no list of endings names; contents are asked.
            attrs={"multiple": True}
        ),
        help_text=_(
            "What your pairing program exports: the three DBF files, the event file "
            "of SwissSys 11, FIDE's report files (TRF), one for each section, a table "
            "(CSV or XLSX), games (PGN) or a JSON document; as they are or in a ZIP "
            "archive. Choose them together, or drop them here."
        ),
    )
    pasted = forms.CharField(
        label=_("Or paste a wall chart"),
        required=False,
        strip=False,
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(
            attrs={"rows": 8, "class": "rows", "spellcheck": "false", "wrap": "off"}
        ),
        help_text=_(
            "As your pairing program prints it: a line for each player with "
            "number, name or member ID, and results such as W 12, L3, H--."
        ),
    )

    def clean_files(self) -> list:
        files = self.cleaned_data["files"]
        if sum(file.size for file in files) > MAX_UPLOAD_BYTES:
            raise ValidationError(
                gettext(
                    "The files together are larger than {max_upload_bytes} "
                    "MB. Upload the three files of one report only."
                ).format(max_upload_bytes=MAX_UPLOAD_BYTES // 1000000)
            )
        return files

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        sent = cleaned.get("files") or cleaned.get("pasted", "").strip()
        if not sent and not self.errors:
            self.add_error(
                "files",
                gettext(
                    "Choose the three files of a report, its ZIP, or a table; or paste "
                    "a wall chart."
                ),
            )
        return cleaned

    def sent(self) -> list[tuple[str, bytes]]:
        """Return name and content of each file, the pasted text as one of them."""
        files = [(file.name, file.read()) for file in self.cleaned_data["files"]]
        pasted = self.cleaned_data["pasted"]
        return [*files, (PASTED, pasted.encode())] if pasted.strip() else files


class ReportColumnsForm(ColumnsForm):
    version = NumberField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, question: ColumnQuestion, **kwargs: Any) -> None:
        words = COLUMN_WORDS.items()
        super().__init__(*args, question=question, choices=words, **kwargs)
        self.fields["headed"].help_text = gettext(
            "Take the mark away if a player or a game is there already."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and (problem := answer_problem(self.answer())):
            self.add_error(None, problem)
        return cleaned

    def answer(self) -> ColumnAnswer:
        return ColumnAnswer(self.meanings(), headed=self.cleaned_data["headed"])
