"""Checks that keep production from starting with unsafe settings."""

import re

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from ratings_site.common.models import User
from ratings_site.demo.accounts import DEMO_ACCOUNTS

MIN_KEY_LENGTH = 50
MIN_KEY_CHARACTERS = 10
# Placeholders for a key in examples and documentation, letters only.
PLACEHOLDERS = re.compile(
    "djangoinsecure|insertyour|changeit|changeme|changethis|examplekey|keepitsecret|"
    "makeonewith|mysecret|notsecret|placeholder|replaceme|replacethis|replacewith|"
    "secretkey|yourkey|yoursecret|yoursupersecret"
)


def is_production() -> bool:
    """Return whether the site runs in production: on PostgreSQL or over HTTPS."""
    return settings.HTTPS or connection.vendor == "postgresql"


def refuse_unsafe_settings() -> None:
    """Raise ImproperlyConfigured if production has unsafe settings."""
    if not is_production():
        return
    if is_weak_key(settings.SECRET_KEY):
        raise ImproperlyConfigured(
            "SECRET_KEY can be guessed, and with it every session: with PostgreSQL or "
            f"HTTPS it needs {MIN_KEY_LENGTH} characters at random. Make one with: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    if any(is_weak_key(key) for key in settings.SECRET_KEY_FALLBACKS):
        raise ImproperlyConfigured(
            "SECRET_KEY_FALLBACKS holds a key that can be guessed; what it signs is "
            "believed as if SECRET_KEY had. Take it out."
        )
    if not settings.REQUIRE_SECOND_FACTOR:
        raise ImproperlyConfigured(
            "REQUIRE_SECOND_FACTOR is off: with PostgreSQL or HTTPS, accounts of the "
            "office need a second factor."
        )
    if settings.DEBUG:
        raise ImproperlyConfigured(
            "DEBUG is on: its error pages show settings and data to every visitor. "
            "With PostgreSQL or HTTPS leave it out."
        )
    if "*" in settings.ALLOWED_HOSTS:
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS is *: a forged Host header would get into links in emails. "
            "With PostgreSQL or HTTPS name the site, such as ratings.example.org."
        )
    if settings.WEBHOOKS_TO_PRIVATE_ADDRESSES:
        raise ImproperlyConfigured(
            "WEBHOOKS_TO_PRIVATE_ADDRESSES is on: any account could reach this machine "
            "and network. With PostgreSQL or HTTPS leave it out."
        )


def is_weak_key(key: str) -> bool:
    """Return whether a key is short, has few characters or is a placeholder.

    >>> is_weak_key("x" * 60), is_weak_key("0123456789abcdef" * 4)
    (True, False)
    >>> is_weak_key("Change-me: a long text with 50 characters at random!")
    True
    """
    letters = "".join(filter(str.isalpha, key.lower()))
    return (
        len(key) < MIN_KEY_LENGTH
        or len(set(key)) < MIN_KEY_CHARACTERS
        or PLACEHOLDERS.search(letters) is not None
    )


def refuse_demo() -> None:
    """Raise ImproperlyConfigured if the demo is requested in production."""
    if is_production():
        raise ImproperlyConfigured(
            "The demo makes a superuser whose password everybody can read: it is not "
            "for PostgreSQL or HTTPS. Leave out --demo, or DATABASE_URL and HTTPS."
        )


def refuse_demo_accounts() -> None:
    """Raise ImproperlyConfigured if production has open demo accounts."""
    found = open_demo_accounts() if is_production() else []
    if found:
        raise ImproperlyConfigured(
            f"These accounts have the password of the demo: {', '.join(found)}. With "
            "PostgreSQL or HTTPS the office does not start until they are closed or "
            "have another (manage.py changepassword)."
        )


def open_demo_accounts() -> list[str]:
    """Return the usernames that still accept the password the demo prints."""
    passwords = {account.username: account.password for account in DEMO_ACCOUNTS}
    return [
        user.username
        for user in User.objects.filter(username__in=passwords, is_active=True)
        if user.check_password(passwords[user.username])
    ]
