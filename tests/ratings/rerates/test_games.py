"""Sections are seated by numpy as by the plain loop."""

import random
from array import array

import pytest

from ratings.rerates.services.games import assign_seats_by_loop, assign_seats_by_numpy
from ratings.rerates.services.players import PlayerIndex
from ratings_site.common.db.binary_copy import numpy

MEMBERS = (3, 7, 20, 21, 10**9)
# The second has been merged into the fourth.
OWNER = {7: 21}


@pytest.fixture(autouse=True)
def _needs_numpy(require_services):
    if numpy is None:
        assert not require_services, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")


@pytest.mark.parametrize("owner", [{}, OWNER])
def test_both_ways_seat_the_same(owner):
    """With re-entered members, merged ones, and sections without players."""
    chance = random.Random(20250210)
    player_index = PlayerIndex.of(
        {owner.get(member, member) for member in MEMBERS}, owner
    )
    for _ in range(200):
        members, first_seat = array("q"), array("i", [0])
        for _ in range(chance.randrange(6)):
            members.extend(chance.choices(MEMBERS, k=chance.randrange(8)))
            first_seat.append(len(members))
        one_by_one = assign_seats_by_loop(members, first_seat, player_index)
        assert assign_seats_by_numpy(members, first_seat, player_index) == one_by_one


def test_entries_are_in_the_order_of_their_first_seats():
    player_index = PlayerIndex.of([3, 20, 21], OWNER)
    members = array("q", [20, 7, 20, 21, 3, 3])
    seated = assign_seats_by_loop(members, [0, 4, 6], player_index)
    assert list(seated.entry_of_seat) == [0, 1, 0, 1, 2, 2]
    assert list(seated.first_entry) == [0, 2, 3]
    assert [player_index.ids[player] for player in seated.players] == [20, 21, 3]
