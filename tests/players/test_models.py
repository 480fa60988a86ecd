"""The models of members."""

from datetime import date, timedelta

import pytest
from django.core.exceptions import ValidationError

from players.models import Player
from tests.factories import make_player

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.mark.parametrize("member_id", ["10000000", "99999999"])
def test_member_id_has_eight_digits(member_id):
    make_player(member_id).full_clean()
    assert Player.objects.get().get_absolute_url() == f"/players/{member_id}/"


@pytest.mark.parametrize(
    "member_id", ["01234567", "1234567", "1234567x", "١٢٣٤٥٦٧٨", ""]
)
def test_other_member_ids_are_refused_with_a_sentence(member_id):
    player = Player(member_id=member_id, given_name="Ann", family_name="Archer")
    with pytest.raises(ValidationError) as refusal:
        player.full_clean(exclude=["search_name", "search_given"])
    assert "member_id" in refusal.value.message_dict


def test_names_are_kept_as_people_search_for_them():
    player = make_player("20123456", "José", "Núñez-Smith", suffix="Jr")
    assert player.name == "José Núñez-Smith Jr"
    assert str(player) == "José Núñez-Smith Jr (20123456)"
    assert player.search_name == "nunez smith jr jose"
    assert player.search_given == "jose nunez smith jr"

    player.family_name = "Archer"
    player.save()
    player.refresh_from_db()
    assert player.search_name == "archer jr jose"


def test_search_names_fit_their_column_whatever_the_letters():
    """A ligature is one letter of a name and three in the search columns."""
    player = make_player(given_name="ﬃ" * 60, family_name="ﬃ" * 60)
    player.refresh_from_db()
    assert len(player.search_name) == len(player.search_given) == 140


def test_members_without_a_fide_id_do_not_clash():
    first, second = make_player(fide_id=""), make_player(fide_id="")
    assert (first.fide_id, second.fide_id) == (None, None)


def test_membership_counts_on_its_first_and_last_day():
    player = make_player(member_from=date(2024, 1, 1), member_until=date(2024, 12, 31))
    days = [date(2024, 1, 1), date(2024, 12, 31)]
    assert [player.was_member_on(day) for day in days] == [True, True]
    outside = [days[0] - DAY, days[1] + DAY]
    assert [player.was_member_on(day) for day in outside] == [False, False]


def test_address_is_the_profile():
    assert make_player("20123456").get_absolute_url().endswith("/20123456/")
