"""The admin notifies the ratings app when records change."""

from datetime import date

import pytest
from django.urls import reverse

from players.external.services import RatingRefused, remove_rating
from players.models import (
    Contact,
    ExternalRating,
    Guardian,
    GuardianAccount,
    Invitation,
    Membership,
    MembershipType,
    Player,
)
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_staff, make_user, verified
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import APRIL, MAY, import_list

pytestmark = pytest.mark.django_db


def save(client, player, lines: dict | None = None, **changes):
    """Save a member's admin page with some fields changed."""
    form = {
        "member_id": player.member_id,
        "given_name": player.given_name,
        "family_name": player.family_name,
        "birth_date": player.birth_date or "",
        "residence": player.residence,
        "federation": player.federation,
        "reason_for_change": "The member wrote to us.",
        "contact-TOTAL_FORMS": "0",
        "contact-INITIAL_FORMS": "0",
        "guardian-TOTAL_FORMS": "0",
        "guardian-INITIAL_FORMS": "0",
        "guardian_accounts-TOTAL_FORMS": "0",
        "guardian_accounts-INITIAL_FORMS": "0",
        "memberships-TOTAL_FORMS": "0",
        "memberships-INITIAL_FORMS": "0",
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


def test_a_birth_year_that_contradicts_the_birth_date_is_refused(client, staff):
    player = make_player(birth_date=date(2010, 5, 5))
    with pytest.raises(AssertionError, match="doesn’t match the birth date"):
        save(client, player, birth_year="2011")


def test_a_birth_date_replaces_the_year_on_record(client, staff):
    player = make_player(birth_date=None, birth_year=2010)
    save(client, player, birth_date="2011-05-05", birth_year="2010")
    player.refresh_from_db()
    assert (player.birth_date, player.birth_year) == (date(2011, 5, 5), None)


def test_a_birth_year_is_a_year(client, staff):
    with pytest.raises(AssertionError, match="greater than or equal to 1900"):
        save(client, make_player(birth_date=None), birth_year="11")


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"birth_date": "1991-02-03"}, ["birth_date"]),
        ({"birth_date": ""}, ["birth_date"]),
        ({"birth_date": "", "birth_year": "1990"}, ["birth_date"]),
        ({"birth_year": "1990"}, []),
        ({"residence": "CAN"}, ["residence"]),
        ({"residence": "GER"}, []),
        ({"given_name": "Eve", "federation": "GER"}, []),
    ],
)
def test_changes_that_ratings_rest_on_are_told(
    client, staff, announced_changes, changes, kinds
):
    player = make_player()
    save(client, player, **changes)
    assert announced_changes == [(kind, player, None) for kind in kinds]


def end(client, guardian: GuardianAccount) -> None:
    prefix = "guardian_accounts"
    lines = {
        f"{prefix}-TOTAL_FORMS": "1",
        f"{prefix}-INITIAL_FORMS": "1",
        f"{prefix}-0-id": guardian.pk,
        f"{prefix}-0-player": guardian.player_id,
        f"{prefix}-0-account": guardian.account_id,
        f"{prefix}-0-ended_at_0": "2026-03-01",
        f"{prefix}-0-ended_at_1": "12:00:00",
    }
    save(client, guardian.player, lines)


def test_guardian_account_is_entered_once(client, staff):
    father, child = make_user("father"), make_player(birth_date=date(2013, 3, 1))
    lines = {"guardian_accounts-TOTAL_FORMS": "2"}
    for number in range(2):
        lines |= {f"guardian_accounts-{number}-account": father.pk}
    with pytest.raises(AssertionError, match="already linked to the child"):
        save(client, child, lines)
    save(client, child, lines | {"guardian_accounts-TOTAL_FORMS": "1"})
    assert child.guardian_accounts.get().account == father


@pytest.mark.parametrize("merged", [False, True])
def test_ended_guardian_has_no_way_back(client, staff, merged):
    father = verified(make_user("father"))
    child = make_player(birth_date=date(2013, 3, 1))
    stated = child
    if merged:
        stated = make_player(status="duplicate", merged_into=child)
    ended = father.children.create(player=stated)
    Guardian.objects.create(player=stated, email="Father@example.org")
    Contact.objects.create(player=child, email="father@example.org")
    for ways in ({"email": father.email}, {"as_guardian": True}, {"at_age": 13}):
        Invitation.objects.create(player=child, **ways)
    end(client, ended)
    ended.refresh_from_db()
    assert ended.ended_at is not None
    assert not Guardian.objects.exists()
    assert not Contact.objects.exists()
    assert not Invitation.objects.exists()
    entry = AuditEntry.objects.get(action="player.guardian_account_ended")
    assert (entry.subject_id, entry.facts) == (str(child.pk), {"account": "father"})


