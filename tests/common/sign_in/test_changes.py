"""Audit entries of sign-ins, failures and account changes."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, User
from tests.common.sign_in.test_second_factor import code_of, set_up
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

EMAIL = "/accounts/email/"
VERIFY = "/accounts/confirm-email/"
PASSWORD = {"password": "secret"}


def audit_entries() -> list[tuple[str, dict]]:
    """Return the audit entries, oldest first."""
    entries = AuditEntry.objects.order_by("pk").filter(action__startswith="account.")
    return [(entry.action, entry.facts) for entry in entries]


def mailed_code(address: str) -> str:
    run_due_jobs()
    message = [m for m in mail.outbox if m.to == [address]][-1]
    return re.search(r"^ *([A-Z0-9]{3,}-?[A-Z0-9]{3,})$", message.body, re.M)[1]


@pytest.fixture
def ann(client) -> User:
    user = verified(make_user("ann"))
    client.force_login(user)
    return user


def test_sign_in_and_failures_are_kept_without_what_was_typed(client):
    ann = verified(make_user("ann"))
    for login, password in (("ann", "wrong"), ("nobody", "wrong"), ("ann", "secret")):
        client.post("/accounts/login/", {"login": login, "password": password})
    assert audit_entries() == [
        ("account.sign_in_failed", {}),
        ("account.signed_in", {"by": ["password"]}),
    ]
    failed, came = AuditEntry.objects.order_by("pk")
    assert (failed.actor, failed.subject_id) == (None, str(ann.pk))
    assert came.actor == ann


def test_sign_in_with_a_code_says_so(client, ann):
    secret = set_up(client)
    other = Client()
    other.post("/accounts/login/", {"login": "ann", "password": "secret"})
    other.post("/accounts/2fa/authenticate/", {"code": "000000"})
    other.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert audit_entries()[-2:] == [
        ("account.factor_failed", {"kind": "totp"}),
        ("account.signed_in", {"by": ["password", "totp"]}),
    ]


def test_address_changes_after_the_password_and_the_code(client, ann):
    new = {"email": "new@example.org", "action_add": ""}
    asked = client.post(EMAIL, new)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": "wrong"})
    client.post(EMAIL, new)
    run_due_jobs()
    assert mail.outbox == []

    client.post("/accounts/reauthenticate/", PASSWORD)
    client.post(EMAIL, new)
    ann.refresh_from_db()
    assert ann.email == "ann@example.org"

    client.post(VERIFY, {"code": mailed_code("new@example.org")})
    ann.refresh_from_db()
    assert ann.email == "new@example.org"
    assert EmailAddress.objects.get().email == "new@example.org"
    run_due_jobs()
    assert mail.outbox[-1].to == ["ann@example.org"]
    assert [action for action, _ in audit_entries()][-2:] == [
        "account.email_verified",
        "account.email_changed",
    ]
    assert "example.org" not in str(audit_entries())


def test_new_password_needs_the_old_one_and_is_told(client, ann):
    new = {"password1": "Rook-to-e8-now", "password2": "Rook-to-e8-now"}
    client.post("/accounts/password/change/", {"oldpassword": "wrong", **new})
    assert audit_entries() == []
    client.post("/accounts/password/change/", {"oldpassword": "secret", **new})
    assert audit_entries() == [("account.password_changed", {})]
    run_due_jobs()
    assert [message.to for message in mail.outbox] == [["ann@example.org"]]


@pytest.mark.django_db(transaction=True)
def test_factor_is_switched_off_only_after_the_password(client, ann):
    set_up(client)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    asked = client.post("/accounts/2fa/totp/deactivate/")
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert ann.authenticator_set.count() == 2

    client.post("/accounts/reauthenticate/", PASSWORD)
    client.post("/accounts/2fa/totp/deactivate/")
    assert ann.authenticator_set.count() == 0
    assert audit_entries() == [
        ("account.factor_added", {"kind": "totp"}),
        ("account.factor_added", {"kind": "recovery_codes"}),
        ("account.factor_removed", {"kind": "totp"}),
        ("account.factor_removed", {"kind": "recovery_codes"}),
    ]
    run_due_jobs()
    assert [message.to for message in mail.outbox] == [["ann@example.org"]] * 2


def test_each_account_needs_its_own_address(client):
    password = "Rook-to-e8-now"
    client.post(
        "/accounts/signup/",
        {
            "username": "newcomer",
            "email": "newcomer@example.org",
            "password1": password,
            "password2": password,
        },
    )
    assert "_auth_user_id" not in client.session
    client.post(VERIFY, {"code": "WRONG"})
    assert "_auth_user_id" not in client.session
    client.post(VERIFY, {"code": mailed_code("newcomer@example.org")})
    assert client.session["_auth_user_id"] == str(User.objects.get().pk)
    assert [action for action, _ in audit_entries()] == [
        "account.opened",
        "account.email_verified",
        "account.signed_in",
    ]


def test_account_that_the_office_opened_verifies_its_address_first(client):
    make_user("old", email="old@example.org")
    client.post("/accounts/login/", {"login": "old", "password": "secret"})
    assert "_auth_user_id" not in client.session
    client.post(VERIFY, {"code": mailed_code("old@example.org")})
    assert "_auth_user_id" in client.session


def test_account_without_any_address_has_none_to_verify(client):
    make_user("bare")
    client.post("/accounts/login/", {"login": "bare", "password": "secret"})
    assert "_auth_user_id" in client.session


def test_mail_server_that_is_down_leaves_the_change_as_it_is(client, ann, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    new = {"password1": "Rook-to-e8-now", "password2": "Rook-to-e8-now"}
    client.post("/accounts/password/change/", {"oldpassword": "secret", **new})
    ann.refresh_from_db()
    assert ann.check_password("Rook-to-e8-now")


def test_address_that_the_office_changes_is_verified_again(admin_client, ann):
    page = admin_client.get(f"/admin/common/user/{ann.pk}/change/")
    form = page.context["adminform"].form
    typed = {
        name: value
        for name, value in form.initial.items()
        if value not in (None, False)
    }
    days = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    admin_client.post(
        f"/admin/common/user/{ann.pk}/change/",
        {
            **typed,
            **days,
            "groups": [],
            "user_permissions": [],
            "email": "x@example.org",
        },
    )
    ann.refresh_from_db()
    assert ann.email == "x@example.org"
    assert not EmailAddress.objects.filter(user=ann).exists()
    run_due_jobs()
    assert [message.to for message in mail.outbox] == [["ann@example.org"]]
    (entry,) = AuditEntry.objects.filter(action="account.changed")
    assert entry.facts["email"] == "changed"


def test_password_set_by_the_office_is_audited_and_mailed(admin_client, ann):
    new = {"password1": "Rook-to-e8-now", "password2": "Rook-to-e8-now"}
    admin_client.post(
        f"/admin/common/user/{ann.pk}/password/", {"usable_password": "true", **new}
    )
    entry = AuditEntry.objects.get(action="account.password_changed")
    assert (entry.subject_id, entry.actor.username) == (str(ann.pk), "admin")
    run_due_jobs()
    assert [message.to for message in mail.outbox] == [["ann@example.org"]]


def test_no_cache_keeps_a_page_of_an_account(client, ann):
    for path in (EMAIL, "/accounts/2fa/", "/account/keys/", "/account/notices/"):
        assert "no-store" in client.get(path)["Cache-Control"]
