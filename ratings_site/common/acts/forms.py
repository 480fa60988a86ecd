"""The forms of the office's own pages."""

import re

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

LONGEST_REASON = 500
# What stands for a row: numbers, and what else tells that it is as it was shown.
_KEY = re.compile(r"[1-9][0-9]{0,9}(:[0-9a-z]{0,20}){0,2}", re.ASCII)


class TwoButtonsField(forms.ChoiceField):
    """Which of two buttons was pressed; *choices* are what they send and say."""

    widget = forms.HiddenInput
    default_error_messages = {
        "required": _("Press one of the two buttons."),
        "invalid_choice": _("Press one of the two buttons."),
    }


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


class RowsChosen:
    """Which rows of a list are ticked, and what a button says is to be done to them.

    A button sends "merge" for those ticked, "merge all", or "merge 12:15" for one row.
    """

    ALL = "all"

    @staticmethod
    def act(data: QueryDict) -> tuple[str, str]:
        """Return the act, and which rows besides those ticked: all, or one's key."""
        act, _space, which = data.get("act", "").partition(" ")
        return act, which

    @staticmethod
    def keys(data: QueryDict, only: str = "") -> list[str]:
        """Return the keys sent, each once, without those that are to be left out."""
        sent = [only] if only else data.getlist("row")
        left_out = data.getlist("leave_out")
        return [
            key
            for key in dict.fromkeys(sent)
            if _KEY.fullmatch(key) and key not in left_out
        ]
