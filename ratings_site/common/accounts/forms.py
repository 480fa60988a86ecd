"""django-allauth's forms, in the words of our other forms."""

from typing import Any

from allauth.account import forms as account
from allauth.mfa.base import forms as mfa
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.utils.translation import gettext_lazy

LABELS = {
    "login": gettext_lazy("User name or e-mail address"),
    "email": gettext_lazy("E-mail"),
    "username": gettext_lazy("User name"),
    "remember": gettext_lazy("Stay signed in"),
}
# What AUTH_PASSWORD_VALIDATORS ask for, in one breath.
PASSWORD_HELP = gettext_lazy(
    "At least 8 characters, not only digits. Not like your name or address, and none "
    "that many people use."
)


class OurWords:
    """Calls fields as we do, and leaves out placeholders, which only say it again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
        if "password1" in self.fields:
            self.fields["password1"].help_text = PASSWORD_HELP


class OfficeLoginForm(OurWords, account.LoginForm):
    pass


class OfficeSignupForm(OurWords, account.SignupForm):
    pass


class OfficeAddEmailForm(OurWords, account.AddEmailForm):
    pass


class OfficeChangePasswordForm(OurWords, account.ChangePasswordForm):
    pass


class OfficeSetPasswordForm(OurWords, account.SetPasswordForm):
    pass


class OfficeResetPasswordForm(OurWords, account.ResetPasswordForm):
    pass


class OfficeResetPasswordKeyForm(OurWords, account.ResetPasswordKeyForm):
    pass


class OfficeConfirmCodeForm(OurWords, account.ConfirmEmailVerificationCodeForm):
    pass


class OfficeChangeEmailForm(OurWords, account.ChangeEmailForm):
    pass


class OfficeReauthenticateForm(OurWords, account.ReauthenticateForm):
    pass


class OfficeAuthenticateForm(OurWords, mfa.AuthenticateForm):
    pass


class OfficeReauthenticateByCodeForm(OurWords, mfa.ReauthenticateForm):
    pass


class OfficeActivateForm(OurWords, ActivateTOTPForm):
    pass
