"""Lists from FIDE, and members’ wishes about events abroad."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from players.fide.queries import fide_player
from players.members.forms import MemberField
from ratings_site.common.acts.forms import LONGEST_REASON, ReasonForm, TwoButtonsField
from ratings_site.common.looks.fields import (
    DayField,
    MonthField,
    NumberField,
)

MOST_FIDE_ID = 9_999_999_999
LARGEST_FILE = 200_000_000


class LinkDecisionForm(ReasonForm):
    """Whether a FIDE ID is a member's."""

    ACCEPT, DECLINE = "accept", "decline"

    decision = TwoButtonsField(
        choices=[(ACCEPT, _("Link them")), (DECLINE, _("Somebody else"))]
    )


class KnownLinkForm(forms.Form):
    """A FIDE ID that somebody knows to be a member's."""

    member = MemberField(label=_("Member ID"))
    fide_id = NumberField(
        label=_("FIDE ID"),
        min_value=1,
        max_value=MOST_FIDE_ID,
        widget=forms.TextInput(attrs={"class": "short", "inputmode": "numeric"}),
    )

    def clean_fide_id(self) -> int:
        fide_id = self.cleaned_data["fide_id"]
        if fide_player(fide_id) is None:
            raise ValidationError(_("The newest FIDE list does not have this ID."))
        return fide_id


class FideListForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File from FIDE"),
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.txt,.xml"}),
        help_text=gettext_lazy(
            "The standard or the combined list, text or XML, best as the ZIP "
            "that FIDE offers. It is kept byte for byte."
        ),
        error_messages={"required": gettext_lazy("Choose the file.")},
    )
    list_date = MonthField(
        label=gettext_lazy("List of"),
        help_text=gettext_lazy(
            "The month from whose 1st the list is in force, such as 2024-05."
        ),
        error_messages={"required": gettext_lazy("Say of which month the list is.")},
    )
    allow_older = forms.BooleanField(
        label=gettext_lazy("Add it to the past"), required=False,
        help_text=gettext_lazy("For a list older than the newest one that is stored."),
    )  # fmt: skip
    allow_smaller = forms.BooleanField(
        label=gettext_lazy("It really is much smaller"), required=False,
        help_text=gettext_lazy("For a list with more than 2% fewer rated players "
        "than the one "
        "before, which else counts as cut off."),
    )  # fmt: skip
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Needed with either of the two above."),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise ValidationError(
                _(
                    "The file is larger than {largest_file} MB. Send the ZIP "
                    "that FIDE offers."
                ).format(largest_file=LARGEST_FILE // 1000000)
            )
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        asks = cleaned.get("allow_older") or cleaned.get("allow_smaller")
        if asks and not cleaned.get("reason"):
            self.add_error("reason", _("Say why an older or smaller list is right."))
        return cleaned


class OptInForm(forms.Form):
    """Staff enter a member's wish."""

    member = MemberField(label=gettext_lazy("Member ID"))
    day = DayField(
        label=gettext_lazy("Asked on"),
        help_text=gettext_lazy("It counts for events that begin after this day."),
    )
    reason = forms.CharField(
        label=gettext_lazy("How the member asked for it"),
        max_length=200,
        error_messages={"required": gettext_lazy("Say how the member asked for it.")},
    )

    def clean_day(self) -> Any:
        day = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise ValidationError(_("The day is still to come."))
        return day


class WishForm(forms.Form):
    """A member asks to opt out."""

    wish = forms.CharField(
        label=gettext_lazy("Why do you want to opt out?"),
        max_length=200,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
