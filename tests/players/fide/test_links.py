"""FIDE IDs of members: suggestions and decisions."""

from datetime import date

import pytest

from players.fide.queries import members_to_link, suggestions_for
from players.fide.services.links import (
    LinkRefused,
    decline_link,
    link_fide_id,
    unlink_fide_id,
)
from ratings_site.common.accounts.permissions import NotAllowed
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import APRIL, MAY, import_list

pytestmark = pytest.mark.django_db

EMMY = Person(30900001, "Noether, Emmy", 2104, year=1982)


def noether(**fields):
    return make_player(
        **{"given_name": "Emmy", "family_name": "Nöther", "birth_date": None, **fields}
    )


def emmy(**fields):
    return noether(family_name="Noether", **fields)


def suggested(**filters) -> list[tuple]:
    members = list(members_to_link(**filters))
    found = suggestions_for(members)
    # The search in the database agrees with the suggestions.
    assert {one.player for one in found} == set(members)
    return [(one.player, one.fide.fide_id, one.score) for one in found]


def test_namesakes_with_the_flag_and_the_birth_year_are_suggested():
    member = emmy(birth_date=date(1982, 3, 23))
    import_list([EMMY, Person(2, "Noether, Emil"), Person(3, "Else, Somebody")])
    assert suggested() == [(member, 30900001, 100)]
    [one] = suggestions_for([member])
    assert one.strength == "strong"
    assert one.evidence == (
        "same name",
        "federation USA",
        "both born in 1982",
        "no other FIDE player matches",
        "no other member with this name",
    )


@pytest.mark.parametrize(
    ("member", "person", "score"),
    [
        ({}, {}, 70),
        ({"birth_date": date(1982, 3, 23)}, {"year": 0}, 70),
        ({"birth_date": date(1983, 1, 1)}, {}, None),
        ({"birth_year": 1982}, {}, 100),
        ({"birth_year": 1983}, {}, None),
        ({}, {"fed": "GER"}, None),
        ({"federation": "GER"}, {"fed": "GER"}, 70),
        ({"federation": "GER"}, {"fed": "USA"}, None),
        ({"fide_id": "7"}, {}, None),
        ({"status": "deceased"}, {}, None),
        ({"given_name": "Emmy Amalie"}, {}, None),
    ],
)
def test_evidence_decides(member, person, score):
    player = emmy(**member)
    import_list([Person(**{**EMMY.__dict__, **person})])
    assert suggested() == ([] if score is None else [(player, 30900001, score)])


def test_several_namesakes_make_a_suggestion_weak():
    one, two = emmy(), emmy()
    import_list([EMMY, Person(30900002, "Noether, Emmy", year=1950)])
    assert suggested() == [
        (one, 30900001, 50),
        (one, 30900002, 50),
        (two, 30900001, 50),
        (two, 30900002, 50),
    ]


def test_accents_are_no_obstacle():
    member = noether()
    import_list([Person(1, "Nother, Emmy")])
    assert suggested() == [(member, 1, 70)]


def test_search_narrows_the_suggestions():
    member, other = emmy(), make_player(given_name="Ada", family_name="Byron",
                                        birth_date=None)  # fmt: skip
    import_list([EMMY, Person(2, "Byron, Ada")])
    assert suggested(text="Noeth") == [(member, 30900001, 70)]
    assert suggested(text=other.member_id) == [(other, 2, 70)]


def test_suggestions_take_the_same_queries_for_any_number(django_assert_num_queries):
    import_list([Person(number, f"Name{number}, A") for number in range(1, 13)])
    for count in (2, 12):
        for number in range(1, count + 1):
            make_player(given_name="A", family_name=f"Name{number}", birth_date=None)
        members = list(members_to_link())
        with django_assert_num_queries(5):
            assert len(suggestions_for(members)) >= count


def test_link_brings_the_ratings_of_all_stored_lists(announced_changes):
    member, staff = emmy(), make_staff()
    import_list([EMMY], APRIL)
    import_list([Person(30900001, "Noether, Emmy", 2130, games=5)], MAY)
    link_fide_id(
        player_id=member.pk, fide_id=30900001, actor=staff, reason="Wrote to us."
    )
    member.refresh_from_db()
    assert (member.fide_id, member.federation) == ("30900001", "USA")
    assert list(
        member.external_ratings.order_by("list_date").values_list("list_date", "rating")
    ) == [(APRIL, 2104), (MAY, 2130)]
    assert announced_changes == [("external_rating", member, APRIL)]
    assert suggested() == []

    announced_changes.clear()
    unlink_fide_id(player_id=member.pk, actor=staff, reason="Somebody else.")
    member.refresh_from_db()
    assert (member.fide_id, member.external_ratings.count()) == (None, 0)
    assert announced_changes == [("external_rating", member, APRIL)]
    assert suggested() == [(member, 30900001, 80 - 10)]


def test_one_fide_id_is_one_members():
    holder, member, staff = make_player(fide_id="30900001"), emmy(), make_staff()
    with pytest.raises(LinkRefused) as refusal:
        link_fide_id(player_id=member.pk, fide_id=30900001, actor=staff, reason="x")
    assert str(refusal.value) == (
        f"{holder} has FIDE ID 30900001. If the two are the same person, merge them."
    )
    with pytest.raises(LinkRefused, match="already has FIDE ID 30900001"):
        link_fide_id(player_id=holder.pk, fide_id=1, actor=staff, reason="x")
    import_list([EMMY])
    assert suggested() == []


def test_declined_suggestion_does_not_come_back():
    member, staff = emmy(), make_staff()
    import_list([EMMY, Person(5, "Noether, Emmy")])
    decline_link(player_id=member.pk, fide_id=30900001, actor=staff, reason="Aunt.")
    assert suggested() == [(member, 5, 60)]
    with pytest.raises(LinkRefused, match="already been declined"):
        decline_link(player_id=member.pk, fide_id=30900001, actor=staff, reason="A.")


def test_linking_takes_a_permission():
    member, stranger = emmy(), make_user(is_staff=True)
    for act in (link_fide_id, decline_link):
        with pytest.raises(NotAllowed):
            act(player_id=member.pk, fide_id=1, actor=stranger, reason="x")
    with pytest.raises(NotAllowed):
        unlink_fide_id(player_id=member.pk, actor=stranger, reason="x")
