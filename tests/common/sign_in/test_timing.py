"""Response times do not reveal whether an address has an account.

Hashing a password takes most of the time of these pages, hundreds of milliseconds, so
the tests count hashes.
"""

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache
from django.test import Client

from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

PASSWORD = "Rook-to-e8-now"


@pytest.fixture
def hashes(monkeypatch) -> list[str]:
    """Collect the passwords that are hashed."""
    hashed, encode = [], MD5PasswordHasher.encode

    def counted(self, password, salt):
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return hashed


def sign_in(login: str) -> None:
    Client().post("/accounts/login/", {"login": login, "password": "wrong"})


def sign_up(email: str) -> None:
    typed = {"username": "newcomer", "email": email}
    both = {"password1": PASSWORD, "password2": PASSWORD}
    Client().post("/accounts/signup/", {**typed, **both})


def ask_for_password(email: str) -> None:
    Client().post("/accounts/password/reset/", {"email": email})


@pytest.mark.parametrize(
    ("act", "known", "unknown"),
    [
        (sign_in, "ann", "bob"),
        (sign_in, "ann@example.org", "bob@example.org"),
        (sign_in, "closed@example.org", "bob@example.org"),
        (sign_up, "ann@example.org", "bob@example.org"),
        (ask_for_password, "ann@example.org", "bob@example.org"),
    ],
)
def test_as_many_passwords_are_hashed_with_an_account_as_without(
    hashes, act, known, unknown
):
    cache.clear()
    verified(make_user("ann"))
    closed = verified(make_user("closed"))
    closed.is_active = False
    closed.save()
    hashes.clear()
    act(known)
    with_account = len(hashes)
    hashes.clear()
    act(unknown)
    assert with_account == len(hashes)
