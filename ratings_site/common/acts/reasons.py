from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_REASON = 500


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": _("Say why. The reason is kept with the report.")},
    )
