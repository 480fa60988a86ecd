"""Entering a CFC rating."""

from django import forms
from django.utils.translation import gettext_lazy

from players.members.forms import MemberField
from ratings_site.common.looks.fields import (
    DayField,
    NumberField,
)


class CfcForm(forms.Form):
    member = MemberField(label=gettext_lazy("Member ID"))
    rating = NumberField(
        label=gettext_lazy("CFC rating"),
        min_value=1,
        max_value=3500,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    games = NumberField(
        label=gettext_lazy("Games it rests on"),
        required=False,
        min_value=0,
        max_value=9999,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    list_date = DayField(
        label=gettext_lazy("In force from"),
        help_text=gettext_lazy("The day of the CFC’s list, such as 2024-05-01."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Source"),
        max_length=200,
        help_text=gettext_lazy("Where it was looked up. It stays with the rating."),
        error_messages={
            "required": gettext_lazy("Say where the rating was looked up.")
        },
    )
