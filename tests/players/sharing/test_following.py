"""Following players: who may, what children's guardians decide, and how it ends."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from players.guardians.services import (
    GuardianRefused,
    revoke_guardian_access,
    set_consent,
)
from players.models import Follow, Guardian, GuardianAccount, GuardianConsent, Player
from players.sharing import services
from players.sharing.queries import follow_state, followed_players, followers_of
from players.sharing.services import SharingRefused, follow, unfollow
from ratings_site.common.models import AuditEntry, User
from tests.factories import make_player, make_user, merge_with_approval

pytestmark = pytest.mark.django_db

BORN = timezone.localdate() - timedelta(days=3650)


@pytest.fixture
def fan():
    return make_user("fan")


@pytest.fixture
def kid() -> Player:
    return make_player(given_name="Kim", birth_date=BORN)


@pytest.fixture
def parent(kid):
    account = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=account)
    return account


def consent(kid, parent, kind: str = "follow", *, is_allowed: bool = True) -> None:
    set_consent(player_id=kid.pk, kind=kind, is_allowed=is_allowed, actor=parent)


def consents_in_log() -> list[tuple[str, dict]]:
    entries = AuditEntry.objects.filter(action__startswith="player.consent")
    return list(entries.order_by("pk").values_list("action", "facts"))


def test_account_follows_an_adult_once_and_unfollows(fan):
    ada = make_player()
    assert follow_state(ada, fan) == "open"
    follow(player_id=ada.pk, actor=fan)
    follow(player_id=ada.pk, actor=fan)
    assert followed_players(fan) == [ada]
    assert followers_of([ada.pk]) == {ada.pk: {fan.pk}}
    assert follow_state(ada, fan) == "followed"
    unfollow(player_id=ada.pk, actor=fan)
    assert followed_players(fan) == []


@pytest.mark.parametrize(
    ("facts", "may"),
    [
        ({"birth_date": BORN}, False),
        ({"birth_date": None}, False),
        ({"birth_date": None, "adult": True}, True),
        ({"birth_date": BORN, "adult": True}, False),
        ({"birth_date": date(1990, 1, 1)}, True),
        ({"birth_date": None, "birth_year": 1990}, True),
        ({"birth_date": None, "birth_year": BORN.year, "adult": True}, False),
    ],
)
def test_member_who_may_be_a_child_is_followed_only_with_consent(fan, facts, may):
    player = make_player(**facts)
    if may:
        follow(player_id=player.pk, actor=fan)
    else:
        with pytest.raises(SharingRefused, match="without a birth date"):
            follow(player_id=player.pk, actor=fan)
    assert (followers_of([player.pk]) == {player.pk: {fan.pk}}) is may


def test_guardian_consents_and_takes_it_back(fan, kid, parent):
    consent(kid, parent)
    follow(player_id=kid.pk, actor=fan)
    consent(kid, parent, is_allowed=False)
    assert not Follow.objects.exists()
    with pytest.raises(SharingRefused):
        follow(player_id=kid.pk, actor=fan)
    assert consents_in_log() == [
        ("player.consent_given", {"kind": "follow"}),
        ("player.consent_withdrawn", {"kind": "follow"}),
    ]


def test_consent_to_share_is_none_to_follow(fan, kid, parent):
    consent(kid, parent, "share")
    assert follow_state(kid, fan) == ""


def test_only_a_guardian_consents(fan, kid, parent):
    kid.account = make_user("kid")
    kid.save()
    for account in (fan, kid.account):
        with pytest.raises(GuardianRefused, match="Only a parent or guardian"):
            consent(kid, account)
    assert not GuardianConsent.objects.exists()


def test_consent_ends_with_the_guardian_who_gave_it(fan, kid, parent):
    consent(kid, parent)
    follow(player_id=kid.pk, actor=fan)
    guardian = GuardianAccount.objects.get()
    guardian.ended_at = timezone.now()
    guardian.save()
    assert followers_of([kid.pk]) == {}
    revoke_guardian_access(guardian=guardian, actor=fan)
    assert not Follow.objects.exists()
    assert not GuardianConsent.objects.exists()


def test_consent_ends_with_the_guardian_s_account(fan, kid, parent):
    consent(kid, parent)
    follow(player_id=kid.pk, actor=fan)
    User.objects.filter(pk=parent.pk).update(is_active=False)
    assert followers_of([kid.pk]) == {}


def test_followers_of_an_earlier_consent_do_not_come_back(fan, kid, parent):
    consent(kid, parent)
    follow(player_id=kid.pk, actor=fan)
    GuardianAccount.objects.update(ended_at=timezone.now())
    other = make_user("other parent")
    GuardianAccount.objects.create(player=kid, account=other)
    consent(kid, other)
    assert followers_of([kid.pk]) == {}
    assert not Follow.objects.exists()


def test_end_of_a_guardian_takes_nothing_from_a_member_who_is_of_age(fan, kid, parent):
    consent(kid, parent)
    Player.objects.filter(pk=kid.pk).update(birth_date=date(1990, 1, 1))
    follow(player_id=kid.pk, actor=fan)
    guardian = GuardianAccount.objects.get()
    guardian.ended_at = timezone.now()
    guardian.save()
    revoke_guardian_access(guardian=guardian, actor=fan)
    assert followers_of([kid.pk]) == {kid.pk: {fan.pk}}
    assert not GuardianConsent.objects.exists()


def test_another_guardian_can_consent_again(fan, kid, parent):
    consent(kid, parent)
    GuardianAccount.objects.update(ended_at=timezone.now())
    other = make_user("other parent")
    GuardianAccount.objects.create(player=kid, account=other)
    assert follow_state(kid, fan) == ""
    consent(kid, other)
    assert follow_state(kid, fan) == "open"


def test_member_who_turns_out_to_be_a_child_has_no_followers(fan):
    ada = make_player()
    follow(player_id=ada.pk, actor=fan)
    Player.objects.filter(pk=ada.pk).update(birth_date=BORN)
    assert followers_of([ada.pk]) == {}


def test_linked_accounts_need_not_follow(kid, parent):
    assert follow_state(kid, parent) == "linked"
    follow(player_id=kid.pk, actor=parent)
    assert not Follow.objects.exists()


def test_an_account_follows_so_many(fan, monkeypatch):
    monkeypatch.setattr(services, "MAX_FOLLOWS", 2)
    first, second, third = (make_player() for _ in range(3))
    follow(player_id=first.pk, actor=fan)
    follow(player_id=second.pk, actor=fan)
    with pytest.raises(SharingRefused, match="You follow 2 players"):
        follow(player_id=third.pk, actor=fan)


def test_follow_goes_on_after_a_merge(fan):
    old, kept = make_player(), make_player()
    follow(player_id=old.pk, actor=fan)
    merge_with_approval(kept, old)
    assert followers_of([kept.pk]) == {kept.pk: {fan.pk}}
    assert followed_players(fan) == [kept]
    unfollow(player_id=kept.pk, actor=fan)
    assert not Follow.objects.exists()


def test_consent_for_a_duplicate_holds_for_the_kept_record(fan, kid, parent):
    consent(kid, parent)
    kept = make_player(birth_date=BORN)
    merge_with_approval(kept, kid)
    assert follow_state(kept, fan) == "open"


# Pages


def page(client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_profile_has_the_button_for_signed_in_accounts(client, fan):
    ada = make_player()
    profile = ada.get_absolute_url()
    assert ">Follow<" not in page(client, profile)
    client.force_login(fan)
    assert ">Follow<" in page(client, profile)
    answer = client.post(f"{profile}sharing/follow/", follow=True)
    assert "We’ll notify you when Ada Adams is rated." in answer.content.decode()
    assert ">Unfollow<" in page(client, profile)
    assert "Ada Adams" in page(client, "/account/")
    answer = client.post(f"{profile}sharing/unfollow/", {"back": "1"})
    assert answer.url == "/account/"
    page(client, "/account/")  # with the message
    assert "Ada Adams" not in page(client, "/account/")


def test_nobody_else_sees_who_follows(client, fan):
    ada = make_player(account=make_user("ada"))
    follow(player_id=ada.pk, actor=fan)
    client.force_login(ada.account)
    for address in (ada.get_absolute_url(), "/account/", "/"):
        assert "fan" not in re.findall(r"\w+", page(client, address))


def test_profile_of_a_child_has_no_button_and_refuses(client, fan, kid):
    client.force_login(fan)
    profile = kid.get_absolute_url()
    assert ">Follow<" not in page(client, profile)
    answer = client.post(f"{profile}sharing/follow/", follow=True)
    assert "a parent or guardian has to allow it" in answer.content.decode()
    assert not Follow.objects.exists()


def test_guardian_switches_the_consents_on_the_page(client, kid, parent):
    client.force_login(parent)
    address = f"{kid.get_absolute_url()}sharing/"
    for action, given in (
        ("allow-follow", ["follow"]),
        ("allow-share", ["follow", "share"]),
        ("stop-follow", ["share"]),
        ("stop-share", []),
    ):
        client.post(f"{address}{action}/")
        kinds = GuardianConsent.objects.order_by("kind").values_list("kind", flat=True)
        assert list(kinds) == given
    assert "not allowed" in page(client, address)


def test_unknown_action_is_no_page(client, kid, parent):
    client.force_login(parent)
    assert client.post(f"{kid.get_absolute_url()}sharing/sell/").status_code == 404


def test_child_s_own_account_cannot_consent_on_the_page(client, kid, parent):
    kid.account = make_user("kid")
    kid.save()
    client.force_login(kid.account)
    client.post(f"{kid.get_absolute_url()}sharing/allow-follow/")
    assert not GuardianConsent.objects.exists()


def test_sharing_page_is_for_linked_accounts(client, fan, kid):
    client.force_login(fan)
    assert client.get(f"{kid.get_absolute_url()}sharing/").status_code == 404


def test_account_page_takes_the_same_queries_for_any_number(
    client, fan, django_assert_max_num_queries
):
    client.force_login(fan)
    counts = []
    for number in (1, 20):
        for _ in range(number):
            follow(player_id=make_player().pk, actor=fan)
        with django_assert_max_num_queries(100) as queries:
            client.get("/account/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_guardian_s_address_alone_is_no_consent(fan, kid):
    Guardian.objects.create(player=kid, email="mother@example.org")
    assert follow_state(kid, fan) == ""
