"""Sections are seated by numpy as they are one by one."""

import random
from array import array

import pytest

from ratings.rerates.services.games import seated_in_columns, seated_one_by_one
from ratings.rerates.services.people import Cast
from ratings_site.common.database.binary_copy import numpy

MEMBERS = (3, 7, 20, 21, 10**9)
# The second has been merged into the fourth.
OWNER = {7: 21}


@pytest.fixture(autouse=True)
def _needs_numpy(insist):
    if numpy is None:
        assert not insist, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")


@pytest.mark.parametrize("owner", [{}, OWNER])
def test_both_ways_seat_the_same(owner):
    """Among them re-entered members, merged ones, and sections without anybody."""
    chance = random.Random(20250210)
    cast = Cast.of({owner.get(member, member) for member in MEMBERS}, owner)
    for _ in range(200):
        members, first_seat = array("q"), array("i", [0])
        for _ in range(chance.randrange(6)):
            members.extend(chance.choices(MEMBERS, k=chance.randrange(8)))
            first_seat.append(len(members))
        one_by_one = seated_one_by_one(members, first_seat, cast)
        assert seated_in_columns(members, first_seat, cast) == one_by_one


def test_entries_are_in_the_order_of_their_first_seats():
    cast = Cast.of([3, 20, 21], OWNER)
    members = array("q", [20, 7, 20, 21, 3, 3])
    seated = seated_one_by_one(members, [0, 4, 6], cast)
    assert list(seated.entry_of_seat) == [0, 1, 0, 1, 2, 2]
    assert list(seated.first_entry) == [0, 2, 3]
    assert [cast.ids[player] for player in seated.players] == [20, 21, 3]
