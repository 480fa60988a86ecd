"""Forms to upload a file of records and to answer questions about it."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from players.formats.dates import DAY_FIRST, MONTH_FIRST
from players.formats.table_reader import ColumnMapping, ColumnQuestion
from players.imports.kinds import IntakeKind, kinds
from players.imports.messages import column_name, format_day_reading, said
from players.imports.services.answers import answers_to, questions_of
from players.models import Intake
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.web.forms import ColumnsForm


def _kinds() -> list[tuple[str, str]]:
    return [(kind.name, str(Intake.Kind(kind.name).label)) for kind in kinds()]


# Options that some kinds of files have.
OPTIONS = {
    Intake.Kind.HISTORY: ("ours_from", "affiliate"),
    Intake.Kind.RATINGS: ("as_of", "games"),
}
ACCEPTED_FILES = ".csv,.txt,.tsv,.dbf,.xlsx,.zip"


class FileForm(forms.Form):
    kind = forms.ChoiceField(label=_("File type"), choices=_kinds)
    file = forms.FileField(
        label=_("File (CSV, text, DBF, or XLSX, or a ZIP of reports)"),
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(
            attrs={"accept": ".csv,.txt,.tsv,.dbf,.xlsx,.zip"}
        ),
        help_text=_(
            "In a spreadsheet, we read the first sheet with known column names. In a "
            "ZIP, each file, folder, or inner ZIP is one report. We keep your original "
            "file."
        ),
        error_messages={"required": _("Choose a file.")},
    )
    ours_from = forms.DateField(
        label=_("Rate events from"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_(
            "For past events: those that end on this day or later go to the queue to "
            "be rated. Leave blank to import all with the ratings their reports show."
        ),
    )
    affiliate = forms.CharField(
        label=_("Affiliate for reports without one"),
        required=False,
        max_length=8,
        help_text=_("For past events: an affiliate ID, for example A6012345."),
    )

    as_of = forms.DateField(
        label=_("Day of the list"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("For lists of ratings without a date column."),
    )
    games = forms.IntegerField(
        label=_("Games of ratings without a number"),
        required=False,
        min_value=1,
        max_value=10_000,
        help_text=_(
            "For lists that show games of provisional ratings only. Without it, such "
            "ratings are rejected."
        ),
    )

    def options(self) -> dict[str, str]:
        """Return the options of lists and archives, as stored."""
        data = self.cleaned_data
        names = OPTIONS.get(data["kind"], ())
        return {name: str(data[name]) for name in names if data[name]}


class DayOrdersForm(forms.Form):
    """Whether the month or the day comes first, for ambiguous dates."""

    def __init__(self, *args: Any, problem: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = problem["columns"].split(", ")
        examples = problem["examples"].split(", ")
        # Problems stored by earlier releases have no orders.
        orders = problem.get("orders", "").split(", ")
        for column, example, possible in zip_longest(
            self.columns, examples, orders, fillvalue=""
        ):
            self.fields[column] = forms.ChoiceField(
                label=gettext("{column}: what does “{example}” mean?").format(
                    column=column_name(column), example=example
                ),
                choices=[
                    (order, format_day_reading(example, order))
                    for order in possible.split() or (MONTH_FIRST, DAY_FIRST)
                ],
                widget=forms.RadioSelect,
                error_messages={"required": gettext("Choose one of these.")},
            )

    def orders(self) -> dict[str, str]:
        return {column: self.cleaned_data[column] for column in self.columns}


class FaultsForm(forms.Form):
    """What to do about each kind of fault; words are remembered for later files."""

    def __init__(self, *args: Any, intake: Intake, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, fault in questions_of(intake).items():
            rows = ngettext("{number} row", "{number} rows", fault["count"])
            self.fields[kind] = forms.ChoiceField(
                label=said(fault["rows"][0][1]),
                help_text=rows.format(number=f"{fault['count']:,}"),
                choices=[("", gettext("Reject these rows")), *answers_to(kind).items()],
                required=False,
            )


class RecordColumnsForm(ColumnsForm):
    """The meaning of each column of a file of records."""

    def __init__(
        self, *args: Any, question: ColumnQuestion, kind: IntakeKind, **kwargs: Any
    ) -> None:
        words = [(name, column_name(name)) for name in kind.spellings]
        super().__init__(*args, question=question, choices=words, **kwargs)
        self.needed = kind.needed
        self.fields["headed"].help_text = gettext(
            "Uncheck this if the first row is already data."
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
            return gettext("Choose a column for: {listed}.").format(
                listed=join_names(missing)
            )
        if len(set(meanings)) < len(meanings):
            return gettext("Two columns have the same type. Change one of them.")
        return ""

    def said(self) -> ColumnMapping:
        return ColumnMapping(self.meanings(), self.cleaned_data["headed"])
