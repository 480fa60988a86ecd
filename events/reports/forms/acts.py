"""Settling findings, and taking over records."""

import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.fields import MemberIdField, NumberField


class ManyField(forms.Field):
    """Values that are sent under one name, each read by *read*."""

    widget = forms.MultipleHiddenInput

    def __init__(self, *, read: Callable[[str], Any] = str, **kwargs: Any) -> None:
        self.read = read
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> list[Any]:
        try:
            return [self.read(text) for text in value or ()]
        except ValueError as error:
            raise ValidationError(_("This names nothing on the page.")) from error


class OverrideForm(ReasonForm):
    finding = ManyField(
        error_messages={"required": _("Choose what you confirm, then say why.")}
    )


def _read_spot(text: str) -> tuple[int, int]:
    """Return section and pairing number of "2-14"."""
    if not re.fullmatch(r"-?[0-9]{1,4}-[0-9]{1,4}", text, re.ASCII):
        raise ValueError(text)
    section, _dash, number = text.rpartition("-")
    return int(section), int(number)


class VersionForm(forms.Form):
    """An act on the whole report, as it was shown."""

    version = NumberField(widget=forms.HiddenInput)


class RecordForm(VersionForm):
    """Which entries are set from their members' records."""

    spot = ManyField(read=_read_spot)


class MemberForm(VersionForm):
    """Which member an entry is, of those that are likely."""

    member_id = MemberIdField(widget=forms.HiddenInput)
