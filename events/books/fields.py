import re
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _


def _digits(pattern: str, message: str) -> RegexValidator:
    return RegexValidator(re.compile(pattern, re.ASCII), message)


class StateField(forms.CharField):
    default_validators = [
        _digits(r"^[A-Z]{2}\Z", _("A state has two letters, such as IL."))
    ]

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "short"}))
        super().__init__(required=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return super().to_python(value).upper()
