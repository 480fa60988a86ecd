"""Forms to upload files and to assign the columns of a table."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.formats.report_reader import MAX_UPLOAD_BYTES
from events.formats.tables.headings import COLUMN_LABELS
from events.formats.tables.reader import (
    PASTED,
    ColumnAnswer,
    ColumnQuestion,
    answer_problem,
)
from ratings_site.common.ui.fields import NumberField
from ratings_site.common.web.forms import ColumnsForm

# A wall chart of a thousand players; larger ones can be sent as a file.
LONGEST_PASTE = 500_000


# A busy affiliate sends a few dozen reports after a weekend.
MAX_REPORTS_PER_DAY = 200


class ManyFilesInput(forms.FileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files in one field, also empty ones, which the readers report."""

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data or ([None] if self.required else [])
        return [super(ManyFilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    files = ManyFilesField(  # type: ignore[assignment]
        label=_("Report files"),
        required=False,
        allow_empty_file=True,
        max_length=200,
        widget=ManyFilesInput(
            # No accept attribute: phones would hide files with other extensions.
            attrs={"multiple": True}
        ),
        help_text=_(
            "Files from your pairing program: the three DBF files, a SwissSys 11 event "
            "file, FIDE report files (TRF, one per section), a table (CSV or XLSX), "
            "games (PGN), chess-results.com files (XML) or JSON. A ZIP file works too. "
            "Choose all files of the report together, or drop them here."
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
            "As your pairing program prints it: one line per player with number, "
            "name or member ID, and results such as W 12, L3, H--."
        ),
    )

    def clean_files(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["files"]
        if sum(file.size for file in files) > MAX_UPLOAD_BYTES:
            raise ValidationError(
                gettext(
                    "The files are larger than {max_upload_bytes} MB in total. "
                    "Upload the files of one report only."
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
                    "Choose the report’s files or a ZIP file of them, or paste a "
                    "wall chart."
                ),
            )
        return cleaned

    def sent(self) -> list[tuple[str, bytes]]:
        """Return name and content of each file, including the pasted text."""
        files = [(file.name, file.read()) for file in self.cleaned_data["files"]]
        pasted = self.cleaned_data["pasted"]
        return [*files, (PASTED, pasted.encode())] if pasted.strip() else files


class ReportColumnsForm(ColumnsForm):
    version = NumberField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, question: ColumnQuestion, **kwargs: Any) -> None:
        words = COLUMN_LABELS.items()
        super().__init__(*args, question=question, choices=words, **kwargs)
        self.fields["headed"].help_text = gettext(
            "Clear the box if the first row is already a player or a game."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and (problem := answer_problem(self.answer())):
            self.add_error(None, problem)
        return cleaned

    def answer(self) -> ColumnAnswer:
        return ColumnAnswer(self.meanings(), headed=self.cleaned_data["headed"])
