"""The form field for a rating system."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ratings.models.systems import SYSTEM_CHOICES


class SystemField(forms.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(label=_("System"), choices=SYSTEM_CHOICES, **kwargs)
