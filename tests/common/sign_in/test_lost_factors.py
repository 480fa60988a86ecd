"""Clerks reset lost second factors, and the owner is notified."""

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.utils import timezone

from events.review.groups import MANAGER
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, User
from ratings_site.common.sign_in.services import ResetRefused, reset_factors
from tests.factories import (
    make_player,
    make_staff,
    make_user,
    merge_with_approval,
    verified,
)

pytestmark = pytest.mark.django_db

REASON = "She called, and named her last three events."


@pytest.fixture
def boss() -> User:
    user = make_staff("boss")
    user.groups.add(Group.objects.get(name=MANAGER))
    return user


@pytest.fixture
def ann() -> User:
    user = verified(make_user("ann"))
    for kind in (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES):
        user.authenticator_set.create(type=kind, data={})
    return user


def test_factors_go_sessions_end_and_the_owner_is_told(client, boss, ann):
    lost = Client()
    lost.force_login(ann)
    assert lost.get("/account/").status_code == 200
    client.force_login(boss)
    client.post(f"/office/accounts/{ann.pk}/factors/", {"reason": REASON})
    assert not ann.authenticator_set.exists()
    assert lost.get("/account/")["Location"].startswith("/accounts/login/")
    run_due_jobs()
    (letter,) = mail.outbox
    assert letter.to == ["ann@example.org"]
    assert letter.body.endswith(f"\n\n-- \nRatings office, {settings.SITE_URL}\n")
    entry = AuditEntry.objects.get(action="account.factors_reset")
    assert (entry.actor, entry.subject_id, entry.reason, entry.facts) == (
        boss,
        str(ann.pk),
        REASON,
        {"kinds": ["recovery_codes", "totp"]},
    )


def test_email_names_the_account_as_spelled(boss):
    owner = verified(make_user("d'arcy", email="darcy@example.org"))
    owner.authenticator_set.create(type=Authenticator.Type.TOTP, data={})
    reset_factors(account_id=owner.pk, actor=boss, reason=REASON)
    run_due_jobs()
    assert "your account d'arcy, because" in mail.outbox[-1].body


def test_account_signs_in_again_and_stays(client, boss, ann):
    reset_factors(account_id=ann.pk, actor=boss, reason=REASON)
    client.post("/accounts/login/", {"login": "ann", "password": "secret"})
    assert "<h1>ann</h1>" in client.get("/account/").content.decode()


def test_accounts_are_found_by_any_id_of_the_member(client, boss, ann):
    kept = make_player("12000001", account=ann)
    merge_with_approval(kept, make_player("12000002"))
    client.force_login(boss)
    for number in ("12000001", "12000002"):
        assert f"/{ann.pk}/factors/" in shown(client, number)
    assert f"/{ann.pk}/factors/" not in shown(client, "12000003")


def shown(client, text) -> str:
    return client.get("/office/accounts/", {"q": text}).content.decode()


def test_no_factor_is_taken_from_oneself_or_where_none_is(boss, ann):
    boss.authenticator_set.create(type=Authenticator.Type.TOTP, data={})
    with pytest.raises(ResetRefused):
        reset_factors(account_id=boss.pk, actor=boss, reason=REASON)
    reset_factors(account_id=ann.pk, actor=boss, reason=REASON)
    with pytest.raises(ResetRefused):
        reset_factors(account_id=ann.pk, actor=boss, reason=REASON)
    assert boss.authenticator_set.count() == 1
    assert AuditEntry.objects.count() == 1


def test_superuser_s_go_by_a_superuser_only(boss, ann):
    ann.is_superuser = True
    ann.save()
    with pytest.raises(ResetRefused):
        reset_factors(account_id=ann.pk, actor=boss, reason=REASON)
    other = make_user(is_superuser=True)
    reset_factors(account_id=ann.pk, actor=other, reason=REASON)
    assert not ann.authenticator_set.exists()


@pytest.mark.parametrize("said", ["ANN", "ann@example.org", "20000077"])
def test_account_is_found_by_whole_name_address_or_member_id(client, boss, ann, said):
    make_player("20000077", account=ann)
    make_user("anna")
    client.force_login(boss)
    page = client.get("/office/accounts/", {"q": said})
    assert [one.username for one in page.context["found"]] == ["ann"]


def test_nonsense_matches_no_account(client, boss):
    client.force_login(boss)
    assert list(client.get("/office/accounts/?q=%00").context["found"]) == []


def test_ended_guardian_is_not_found_under_the_child(client, boss, ann):
    child = make_player("20000078", birth_date=None)
    mother = make_user("mother")
    mother.children.create(player=child)
    ann.children.create(player=child, ended_at=timezone.now())
    client.force_login(boss)
    page = client.get("/office/accounts/", {"q": "20000078"})
    assert [one.username for one in page.context["found"]] == ["mother"]


@pytest.mark.parametrize("accounts", [1, 6])
def test_finding_takes_the_same_queries_for_any_number(
    client, boss, django_assert_num_queries, accounts
):
    child = make_player("20000078", birth_date=None)
    for _ in range(accounts):
        parent = make_user()
        make_player(account=parent)
        parent.children.create(player=child)
    client.force_login(boss)
    with django_assert_num_queries(6):
        page = client.get("/office/accounts/", {"q": "20000078"})
    assert len(page.context["found"]) == accounts


def test_sessions_of_before_the_count_stay_open(client, ann):
    """An account whose sessions were never ended keeps its hash."""
    client.force_login(ann)
    known = super(User, ann).get_session_auth_hash()
    ann.sessions_ended = 1
    assert ann.get_session_auth_hash() != known


def test_own_page_shows_no_form_but_who_may(client, boss):
    client.force_login(boss)
    page = client.get(f"/office/accounts/{boss.pk}/factors/").content.decode()
    assert "Another person has to do this." in page
    assert 'name="reason"' not in page
