"""The form for a CFC rating."""

from django import forms
from django.utils.translation import gettext_lazy

from players.members.forms import MemberField
from ratings_site.common.ui.fields import (
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
        label=gettext_lazy("Number of games"),
        required=False,
        min_value=0,
        max_value=9999,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    list_date = DayField(
        label=gettext_lazy("Effective"),
        help_text=gettext_lazy("The date of the CFC list, for example 2024-05-01."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Source"),
        max_length=200,
        help_text=gettext_lazy("Where you found the rating. Saved with it."),
        error_messages={"required": gettext_lazy("Enter where you found the rating.")},
    )
