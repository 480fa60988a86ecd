from django import forms
from django.utils.translation import gettext_lazy as _

from ratings_site.common.approvals.forms import ReasonForm


class TdListForm(ReasonForm):
    """The TDs that a listed TD names."""

    member_ids = forms.CharField(
        label=_("Member IDs of the TDs"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4, "class": "short"}),
        help_text=_(
            "One on each line. Include your own ID if you report for this affiliate."
        ),
        error_messages={"required": _("Enter the member ID of at least one TD.")},
    )

    field_order = ["member_ids", "reason"]
