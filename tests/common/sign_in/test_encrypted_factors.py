"""Secrets of second factors are encrypted and survive a change of SECRET_KEY."""

import importlib
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from ratings_site.common.models import User
from tests.common.sign_in.test_second_factor import code_of, set_up
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

OLD, NEW = "the key of last year", "the key of this year"


@pytest.fixture
def ann() -> User:
    return verified(make_user("ann"))


def stored() -> str:
    """Return the stored rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM mfa_authenticator")
        return str(cursor.fetchall())


def signs_in(code: str) -> bool:
    guest = Client()
    guest.post("/accounts/login/", {"login": "ann", "password": "secret"})
    guest.post("/accounts/2fa/authenticate/", {"code": code})
    return "_auth_user_id" in guest.session


def recovery_codes(client: Client) -> list[str]:
    page = client.get("/accounts/2fa/recovery-codes/")
    return page.context["unused_codes"]


def test_stored_bytes_hold_no_secret_and_codes_count(client, ann):
    client.force_login(ann)
    secret = set_up(client)
    codes = recovery_codes(client)
    rows = stored()
    assert rows.count("fernet:") == 2
    assert secret not in rows
    assert not [code for code in codes if code in rows]
    assert signs_in(code_of(secret))
    assert signs_in(codes[0])
    assert not signs_in(codes[0])


def test_secret_of_before_counts_and_the_migration_encrypts_it(ann, settings):
    settings.SECRET_KEY = OLD
    secret = generate_totp_secret()
    factor = ann.authenticator_set.create(type="totp", data={"secret": secret, "x": 1})
    assert signs_in(code_of(secret))
    step = importlib.import_module(
        "ratings_site.common.migrations.0009_encrypted_factors"
    )
    for _ in range(2):
        step.encrypt_plain(apps, None)
        assert secret not in stored()
        factor.refresh_from_db()
        assert factor.data["x"] == 1
    settings.SECRET_KEY = NEW  # without the former one
    locked = stored()
    step.decrypt_all(apps, None)
    step.encrypt_plain(apps, None)
    assert stored() == locked
    settings.SECRET_KEY = OLD
    step.decrypt_all(apps, None)
    assert secret in stored()


def test_key_of_before_opens_and_the_command_encrypts_again(client, ann, settings):
    settings.SECRET_KEY = OLD
    client.force_login(ann)
    secret = set_up(client)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert client.get("/account/").status_code == 200
    assert signs_in(code_of(secret))
    out = StringIO()
    call_command("encrypt_factors", stdout=out)
    assert out.getvalue().startswith("2 secrets")
    settings.SECRET_KEY_FALLBACKS = []
    call_command("encrypt_factors", stdout=out)


def test_secret_that_no_key_opens_makes_no_code_right(client, ann, settings):
    settings.SECRET_KEY = OLD
    client.force_login(ann)
    secret, codes = set_up(client), recovery_codes(client)
    before = stored()
    settings.SECRET_KEY = NEW
    assert not signs_in(code_of(secret))
    assert not signs_in(codes[0])
    with pytest.raises(CommandError, match="2 secrets"):
        call_command("encrypt_factors", stdout=StringIO())
    assert stored() == before
    settings.SECRET_KEY_FALLBACKS = [OLD]
    assert signs_in(codes[0])


def test_passkeys_have_nothing_to_encrypt(ann):
    ann.authenticator_set.create(type="webauthn", data={"credential": {"id": "x"}})
    before = stored()
    call_command("encrypt_factors", stdout=StringIO())
    assert stored() == before
    assert Authenticator.objects.count() == 1
