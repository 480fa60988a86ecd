"""The forms of a link request, for the requester and for the office."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberField
from ratings_site.common.approvals.forms import ReasonField

EARLIEST_BIRTH = date(1900, 1, 1)


class ClaimForm(forms.Form):
    """A member, and the requester's relationship to them."""

    MEMBER, GUARDIAN = "member", "guardian"

    member = MemberField(label=_("Member ID"))
    whom = forms.ChoiceField(
        label=_("Who is this?"),
        choices=[(MEMBER, _("me")), (GUARDIAN, _("my child, or a child in my care"))],
        widget=forms.RadioSelect,
        help_text=_(
            "Under age 13, only a parent or guardian can have the account. "
            "Until age 18, a parent or guardian can have one too."
        ),
    )


class InviteForm(forms.Form):
    """The member and the relationship that the office invites a person for."""

    member = MemberField(label=_("Member ID"))
    whom = forms.ChoiceField(
        label=_("Invited as"),
        choices=[
            (ClaimForm.MEMBER, _("the member")),
            (ClaimForm.GUARDIAN, _("a parent or guardian")),
        ],
        widget=forms.RadioSelect,
    )
    email = forms.EmailField(
        label=_("Email"),
        required=False,
        help_text=_(
            "We email the link to this address. Leave it blank to give them "
            "the link yourself."
        ),
    )


class ListForm(forms.Form):
    """A list of members to invite, pasted or as a file."""

    lines = forms.CharField(
        label=_("Member IDs and emails"),
        required=False,
        max_length=500_000,
        widget=forms.Textarea(
            attrs={"rows": 8, "placeholder": "12345678, ann@example.org"}
        ),
        help_text=_(
            "One member per line. If you leave out the email, we use the address on "
            "record: under age 18, the parent or guardian’s."
        ),
    )
    file = forms.FileField(
        label=_("Or a CSV file"),
        required=False,
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.tsv"}),
        help_text=_("UTF-8, with a header row. We keep your original file."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if bool(data.get("lines")) == bool(data.get("file")):
            raise ValidationError(_("Paste the lines, or choose a file."))
        return data


class CodeForm(forms.Form):
    secret_code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={
                "class": "short",
                "inputmode": "numeric",
                "autocomplete": "one-time-code",
            }
        ),
    )


class AskForm(forms.Form):
    """Information for the office. The birth date is compared and never stored."""

    secret_birth_date = forms.DateField(
        label=_("Member’s birth date"),
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("We compare it with our records and don’t store it."),
        error_messages={"invalid": _("Enter a date such as 2004-05-24.")},
    )
    text = forms.CharField(
        label=_("How can we tell it’s you?"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "For example, your club, your last event, or a document you’ll send us."
        ),
    )

    def clean_secret_birth_date(self) -> date:
        day: date = self.cleaned_data["secret_birth_date"]
        if not EARLIEST_BIRTH <= day <= timezone.localdate():
            raise ValidationError(_("Enter a birth date between 1900 and today."))
        return day


class DecideForm(forms.Form):
    GRANT, REFUSE = "grant", "refuse"

    decision = forms.ChoiceField(
        choices=[(GRANT, _("Approve")), (REFUSE, _("Decline"))],
        widget=forms.HiddenInput,
        error_messages={"required": _("Press one of the buttons.")},
    )
    reason = ReasonField(
        rows=3,
        help_text=_(
            "The person who asked sees the reason. It is kept in the activity log."
        ),
        missing=_("Enter a reason. It is saved."),
    )
