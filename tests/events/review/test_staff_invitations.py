"""Invitations to the office, with access only after a second factor."""

import re
from contextlib import suppress
from io import StringIO
from threading import Barrier, BrokenBarrierError

import pytest
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import pre_save
from django.test import Client

from events.models import Submission
from events.reports.queries import reports
from events.review.groups import (
    ACTION_PERMISSIONS,
    COMMITTEE,
    DIRECTOR,
    MANAGER,
    OFFICE,
)
from events.review.services.colleagues import (
    ConfirmationRefused,
    InvitationRefused,
    confirm_colleague,
    grantable_groups,
    invite_colleague,
)
from players.claims.services import claims
from players.models import Claim
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.accounts.queries import are_different_people
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, User
from tests.common.sign_in.test_second_factor import code_of
from tests.factories import make_staff, make_user, verified
from tests.test_races import run_concurrently

pytestmark = pytest.mark.django_db

PAGE = "/office/colleagues/invite/"
PASSWORD = "a-long-way-to-Zenda"
FRITZ = {"username": "fritz", "email": "fritz@example.org"}


def manager() -> User:
    user = make_staff()
    user.groups.add(Group.objects.get(name=MANAGER))
    return user


def invite(*groups: str, actor: User | None = None, **said: str) -> User:
    return invite_colleague(
        groups=groups,
        actor=actor or manager(),
        reason="Works here from May.",
        **(FRITZ | said),
    )


def mailed_link() -> str:
    run_due_jobs()
    return re.search(r"https?://[^/]+(/accounts/password\S+)", mail.outbox[-1].body)[1]


def set_password(client: Client, path: str) -> None:
    form = client.get(path, follow=True).request["PATH_INFO"]
    client.post(form, {"password1": PASSWORD, "password2": PASSWORD})


def test_mailed_link_sets_a_password_and_the_office_waits_for_a_factor(
    client, settings
):
    settings.REQUIRE_SECOND_FACTOR = True
    user = manager()
    user.authenticator_set.create(type="totp", data={})
    client.force_login(user)
    sent = {**FRITZ, "groups": [OFFICE], "reason": "Works here from May."}
    page = client.post(PAGE, sent).content.decode()
    assert "fritz@example.org" in page
    path = mailed_link()
    assert mail.outbox[-1].to == ["fritz@example.org"]
    assert path not in page

    guest = Client()
    set_password(guest, path)
    guest.post("/accounts/login/", {"login": "fritz", "password": PASSWORD})
    run_due_jobs()
    code = re.search(r"^ *(\w{4}-\w{4})$", mail.outbox[-1].body, re.M)[1]
    guest.post("/accounts/confirm-email/", {"code": code})
    fritz = User.objects.get(username="fritz")
    assert guest.session["_auth_user_id"] == str(fritz.pk)
    assert guest.get("/office/")["Location"] == "/accounts/2fa/"
    guest.post("/accounts/reauthenticate/", {"password": PASSWORD})
    secret = guest.get("/accounts/2fa/totp/activate/").context["form"].secret
    guest.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)})
    assert "To do" in guest.get("/office/").content.decode()
    assert Client().get(path, follow=True).context["token_fail"]


def test_audit_keeps_who_whom_into_which_group_and_why():
    boss = manager()
    fritz = invite(OFFICE, COMMITTEE, actor=boss)
    entry = AuditEntry.objects.get(action="account.invited")
    assert (entry.actor, entry.subject_id, entry.reason) == (
        boss,
        str(fritz.pk),
        "Works here from May.",
    )
    assert entry.facts == {"groups": [COMMITTEE, OFFICE]}
    assert "example.org" not in str(AuditEntry.objects.values())


def test_account_of_the_address_joins_and_keeps_its_password():
    known = verified(make_user("known", email="fritz@example.org"))
    assert invite(OFFICE, email="Fritz@example.org") == known
    known.refresh_from_db()
    assert (known.is_staff, known.check_password("secret")) == (True, True)
    assert [group.name for group in known.groups.all()] == [OFFICE]
    run_due_jobs()
    (letter,) = mail.outbox
    assert letter.to == ["fritz@example.org"]
    assert "/accounts/password" not in letter.body
    with pytest.raises(InvitationRefused):
        invite(OFFICE)


