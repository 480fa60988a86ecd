"""Fields of experiments: parameters of a system, and varied rules of ours."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazystr
from django.utils.translation import gettext, gettext_lazy

from ratings.engine.variation.variations import BadVariation, Change, value_of
from ratings.laboratory.parameters import Parameter
from ratings.research.experiments.plans import (
    parameter_error,
    said,
)

MAX_VALUES_LENGTH = 200


class ValuesField(forms.CharField):
    """One or more numbers of a parameter, between commas."""

    def __init__(self, parameter: Parameter, **kwargs: Any) -> None:
        self.parameter = parameter
        super().__init__(
            required=False,
            max_length=MAX_VALUES_LENGTH,
            widget=forms.TextInput(attrs={"class": "short", "inputmode": "decimal"}),
            **kwargs,
        )

    def clean(self, value: Any) -> list[Any]:
        text = super().clean(value)
        texts = [one.strip() for one in text.split(",") if one.strip()]
        return [self._number(one) for one in texts] or [self.parameter.default]

    def _number(self, text: str) -> Any:
        default = self.parameter.default
        is_whole = isinstance(default, int) or (default is None and text.isdigit())
        try:
            number: float = int(text) if is_whole else float(text)
        except ValueError:
            number = float("nan")
        if not (text.isascii() and number - number == 0):  # neither nan nor infinite
            raise ValidationError(
                gettext("Enter whole numbers, such as 16, 24, 32.")
                if is_whole
                else gettext("Enter numbers, such as 0.5, 0.75, 1.")
            )
        problem = parameter_error(self.parameter, number)
        if problem:
            raise ValidationError(problem)
        return number


class OneValueField(ValuesField):
    """A single number of a parameter."""

    def clean(self, value: Any) -> list[Any]:
        values = super().clean(value)
        if len(values) > 1:
            raise ValidationError(gettext("Enter one number."))
        return values


class ParameterChoiceField(forms.ChoiceField):
    """One of a parameter's choices; an empty value means the default."""

    def __init__(self, parameter: Parameter, **kwargs: Any) -> None:
        self.parameter = parameter
        choices = [(one, gettext(one)) for one in parameter.choices]
        super().__init__(choices=choices, required=False, **kwargs)

    def clean(self, value: Any) -> str:
        return super().clean(value) or str(self.parameter.default)


def parameter_field(
    parameter: Parameter, numbers: type[ValuesField], initial: Any
) -> forms.Field:
    """Return the form field in which a parameter is changed."""
    about: dict[str, Any] = {
        "label": lazystr(gettext(parameter.label)),
        "help_text": _help(parameter),
        "initial": said(initial) if not isinstance(initial, bool) else initial,
    }
    if isinstance(parameter.default, bool):
        return forms.BooleanField(required=False, **about)
    if parameter.choices:
        return ParameterChoiceField(parameter, **about)
    return numbers(parameter, **about)


def _help(parameter: Parameter) -> str:
    words = [gettext(parameter.help)] if parameter.help else []
    low, high = parameter.low, parameter.high
    if low is not None and high is not None:
        words.append(
            gettext("From {low} to {high}.").format(low=said(low), high=said(high))
        )
    return " ".join(words)


class RuleValuesField(forms.CharField):
    """One or more values of a rule, between commas; empty leaves it as it was."""

    def __init__(self, about: Parameter) -> None:
        self.parameter = about
        words = [gettext(about.help)] if about.help else []
        if about.unit:
            words.append(gettext(about.unit).capitalize() + ".")
        offered = about.choices or (
            ("on", "off") if isinstance(about.default, bool) else ()
        )
        if offered:
            widget: forms.Widget = forms.Select(
                choices=[
                    ("", gettext_lazy("no change")),
                    *((one, one) for one in offered),
                ]
            )
        else:
            widget = forms.TextInput(attrs={"class": "short", "inputmode": "decimal"})
        super().__init__(
            label=lazystr(gettext(about.label)),
            help_text=" ".join(words),
            required=False,
            max_length=MAX_VALUES_LENGTH,
            widget=widget,
        )

    def clean(self, value: Any) -> list[Any]:
        name = self.parameter.name
        texts = [one.strip() for one in super().clean(value).split(",")]
        try:
            values = [value_of(name, one) for one in texts if one]
            for one in values:
                Change(name, one)
        except BadVariation as bad:
            words = gettext(bad.sentence).format(**bad.values)
            raise ValidationError(words) from bad
        return values
