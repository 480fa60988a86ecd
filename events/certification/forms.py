"""Forms to request TD certification and to decide on a request."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from events.models import Official
from players.claims.forms import AskForm, DecideForm
from players.members.forms import MemberField
from ratings_site.common.ui.fields import DayField


class LinkForm(forms.Form):
    """A member ID, either the account's own or a child's."""

    member = MemberField(label=_("Member ID"))


class CertificationForm(forms.Form):
    """A request from an account that is linked to a member."""

    text = forms.CharField(
        label=_("Your TD certification"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "Your level and when it expires, or the exam you passed. Add where you "
            "direct."
        ),
    )


class NewDirectorForm(CertificationForm):
    """A request from an account that is not yet linked to a member."""

    member = MemberField(label=_("Your member ID"))
    secret_birth_date = AskForm.base_fields["secret_birth_date"]

    field_order = ["member", "secret_birth_date", "text"]

    clean_secret_birth_date = AskForm.clean_secret_birth_date


class CertifyForm(DecideForm):
    """Certify the TD or decline; to decline, only the reason is required."""

    CERTIFY, DECLINE = DecideForm.GRANT, DecideForm.REFUSE

    level = forms.ChoiceField(
        label=_("Level"),
        choices=[("", _("Choose a level")), *Official.Level.choices],
        error_messages={"required": _("Choose a level.")},
    )
    certified_until = DayField(
        label=_("Certified through"),
        error_messages={"required": _("Enter the last day of the certification.")},
    )

    safe_play_until = DayField(
        label=_("Safe Play training valid through"), required=False
    )

    field_order = ["level", "certified_until", "safe_play_until", "reason", "decision"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = _(
            "Kept in the activity log. If you decline, the person who asked sees it."
        )
        if self.is_bound and self.data.get("decision") == self.DECLINE:
            self.fields["level"].required = False
            self.fields["certified_until"].required = False

    def clean_certified_until(self) -> date | None:
        until: date | None = self.cleaned_data["certified_until"]
        is_past = until is not None and until < timezone.localdate()
        if is_past and self.data.get("decision") != self.DECLINE:
            raise ValidationError(
                _("This day has passed. Enter today or a later date.")
            )
        return until
