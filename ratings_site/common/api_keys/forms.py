"""Asking for a key."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class KeyForm(forms.Form):
    """Make a key of the API."""

    name = forms.CharField(
        label=_("What it is for"),
        max_length=60,
        help_text=_("Such as the club’s website. Only you and the office see it."),
        error_messages={"required": _("Say what the key is for.")},
    )
    may_submit = forms.BooleanField(
        label=_("It may send and submit rating reports (tournament directors)"),
        required=False,
    )
    may_feed = forms.BooleanField(
        label=_("It keeps members current, and does nothing else (membership system)"),
        required=False,
    )

    def __init__(self, *args: Any, may_feed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_feed:
            del self.fields["may_feed"]
