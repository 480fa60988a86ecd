"""What our accounts do otherwise than django-allauth's."""

import logging
from base64 import b32encode, urlsafe_b64encode
from secrets import token_bytes
from typing import Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.stages import EmailVerificationStage
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpResponse
from django.utils.crypto import salted_hmac

from ratings_site.common.sign_in.kept import remember_account

# Before a secret that is encrypted; what has none was stored before secrets were.
ENCRYPTED: Final = "fernet:"

logger = logging.getLogger(__name__)


class OfficeAccountAdapter(DefaultAccountAdapter):
    """Everybody may open an account; what it may do, the office decides."""

    def get_login_stages(self) -> list[str]:
        theirs = "allauth.account.stages.EmailVerificationStage"
        ours = f"{AddressStage.__module__}.{AddressStage.__name__}"
        return [ours if one == theirs else one for one in super().get_login_stages()]

    def post_login(self, request, user, **kwargs) -> HttpResponse:
        """Let the browser know whose form it is that comes after the session."""
        response = super().post_login(request, user, **kwargs)
        remember_account(response, user)
        return response

    def send_notification_mail(self, *args, **kwargs) -> None:
        """Tell of a change that has been made, which a silent mail server leaves so."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except OSError:
            logger.exception("Nobody could be told that an account was changed.")


class AddressStage(EmailVerificationStage):
    """Signing in asks for a code by mail while the account's address is not verified.

    An account without any address, as the command line makes one, has none to verify.
    """

    def handle(self):
        user = self.login.user
        if user and not user.email and not user.emailaddress_set.exists():
            return None, True
        return super().handle()


class OfficeMFAAdapter(DefaultMFAAdapter):
    """Keeps the secrets of apps and recovery codes encrypted by the office's key."""

    def encrypt(self, text: str) -> str:
        return ENCRYPTED + _keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; one that no key opens is replaced by a code that fails."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        try:
            token = encrypted_text.removeprefix(ENCRYPTED)
            return _keys().decrypt(token.encode()).decode()
        except InvalidToken:
            logger.exception("A second factor was encrypted by a key that is gone.")
            return b32encode(token_bytes(20)).decode()

    def is_readable(self, encrypted_text: str) -> bool:
        """Tell whether a key of the office opens a secret."""
        if not encrypted_text.startswith(ENCRYPTED):
            return True
        try:
            _keys().decrypt(encrypted_text.removeprefix(ENCRYPTED).encode())
        except InvalidToken:
            return False
        return True


def _keys() -> MultiFernet:
    """Return the keys made of SECRET_KEY, which encrypts, and of those before it."""
    known = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_key(secret)) for secret in known])


def _key(secret: str) -> bytes:
    salt = "common.sign_in.factors"
    digest = salted_hmac(salt, "key", secret=secret, algorithm="sha256").digest()
    return urlsafe_b64encode(digest)
