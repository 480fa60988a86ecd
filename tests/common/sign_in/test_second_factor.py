"""Office pages require a second factor."""

import hashlib
import hmac
import struct
import time
from base64 import b32decode

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission
from django.test import Client

from events.review.groups import COMMITTEE
from ratings_site.common.models import User
from ratings_site.common.sign_in.queries import lacks_second_factor
from tests.factories import make_staff, make_td, make_user, verified

pytestmark = pytest.mark.django_db

QUEUE = "/office/"
SET_UP = "/accounts/2fa/"


@pytest.fixture(autouse=True)
def _required(settings):
    settings.REQUIRE_SECOND_FACTOR = True


def code_of(secret: str) -> str:
    """Return the current code of an authenticator app (RFC 6238)."""
    moment = struct.pack(">Q", int(time.time()) // 30)
    mac = hmac.new(b32decode(secret), moment, hashlib.sha1).digest()
    place = mac[-1] & 15
    number = struct.unpack(">I", mac[place : place + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def set_up(client: Client) -> str:
    """Set up an authenticator app on the pages; return its secret."""
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    page = client.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)})
    return secret


def committee() -> User:
    member = make_user()
    member.groups.add(Group.objects.get(name=COMMITTEE))
    return member


def deputy() -> User:
    deputy = make_user()
    deputy.user_permissions.add(Permission.objects.get(codename="publish_list"))
    return deputy


def superuser() -> User:
    return make_user(is_superuser=True)


@pytest.mark.parametrize("who", [make_staff, committee, deputy, superuser])
def test_those_of_the_office_lack_a_factor_until_they_have_one(who):
    user = who()
    assert lacks_second_factor(user)
    user.authenticator_set.create(type=Authenticator.Type.RECOVERY_CODES, data={})
    assert lacks_second_factor(user)
    user.authenticator_set.create(type=Authenticator.Type.WEBAUTHN, data={})
    assert not lacks_second_factor(user)


@pytest.mark.parametrize("who", [make_user, make_td])
def test_members_and_directors_need_none(client, who):
    client.force_login(user := who())
    page = client.get("/account/").content.decode()
    assert f"<h1>{user.username}</h1>" in page


@pytest.mark.parametrize(
    "path", ["/office/", "/admin/", "/admin/players/player/", "/laboratory/", "/"]
)
def test_nothing_opens_to_staff_with_a_password_only(client, path):
    client.force_login(make_staff())
    for answer in (client.get(path), client.post(path)):
        assert (answer.status_code, answer["Location"]) == (302, SET_UP)


def test_page_that_sets_one_up_says_why(client):
    client.force_login(make_staff())
    assert "a password alone isn’t enough" in client.get(SET_UP).content.decode()
    client.force_login(make_user())
    assert "a password alone isn’t enough" not in client.get(SET_UP).content.decode()


def test_office_opens_with_a_code_and_not_without(client):
    user = verified(make_staff("sam"))
    client.force_login(user)
    secret = set_up(client)
    assert client.get(QUEUE).status_code == 200

    other = Client()
    signing = {"login": "sam", "password": "secret", "next": QUEUE}
    assert other.post("/accounts/login/", signing)["Location"].startswith(
        "/accounts/2fa/authenticate/"
    )
    assert other.get(QUEUE)["Location"].startswith("/accounts/login/")
    refused = other.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert refused.status_code == 422
    answer = other.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert answer["Location"] == QUEUE
    assert other.get(QUEUE).status_code == 200


def test_office_closes_again_with_the_factor(client):
    client.force_login(verified(make_staff()))
    set_up(client)
    client.post("/accounts/2fa/totp/deactivate/")
    assert client.get(QUEUE)["Location"] == SET_UP


def test_trial_office_says_that_it_is_switched_off(client, settings):
    settings.REQUIRE_SECOND_FACTOR = False
    client.force_login(make_staff())
    assert "Demo: two-step verification is off" in client.get(QUEUE).content.decode()


def test_a_forged_beginning_of_the_site_does_not_open_the_office():
    client = Client()
    client.force_login(make_staff())
    answer = client.get(QUEUE, SCRIPT_NAME="/account")
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith(SET_UP)
