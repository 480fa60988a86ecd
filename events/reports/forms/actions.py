"""Forms to settle findings and to apply member records."""

import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberIdField
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.ui.fields import NumberField


class RepeatedField(forms.Field):
    """Values that are sent under one name, each parsed by *read*."""

    widget = forms.MultipleHiddenInput

    def __init__(self, *, read: Callable[[str], Any] = str, **kwargs: Any) -> None:
        self.read = read
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> list[Any]:
        try:
            return [self.read(text) for text in value or ()]
        except ValueError as error:
            raise ValidationError(
                _("This is not on the page. Reload the page and try again.")
            ) from error


def _parse_shown_key(text: str) -> str:
    if ":" not in text:  # no digest of what was shown
        raise ValueError(text)
    return text


class OverrideForm(ReasonForm):
    finding = RepeatedField(
        read=_parse_shown_key,
        error_messages={
            "required": _("Choose the issues to confirm, then give a reason.")
        },
    )


def _parse_entry_key(text: str) -> tuple[int, int]:
    """Return section and pairing number of "2-14"."""
    if not re.fullmatch(r"-?[0-9]{1,4}-[0-9]{1,4}", text, re.ASCII):
        raise ValueError(text)
    section, _dash, number = text.rpartition("-")
    return int(section), int(number)


class VersionForm(forms.Form):
    """An action on the whole report, with the version that was shown."""

    version = NumberField(widget=forms.HiddenInput)


class MemberRecordForm(VersionForm):
    """The entries to update from their members' records."""

    spot = RepeatedField(read=_parse_entry_key)


class MemberForm(VersionForm):
    """The likely member chosen for an entry."""

    member_id = MemberIdField(widget=forms.HiddenInput)
