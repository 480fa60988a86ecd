"""Forms for two members who may be one person."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberField
from ratings_site.common.approvals.forms import ButtonChoiceField, ReasonForm


class PairDecisionForm(ReasonForm):
    """Whether two member IDs belong to one person."""

    MERGE, APART = "merge", "apart"

    decision = ButtonChoiceField(
        choices=[(MERGE, _("Merge")), (APART, _("Not duplicates"))]
    )


class PairForm(forms.Form):
    """Two member IDs to compare."""

    kept = MemberField(label=_("Member ID to keep"))
    merged = MemberField(label=_("Other member ID"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kept") and cleaned.get("kept") == cleaned.get("merged"):
            self.add_error("merged", _("Enter a different member ID."))
        return cleaned
