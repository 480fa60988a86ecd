# mypy: disallow-subclassing-any=False
"""django-allauth's forms with our labels and rate limits."""

from typing import Any

from allauth.account import forms as account
from allauth.account.adapter import get_adapter
from allauth.core import context, ratelimit
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models import User

LABELS = {
    "login": _("Username or email address"),
    "email": _("Email"),
    "username": _("Username"),
    "remember": _("Stay signed in"),
}
# Summarizes AUTH_PASSWORD_VALIDATORS.
PASSWORD_HELP = _(
    "Use at least 8 characters, not only digits. Not your name or email address, and "
    "not a common password."
)


class LabelsMixin:
    """Sets our labels and removes placeholders, which repeat them."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
        if "password1" in self.fields:
            self.fields["password1"].help_text = PASSWORD_HELP


class OfficeLoginForm(LabelsMixin, account.LoginForm):
    def user_credentials(self) -> dict[str, str]:
        """Try an email address as a username only if it is one.

        Each credential costs a password check, whose time would reveal which addresses
        have an account.
        """
        credentials: dict[str, str] = super().user_credentials()
        names = User.objects.filter(username__iexact=credentials.get("email", ""))
        if "email" in credentials and not names.exists():
            del credentials["username"]
        return credentials


class OfficeSignupForm(LabelsMixin, account.SignupForm):
    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Take equally long for addresses with and without an account."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved


class OfficeAddEmailForm(LabelsMixin, account.AddEmailForm):
    pass


class OfficeChangePasswordForm(LabelsMixin, account.ChangePasswordForm):
    pass


class OfficeSetPasswordForm(LabelsMixin, account.SetPasswordForm):
    pass


class OfficeResetPasswordForm(LabelsMixin, account.ResetPasswordForm):
    pass


class OfficeResetPasswordKeyForm(LabelsMixin, account.ResetPasswordKeyForm):
    pass


class OfficeConfirmCodeForm(LabelsMixin, account.ConfirmEmailVerificationCodeForm):
    pass


class OfficeChangeEmailForm(LabelsMixin, account.ChangeEmailForm):
    pass


class OfficeReauthenticateForm(LabelsMixin, account.ReauthenticateForm):
    pass


class CodeRateLimitMixin:
    """Limits wrong codes per account and hour, below django-allauth's limit."""

    user: User

    def clean_code(self) -> str:
        limit = {"action": "wrong_code", "key": f"account:{self.user.pk}"}
        if not ratelimit.consume(context.request, **limit):
            raise get_adapter().validation_error("too_many_login_attempts")
        code: str = super().clean_code()  # type: ignore[misc]
        ratelimit.clear(context.request, **limit)
        return code


class OfficeAuthenticateForm(CodeRateLimitMixin, LabelsMixin, mfa.AuthenticateForm):
    pass


class OfficeReauthenticateByCodeForm(
    CodeRateLimitMixin, LabelsMixin, mfa.ReauthenticateForm
):
    pass


class OfficeActivateForm(LabelsMixin, ActivateTOTPForm):
    pass
