"""The form that maps the columns of an uploaded table."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django import forms
from django.utils.html import escape
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

# The choice that skips a column.
SKIP = "-"


class TablePreview(Protocol):
    """A table's headings, sample rows and guessed meanings."""

    @property
    def headings(self) -> Sequence[str]: ...

    @property
    def guesses(self) -> Sequence[str | None]: ...

    @property
    def samples(self) -> Sequence[Sequence[str]]: ...

    @property
    def headed(self) -> bool: ...


class ColumnsForm(forms.Form):
    headed = forms.BooleanField(
        label=_("The first row is a header"),
        required=False,
    )

    def __init__(
        self,
        *args: Any,
        question: TablePreview,
        choices: Iterable[tuple[str, Any]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        choices = [(SKIP, gettext("Skip")), *choices]
        self.columns = [f"column_{index}" for index in range(len(question.headings))]
        for index, name in enumerate(self.columns):
            samples = [row[index] for row in question.samples if row[index]]
            self.fields[name] = forms.ChoiceField(
                label=gettext("Column {index}: {heading}").format(
                    index=index + 1,
                    heading=question.headings[index] or gettext("(no header)"),
                ),
                choices=choices,
                initial=question.guesses[index] or SKIP,
                help_text=escape(" · ".join(sample[:30] for sample in samples)),
            )
        self.fields["headed"].initial = question.headed
        self.order_fields([*self.columns, "headed"])

    def meanings(self) -> tuple[str, ...]:
        said = (self.cleaned_data[name] for name in self.columns)
        return tuple("" if meaning == SKIP else meaning for meaning in said)
