"""The wording of sign-in pages and emails is that of the rest of the site."""

import re
from pathlib import Path

import allauth
import pytest
from django.conf import settings
from django.core import mail
from django.test import Client

from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Office
from tests.common.sign_in.test_second_factor import set_up
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

PACKAGE_TEMPLATES = Path(allauth.__file__).parent / "templates"
OWN_TEMPLATES = Path(settings.BASE_DIR) / "templates"
TITLE_CASE = re.compile(r">\s*(?:[A-Z][a-z]+ )+[A-Z][a-z]+\s*<")
# Sign-in methods that the site does not offer, and base templates.
NOT_OFFERED = re.compile(
    r"base|phone|login_code|signup_by_passkey|signup_form|signup_closed|trust|snippets"
    r"|password_reset_code|verified_email_required|email\.html|reset_code|download|edit"
    r"|cannot_delete|unverified_primary|primary_email_set|email_confirmation_failed"
    r"|email_confirmation_signup"
)
PAGES = (
    *("login/", "signup/", "password/reset/", "password/reset/done/", "inactive/"),
    *("password/reset/key/1-bad/", "password/reset/key/done/", "logout/"),
    *("password/change/", "email/", "2fa/", "2fa/webauthn/", "2fa/webauthn/add/"),
    *("2fa/recovery-codes/", "2fa/recovery-codes/generate/", "2fa/totp/deactivate/"),
    *("reauthenticate/", "2fa/reauthenticate/"),
)


def test_every_reachable_page_and_email_is_ours():
    theirs = {
        path.relative_to(PACKAGE_TEMPLATES)
        for folder in ("account", "mfa")
        for path in (PACKAGE_TEMPLATES / folder).rglob("*.*")
    }
    missing = {
        str(path)
        for path in theirs
        if not (OWN_TEMPLATES / path).exists() and not NOT_OFFERED.search(str(path))
    }
    assert missing == set()


@pytest.mark.parametrize("path", PAGES)
def test_no_label_or_heading_is_in_title_case(client, path):
    ann = verified(make_user("ann"))
    client.force_login(ann)
    if path not in ("login/", "signup/", "password/reset/"):
        set_up(client)
    else:
        client = Client()
    page = client.get(f"/accounts/{path}").content.decode()
    main = page.partition("<main")[2].partition("</main>")[0]
    assert main
    assert TITLE_CASE.findall(main) == []
    assert "placeholder=" not in main
    assert "user name" not in main.lower()


def test_password_email_states_its_expiry(client):
    verified(make_user("ann"))
    client.post("/accounts/password/reset/", {"email": "ann@example.org"})
    run_due_jobs()
    (letter,) = mail.outbox
    assert letter.subject == "Set a new password"
    assert "expires after three days" in letter.body
    assert "/accounts/password/reset/key/" in letter.body
    assert "Your username is ann." in letter.body
    assert "\n\n\n" not in letter.body


def test_emails_name_the_office(client, monkeypatch):
    monkeypatch.setattr(Office, "current", Office(name="Chess Federation of Ruritania"))
    verified(make_user("ann"))
    client.post("/accounts/password/reset/", {"email": "ann@example.org"})
    run_due_jobs()
    assert "Chess Federation of Ruritania, testserver" in mail.outbox[-1].body


def test_page_is_the_same_for_an_unknown_address(client):
    verified(make_user("ann"))
    theirs = client.post("/accounts/password/reset/", {"email": "ann@example.org"})
    other = client.post("/accounts/password/reset/", {"email": "bob@example.org"})
    assert theirs["Location"] == other["Location"]
    run_due_jobs()
    assert mail.outbox[-1].subject == "No account uses this address"


def test_page_that_asks_for_a_code_calls_its_fields_as_we_do(client):
    make_user("old", email="old@example.org")
    sent = {"login": "old", "password": "secret"}
    page = client.post("/accounts/login/", sent, follow=True).content.decode()
    main = page.partition("<main")[2].partition("</main>")[0]
    assert ">Email<" in main
    assert "placeholder=" not in main


def test_page_of_the_app_has_a_field_without_a_placeholder(client):
    client.force_login(verified(make_user("ann")))
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    main = page.partition("<main")[2].partition("</main>")[0]
    assert 'name="code"' in main
    assert "placeholder=" not in main
