"""Share links: who makes them, what they show, and how they end."""

import io
import re
from datetime import date, timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override
from PIL import Image

from players.guardians.services import set_consent
from players.models import GuardianAccount, Player, ShareLink
from players.sharing.services import (
    SharingRefused,
    make_share_link,
    revoke_share_link,
)
from ratings.models import OfficialList, OfficialRating, RatingChange
from ratings.pages.sharing.card import card
from ratings.pages.sharing.queries import SharedRating, shared_rating
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_user, merge_with_approval

pytestmark = pytest.mark.django_db

BORN = timezone.localdate() - timedelta(days=3650)


def member(**facts) -> Player:
    return make_player(
        account=make_user(), ratings={"OTBR": (1500.4, 40), "OTBQ": (1400, 9)}, **facts
    )


def listed(player: Player, month: int, rating: int, system: str = "OTBR", **more):
    change = RatingChange.objects.filter(player=player).first()
    published, _ = OfficialList.objects.get_or_create(
        month=date(2024, month, 1),
        defaults={
            "cut_off": timezone.now(),
            "digest": "0" * 64,
            "members": 1,
            "summary": {"totals": {}},
            "prepared_at": timezone.now(),
            "published_at": timezone.now(),
            "reason": "monthly",
        },
    )
    OfficialRating.objects.create(
        list=published, player=player, system=system, rating=rating, games=40,
        is_provisional=False, floor=100, above=0,
        change=change, latest=change.calculation, **{"place": 1, **more},
    )  # fmt: skip


def link_of(player: Player) -> ShareLink:
    return make_share_link(player_id=player.pk, actor=player.account)


def card_texts(shared: SharedRating) -> tuple[str, str, str]:
    return shared.player.name, shared.rating, shared.what


def page(client, link: ShareLink) -> str:
    return client.get(link.get_absolute_url()).content.decode()


def test_link_shows_name_and_number_of_the_newest_list_with_its_month(client):
    ada = member()
    listed(ada, 1, 1498)
    listed(ada, 6, 1502)
    link = link_of(ada)
    html = page(client, link)
    assert re.search(r"<title>(.*?) ·", html)[1] == "Ada Adams: 1502"
    assert '<meta property="og:title" content="Ada Adams: 1502">' in html
    words = "Official rating (Regular), June 2024"
    assert f'<meta property="og:description" content="{words}">' in html
    image = f"http://testserver/share/{link.token}/card.png"
    assert f'<meta property="og:image" content="{image}">' in html
    assert '<meta name="robots" content="noindex">' in html
    assert "1990" not in html
    assert "1500" not in html


def test_image_is_a_png_of_the_size_that_previews_take(client):
    ada = member()
    listed(ada, 6, 1502)
    response = client.get(f"{link_of(ada).get_absolute_url()}card.png")
    assert response["Content-Type"] == "image/png"
    assert response["Cache-Control"] == "public, max-age=300"
    assert response["X-Robots-Tag"] == "noindex"
    image = Image.open(io.BytesIO(response.content))
    assert (image.format, image.size) == ("PNG", (1200, 630))


def test_image_has_another_picture_for_another_name_rating_and_language():
    ada = member()
    listed(ada, 6, 1502)
    link = link_of(ada)
    first = card(shared_rating(link.token))
    with override("es"):
        spanish = card(shared_rating(link.token))
    listed(ada, 7, 1503)
    other_rating = card(shared_rating(link.token))
    Player.objects.filter(pk=ada.pk).update(given_name="María José", family_name="Ñu")
    other_name = card(shared_rating(link.token))
    assert len({first, spanish, other_rating, other_name}) == 4


def test_letters_with_accents_are_drawn():
    ada = member(given_name="N", family_name="N")
    listed(ada, 6, 1502)
    link = link_of(ada)
    drawn = set()
    for name in ("N", "Ñ", "Ń", "Ň"):
        Player.objects.filter(pk=ada.pk).update(family_name=name)
        drawn.add(card(shared_rating(link.token)))
    assert len(drawn) == 4


def test_longest_names_fit():
    ada = member(given_name="W" * 60, family_name="M" * 60)
    listed(ada, 6, 1502)
    image = Image.open(io.BytesIO(card(shared_rating(link_of(ada).token))))
    right = image.crop((1121, 17, 1200, 630))
    assert right.getcolors() == [(right.width * right.height, (0xFA, 0xF7, 0xF0))]


def test_number_is_the_published_one():
    ada = member()
    listed(ada, 6, 600, is_about=True)
    assert card_texts(shared_rating(link_of(ada).token)) == (
        "Ada Adams",
        "about 600",
        "Official rating (Regular), June 2024",
    )


