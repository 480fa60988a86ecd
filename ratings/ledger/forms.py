"""Choosing one of the systems."""

from django import forms
from django.utils.translation import gettext_lazy as _

from ratings.models.systems import SYSTEM_CHOICES


class SystemField(forms.ChoiceField):
    def __init__(self, **kwargs: object) -> None:
        super().__init__(label=_("System"), choices=SYSTEM_CHOICES, **kwargs)
