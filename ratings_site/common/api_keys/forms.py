"""The form that creates an API key."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class KeyForm(forms.Form):
    """Creates an API key."""

    name = forms.CharField(
        label=_("Purpose"),
        max_length=60,
        help_text=_("For example, “Club website”. Only you and the office can see it."),
        error_messages={"required": _("Enter what the key is for.")},
    )
    may_submit = forms.BooleanField(
        label=_("Allow sending and submitting rating reports (TDs)"), required=False
    )
    may_feed = forms.BooleanField(
        label=_("Allow updating members only (membership system)"), required=False
    )

    def __init__(self, *args: Any, may_feed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_feed:
            del self.fields["may_feed"]