def test_unverified_address_cannot_be_invited():
    make_user("somebody", email="fritz@example.org")
    with pytest.raises(InvitationRefused, match="never verified"):
        invite(OFFICE)
    assert not AuditEntry.objects.exists()


def test_address_of_a_closed_account_is_called_closed():
    gone = verified(make_user("gone", email="fritz@example.org"))
    User.objects.filter(pk=gone.pk).update(is_active=False)
    with pytest.raises(InvitationRefused, match="is closed"):
        invite(OFFICE)
    User.objects.filter(pk=gone.pk).update(email="other@example.org")
    with pytest.raises(InvitationRefused, match="is closed"):
        invite(OFFICE)


@pytest.mark.parametrize(
    "said", [{"username": ""}, {"username": "taken"}, {"email": "nowhere"}]
)
def test_what_no_account_can_have_opens_none(said):
    make_user("taken")
    boss = manager()
    with pytest.raises(InvitationRefused):
        invite(OFFICE, actor=boss, **said)
    assert User.objects.count() == 2


def test_user_name_taken_meanwhile_is_refused_with_a_message(client):
    boss = manager()

    def sign_up(instance: User, **_: object) -> None:
        User.objects.bulk_create([User(username=instance.username)])

    client.force_login(boss)
    pre_save.connect(sign_up, sender=User)
    try:
        page = client.post(PAGE, {**FRITZ, "groups": [OFFICE], "reason": "Works here."})
    finally:
        pre_save.disconnect(sign_up, sender=User)
    assert "This username was just taken" in page.content.decode()
    assert not User.objects.filter(email="fritz@example.org").exists()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_address_is_given_to_one_account_of_two_invited_at_once():
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    boss, both_looked = manager(), Barrier(2)

    def wait_for_the_other(**_: object) -> None:
        with suppress(BrokenBarrierError):  # as while waiting for the lock
            both_looked.wait(timeout=0.5)

    pre_save.connect(wait_for_the_other, sender=User)
    try:
        tried = run_concurrently(
            *[
                lambda name=name: invite(OFFICE, actor=boss, username=name)
                for name in ("fritz", "rupert")
            ]
        )
    finally:
        pre_save.disconnect(wait_for_the_other, sender=User)
    assert {type(one) for one in tried} == {InvitationRefused, User}
    assert User.objects.filter(email="fritz@example.org").count() == 1


def test_only_own_permissions_can_be_granted():
    boss = manager()
    assert grantable_groups(boss) == [OFFICE, MANAGER, COMMITTEE]
    with pytest.raises(NotAllowed):
        invite(OFFICE, DIRECTOR, actor=boss)
    assert not User.objects.filter(username="fritz").exists()
    invite(DIRECTOR, actor=make_user(is_superuser=True))


def test_group_needs_its_actions_and_tables_to_be_granted():
    clerk = make_staff()
    invites = Permission.objects.get(codename="invite_staff")
    clerk.user_permissions.add(invites)
    assert grantable_groups(User.objects.get(pk=clerk.pk)) == [OFFICE]
    group = Group.objects.get(name=OFFICE)
    clerk.user_permissions.add(*group.permissions.exclude(codename="change_guardian"))
    clerk.groups.remove(group)
    clerk = User.objects.get(pk=clerk.pk)
    assert clerk.has_perms(ACTION_PERMISSIONS[OFFICE])
    assert grantable_groups(clerk) == []


def test_own_address_cannot_be_invited():
    boss = verified(manager())
    before = set(boss.groups.all())
    with pytest.raises(InvitationRefused, match="your own"):
        invite(COMMITTEE, actor=boss, email=boss.email)
    assert set(boss.groups.all()) == before


