"""API keys, and the daily quota of requests."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from ratings_site.common.api_keys.services import (
    MAX_KEYS,
    active_keys,
    create_key,
    revoke_key,
)
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.models import ApiKey, ApiUse, AuditEntry
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SYSTEMS, PAGE = "/api/v1/systems", "/account/keys/"
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def ask(text: str = "", **extra):
    headers = {"Authorization": f"Bearer {text}"} if text else {}
    return Client().get(SYSTEMS, headers=headers, **extra)


def new_key(**said) -> tuple[ApiKey, str]:
    defaults = {"owner": make_user(), "name": "the club", "may_submit": False}
    return create_key(**{**defaults, **said})


@pytest.fixture
def signed_in():
    client = Client()
    client.user = make_user("keeper")
    client.force_login(client.user)
    return client


# Keys


def test_a_key_is_shown_once_and_kept_as_a_digest(signed_in):
    response = signed_in.post(PAGE, {"name": "the club", "may_submit": "on"})
    [text] = re.findall(r'value="(ro_[\w-]{43})"', response.content.decode())
    key = ApiKey.objects.get()
    assert (key.owner, key.name, key.may_submit) == (signed_in.user, "the club", True)
    assert text.startswith(key.prefix)
    assert text not in str(list(ApiKey.objects.values()))
    assert "no-store" in response.headers["Cache-Control"]
    page = signed_in.get(PAGE).content.decode()
    assert text not in page
    assert key.prefix in page
    assert AuditEntry.objects.get(action="api_key.made").actor == signed_in.user


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\x00b"])
def test_a_key_without_a_proper_name_is_refused(signed_in, name):
    assert signed_in.post(PAGE, {"name": name}).status_code == 422
    assert not ApiKey.objects.exists()


def test_keys_per_account_are_limited():
    owner = make_user()
    for _ in range(MAX_KEYS):
        new_key(owner=owner)
    with pytest.raises(Refusal, match="You already have 10 keys"):
        new_key(owner=owner)
    revoke_key(key_id=active_keys(owner).first().pk, actor=owner)
    new_key(owner=owner)
    assert active_keys(owner).count() == MAX_KEYS


def test_a_revoked_key_opens_nothing(signed_in):
    key, text = new_key(owner=signed_in.user)
    assert ask(text).status_code == 200
    address = f"{PAGE}{key.pk}/revoke/"
    assert signed_in.post(address).url == PAGE
    assert signed_in.post(address).status_code == 404
    response = ask(text)
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (
        401,
        "Bearer",
    )
    assert response.json()["title"] == "The API key is not valid."
    assert AuditEntry.objects.filter(action="api_key.revoked").count() == 1


def test_keys_of_others_are_out_of_reach(signed_in):
    key, text = new_key()
    assert signed_in.post(f"{PAGE}{key.pk}/revoke/").status_code == 404
    assert key.prefix not in signed_in.get(PAGE).content.decode()
    assert ask(text).status_code == 200


def test_who_may_not_sign_in_may_not_use_a_key_either():
    key, text = new_key()
    key.owner.is_active = False
    key.owner.save()
    assert ask(text).status_code == 401


@pytest.mark.parametrize(
    "said", ["Bearer x", "Bearer", "Basic eDp5", "ro_nothing", "Bearer \udcff", "é"]
)
def test_what_is_no_key_is_refused(said):
    response = Client().get(SYSTEMS, headers={"Authorization": said})
    assert response.status_code == 401
    assert response.headers["Content-Type"] == "application/problem+json"


def test_only_who_is_signed_in_has_keys():
    assert Client().get(PAGE).url == f"/accounts/login/?next={PAGE}"


# The quota


def test_every_answer_says_what_is_left(settings):
    settings.API_QUOTA_WITHOUT_KEY = 3
    with time_machine.travel(NOON, tick=False):
        first, second = ask(), ask()
    assert first.headers["RateLimit-Policy"] == '"day";q=3;w=86400'
    assert first.headers["RateLimit"] == '"day";r=2;t=43201'
    assert second.headers["RateLimit"] == '"day";r=1;t=43201'


def test_who_has_used_up_the_quota_waits_until_midnight(settings):
    settings.API_QUOTA_WITHOUT_KEY = 2
    with time_machine.travel(NOON, tick=False) as clock:
        statuses = [ask().status_code for _ in range(4)]
        last = ask()
        assert statuses == [200, 200, 429, 429]
        assert last.headers["Retry-After"] == "43201"
        assert last.json()["detail"] == (
            "2 requests per day are allowed. The quota resets in 43,201 seconds."
        )
        clock.shift(timedelta(seconds=43_201))
        assert ask().status_code == 200
        # Counts of past days, with their IP addresses, are deleted.
        assert [(one.day.day, one.requests) for one in ApiUse.objects.all()] == [(5, 1)]


def test_each_address_and_each_account_has_a_quota_of_its_own(settings):
    settings.API_QUOTA_WITHOUT_KEY = settings.API_QUOTA_WITH_KEY = 1
    (_, one), (_, other) = new_key(), new_key()
    assert ask().status_code == ask(one).status_code == ask(other).status_code == 200
    assert ask(REMOTE_ADDR="10.0.0.7").status_code == 200
    assert ask().status_code == ask(one).status_code == 429


def test_another_key_of_an_account_is_not_another_quota(settings):
    settings.API_QUOTA_WITH_KEY = 2
    first, text = new_key()
    _second, other = create_key(owner=first.owner, name="Another", may_submit=False)
    asked = [ask(one).status_code for one in (text, other, text, other)]
    assert asked == [200, 200, 429, 429]
    assert {one.last_used_on for one in first.owner.api_keys.all()} == {
        timezone.now().astimezone(UTC).date()
    }


def test_keys_that_open_nothing_are_counted_by_address(settings):
    settings.API_QUOTA_WITHOUT_KEY = 2
    asked = [ask(f"ro_guess{number}").status_code for number in range(4)]
    assert asked == [401, 401, 429, 429]


def test_a_forged_beginning_of_the_site_opens_no_way_around(settings):
    settings.API_QUOTA_WITHOUT_KEY = 1
    asked = [ask(SCRIPT_NAME="/elsewhere").status_code for _ in range(2)]
    assert asked == [200, 429]


def test_visitors_behind_a_proxy_are_told_apart(settings):
    settings.API_QUOTA_WITHOUT_KEY = 1
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    forwarded = [
        Client().get(SYSTEMS, headers={"X-Forwarded-For": f"8.8.8.8, {address}"})
        for address in ("203.0.113.1", "203.0.113.2", "203.0.113.1")
    ]
    assert [one.status_code for one in forwarded] == [200, 200, 429]


def test_requests_from_nowhere_share_a_quota(settings):
    settings.API_QUOTA_WITHOUT_KEY = 1
    statuses = [ask(REMOTE_ADDR="").status_code for _ in range(2)]
    assert statuses == [200, 429]


def test_who_passed_around_the_proxies_comes_from_nowhere(settings):
    settings.API_QUOTA_WITHOUT_KEY = 1
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 3
    asked = [
        Client().get(SYSTEMS, headers={"X-Forwarded-For": f"203.0.113.{number}"})
        for number in (1, 2)
    ]
    assert [one.status_code for one in asked] == [200, 429]


def test_a_network_of_ipv6_shares_a_quota(settings):
    settings.API_QUOTA_WITHOUT_KEY = 1
    addresses = ("2001:db8:1:2::7", "2001:db8:1:2:ffff::9", "2001:db8:1:3::7")
    asked = [ask(REMOTE_ADDR=address) for address in addresses]
    assert [one.status_code for one in asked] == [200, 429, 200]


def test_no_address_is_kept():
    ask(REMOTE_ADDR="203.0.113.77")
    assert "203.0.113.77" not in str(list(ApiUse.objects.values()))


def test_a_key_remembers_its_last_day():
    key, text = new_key()
    with time_machine.travel(NOON):
        ask(text)
    key.refresh_from_db()
    assert key.last_used_on == NOON.date()


def test_a_request_costs_one_query_for_the_count(django_assert_num_queries):
    _, text = new_key()
    ask()
    ask(text)
    with django_assert_num_queries(1):
        ask()
    with django_assert_num_queries(2):  # and one for the key
        ask(text)
