"""A child is offered an account at 13 and at 18: once each, through the guardians."""

import re
from datetime import date, time

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from players.claims.services.claims import ClaimRefused
from players.claims.services.invitations import accept_invitation, link_of
from players.claims.services.offers import OFFER, due_offers, offer_own_account
from players.models import Guardian, Invitation, Player
from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import AuditEntry, Job, Notice, User
from tests.factories import make_player, make_user, verified

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = date(2026, 3, 1)


@pytest.fixture(autouse=True)
def _today(monkeypatch):
    monkeypatch.setattr("django.utils.timezone.localdate", lambda *_: TODAY)


@pytest.fixture
def mother() -> User:
    return verified(make_user("mother"))


def born(day: date, guardian: User | None = None, **fields) -> Player:
    child = make_player(birth_date=day, **fields)
    if guardian:
        guardian.children.create(player=child)
    return child


def token_of(invitation: Invitation) -> str:
    return link_of(invitation).split("/")[-2]


def run_nightly() -> None:
    Job.objects.all().delete()
    enqueue(OFFER, key="tonight")
    run_due_jobs()


@pytest.mark.parametrize(
    ("day", "age"),
    [
        (date(2013, 3, 1), 13),
        (date(2013, 3, 2), None),
        (date(2013, 1, 30), 13),
        (date(2013, 1, 20), None),
        (date(2008, 2, 29), 18),  # whose 18th birthday is on 1 March
        (date(2008, 3, 2), None),
        (date(2010, 3, 1), None),
        (None, None),
    ],
)
def test_recent_13th_and_18th_birthdays_get_an_offer(mother, day, age):
    child = born(day, mother)
    assert due_offers(TODAY) == ([(child.pk, age)] if age else [])


@pytest.mark.parametrize(
    ("today", "year", "age"),
    [
        (date(2026, 12, 30), 2013, None),
        (date(2026, 12, 31), 2013, 13),
        (date(2027, 1, 15), 2008, 18),
        (date(2026, 1, 15), 2008, None),
    ],
)
def test_a_birth_year_alone_gets_an_offer_once_the_age_is_sure(
    mother, today, year, age
):
    child = born(None, mother, birth_year=year)
    assert due_offers(today) == ([(child.pk, age)] if age else [])


def test_no_offer_with_an_account_or_without_a_guardian(mother):
    day = date(2013, 3, 1)
    born(day, mother, account=make_user())
    born(day)
    born(day, mother, status="deceased")
    assert due_offers(TODAY) == []


def test_guardians_get_one_email_each_and_a_notice(mother):
    child = born(date(2013, 3, 1), mother)
    Guardian.objects.create(player=child, email="father@example.org")
    for _ in range(2):
        run_nightly()
    assert sorted(letter.to[0] for letter in mail.outbox) == [
        "father@example.org",
        "mother@example.org",
    ]
    notice = Notice.objects.get()
    assert (notice.account, notice.url, notice.batch) == (mother, "/players/claim/", "")
    entry = AuditEntry.objects.get(action="player.own_account_offered")
    assert (entry.actor, entry.subject_id, entry.facts) == (None, str(child.pk), {})


def test_one_address_gets_one_email(mother):
    child = born(date(2013, 3, 1), mother)
    Guardian.objects.create(player=child, email="Mother@example.org")
    run_nightly()
    assert len(mail.outbox) == 1


def test_mailed_link_makes_the_child_s_account_and_not_the_guardian_s(client, mother):
    child = born(date(2013, 3, 1), mother)
    run_nightly()
    client.force_login(mother)
    assert child.name in client.get("/players/claim/").content.decode()
    offers = client.get("/players/claim/").context["offers"]
    assert [one.player for one in offers] == [child]

    path = re.search(r"https?://[^/]+(/players/invited/\S+)", mail.outbox[0].body)[1]
    with pytest.raises(ClaimRefused):
        accept_invitation(token=path.split("/")[-2], actor=mother)
    own = verified(make_user("ada"))
    guest = Client()
    guest.force_login(own)
    guest.post(path)
    child.refresh_from_db()
    assert child.account == own
    assert not client.get("/players/claim/").context["offers"]


@pytest.mark.parametrize("ended", [True, False])
def test_link_never_makes_a_guardian_the_child(mother, ended):
    child = born(date(2013, 3, 1))
    if ended:
        mother.children.create(player=child, ended_at=timezone.now())
    else:  # under a merged member ID
        merged = make_player(status="duplicate", merged_into=child)
        mother.children.create(player=merged)
    invitation = Invitation.objects.create(player=child, at_age=13)
    with pytest.raises(ClaimRefused):
        accept_invitation(token=token_of(invitation), actor=mother)
    child.refresh_from_db()
    assert child.account is None


def test_at_18_it_is_offered_again(mother):
    child = born(date(2013, 3, 1), mother)
    offer_own_account(player_id=child.pk, age=13)
    assert offer_own_account(player_id=child.pk, age=13) is None
    assert offer_own_account(player_id=child.pk, age=18) is not None
    assert Invitation.objects.count() == 2


def test_child_whose_guardian_has_no_address_is_offered_nothing():
    child = born(date(2013, 3, 1), make_user())
    assert offer_own_account(player_id=child.pk, age=13) is None
    assert not AuditEntry.objects.exists()


def test_registered_for_every_night(settings):
    settings.NIGHTLY_AT = time(0, 0)
    assert OFFER in {job.kind for job in enqueue_nightly()}
