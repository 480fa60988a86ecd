"""What the admin tells those who rate when records change."""

from datetime import date

import pytest
from django.urls import reverse

from players.models import ExternalRating, Membership, MembershipType, Player
from tests.factories import make_player, make_staff
from tests.players.fide_files import Person
from tests.players.helpers import APRIL, MAY, import_list

pytestmark = pytest.mark.django_db


def save(client, player, lines: dict | None = None, **changes):
    """Save the admin's page of a member with some fields changed."""
    form = {
        "member_id": player.member_id,
        "given_name": player.given_name,
        "family_name": player.family_name,
        "birth_date": player.birth_date or "",
        "residence": player.residence,
        "federation": player.federation,
        "fide_id": player.fide_id or "",
        "reason_for_change": "The member wrote to us.",
        "contact-TOTAL_FORMS": "0",
        "contact-INITIAL_FORMS": "0",
        "guardian-TOTAL_FORMS": "0",
        "guardian-INITIAL_FORMS": "0",
        "guardian_accounts-TOTAL_FORMS": "0",
        "guardian_accounts-INITIAL_FORMS": "0",
        "memberships-TOTAL_FORMS": "0",
        "memberships-INITIAL_FORMS": "0",
        "external_ratings-TOTAL_FORMS": "0",
        "external_ratings-INITIAL_FORMS": "0",
        **changes,
        **(lines or {}),
    }
    answer = client.post(reverse("admin:players_player_change", args=[player.pk]), form)
    assert answer.status_code == 302, answer.context["errors"]


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"birth_date": "1991-02-03"}, ["birth_date"]),
        ({"birth_date": ""}, ["birth_date"]),
        ({"residence": "CAN"}, ["residence"]),
        ({"residence": "GER"}, []),
        ({"given_name": "Eve", "federation": "GER"}, []),
    ],
)
def test_changes_that_ratings_rest_on_are_told(client, staff, told, changes, kinds):
    player = make_player()
    save(client, player, **changes)
    assert told == [(kind, player, None) for kind in kinds]


def test_fide_id_brings_and_takes_its_ratings(client, staff, told):
    player = make_player()
    import_list([Person(7, rating=2100)], APRIL)
    save(client, player, fide_id="7")
    assert player.external_ratings.get().rating == 2100
    player.refresh_from_db()
    save(client, player, fide_id="")
    assert not player.external_ratings.exists()
    assert told == [("external_rating", player, APRIL)] * 2


def test_fide_id_has_digits(client, staff):
    player = make_player()
    form = {"member_id": player.member_id, "fide_id": "12a"}
    answer = client.post(reverse("admin:players_player_change", args=[player.pk]), form)
    assert answer.status_code == 422
    assert "A FIDE ID has up to ten digits" in answer.content.decode()


def test_adult_membership_is_told_from_its_first_day(client, staff, told):
    player = make_player()
    adult = MembershipType.objects.create(name="Adult", is_adult=True)
    youth = MembershipType.objects.create(name="Youth")
    for kind in (youth, adult):
        save(client, player, {
            "memberships-TOTAL_FORMS": "1",
            "memberships-0-player": player.pk,
            "memberships-0-type": kind.pk,
            "memberships-0-starts": "2024-05-04",
            "memberships-0-expires": "2025-05-03",
        })  # fmt: skip
    assert told == [("adult", player, date(2024, 5, 4))]

    told.clear()
    mine = Membership.objects.get(type=adult)
    save(client, player, {
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "1",
        "memberships-0-id": mine.pk,
        "memberships-0-player": player.pk,
        "memberships-0-type": youth.pk,
        "memberships-0-starts": "2024-06-01",
        "memberships-0-expires": "2025-05-03",
    })  # fmt: skip
    assert told == [("adult", player, date(2024, 5, 4))]


def test_rating_by_hand_is_told_from_the_earlier_day(client, staff, told):
    player = make_player()
    save(client, player, {
        "external_ratings-TOTAL_FORMS": "1",
        "external_ratings-0-player": player.pk,
        "external_ratings-0-body": "CFC",
        "external_ratings-0-list_date": "2024-05-01",
        "external_ratings-0-rating": "1900",
    })  # fmt: skip
    entered = player.external_ratings.get()
    url = reverse("admin:players_externalrating_change", args=[entered.pk])
    client.post(url, {
        "player": player.pk, "body": "CFC", "list_date": "2024-06-01",
        "rating": "1900", "reason_for_change": "A slip.",
    })  # fmt: skip
    assert told == [("external_rating", player, MAY)] * 2


def test_status_and_ratings_of_lists_are_not_changed_by_hand(client, staff):
    player = make_player(fide_id="7")
    import_list([Person(7, rating=2100)])
    save(client, player, status="deceased")
    assert Player.objects.get(pk=player.pk).status == "active"
    listed = player.external_ratings.get()
    url = reverse("admin:players_externalrating_change", args=[listed.pk])
    assert client.post(url, {"rating": "2900"}).status_code == 403
    assert ExternalRating.objects.get().rating == 2100
