"""Seats of sections."""

import random
from array import array
from itertools import pairwise

import pytest

from ratings.rerates.services.games import assign_seats
from ratings.rerates.services.players import PlayerIndex

MEMBERS = (3, 7, 20, 21, 10**9)
# The second has been merged into the fourth.
OWNER = {7: 21}


@pytest.mark.parametrize("owner", [{}, OWNER])
def test_each_seat_has_the_entry_of_its_owner(owner):
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
        seated = assign_seats(members, first_seat, player_index)
        numbers = [player_index.number_of(member) for member in members]
        assert [seated.players[one] for one in seated.entry_of_seat] == numbers
        for (seat, end), (entry, last) in zip(
            pairwise(first_seat), pairwise(seated.first_entry), strict=True
        ):
            assert list(seated.players[entry:last]) == list(
                dict.fromkeys(numbers[seat:end])
            )


def test_entries_are_in_the_order_of_their_first_seats():
    player_index = PlayerIndex.of([3, 20, 21], OWNER)
    members = array("q", [20, 7, 20, 21, 3, 3])
    seated = assign_seats(members, [0, 4, 6], player_index)
    assert list(seated.entry_of_seat) == [0, 1, 0, 1, 2, 2]
    assert list(seated.first_entry) == [0, 2, 3]
    assert [player_index.ids[player] for player in seated.players] == [20, 21, 3]
