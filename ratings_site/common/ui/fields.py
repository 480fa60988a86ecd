"""Form fields that pages of several apps share.

Only the digits 0 to 9 are accepted: ``int()`` also takes digits of other scripts, which
files and the database refuse.
"""

import re
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

EARLIEST, LATEST = date(1950, 1, 1), date(2100, 12, 31)
_DIGITS = re.compile(r"\s*[0-9]{1,9}\s*", re.ASCII)


class NumberField(forms.IntegerField):
    """A whole number in the digits 0 to 9."""

    def to_python(self, value: Any) -> int | None:
        if value not in self.empty_values and not _DIGITS.fullmatch(str(value)):
            raise ValidationError(_("Enter a whole number, using the digits 0 to 9."))
        return super().to_python(value)


class ShortNumberField(NumberField):
    """A number of a few digits."""

    widget = forms.NumberInput(attrs={"class": "short"})


# The format of browsers, and those that pages show.
DAY_FORMATS = ["%Y-%m-%d", "%b %d, %Y", "%B %d, %Y", "%d %B %Y", "%m/%d/%Y"]


class DayField(forms.DateField):
    """A day on which chess may have been played."""

    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    input_formats = DAY_FORMATS
    example = _("Enter a date such as 2024-05-04.")

    def to_python(self, value: Any) -> date | None:
        if isinstance(value, str) and not value.isascii():
            raise ValidationError(self.example)
        try:
            day = super().to_python(value)
        except ValidationError:
            raise ValidationError(self.example) from None
        if day is not None and not EARLIEST <= day <= LATEST:
            raise ValidationError(_("Enter a date from 1950 to 2100."))
        return day


class MonthField(DayField):
    """A month, as the date of its first day."""

    widget = forms.DateInput(format="%Y-%m", attrs={"type": "month"})
    input_formats = ["%Y-%m", "%B %Y"]
    example = _("Enter a month such as 2024-05.")


class StateField(forms.CharField):
    """A state by its two letters, in any case."""

    default_validators = [
        RegexValidator(r"^[A-Z]{2}\Z", _("Enter a two-letter state, such as IL."))
    ]

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "short"}))
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").upper()
