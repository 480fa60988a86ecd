"""A new password, or a reset of factors, revokes the API keys of the account."""

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from ratings_site.common.api_keys.services import active_keys, create_key, find_key
from ratings_site.common.models import AuditEntry, User
from ratings_site.common.sign_in.services import link_to_set_password, reset_factors
from tests.factories import make_user, verified

pytestmark = pytest.mark.django_db

PASSWORD = "Rook-to-e8-now"
NEW = {"password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def ann() -> User:
    cache.clear()
    return verified(make_user("ann"))


def change(ann: User) -> None:
    client = Client()
    client.force_login(ann)
    client.post("/accounts/password/change/", {"oldpassword": "secret", **NEW})


def reset_password_by_mail(ann: User) -> None:
    client = Client()
    path = re.sub("https?://[^/]+", "", link_to_set_password(ann))
    client.post(client.get(path)["Location"], NEW)


def office() -> User:
    return make_user("admin", is_staff=True, is_superuser=True)


def set_password_by_office(ann: User) -> None:
    client = Client()
    client.force_login(office())
    typed = {"usable_password": "true", **NEW}
    client.post(f"/admin/common/user/{ann.pk}/password/", typed)


def reset_second_factors(ann: User) -> None:
    ann.authenticator_set.create(type="totp", data={"secret": "x"})
    reset_factors(account_id=ann.pk, actor=office(), reason="Lost.")


@pytest.mark.parametrize(
    ("act", "actor"),
    [
        (change, "ann"),
        (reset_password_by_mail, "ann"),
        (set_password_by_office, "admin"),
        (reset_second_factors, "admin"),
    ],
)
def test_keys_of_the_account_open_nothing_more(
    ann, act: Callable[[User], None], actor: str
):
    _key, text = create_key(owner=ann, name="Website", may_submit=True)
    create_key(owner=ann, name="Club", may_submit=False)
    _kept, other = create_key(owner=make_user("bob"), name="Bob's", may_submit=False)
    act(ann)
    assert find_key(text) is None
    assert not active_keys(ann).exists()
    assert find_key(other) is not None
    revoked = AuditEntry.objects.filter(action="api_key.revoked")
    assert [entry.actor.username for entry in revoked] == [actor, actor]


def test_wrong_old_password_revokes_nothing(ann):
    _key, text = create_key(owner=ann, name="Website", may_submit=True)
    client = Client()
    client.force_login(ann)
    client.post("/accounts/password/change/", {"oldpassword": "wrong", **NEW})
    assert find_key(text) is not None
