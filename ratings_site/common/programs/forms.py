# mypy: disallow-subclassing-any=False
"""The forms of consent and of device codes."""

from typing import Any, cast

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.idp.oidc.forms import ConfirmCodeForm
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings_site.common.models import User
from ratings_site.common.programs.kinds import (
    OPENID,
    SCOPES,
    SIGN_IN_SCOPES,
    member_choices,
)


class ConsentForm(forms.Form):
    """Which member another site is told about, and what it is told."""

    request = forms.CharField(widget=forms.HiddenInput)
    member = forms.ChoiceField(
        label=gettext_lazy("Sign in for"), widget=forms.RadioSelect
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What the site gets"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(
        self, *args: Any, user: User, requested_scopes: list[str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.requested = requested_scopes
        self.choices = member_choices(user)
        open_choices = [one for one in self.choices if not one.denial]
        members = [(one.member_id, one.name) for one in open_choices]
        asked = [one for one in SCOPES if one in requested_scopes and one != OPENID]
        cast(Any, self.fields["scopes"]).choices = [(one, SCOPES[one]) for one in asked]
        self.fields["scopes"].initial = asked
        if not asked:
            del self.fields["scopes"]
        # Without personal data the site needs no member.
        self.needs_member = not {*asked}.isdisjoint(SIGN_IN_SCOPES)
        self.is_possible = bool(members) or not self.needs_member
        cast(Any, self.fields["member"]).choices = members
        self.fields["member"].initial = members[0][0] if members else ""
        if not (self.needs_member and members):
            del self.fields["member"]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not self.is_possible:
            raise forms.ValidationError(_("Link your account to a member first."))
        always = [OPENID] if OPENID in self.requested else []
        data["scopes"] = always + list(data.get("scopes", ()))
        if not data["scopes"]:
            raise forms.ValidationError(_("Choose at least one item, or cancel."))
        return data


class UserCodeForm(ConfirmCodeForm):
    """The code that a program shows, with or without its dash."""

    typed = ""  # the code as the program shows it, of an invalid form too

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = forms.CharField(
            label=gettext_lazy("Code"),
            max_length=20,
            help_text=gettext_lazy("Eight letters, such as BCDF-GHJK."),
            error_messages={"required": gettext_lazy("Enter the code.")},
            widget=forms.TextInput(
                attrs={"autocomplete": "off", "autocapitalize": "characters"}
            ),
        )

    def clean_code(self) -> str:
        letters = normalize_user_code(self.cleaned_data["code"]).upper()
        self.typed = self.cleaned_data["code"] = f"{letters[:4]}-{letters[4:]}"
        try:
            code: str = super().clean_code()
        except forms.ValidationError as fault:
            if fault.code == "rate_limited":
                raise
            raise forms.ValidationError(
                _(
                    "This code isn’t valid, or it has expired. Check it, or have your "
                    "program show a new one."
                )
            ) from fault
        return code
