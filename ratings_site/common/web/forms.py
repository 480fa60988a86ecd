"""Which column of a table is which: the form, where its headings do not tell."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django import forms
from django.utils.html import escape
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

# Leaving a column out is a choice like others.
LEFT_OUT = "-"


class Asked(Protocol):
    """What is known of a table: its headings, rows below them, and guesses."""

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
        label=_("The first row shown is a heading"),
        required=False,
    )

    def __init__(
        self,
        *args: Any,
        question: Asked,
        choices: Iterable[tuple[str, Any]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        choices = [(LEFT_OUT, gettext("Leave out")), *choices]
        self.columns = [f"column_{index}" for index in range(len(question.headings))]
        for index, name in enumerate(self.columns):
            samples = [row[index] for row in question.samples if row[index]]
            self.fields[name] = forms.ChoiceField(
                label=gettext("Column {index}: {heading}").format(
                    index=index + 1,
                    heading=question.headings[index] or gettext("(no heading)"),
                ),
                choices=choices,
                initial=question.guesses[index] or LEFT_OUT,
                help_text=escape(" · ".join(sample[:30] for sample in samples)),
            )
        self.fields["headed"].initial = question.headed
        self.order_fields([*self.columns, "headed"])

    def meanings(self) -> tuple[str, ...]:
        said = (self.cleaned_data[name] for name in self.columns)
        return tuple("" if meaning == LEFT_OUT else meaning for meaning in said)
