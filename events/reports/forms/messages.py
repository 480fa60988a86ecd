"""A message on a report."""

from django import forms
from django.utils.translation import gettext_lazy as _

from events.reports.services.messages import LONGEST_MESSAGE


class MessageForm(forms.Form):
    """A message on a report, or a note that the others have been read."""

    text = forms.CharField(
        label=_("Message"),
        max_length=LONGEST_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Enter a message.")},
    )
    place = forms.CharField(
        label=_("About"),
        required=False,
        max_length=80,
        widget=forms.TextInput(
            attrs={"placeholder": _("Section 1, number 4, round 2")}
        ),
    )
