"""The forms of the office's pages about people, and of the member's own wish."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from players.models import Player
from players.queries.members import by_member_id
from ratings_site.common.fields import (
    DayField,
    MemberIdField,
    MonthField,
    NumberField,
)

LONGEST_REASON = 500
LARGEST_FILE = 200_000_000


class ReasonForm(forms.Form):
    """Every act of staff has a reason, kept in the audit."""

    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why. The reason stays in the audit."},
    )


class FideListForm(forms.Form):
    file = forms.FileField(
        label="File from FIDE",
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.txt,.xml"}),
        help_text="The standard or the combined list, text or XML, best as the ZIP "
        "that FIDE offers. It is kept byte for byte.",
        error_messages={"required": "Choose the file."},
    )
    list_date = MonthField(
        label="List of",
        help_text="The month from whose 1st the list is in force, such as 2024-05.",
        error_messages={"required": "Say of which month the list is."},
    )
    allow_older = forms.BooleanField(
        label="Add it to the past", required=False,
        help_text="For a list older than the newest one that is stored.",
    )  # fmt: skip
    allow_smaller = forms.BooleanField(
        label="It really is much smaller", required=False,
        help_text="For a list with more than 2% fewer rated players than the one "
        "before, which else counts as cut off.",
    )  # fmt: skip
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Needed with either of the two above.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise ValidationError(
                f"The file is larger than {LARGEST_FILE // 1_000_000} MB. Send the ZIP "
                "that FIDE offers."
            )
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        asks = cleaned.get("allow_older") or cleaned.get("allow_smaller")
        if asks and not cleaned.get("reason"):
            self.add_error("reason", "Say why an older or smaller list is right.")
        return cleaned


class MemberField(MemberIdField):
    """A member ID that belongs to somebody; gives the member."""

    def clean(self, value: Any) -> Player | None:
        member_id = super().clean(value)
        if not member_id:
            return None
        player = by_member_id(member_id)
        if player is None:
            raise ValidationError("No member has this ID.")
        return player


class CfcForm(forms.Form):
    member = MemberField(label="Member ID")
    rating = NumberField(
        label="CFC rating",
        min_value=1,
        max_value=3500,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    games = NumberField(
        label="Games it rests on",
        required=False,
        min_value=0,
        max_value=9999,
        widget=forms.NumberInput(attrs={"class": "short"}),
    )
    list_date = DayField(
        label="In force from",
        help_text="The day of the CFC’s list, such as 2024-05-01.",
    )
    reason = forms.CharField(
        label="Source",
        max_length=200,
        help_text="Where it was looked up. It stays with the rating.",
        error_messages={"required": "Say where the rating was looked up."},
    )


class PairForm(forms.Form):
    """Two member IDs to look at side by side."""

    kept = MemberField(label="Member ID to keep")
    merged = MemberField(label="Other member ID")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kept") and cleaned.get("kept") == cleaned.get("merged"):
            self.add_error("merged", "Enter another member ID.")
        return cleaned


class OptInForm(forms.Form):
    """Staff enter a member's wish."""

    member = MemberField(label="Member ID")
    day = DayField(
        label="Asked on",
        help_text="It counts for events that begin after this day.",
    )
    reason = forms.CharField(
        label="How the member asked for it",
        max_length=200,
        error_messages={"required": "Say how the member asked for it."},
    )

    def clean_day(self) -> Any:
        day = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise ValidationError("The day is still to come.")
        return day


class WishForm(forms.Form):
    """A member asks to opt out."""

    wish = forms.CharField(
        label="Why do you want to opt out?",
        max_length=200,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class StatusForm(ReasonForm):
    status = forms.ChoiceField(
        label="Status",
        choices=[
            (value, label)
            for value, label in Player.Status.choices
            if value != Player.Status.DUPLICATE
        ],
    )

    field_order = ["status", "reason"]
