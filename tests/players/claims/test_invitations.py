"""The office invites people to link their accounts to members."""

import re
from datetime import date, timedelta
from urllib.parse import quote

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from players.claims.services import invitations
from players.claims.services.claims import ClaimRefused
from players.claims.services.invitations import (
    accept_invitation,
    get_invitation,
    invite,
    link_of,
)
from players.guardians.queries import children_of
from players.models import Invitation, Player
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job, User
from tests.factories import make_player, make_staff, make_user, verified

pytestmark = pytest.mark.django_db

PAGE = "/office/claims/invite/"


@pytest.fixture
def ann() -> User:
    return verified(make_user("ann"))


def token_of(invitation: Invitation) -> str:
    return link_of(invitation).rstrip("/").rpartition("/")[2]


def invited(player: Player, *, as_guardian: bool = False, email: str = "") -> str:
    """Return the token of a new invitation."""
    invitation = invite(
        player_id=player.pk, as_guardian=as_guardian, email=email, actor=make_staff()
    )
    return token_of(invitation)


def test_mailed_link_makes_the_account_the_members(client, ann):
    player = make_player()
    client.force_login(make_staff())
    sent = {"member": player.member_id, "whom": "member", "email": "new@example.org"}
    client.post(PAGE, sent)
    run_due_jobs()
    (letter,) = mail.outbox
    assert letter.to == ["new@example.org"]
    path = re.search(r"https?://[^/]+(/\S+)", letter.body)[1]

    guest = Client()
    assert guest.get(path)["Location"] == f"/accounts/login/?next={quote(path)}"
    guest.force_login(ann)
    assert player.name in guest.get(path).content.decode()
    guest.post(path)
    player.refresh_from_db()
    assert player.account == ann
    assert "new@example.org" not in str(AuditEntry.objects.values())


def test_link_without_an_address_is_shown_to_be_handed_over(client):
    player = make_player()
    client.force_login(make_staff())
    page = client.post(PAGE, {"member": player.member_id, "whom": "guardian"})
    link = re.search(r"https?://\S+/players/invited/([^/]+)/", page.content.decode())
    assert get_invitation(link[1]) == Invitation.objects.get()
    run_due_jobs()
    assert mail.outbox == []


def test_guardian_is_invited_to_speak_for_a_child(ann):
    child = make_player(birth_date=timezone.localdate() - timedelta(days=3000))
    accept_invitation(token=invited(child, as_guardian=True), actor=ann)
    assert children_of(ann) == [child]


def test_link_counts_once(client, ann):
    child = make_player(birth_date=None)
    token = invited(child, as_guardian=True)
    accept_invitation(token=token, actor=ann)
    bob = make_user()
    with pytest.raises(ClaimRefused):
        accept_invitation(token=token, actor=bob)
    client.force_login(bob)
    assert client.get(f"/players/invited/{token}/").status_code == 404
    assert children_of(bob) == []


def test_link_counts_fourteen_days(ann, monkeypatch):
    token = invited(make_player())
    monkeypatch.setattr(invitations, "INVITATION_LIFETIME", timedelta(seconds=-1))
    with pytest.raises(ClaimRefused):
        accept_invitation(token=token, actor=ann)


@pytest.mark.parametrize("token", ["nonsense", "1:abc:def", ""])
def test_forged_link_opens_nothing(ann, token):
    invited(make_player())
    with pytest.raises(ClaimRefused):
        accept_invitation(token=token, actor=ann)


def test_invitation_keeps_to_who_may_speak(ann):
    grown = make_player(birth_date=date(1990, 1, 1))
    with pytest.raises(ClaimRefused):
        accept_invitation(token=invited(grown, as_guardian=True), actor=ann)
    assert Invitation.objects.get().used_at is None


@pytest.mark.parametrize("gone", [False, True], ids=["used", "member forgotten"])
def test_queued_email_is_not_sent_for_an_expired_invitation(gone):
    invited(make_player(), email="ann@example.org")
    if gone:
        Invitation.objects.all().delete()
    else:
        Invitation.objects.update(used_at=timezone.now())
    run_due_jobs()
    assert not mail.outbox
    assert Job.objects.get().state == Job.State.DONE


def test_only_those_who_decide_claims_invite(ann):
    with pytest.raises(NotAllowed):
        invite(player_id=make_player().pk, as_guardian=False, email="", actor=ann)


def test_who_opens_an_account_for_it_comes_back_to_the_invitation(client):
    path = f"/players/invited/{invited(make_player())}/"
    door = client.get(path, follow=True).content.decode()
    signup = re.search(r'href="(/accounts/signup/[^"]+)"', door)[1]
    password = "Rook-to-e8-now"
    page = client.post(
        signup.replace("&amp;", "&"),
        {
            "username": "newcomer",
            "email": "newcomer@example.org",
            "password1": password,
            "password2": password,
            "next": path,
        },
    )
    run_due_jobs()
    code = re.search(r"^ *([A-Z0-9-]{6,})$", mail.outbox[-1].body, re.M)[1]
    assert client.post(page["Location"], {"code": code})["Location"] == path
