"""Two members who may be one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberField
from ratings_site.common.acts.forms import ReasonForm, TwoButtonsField


class PairDecisionForm(ReasonForm):
    """Whether two numbers are one person."""

    MERGE, APART = "merge", "apart"

    decision = TwoButtonsField(choices=[(MERGE, _("Merge")), (APART, _("Two people"))])


class PairForm(forms.Form):
    """Two member IDs to look at side by side."""

    kept = MemberField(label=gettext_lazy("Member ID to keep"))
    merged = MemberField(label=gettext_lazy("Other member ID"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kept") and cleaned.get("kept") == cleaned.get("merged"):
            self.add_error("merged", _("Enter another member ID."))
        return cleaned
