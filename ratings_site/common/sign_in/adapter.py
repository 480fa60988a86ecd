# mypy: disallow-subclassing-any=False
"""django-allauth adapters."""

import logging
from base64 import b32encode
from datetime import timedelta
from secrets import token_bytes
from typing import Any, Final

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.stages import EmailVerificationStage
from allauth.core import context as allauth_context
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest, HttpResponse

from ratings_site.common.accounts.encryption import InvalidToken, decrypt, encrypt
from ratings_site.common.accounts.queries import find_account
from ratings_site.common.mail.services import LIFETIME, queue_mail
from ratings_site.common.models import User
from ratings_site.common.sign_in.pending_form import remember_account

# The prefix of encrypted secrets; older ones were stored without encryption.
ENCRYPTED: Final = "fernet:"
SALT: Final = "common.sign_in.factors"

CODE_MAILS: Final = (
    "account/email/email_confirmation",
    "account/email/email_confirmation_signup",
)

logger = logging.getLogger(__name__)


class OfficeAccountAdapter(DefaultAccountAdapter):
    """Queues emails, counts failures by account, and remembers the last account."""

    def get_login_stages(self) -> list[str]:
        theirs = "allauth.account.stages.EmailVerificationStage"
        ours = f"{VerifyAddressStage.__module__}.{VerifyAddressStage.__name__}"
        return [ours if one == theirs else one for one in super().get_login_stages()]

    def post_login(
        self, request: HttpRequest, user: User, **kwargs: Any
    ) -> HttpResponse:
        """Set the cookie that tells whose pending form a browser may restore."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        remember_account(response, user)
        return response

    def _get_login_attempts_cache_key(
        self, request: HttpRequest, **credentials: Any
    ) -> str:
        """Count failures by account, whether a username or an address was typed."""
        names = credentials.get("email"), credentials.get("username")
        account = find_account(*names)
        if account is not None:
            return f"account:{account.pk}"
        return "name:" + next(filter(None, names), "").lower()

    def send_mail(
        self, template_prefix: str, email: str, context: dict[str, Any]
    ) -> None:
        """Queue every email of django-allauth; drop a code once it has expired."""
        request = allauth_context.request
        message = self.render_mail(
            template_prefix,
            email,
            {
                "request": request,
                "email": email,
                "current_site": get_current_site(request),
                **context,
            },
        )
        lifetime = LIFETIME
        if template_prefix in CODE_MAILS:
            seconds = app_settings.EMAIL_VERIFICATION_BY_CODE_TIMEOUT
            lifetime = timedelta(seconds=seconds)
        queue_mail(message.subject, message.body, email, lifetime=lifetime)


class VerifyAddressStage(EmailVerificationStage):
    """Requires a verified address at sign-in.

    An account without an address, such as one created on the command line, is exempt.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        user = self.login.user
        if user and not user.email and not user.emailaddress_set.exists():
            return None, True
        handled: tuple[HttpResponse | None, bool] = super().handle()
        return handled


class OfficeMFAAdapter(DefaultMFAAdapter):
    """Encrypts the secrets of authenticator apps and recovery codes."""

    def encrypt(self, text: str) -> str:
        return ENCRYPTED + encrypt(text, salt=SALT)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret, or a random one if no key decrypts it."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        try:
            return decrypt(encrypted_text.removeprefix(ENCRYPTED), salt=SALT)
        except InvalidToken:
            logger.exception("A second factor was encrypted by a key that is gone.")
            return b32encode(token_bytes(20)).decode()

    def is_readable(self, encrypted_text: str) -> bool:
        """Return whether a key decrypts the secret."""
        if not encrypted_text.startswith(ENCRYPTED):
            return True
        try:
            decrypt(encrypted_text.removeprefix(ENCRYPTED), salt=SALT)
        except InvalidToken:
            return False
        return True
