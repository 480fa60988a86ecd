"""Suspected duplicates."""

from datetime import date

import pytest

from players.identity.queries import (
    MAX_PAIRS_PER_MEMBER,
    limit_pairs,
    pairs_of,
    suspected_duplicates,
)
from players.identity.services import mark_not_duplicates, merge_players
from tests.factories import make_player, make_staff

pytestmark = pytest.mark.django_db

BORN = date(1990, 1, 1)
OTHER_DAY = date(1991, 1, 1)


def found() -> list[tuple]:
    firsts = list(suspected_duplicates())
    pairs = pairs_of(firsts)
    # The search in the database agrees with the reasons shown.
    assert list(dict.fromkeys(pair.first for pair in pairs)) == firsts
    return [(pair.first, pair.second, pair.reasons) for pair in pairs]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ({}, {}, "same name and birth date"),
        ({}, {"birth_date": OTHER_DAY}, None),
        ({}, {"given_name": "Adam"}, None),
        (
            {"state": "OH"},
            {"state": "OH", "birth_date": None},
            "same name in OH, one birth date missing",
        ),
        (
            {"state": "OH", "birth_date": None},
            {"state": "OH"},
            "same name in OH, one birth date missing",
        ),
        ({"state": "OH"}, {"state": "IL", "birth_date": None}, None),
        (
            {"state": "OH"},
            {"state": "OH", "birth_date": None, "birth_year": BORN.year},
            "same name in OH, one birth date missing",
        ),
        (
            {"state": "OH"},
            {"state": "OH", "birth_date": None, "birth_year": 1991},
            None,
        ),
        (
            {"state": "OH", "birth_date": None, "birth_year": 1992},
            {"state": "OH", "birth_date": None, "birth_year": 1991},
            None,
        ),
        ({"state": ""}, {"state": "", "birth_date": None}, None),
        ({"state": "OH"}, {"state": "OH", "birth_date": OTHER_DAY}, None),
        (
            {"member_id": "12345678"},
            {"member_id": "12354678", "birth_date": OTHER_DAY},
            "same name, two digits of the member ID switched",
        ),
        (
            {"member_id": "91345678"},
            {"member_id": "19345678", "birth_date": OTHER_DAY},
            "same name, two digits of the member ID switched",
        ),
        (
            {"member_id": "12345678"},
            {"member_id": "12345778", "birth_date": OTHER_DAY},
            None,
        ),
    ],
)
def test_what_makes_two_records_look_like_one_person(one, other, reason):
    first, second = make_player(**one), make_player(**other)
    assert found() == ([] if reason is None else [(first, second, (reason,))])


def test_those_told_apart_or_merged_are_not_suspected_again():
    staff = make_staff()
    one, two, three = (make_player(birth_date=BORN) for _ in range(3))
    assert [pair[:2] for pair in found()] == [(one, two), (one, three), (two, three)]
    mark_not_duplicates(first_id=one.pk, second_id=two.pk, actor=staff, reason="Twins.")
    assert [pair[:2] for pair in found()] == [(one, three), (two, three)]
    merge_players(kept_id=one.pk, merged_id=three.pk, actor=staff, reason="Same.")
    assert found() == []


def test_pairs_take_two_queries_for_any_number(django_assert_num_queries):
    for number in range(8):
        for _ in range(2):
            make_player(family_name=f"Name{number}")
    firsts = list(suspected_duplicates())
    for some in (firsts[:1], firsts):
        with django_assert_num_queries(2):
            assert len(pairs_of(some)) == len(some)


def test_ninety_records_of_one_name_are_a_page_and_not_thousands_of_rows(
    django_assert_num_queries,
):
    people = [make_player(family_name="Same") for _ in range(30)]
    firsts = list(suspected_duplicates())
    with django_assert_num_queries(2):
        pairs = list(limit_pairs(firsts))
    of_first = [pair for pair in pairs if pair.first == people[0]]
    assert [pair.second for pair in of_first] == people[1 : 1 + MAX_PAIRS_PER_MEMBER]
    assert [pair.more for pair in of_first] == [0, 0, 29 - MAX_PAIRS_PER_MEMBER]
    assert len(pairs) == 27 * MAX_PAIRS_PER_MEMBER + 2 + 1
    assert pairs[-1].more == 0
