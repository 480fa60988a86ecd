"""The form for a CFC rating."""

from django import forms
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberField
from ratings_site.common.ui.fields import DayField, ShortNumberField


class CfcForm(forms.Form):
    member = MemberField(label=_("Member ID"))
    rating = ShortNumberField(
        label=_("CFC rating"),
        min_value=1,
        max_value=3500,
    )
    games = ShortNumberField(
        label=_("Number of games"),
        required=False,
        min_value=0,
        max_value=9999,
    )
    list_date = DayField(
        label=_("Effective"),
        help_text=_("The date of the CFC list, for example 2024-05-01."),
    )
    reason = forms.CharField(
        label=_("Source"),
        max_length=200,
        help_text=_("Where you found the rating. Saved with it."),
        error_messages={"required": _("Enter where you found the rating.")},
    )
