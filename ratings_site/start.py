"""What an office must not start with, once it is more than a trial on one machine."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from ratings_site.common.models import User
from ratings_site.demo.accounts import DEMO_ACCOUNTS

LEAST_KEY_LENGTH = 50
LEAST_KEY_LETTERS = 10
DJANGOS_OWN = "django-insecure-"


def is_production() -> bool:
    """Tell whether others rely on this office: on a real server, or over HTTPS."""
    return settings.HTTPS or connection.vendor == "postgresql"


def refuse_unsafe_settings() -> None:
    """Raise ImproperlyConfigured for settings with which production must not run."""
    if not is_production():
        return
    if key_is_weak(settings.SECRET_KEY):
        raise ImproperlyConfigured(
            "SECRET_KEY can be guessed, and with it every session: with PostgreSQL or "
            f"HTTPS it needs {LEAST_KEY_LENGTH} characters at random. Make one with: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    if any(key_is_weak(key) for key in settings.SECRET_KEY_FALLBACKS):
        raise ImproperlyConfigured(
            "SECRET_KEY_FALLBACKS holds a key that can be guessed; what it signs is "
            "believed as if SECRET_KEY had. Take it out."
        )
    if not settings.REQUIRE_SECOND_FACTOR:
        raise ImproperlyConfigured(
            "REQUIRE_SECOND_FACTOR is off: with PostgreSQL or HTTPS, accounts of the "
            "office need a second factor."
        )


def key_is_weak(key: str) -> bool:
    """Tell whether a key is short, repeats itself or is one that Django made.

    >>> key_is_weak("x" * 60), key_is_weak("0123456789abcdef" * 4)
    (True, False)
    """
    return (
        len(key) < LEAST_KEY_LENGTH
        or len(set(key)) < LEAST_KEY_LETTERS
        or key.startswith(DJANGOS_OWN)
    )


def refuse_demo() -> None:
    """Raise ImproperlyConfigured if the demo is asked for in production."""
    if is_production():
        raise ImproperlyConfigured(
            "The demo makes a superuser whose password everybody can read: it is not "
            "for PostgreSQL or HTTPS. Leave out --demo, or DATABASE_URL and HTTPS."
        )


def refuse_demo_accounts() -> None:
    """Raise ImproperlyConfigured if production holds an account of the demo."""
    found = open_demo_accounts() if is_production() else []
    if found:
        raise ImproperlyConfigured(
            f"These accounts have the password of the demo: {', '.join(found)}. With "
            "PostgreSQL or HTTPS the office does not start until they are closed or "
            "have another (manage.py changepassword)."
        )


def open_demo_accounts() -> list[str]:
    """Return the accounts that can be signed in to with what the demo prints."""
    passwords = {account.username: account.password for account in DEMO_ACCOUNTS}
    return [
        user.username
        for user in User.objects.filter(username__in=passwords, is_active=True)
        if user.check_password(passwords[user.username])
    ]
