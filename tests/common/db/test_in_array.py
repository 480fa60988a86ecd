"""The lookup for thousands of integers."""

import pytest

from players.models import Membership, Player
from ratings_site.common.db import in_array  # noqa: F401 (registers the lookup)
from tests.factories import make_player

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("more", [0, 40_000])
def test_among_finds_what_in_would(django_assert_num_queries, more):
    players = [make_player() for _ in range(4)]
    wanted = {players[0].pk, players[2].pk}
    numbers = [*wanted, *range(10**9, 10**9 + more)]
    with django_assert_num_queries(2):
        found = set(
            Player.objects.filter(pk__in_array=numbers).values_list("pk", flat=True)
        )
        members = set(
            Membership.objects.filter(player__in_array=numbers).values_list(
                "player_id", flat=True
            )
        )
    assert (found, members) == (wanted, wanted)


def test_among_nothing_finds_nothing():
    make_player()
    assert not Player.objects.filter(pk__in_array=[]).exists()