def test_quick_rating_is_shown_where_there_is_no_regular_one():
    ada = member()
    listed(ada, 6, 1400, system="OTBQ")
    assert card_texts(shared_rating(link_of(ada).token))[1:] == (
        "1400",
        "Official rating (Quick), June 2024",
    )


def test_member_who_is_not_on_the_list_is_said_not_to_be():
    ada = member()
    listed(member(), 6, 1502)
    assert card_texts(shared_rating(link_of(ada).token))[1] == "not listed"


def test_link_is_one_for_the_account_and_revoked_for_good(client):
    ada = member()
    listed(ada, 6, 1502)
    link = link_of(ada)
    assert link_of(ada) == link
    assert len(link.token) == 43
    revoke_share_link(player_id=ada.pk, actor=ada.account)
    assert client.get(link.get_absolute_url()).status_code == 404
    assert client.get(f"{link.get_absolute_url()}card.png").status_code == 404
    again = link_of(ada)
    assert again.token != link.token
    entries = AuditEntry.objects.filter(action__startswith="player.share_link")
    assert list(entries.order_by("pk").values_list("action", flat=True)) == [
        "player.share_link_made",
        "player.share_link_revoked",
        "player.share_link_made",
    ]
    assert link.token not in str(AuditEntry.objects.values())


def test_only_linked_accounts_share(client):
    ada = member()
    stranger = make_user("stranger")
    with pytest.raises(SharingRefused, match="You can’t do this"):
        make_share_link(player_id=ada.pk, actor=stranger)
    client.force_login(stranger)
    client.post(f"{ada.get_absolute_url()}sharing/share/")
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize("born", [BORN, None])
def test_child_is_shared_only_while_a_guardian_consents(client, born):
    kid = member(birth_date=born)
    listed(kid, 6, 900)
    parent = make_user("parent")
    GuardianAccount.objects.create(player=kid, account=parent)
    with pytest.raises(SharingRefused, match="a parent or guardian has to allow it"):
        link_of(kid)
    consent = {"player_id": kid.pk, "kind": "share", "actor": parent}
    set_consent(**consent, is_allowed=True)
    by_kid, by_parent = link_of(kid), make_share_link(player_id=kid.pk, actor=parent)
    assert "900" in page(client, by_kid)
    assert "900" in page(client, by_parent)
    set_consent(**consent, is_allowed=False)
    assert not ShareLink.objects.exists()
    assert client.get(by_kid.get_absolute_url()).status_code == 404


def test_link_ends_with_the_account_that_made_it(client):
    ada = member()
    listed(ada, 6, 1502)
    link, account = link_of(ada), ada.account
    Player.objects.filter(pk=ada.pk).update(account=None)
    assert shared_rating(link.token) is None
    Player.objects.filter(pk=ada.pk).update(account=account)
    assert shared_rating(link.token) is not None
    account.is_active = False
    account.save()
    assert shared_rating(link.token) is None


def test_link_of_a_merged_member_shows_the_kept_record():
    old, kept = member(), make_player(given_name="Kept")
    listed(old, 6, 1502)
    link = link_of(old)
    merge_with_approval(kept, old)
    assert card_texts(shared_rating(link.token))[:2] == ("Kept Adams", "1502")


@pytest.mark.parametrize(("own", "other"), [(1500, 1700), (1700, 1500)])
def test_link_shows_the_kept_number_s_rating_of_two_on_a_list(own, other):
    kept, old = member(), make_player(ratings={"OTBR": (1500, 40)})
    listed(kept, 6, own, place=1 if own > other else 2)
    listed(old, 6, other, place=1 if other > own else 2)
    merge_with_approval(kept, old)
    assert card_texts(shared_rating(link_of(kept).token))[1] == str(own)


def test_page_of_the_member_makes_and_removes_the_link(client):
    ada = member()
    listed(ada, 6, 1502)
    client.force_login(ada.account)
    address = f"{ada.get_absolute_url()}sharing/"
    html = client.post(f"{address}share/", follow=True).content.decode()
    link = ShareLink.objects.get()
    assert f"http://127.0.0.1:8000{link.get_absolute_url()}" in html
    client.post(f"{address}unshare/")
    assert not ShareLink.objects.exists()


def test_child_s_own_account_is_told_who_decides(client):
    kid = member(birth_date=BORN)
    client.force_login(kid.account)
    html = client.get(f"{kid.get_absolute_url()}sharing/").content.decode()
    assert "A parent or guardian with a linked account can allow sharing" in html
    assert "Make a share link" not in html


def test_no_list_and_no_such_token_is_no_page(client):
    ada = member()
    assert client.get(link_of(ada).get_absolute_url()).status_code == 404
    assert client.get("/share/nonsense/").status_code == 404
