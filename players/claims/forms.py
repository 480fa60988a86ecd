"""The forms of a claim, for the claimant and for the office."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.members.forms import MemberField
from ratings_site.common.acts.forms import LONGEST_REASON

EARLIEST_BIRTH = date(1900, 1, 1)


class ClaimForm(forms.Form):
    """Who the account says to be."""

    MEMBER, GUARDIAN = "member", "guardian"

    member = MemberField(label=_("Member ID"))
    whom = forms.ChoiceField(
        label=_("This is"),
        choices=[(MEMBER, _("me")), (GUARDIAN, _("my child, or in my care"))],
        widget=forms.RadioSelect,
        help_text=_("Until 13 a parent’s account speaks for a child, until 18 it may."),
    )


class InviteForm(forms.Form):
    """Whom the office invites."""

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
        label=_("E-mail"),
        required=False,
        help_text=_("The link is mailed there. Left blank, you hand it over yourself."),
    )


class ListForm(forms.Form):
    """A list of members to invite, pasted or as a file."""

    lines = forms.CharField(
        label=_("Member IDs and e-mails"),
        required=False,
        max_length=500_000,
        widget=forms.Textarea(
            attrs={"rows": 8, "placeholder": "12345678, ann@example.org"}
        ),
        help_text=_(
            "One member a line. Without an e-mail the one on record is taken, until 18 "
            "the guardian’s."
        ),
    )
    file = forms.FileField(
        label=_("Or a CSV file"),
        required=False,
        max_length=200,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.txt,.tsv"}),
        help_text=_("With a line of headings, in UTF-8. It is kept byte for byte."),
    )

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        if bool(said.get("lines")) == bool(said.get("file")):
            raise ValidationError(_("Paste the lines, or choose a file."))
        return said


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
    """What the office needs to decide. The birth date is compared, and kept nowhere."""

    secret_birth_date = forms.DateField(
        label=_("Birth date of the member"),
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("It is compared with the record and not kept."),
        error_messages={"invalid": _("Enter a day such as 2004-05-24.")},
    )
    text = forms.CharField(
        label=_("How the office can tell that it is you"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Such as your club, your last event, or a letter you will send."),
    )

    def clean_secret_birth_date(self) -> date:
        day = self.cleaned_data["secret_birth_date"]
        if not EARLIEST_BIRTH <= day <= timezone.localdate():
            raise ValidationError(_("Nobody of our members was born on that day."))
        return day


class DecideForm(forms.Form):
    GRANT, REFUSE = "grant", "refuse"

    decision = forms.ChoiceField(
        choices=[(GRANT, _("Grant")), (REFUSE, _("Refuse"))],
        widget=forms.HiddenInput,
        error_messages={"required": _("Press one of the buttons.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The claimant reads it, and it stays in the audit."),
        error_messages={"required": _("Say why. The reason is kept.")},
    )
