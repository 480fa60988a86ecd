from django import forms
from django.utils.translation import gettext_lazy as _

from ratings_site.common.approvals.forms import ButtonChoiceField, ReasonField


class PrivacyForm(forms.Form):
    """What the office decides about a member's name."""

    HIDE, SHOW, DECLINE = "hide", "show", "decline"

    decision = ButtonChoiceField(choices=[(one, one) for one in (HIDE, SHOW, DECLINE)])
    reason = ReasonField(
        rows=3,
        help_text=_(
            "The person who asked sees the reason. It is kept in the activity log."
        ),
        missing=_("Enter a reason. It is saved."),
    )
