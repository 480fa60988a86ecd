"""Encryption with SECRET_KEY, for secrets that have to be stored."""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

__all__ = ["InvalidToken", "decrypt", "encrypt"]


def encrypt(text: str, *, salt: str) -> str:
    return _keys(salt).encrypt(text.encode()).decode()


def decrypt(token: str, *, salt: str) -> str:
    """Return the text; raise InvalidToken if no key decrypts it."""
    return _keys(salt).decrypt(token.encode()).decode()


def _keys(salt: str) -> MultiFernet:
    """Return keys derived from SECRET_KEY, which encrypts, and from its fallbacks."""
    known = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_key(secret, salt)) for secret in known])


def _key(secret: str, salt: str) -> bytes:
    digest = salted_hmac(salt, "key", secret=secret, algorithm="sha256").digest()
    return urlsafe_b64encode(digest)
