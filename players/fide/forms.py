"""Forms for FIDE lists, links and opt-ins to events abroad."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.fide.queries import fide_player
from players.members.forms import MemberField
from ratings_site.common.approvals.forms import (
    ButtonChoiceField,
    ReasonField,
    ReasonForm,
)
from ratings_site.common.ui.fields import DayField, MonthField, NumberField

MAX_FIDE_ID = 9_999_999_999
LARGEST_FILE = 200_000_000


class LinkDecisionForm(ReasonForm):
    """Whether a FIDE ID belongs to a member."""

    ACCEPT, DECLINE = "accept", "decline"

    decision = ButtonChoiceField(
        choices=[(ACCEPT, _("Link")), (DECLINE, _("Not a match"))]
    )


class KnownLinkForm(forms.Form):
    """A FIDE ID that is known to belong to a member."""

    member = MemberField(label=_("Member ID"))
    fide_id = NumberField(
        label=_("FIDE ID"),
        min_value=1,
        max_value=MAX_FIDE_ID,
        widget=forms.TextInput(attrs={"class": "short", "inputmode": "numeric"}),
    )

    def clean_fide_id(self) -> int:
        fide_id: int = self.cleaned_data["fide_id"]
        if fide_player(fide_id) is None:
            raise ValidationError(
                _("This ID isn’t on the newest FIDE list. Check the number.")
            )
        return fide_id


class FideListForm(forms.Form):
    file = forms.FileField(
        label=_("File from FIDE"),
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.txt,.xml"}),
        help_text=_(
            "The standard or combined list, as text or XML. The ZIP file from FIDE’s "
            "download page works best. We keep your original file."
        ),
        error_messages={"required": _("Choose a file.")},
    )
    list_date = MonthField(
        label=_("Month of the list"),
        help_text=_(
            "The list is effective from the 1st of this month, for example 2024-05."
        ),
        error_messages={"required": _("Enter the month of the list.")},
    )
    allow_older = forms.BooleanField(
        label=_("This is an older list"),
        required=False,
        help_text=_("Check this to add a list older than the newest one stored."),
    )
    allow_smaller = forms.BooleanField(
        label=_("The list is smaller on purpose"),
        required=False,
        help_text=_(
            "Check this if the list has over 2% fewer rated players than the last one. "
            "Otherwise we reject it as incomplete."
        ),
    )
    reason = ReasonField(
        required=False, help_text=_("Required if you check either box above.")
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise ValidationError(
                _(
                    "The file is larger than {largest_file} MB. Upload the ZIP file "
                    "from FIDE’s download page."
                ).format(largest_file=LARGEST_FILE // 1000000)
            )
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        asks = cleaned.get("allow_older") or cleaned.get("allow_smaller")
        if asks and not cleaned.get("reason"):
            self.add_error(
                "reason", _("Explain why the older or smaller list is correct.")
            )
        return cleaned


class OptInForm(forms.Form):
    """An opt-in that staff enter for a member."""

    member = MemberField(label=_("Member ID"))
    day = DayField(
        label=_("Date of request"),
        help_text=_("Applies to events that start after this date."),
    )
    reason = forms.CharField(
        label=_("How the member made the request"),
        max_length=200,
        error_messages={
            "required": _(
                "Enter how the member made the request, for example “letter” or "
                "“email.”"
            )
        },
    )

    def clean_day(self) -> Any:
        day = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise ValidationError(
                _("This date is in the future. Enter today or an earlier date.")
            )
        return day


class OptOutRequestForm(forms.Form):
    """A member's request to opt out."""

    wish = forms.CharField(
        label=_("Why do you want to opt out?"),
        max_length=200,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
