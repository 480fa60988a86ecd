"""A guardian's address: entered once, seen and changed by the office only."""

from datetime import date

import pytest
from django.urls import reverse
from django.utils import timezone

from players.claims.queries import address_on_record
from players.guardians.notices import guardian_addresses
from players.guardians.queries import (
    Recipient,
    children_of,
    notice_recipients,
    open_to_others,
)
from players.guardians.services import (
    GuardianRefused,
    guardian_denial_reason,
    set_guardian_email,
)
from players.identity.services import merge_players
from players.models import Contact, Guardian, Player
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import AuditEntry
from ratings_site.common.notices.services import forwarding_addresses
from tests.factories import make_player, make_staff, make_user

pytestmark = pytest.mark.django_db

PAGE = "/players/guardian/"
PARENT = "parent@example.org"


@pytest.fixture
def kid() -> Player:
    account = make_user(email="kid@example.org")
    return make_player(birth_date=date(2099, 1, 1), account=account)


def text(response) -> str:
    return " ".join(response.content.decode().split())


def test_member_states_the_address_and_no_page_shows_it(client, kid):
    client.force_login(kid.account)
    assert "We have no address on record." in text(client.get(PAGE))
    page = text(client.post(PAGE, {"email": PARENT}, follow=True))
    assert "We have an address on record." in page
    assert PARENT not in page
    assert Guardian.objects.get().email == PARENT
    profile = client.get(reverse("ratings:profile", args=[kid.member_id]))
    assert PARENT not in text(profile)


def test_audit_says_that_it_was_stated_but_not_which(kid):
    set_guardian_email(player_id=kid.pk, email=PARENT, actor=kid.account)
    [entry] = entries_about(kid)
    assert (entry.action, entry.actor) == ("player.guardian_stated", kid.account)
    assert PARENT not in str(AuditEntry.objects.values())


@pytest.mark.parametrize(
    ("email", "sentence"),
    [
        ("", "This field is required."),
        ("nobody", "Enter a valid email address."),
        ("KID@example.org", "This is your account’s own address."),
        (f"{'x' * 250}@example.org", "at most 254 characters"),
    ],
)
def test_what_is_no_guardians_address_is_refused(client, kid, email, sentence):
    client.force_login(kid.account)
    response = client.post(PAGE, {"email": email})
    assert response.status_code == 422
    assert sentence in text(response)
    assert not Guardian.objects.exists()


def test_child_cannot_redirect_a_parents_emails(client, kid):
    Guardian.objects.create(player=kid, email=PARENT)
    client.force_login(kid.account)
    response = client.post(PAGE, {"email": "second@example.org"})
    assert response.status_code == 422
    assert Guardian.objects.get().email == PARENT


def test_only_own_guardianship_can_be_stated(kid):
    with pytest.raises(GuardianRefused, match="isn’t linked to this member"):
        set_guardian_email(player_id=kid.pk, email=PARENT, actor=make_user())


def test_account_without_a_member_is_told_so(client):
    client.force_login(make_user())
    for response in (client.get(PAGE), client.post(PAGE, {"email": PARENT})):
        assert "Your account isn’t linked to a member yet." in text(response)
    assert not Guardian.objects.exists()


def test_staff_see_and_change_it_in_the_admin(client, kid):
    Guardian.objects.create(player=kid, email=PARENT)
    url = reverse("admin:players_player_change", args=[kid.pk])
    client.force_login(make_staff())
    assert PARENT in text(client.get(url))


def test_address_under_a_merged_number_goes_along(kid):
    twin = make_player(given_name=kid.given_name, birth_date=None)
    Guardian.objects.create(player=twin, email=PARENT)
    admin = make_user(is_superuser=True, is_staff=True)
    merge_players(kept_id=kid.pk, merged_id=twin.pk, actor=admin, reason="One child.")
    assert guardian_addresses([kid.account_id]) == {kid.account_id: PARENT}
    assert forwarding_addresses([kid.account_id]) == {kid.account_id: PARENT}


def test_rule_speaks_of_children_only(kid, django_assert_num_queries):
    grown = make_player(account=make_user(email="grown@example.org"))
    Guardian.objects.create(player=grown, email=PARENT)
    unknown = make_player(account=make_user(), birth_date=None)
    staff = make_user()
    accounts = [kid.account_id, grown.account_id, unknown.account_id, staff.pk]
    with django_assert_num_queries(2):
        assert guardian_addresses(accounts) == {kid.account_id: ""}


@pytest.mark.parametrize(("age", "is_child"), [(9, True), (17, True), (19, False)])
def test_a_birth_year_tells_a_child_too(kid, age, is_child):
    year = timezone.localdate().year - age
    Player.objects.update(birth_date=None, birth_year=year)
    expected = {kid.account_id: ""} if is_child else {}
    assert guardian_addresses([kid.account_id]) == expected


@pytest.mark.calendar
@pytest.mark.parametrize(
    ("today", "is_adult"), [(date(2028, 12, 30), False), (date(2028, 12, 31), True)]
)
def test_a_birth_year_ends_a_guardian_s_access_with_its_last_day(
    monkeypatch, today, is_adult
):
    monkeypatch.setattr("django.utils.timezone.localdate", lambda *_: today)
    kid = make_player(birth_date=None, birth_year=2010)
    mother = make_user()
    mother.children.create(player=kid)
    Guardian.objects.create(player=kid, email=PARENT)
    Contact.objects.create(player=kid, email="kid@example.org")
    readers = [] if is_adult else [Recipient(mother.pk, "Ada Adams")]
    assert children_of(mother) == ([] if is_adult else [kid])
    assert notice_recipients([kid.pk]) == {kid.pk: readers}
    assert address_on_record(kid) == ("kid@example.org" if is_adult else PARENT)
    assert open_to_others([kid.pk], "follow") == ({kid.pk} if is_adult else set())
    assert bool(guardian_denial_reason(kid)) is is_adult