def test_ways_of_others_outlast_an_ended_guardian(client, staff):
    child = make_player(birth_date=date(2013, 3, 1))
    ended = verified(make_user("father")).children.create(player=child)
    Guardian.objects.create(player=child, email="mother@example.org")
    used = Invitation.objects.create(player=child, used_at=ended.since)
    waits = Invitation.objects.create(
        player=child, as_guardian=True, email="mother@example.org"
    )
    end(client, ended)
    assert Guardian.objects.get().email == "mother@example.org"
    assert set(Invitation.objects.all()) == {used, waits}


def test_fide_id_is_changed_on_the_page_that_says_what_will_happen(
    client, staff, announced_changes
):
    player = make_player(fide_id="8")
    import_list([Person(7, rating=2100)], APRIL)
    save(client, player, fide_id="7")
    player.refresh_from_db()
    assert (player.fide_id, announced_changes) == ("8", [])
    url = reverse("admin:players_player_change", args=[player.pk])
    page = client.get(url).content.decode()
    assert f"/office/links/?q={player.member_id}" in page
    assert f"/office/cfc/?q={player.member_id}" in page
    assert 'name="fide_id"' not in page


def test_new_member_is_entered_with_the_fide_id(client, staff):
    form = {"member_id": "12345674", "fide_id": "12a"}
    answer = client.post(reverse("admin:players_player_add"), form)
    assert answer.status_code == 422
    assert "A FIDE ID has up to ten digits" in answer.content.decode()


def test_adult_membership_is_told_from_its_first_day(client, staff, announced_changes):
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
    assert announced_changes == [("adult", player, date(2024, 5, 4))]

    announced_changes.clear()
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
    assert announced_changes == [("adult", player, date(2024, 5, 4))]


def test_adult_stays_what_a_type_with_holders_is(client, staff):
    staff.is_superuser = True
    staff.save()
    held, free = make_player(adult=True).memberships.get().type, None
    free = MembershipType.objects.create(name="Family")
    for one in (held, free):
        url = reverse("admin:players_membershiptype_change", args=[one.pk])
        said = {"name": f"{one.name} 2", "reason_for_change": "New names."}
        said |= {} if one.is_adult else {"is_adult": "on"}
        assert client.post(url, said).status_code == 302
        one.refresh_from_db()
    assert [(one.name, one.is_adult) for one in (held, free)] == [
        (held.name, True),
        ("Family 2", True),
    ]


def test_rating_by_hand_is_taken_back_on_its_own_page(client, staff, announced_changes):
    player = make_player()
    entered = player.external_ratings.create(body="CFC", rating=1900, list_date=MAY)
    admin = reverse("admin:players_externalrating_change", args=[entered.pk])
    page = f"/office/entered-ratings/{entered.pk}/"
    assert page in client.get(admin).content.decode()
    assert client.post(admin, {"rating": "1800"}).status_code == 403
    assert client.post(page, {"reason": "It is her sister’s."}).status_code == 302
    assert not player.external_ratings.exists()
    assert announced_changes == [("external_rating", player, MAY)]
    entry = AuditEntry.objects.get(action="external_rating.taken_back")
    assert (entry.reason, entry.facts["rating"]) == ("It is her sister’s.", 1900)


def test_rating_of_a_list_is_not_taken_back_by_hand(client, staff):
    player = make_player(fide_id="7")
    import_list([Person(7, rating=2100)])
    listed = player.external_ratings.get()
    assert client.get(f"/office/entered-ratings/{listed.pk}/").status_code == 404
    with pytest.raises(RatingRefused, match="comes from a stored list"):
        remove_rating(entered_id=listed.pk, actor=staff, reason="Hm.")
    assert ExternalRating.objects.get() == listed


def test_status_and_ratings_of_lists_are_not_changed_by_hand(client, staff):
    player = make_player(fide_id="7")
    import_list([Person(7, rating=2100)])
    save(client, player, status="deceased")
    assert Player.objects.get(pk=player.pk).status == "active"
    listed = player.external_ratings.get()
    url = reverse("admin:players_externalrating_change", args=[listed.pk])
    assert client.post(url, {"rating": "2900"}).status_code == 403
    assert ExternalRating.objects.get().rating == 2100
