"""A member or guardian asks to be forgotten; the office does it, or says why not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.claims.services.offers import offer_own_account
from players.guardians.queries import news_for, readers_of
from players.models import Contact, ForgetRequest, Player
from ratings.my_data.services import (
    WISH,
    NotForgotten,
    ask_to_be_forgotten,
    forget_member,
    refuse_to_forget,
)
from ratings_site.common.desk.queries import what_waits
from ratings_site.common.models import AuditEntry, Notice, User
from ratings_site.common.notices.services import News, notify
from tests.factories import make_player, make_user, verified

pytestmark = pytest.mark.django_db

OFFICE = "/office/forget/"


@pytest.fixture
def boss() -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def ada() -> Player:
    player = make_player(account=verified(make_user("ada")))
    Contact.objects.create(player=player, email="ada@example.org")
    return player


@pytest.fixture
def child() -> Player:
    born = timezone.localdate() - timedelta(days=3000)
    return make_player("20000055", "Bo", birth_date=born)


def page_of(player: Player) -> str:
    return f"/my-data/{player.member_id}/forget/"


def waiting() -> int:
    lines = what_waits(timezone.now())
    return next(line.number for line in lines if line.url == OFFICE)


def test_member_asks_after_the_password_and_the_office_forgets(client, ada, boss):
    client.force_login(ada.account)
    asked = client.post(page_of(ada))
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert not ForgetRequest.objects.exists()
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    assert ada.name in client.get(page_of(ada)).content.decode()
    client.post(page_of(ada))
    assert waiting() == 1
    assert "The office has this wish." in client.get("/my-data/").content.decode()

    client.force_login(boss)
    assert ada.name in client.get(OFFICE).content.decode()
    forget_member(player_id=ada.pk, actor=boss, reason="Asked for.")
    wish = ForgetRequest.objects.get()
    assert (wish.state, wish.decided_by, wish.reason) == ("done", boss, "Asked for.")
    assert waiting() == 0


def test_guardian_asks_for_the_child_and_hears_why_not(client, child, boss):
    mother = verified(make_user("mother"))
    mother.children.create(player=child)
    wish = ask_to_be_forgotten(player_id=child.pk, actor=mother)
    client.force_login(boss)
    refused = client.post(f"{OFFICE}{wish.pk}/refuse/", {"reason": ""})
    assert refused.context["form"].errors
    client.post(f"{OFFICE}{wish.pk}/refuse/", {"reason": "The title is on record."})
    notice = Notice.objects.get(account=mother)
    assert (notice.kind, notice.text) == ("players.forget", "The title is on record.")
    client.force_login(mother)
    assert "The title is on record." in client.get("/my-data/").content.decode()
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert [one for one in actions if "forget" in one] == [
        "player.forget_asked",
        "player.forget_refused",
    ]
    assert ask_to_be_forgotten(player_id=child.pk, actor=mother).pk != wish.pk


def test_wish_of_an_ended_guardian_stands_in_nobody_s_way(client, child, boss):
    father, mother = verified(make_user("father")), verified(make_user("mother"))
    for guardian in (father, mother):
        guardian.children.create(player=child)
    ask_to_be_forgotten(player_id=child.pk, actor=father)
    client.force_login(boss)
    no_longer = "This account no longer speaks for the member."
    assert no_longer not in client.get(OFFICE).content.decode()
    with pytest.raises(NotForgotten):
        ask_to_be_forgotten(player_id=child.pk, actor=mother)

    father.children.update(ended_at=timezone.now())
    assert no_longer in client.get(OFFICE).content.decode()
    client.force_login(mother)
    assert "The office has this wish." not in client.get("/my-data/").content.decode()
    wish = ask_to_be_forgotten(player_id=child.pk, actor=mother)
    assert ForgetRequest.objects.get() == wish
    forget_member(player_id=child.pk, actor=boss, reason="Asked for.")
    assert Notice.objects.get().account == mother


@pytest.mark.parametrize("decision", ["refused", "done"])
def test_who_no_longer_speaks_is_not_told_the_decision(child, boss, decision):
    father = verified(make_user("father"))
    father.children.create(player=child)
    wish = ask_to_be_forgotten(player_id=child.pk, actor=father)
    father.children.update(ended_at=timezone.now())
    if decision == "refused":
        refuse_to_forget(request_id=wish.pk, actor=boss, reason="No.")
    else:
        forget_member(player_id=child.pk, actor=boss, reason="By letter.")
    wish.refresh_from_db()
    assert wish.state == decision
    assert not Notice.objects.exists()


def test_name_that_goes_goes_from_the_notices_of_guardians(child, boss, settings):
    settings.FORGET_NAMES = True
    name = child.name
    mother, stranger = verified(make_user("mother")), verified(make_user("stranger"))
    mother.children.create(player=child)
    kept = [
        News(WISH, one.pk, "forget:0", "/", lambda: ("Bo", ""))
        for one in (mother, stranger)
    ]
    offer_own_account(player_id=child.pk, age=13)
    readers = readers_of([child.pk])[child.pk]
    news = news_for(
        readers, WISH, "rated:1", "/", lambda: ("1500", ""), member=child.pk
    )
    notify([*kept, *news])
    for reason in ("Not yet.", "No."):
        wish = ask_to_be_forgotten(player_id=child.pk, actor=mother)
        refuse_to_forget(request_id=wish.pk, actor=boss, reason=reason)
    assert Notice.objects.filter(account=mother, title__contains=name).count() == 4
    forget_member(player_id=child.pk, actor=boss, reason="Asked for.")
    assert Notice.objects.count() == len(kept)
    assert not Notice.objects.filter(title__contains=name).exists()
    mother.refresh_from_db()
    assert mother.unread_notices == 1


def test_nobody_asks_for_somebody_else(client, ada, child):
    stranger = verified(make_user())
    with pytest.raises(NotForgotten):
        ask_to_be_forgotten(player_id=ada.pk, actor=stranger)
    client.force_login(stranger)
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    assert client.post(page_of(child)).status_code == 404
    assert not ForgetRequest.objects.exists()


def test_wish_waits_once_and_is_decided_once(ada, boss):
    wish = ask_to_be_forgotten(player_id=ada.pk, actor=ada.account)
    with pytest.raises(NotForgotten):
        ask_to_be_forgotten(player_id=ada.pk, actor=ada.account)
    refuse_to_forget(request_id=wish.pk, actor=boss, reason="Not yet.")
    with pytest.raises(NotForgotten):
        refuse_to_forget(request_id=wish.pk, actor=boss, reason="Not yet.")


@pytest.mark.parametrize("wishes", [2, 12])
def test_queue_takes_the_same_queries_for_any_length(
    client, boss, django_assert_num_queries, wishes
):
    for one in range(wishes):
        player = make_player(account=make_user())
        wish = ask_to_be_forgotten(player_id=player.pk, actor=player.account)
        if one % 2:
            refuse_to_forget(request_id=wish.pk, actor=boss, reason="No.")
    client.force_login(boss)
    with django_assert_num_queries(8):
        page = client.get(OFFICE)
    assert page.content.count(b"refuse/") == wishes // 2
