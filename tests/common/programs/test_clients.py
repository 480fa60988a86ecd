"""The office registers programs and sites in the admin, with a reason."""

import html
import re

import pytest
from allauth.idp.oidc.models import Client, Token
from django.test import Client as Browser

from ratings_site.common.models import AuditEntry, ProgramAccess
from ratings_site.common.programs.queries import redirect_fault
from ratings_site.common.programs.services import grant_access
from tests.common.programs.factories import CALLBACK, make_program
from tests.common.programs.site import DEVICE_GRANT
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db

ADD = "/admin/allauth_idp_oidc/client/add/"
SITE = {
    "id": "entries",
    "name": "Entry Site",
    "type": "confidential",
    "grant_types": ["authorization_code"],
    "scopes": ["openid", "name"],
    "redirect_uris": CALLBACK,
    "reason_for_change": "The club asked.",
}


@pytest.fixture
def clerk():
    browser = Browser()
    browser.user = make_staff()
    browser.force_login(browser.user)
    return browser


def test_clerk_registers_a_site_and_sees_its_secret_once(clerk):
    answer = clerk.post(ADD, SITE, follow=True)
    client = Client.objects.get(pk="entries")
    [shown] = re.findall(r"not shown again: ([^\s<]+)", answer.content.decode())
    secret = html.unescape(shown)
    assert client.check_secret(secret)
    assert client.get_grant_types() == ["authorization_code", "refresh_token"]
    assert client.get_scopes() == ["openid", "name"]
    assert (client.response_types, client.skip_consent) == ("code", False)
    entry = AuditEntry.objects.get(action="program.added")
    assert (entry.actor, entry.reason) == (clerk.user, "The club asked.")
    page = clerk.get("/admin/allauth_idp_oidc/client/entries/change/")
    assert secret not in html.unescape(page.content.decode())


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"reason_for_change": ""}, "reason_for_change"),
        ({"redirect_uris": ""}, "redirect_uris"),
        ({"redirect_uris": "http://entries.example.org/"}, "redirect_uris"),
        ({"grant_types": [DEVICE_GRANT], "scopes": ["report:draft"]}, "type"),
        ({"scopes": ["name"]}, "scopes"),
        ({"grant_types": [DEVICE_GRANT], "type": "public"}, "scopes"),
        ({"scopes": ["email"]}, "scopes"),
    ],
)
def test_wrong_registration_is_refused_with_its_field(clerk, changed, field):
    answer = clerk.post(ADD, SITE | changed)
    assert answer.status_code == 422
    assert set(answer.context["adminform"].form.errors) == {field}
    assert not Client.objects.exists()


def test_program_that_is_turned_off_loses_all_access(clerk):
    client = make_program()
    owner = make_user()
    grant_access(owner=owner, client=client, scopes=["report:draft"])
    Token.objects.create(type="at", hash="x", client=client, user=owner)
    address = "/admin/allauth_idp_oidc/client/pairings/change/"
    said = {"name": client.name, "scopes": ["report:draft"], "redirect_uris": ""}
    clerk.post(address, said | {"reason_for_change": "It was stolen."})
    client.refresh_from_db()
    assert (client.grant_types, client.response_types) == ("", "")
    assert ProgramAccess.objects.get().revoked_at is not None
    assert not Token.objects.exists()
    entry = AuditEntry.objects.get(action="account.program_revoked")
    assert (entry.actor, entry.reason) == (clerk.user, "It was stolen.")
    assert AuditEntry.objects.filter(action="program.changed").count() == 1


def test_program_is_renamed_and_keeps_its_grant(clerk):
    client = make_program()
    said = {
        "name": "Pairings Pro",
        "grant_types": [DEVICE_GRANT],
        "scopes": client.get_scopes(),
        "redirect_uris": "",
        "reason_for_change": "A new name.",
    }
    answer = clerk.post("/admin/allauth_idp_oidc/client/pairings/change/", said)
    assert answer.status_code == 302
    client.refresh_from_db()
    assert (client.name, client.get_grant_types()[0]) == ("Pairings Pro", DEVICE_GRANT)
    entry = AuditEntry.objects.get(action="program.changed")
    assert "Pairings Pro" in str(entry.facts)
    assert "grant" not in str(entry.facts)


def test_site_with_a_secret_gets_no_device_code(clerk):
    clerk.post(ADD, SITE)
    said = {
        "name": "Entry Site",
        "grant_types": [DEVICE_GRANT],
        "scopes": ["report:draft"],
        "redirect_uris": "",
        "reason_for_change": "It wants both.",
    }
    answer = clerk.post("/admin/allauth_idp_oidc/client/entries/change/", said)
    assert answer.status_code == 422
    assert set(answer.context["adminform"].form.errors) == {"__all__"}


def test_only_staff_register_and_nobody_sees_tokens(clerk):
    browser = Browser()
    browser.force_login(make_user())
    assert browser.get(ADD)["Location"].startswith("/admin/login/")
    assert clerk.get("/admin/allauth_idp_oidc/token/").status_code == 404


@pytest.mark.parametrize(
    ("uri", "is_good"),
    [
        (CALLBACK, True),
        ("http://127.0.0.1/back", True),
        ("http://[::1]:8080/back", True),
        ("org.example.pairings:/back", True),
        ("http://localhost/back", False),
        ("https://*.example.org/", False),
        ("https://a@example.org/", False),
        ("https://example.org/#part", False),
        ("https://[bad/", False),
        ("https://example.org:port/", False),
        ("javascript:alert(1)", False),
        ("https://", False),
    ],
)
def test_redirect_addresses(uri, is_good):
    assert (redirect_fault(uri) == "") is is_good
