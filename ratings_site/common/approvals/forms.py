"""Forms of staff actions and approvals."""

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


MAX_REASON_LENGTH = 500
# The key of a row: its ID, and versions that detect changes since it was shown.
_KEY = re.compile(r"[1-9][0-9]{0,9}(:[0-9a-z]{0,20}){0,2}", re.ASCII)


class ReasonField(forms.CharField):
    """A reason in a few lines. *missing* is the error if a required one is blank."""

    def __init__(
        self, *, rows: int = 2, missing: "_StrOrPromise | None" = None, **kwargs: Any
    ) -> None:
        super().__init__(
            **{"label": _("Reason"), **kwargs},
            max_length=MAX_REASON_LENGTH,
            widget=forms.Textarea(attrs={"rows": rows}),
            error_messages={"required": missing} if missing else None,
        )


class ButtonChoiceField(forms.ChoiceField):
    """The value of the submit button that was pressed."""

    widget = forms.HiddenInput
    default_error_messages = {
        "required": _("Choose one of the buttons."),
        "invalid_choice": _("Choose one of the buttons."),
    }


class DecisionForm(forms.Form):
    """The decision on a pending approval, or its withdrawal."""

    APPROVE, REFUSE = "approve", "refuse"

    decision = forms.ChoiceField(
        choices=[(APPROVE, _("Approve")), (REFUSE, _("Decline"))],
        widget=forms.HiddenInput,
        error_messages={"required": _("Choose one of the buttons.")},
    )
    reason = ReasonField(
        help_text=_("What you checked. This is saved with the decision."),
        missing=_("Enter a reason. It is saved with the decision."),
    )


class ReasonForm(forms.Form):
    """The reason for a staff action, for the audit log."""

    reason = ReasonField(rows=3, missing=_("Enter a reason. It is saved."))


class RowSelection:
    """Parses the selected rows of a list and the bulk action.

    A button sends "merge" for selected rows, "merge all", or "merge 12:15" for one row.
    """

    ALL = "all"

    @staticmethod
    def act(data: QueryDict) -> tuple[str, str]:
        """Return the action, and "all", the key of one row, or ""."""
        act, _space, which = data.get("act", "").partition(" ")
        return act, which

    @staticmethod
    def keys(data: QueryDict, only: str = "") -> list[str]:
        """Return the keys without duplicates and without those left out."""
        sent = [only] if only else data.getlist("row")
        left_out = data.getlist("leave_out")
        return [
            key
            for key in dict.fromkeys(sent)
            if _KEY.fullmatch(key) and key not in left_out
        ]
