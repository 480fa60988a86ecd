"""The forms of the office's own pages."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_REASON = 500


class DecisionForm(forms.Form):
    """A second person's word on an act, or its proposer's withdrawal."""

    APPROVE, REFUSE = "approve", "refuse"

    decision = forms.ChoiceField(
        choices=[(APPROVE, _("Approve")), (REFUSE, _("Refuse"))],
        widget=forms.HiddenInput,
        error_messages={"required": _("Press one of the buttons.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("What you looked at. It stays with the decision."),
        error_messages={"required": _("Say why; the reason stays with the decision.")},
    )


class ReasonForm(forms.Form):
    """Every act of staff has a reason, kept in the audit."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say why. The reason is kept.")},
    )
