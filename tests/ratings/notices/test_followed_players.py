"""Notices about players whom an account follows."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from players.guardians.services import set_consent
from players.models import Follow, GuardianAccount, Player
from players.sharing.services import follow
from ratings.models import Calculation, PlayerRating
from ratings.notices.services import news_of_section, sections_with_recipients
from ratings_site.common.models import Notice, User
from ratings_site.common.notices.services import notify, save_preferences
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    rated_event,
    section_report,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]


def rated_pair(player: Player, **event):
    other = make_player(ratings={"OTBR": (1500.0, 40)})
    section = section_report([player, other], ["W2W", "L1B"], time_control="G/90;d5")
    return rated_event(make_td(), event_report(make_td(), [section], **event))


def followed_notices() -> list[tuple[str, str]]:
    rows = Notice.objects.filter(kind="ratings.followed").order_by("account__username")
    return list(rows.values_list("account__username", "title"))


@pytest.fixture
def ada():
    return make_player(given_name="Ada", ratings={"OTBR": (1500.0, 40)})


def test_follower_hears_of_a_rating_on_the_site_and_by_mail(ada):
    follow(player_id=ada.pk, actor=make_user("fan", email="fan@example.org"))
    event = rated_pair(ada)
    after = round(PlayerRating.objects.get(player=ada).rating)
    title = f"Ada Adams after May Open: Regular {after}"
    assert followed_notices() == [("fan", title)]
    notice = Notice.objects.get(kind="ratings.followed")
    assert notice.text == f"Regular: from 1500 to {after}."
    assert notice.url == f"/events/{event.event_id}/1/why/{ada.member_id}/OTBR/"
    [letter] = [one for one in mail.outbox if one.subject == title]
    assert letter.to == ["fan@example.org"]


def test_follower_who_turned_it_off_hears_nothing(ada):
    fan = make_user("fan", email="fan@example.org")
    kind = "ratings.followed"
    save_preferences(fan.pk, {(kind, "site"): False, (kind, "mail"): False})
    follow(player_id=ada.pk, actor=fan)
    rated_pair(ada)
    assert followed_notices() == []


def test_account_that_is_linked_later_hears_once(ada):
    fan = make_user("fan")
    follow(player_id=ada.pk, actor=fan)
    ada.account = fan
    ada.save()
    rated_pair(ada)
    kinds = Notice.objects.filter(account=fan, key__contains="rated")
    assert list(kinds.values_list("kind", flat=True)) == ["ratings.rated"]
    assert followed_notices() == []


def test_child_is_told_of_only_while_the_guardian_consents():
    born = timezone.localdate() - timedelta(days=3650)
    kid = make_player(birth_date=born, ratings={"OTBR": (900.0, 40)})
    parent = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=parent)
    consent = {"player_id": kid.pk, "kind": "follow", "actor": parent}
    set_consent(**consent, is_allowed=True)
    follow(player_id=kid.pk, actor=make_user("fan"))
    rated_pair(kid)
    assert [name for name, _ in followed_notices()] == ["fan"]
    set_consent(**consent, is_allowed=False)
    rated_pair(kid, name="June Open")
    assert len(followed_notices()) == 1


def test_section_without_followers_or_accounts_is_not_read(ada):
    section = rated_pair(ada).sections.get()
    assert sections_with_recipients([section]) == []
    follow(player_id=ada.pk, actor=make_user("fan"))
    assert sections_with_recipients([section]) == [section.pk]


@pytest.mark.parametrize("followers", [1, 300])
def test_notices_take_the_same_queries_for_any_number_of_followers(ada, followers):
    section = rated_pair(ada).sections.get()
    users = User.objects.bulk_create(
        User(username=f"fan {number}", email=f"fan{number}@example.org")
        for number in range(followers)
    )
    Follow.objects.bulk_create(Follow(account=user, player=ada) for user in users)
    with CaptureQueriesContext(connection) as queries:
        assert notify(news_of_section(section)) == followers
    # SQLite takes 999 values in one statement, so more rows are more inserts there.
    inserts = [one for one in queries if 'INTO "common_notice"' in one["sql"]]
    assert len(queries) - len(inserts) == 18
    assert len(followed_notices()) == followers


def test_rerated_section_is_not_news_again(ada):
    follow(player_id=ada.pk, actor=make_user("fan"))
    section = rated_pair(ada).sections.get()
    assert Calculation.objects.filter(section=section, is_current=True).exists()
    notify(news_of_section(section))
    assert len(followed_notices()) == 1
