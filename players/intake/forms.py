"""Sending a file of records, and deciding what becomes of it."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.importers.tables import ColumnsAsked, ColumnsSaid
from players.intake.kinds import IntakeKind, kinds
from players.intake.saying import column_name
from players.models import Intake
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.figures import listed
from ratings_site.common.web.forms import ColumnsForm


def _kinds() -> list[tuple[str, str]]:
    return [(kind.name, Intake.Kind(kind.name).label) for kind in kinds()]


class FileForm(forms.Form):
    kind = forms.ChoiceField(label=_("What the file holds"), choices=_kinds)
    file = forms.FileField(
        label=_("CSV or XLSX file, or ZIP archive of reports"),
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.tsv,.xlsx,.zip"}),
        help_text=_(
            "A table has a line of headings; text in UTF-8, of a spreadsheet the first "
            "sheet. In an archive of reports each file, folder or ZIP archive is one "
            "report. It is kept byte for byte."
        ),
        error_messages={"required": _("Choose the file.")},
    )
    ours_from = forms.DateField(
        label=_("History is ours from"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_(
            "Of reports: events that end on this day or later go to the queue, to be "
            "accepted and rated. Blank takes all of them over as they are printed."
        ),
    )
    affiliate = forms.CharField(
        label=_("Affiliate of reports that name none"),
        required=False,
        max_length=8,
        help_text=_("Of reports: an affiliate ID, such as A6012345."),
    )

    def options(self) -> dict[str, str]:
        """Return what was chosen beside an archive of reports, as it is kept."""
        said = self.cleaned_data
        if said["kind"] != Intake.Kind.HISTORY:
            return {}
        names = ("ours_from", "affiliate")
        return {name: str(said[name]) for name in names if said[name]}


class RecordColumnsForm(ColumnsForm):
    """Which column of a file of records is which."""

    def __init__(
        self, *args: Any, question: ColumnsAsked, kind: IntakeKind, **kwargs: Any
    ) -> None:
        words = [(name, column_name(name)) for name in kind.spellings]
        super().__init__(*args, question=question, choices=words, **kwargs)
        self.needed = kind.needed
        self.fields["headed"].help_text = gettext(
            "Take the mark away if a record is there already."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and (problem := self._problem()):
            self.add_error(None, problem)
        return cleaned

    def _problem(self) -> str:
        meanings = [name for name in self.meanings() if name]
        missing = [column_name(name) for name in self.needed if name not in meanings]
        if missing:
            return gettext("No column is chosen for these: {listed}.").format(
                listed=listed(missing)
            )
        if len(set(meanings)) < len(meanings):
            return gettext("Two columns have the same meaning. Choose one of them.")
        return ""

    def said(self) -> ColumnsSaid:
        return ColumnsSaid(self.meanings(), self.cleaned_data["headed"])


class ManyForm(ReasonForm):
    """For what would change more than the setting allows."""

    yes = forms.BooleanField(
        label=_("This is meant: change so many records"),
        error_messages={"required": _("Tick it if so many records are to change.")},
    )
