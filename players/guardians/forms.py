"""The form for a guardian's address."""

from django import forms
from django.utils.translation import gettext_lazy as _


class GuardianForm(forms.Form):
    """The address for notices about a child."""

    email = forms.EmailField(
        label=_("Email of a parent or guardian"),
        max_length=254,
        help_text=_("Only the ratings office sees it. It is never public."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