def test_new_colleague_counts_as_who_invited_until_a_third_confirms(client):
    boss, third = manager(), manager()
    fritz = invite(OFFICE, MANAGER, actor=boss)
    rupert = invite(OFFICE, actor=fritz, username="rupert", email="rupert@example.org")
    assert not are_different_people(rupert, boss)
    assert are_different_people(rupert, third)
    for nobody_else in (boss, fritz, rupert):
        with pytest.raises((ConfirmationRefused, NotAllowed)):
            confirm_colleague(account_id=fritz.pk, actor=nobody_else, reason="Met.")
    assert not are_different_people(fritz, boss)
    client.force_login(third)
    page = client.get(PAGE).content.decode()
    assert re.findall(r"/colleagues/(\d+)/confirm/", page) == [
        str(fritz.pk),
        str(rupert.pk),
    ]
    client.post(f"/office/colleagues/{fritz.pk}/confirm/", {"reason": "Met him."})
    entry = AuditEntry.objects.get(action="account.confirmed")
    assert (entry.actor, entry.subject_id, entry.reason) == (
        third,
        str(fritz.pk),
        "Met him.",
    )
    boss, fritz, rupert = (User.objects.get(pk=one.pk) for one in (boss, fritz, rupert))
    assert are_different_people(fritz, boss)
    assert not are_different_people(rupert, fritz)
    assert f"{fritz.pk}/confirm/" not in client.get(PAGE).content.decode()


def test_superuser_confirms_whom_they_invited():
    root = make_user(is_superuser=True)
    fritz = invite(OFFICE, actor=root)
    confirm_colleague(account_id=fritz.pk, actor=root, reason="An office of two.")
    assert are_different_people(User.objects.get(pk=fritz.pk), root)
    with pytest.raises(ConfirmationRefused):
        confirm_colleague(account_id=fritz.pk, actor=root, reason="Again.")


def test_who_is_of_the_office_stays_who_they_are():
    boss, other = manager(), verified(manager())
    director = make_user(is_superuser=True)
    invite(DIRECTOR, actor=director, email=other.email)
    assert are_different_people(User.objects.get(pk=other.pk), director)
    fritz = verified(invite(COMMITTEE, actor=boss))
    invite(OFFICE, actor=other, email=fritz.email)
    assert User.objects.get(pk=fritz.pk).invited_by == boss


def test_who_invited_the_sender_does_not_accept_the_report():
    boss, sender = manager(), make_user()
    submission = Submission(uploaded_by=sender, submitted_by=sender)
    assert reports.denial_reason(submission, boss) == ""
    User.objects.filter(pk=sender.pk).update(invited_by=boss)
    assert "You invited" in reports.denial_reason(submission, boss)


def test_who_invited_the_claimant_does_not_decide_the_claim():
    boss, claimant = manager(), make_user()
    assert claims.denial_reason(Claim(account=claimant), boss) == ""
    claimant.invited_by = boss
    assert "You invited" in claims.denial_reason(Claim(account=claimant), boss)


@pytest.mark.parametrize("colleagues", [2, 20])
def test_page_takes_the_same_queries_for_any_number_to_be_confirmed(
    client, django_assert_num_queries, colleagues
):
    client.force_login(manager())
    client.get(PAGE)
    for _ in range(colleagues):
        make_user(invited_by=make_user())
    with django_assert_num_queries(7):
        page = client.get(PAGE).content
    assert page.count(b"/confirm/") == colleagues


def test_committee_alone_is_no_staff():
    assert not invite(COMMITTEE).is_staff


def test_page_shows_the_link_only_without_email(client, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client.force_login(manager())
    sent = {**FRITZ, "groups": [OFFICE], "reason": "Works here."}
    page = client.post(PAGE, sent).content.decode()
    path = re.search(r"https?://[^/]+(/accounts/password[^<\s]+)", page)[1]
    set_password(Client(), path)
    assert User.objects.get(username="fritz").check_password(PASSWORD)


def test_first_manager_gets_the_printed_link_by_mail_too():
    out = StringIO()
    said = {"name": "Ruritania", "address": "", "time_zone": "UTC"}
    call_command(
        "create_office",
        stdout=out,
        manager="flavia",
        email="flavia@example.org",
        **said,
    )
    assert "will also be emailed to flavia@example.org" in out.getvalue()
    set_password(Client(), mailed_link())
    flavia = User.objects.get(username="flavia")
    assert flavia.check_password(PASSWORD)
    assert {group.name for group in flavia.groups.all()} == {OFFICE, MANAGER}
