"""What tests of the members' app share."""

import pytest

from players.members.careers import bind_careers, careers


class Hearing:
    """Nobody rates: every foreign rating concerns everybody, all may be one person."""

    def __init__(self):
        self.heard = []

    def history_changed(self, *, kind, day, player=None, **_):
        self.heard.append((kind, player, day))

    def merge_undone(self, *, kept, merged, **_):
        self.heard += [("merge", player, None) for player in (kept, merged)]

    def merge_refusals(self, pairs):
        return [[] for _pair in pairs]

    def merge_facts(self, player):
        return []

    def affected_by_rating(self, player_ids, day):
        return set(player_ids)


@pytest.fixture
def hearing():
    """Those who rate, in place of the office."""
    office = careers()
    bind_careers(hearing := Hearing())
    yield hearing
    bind_careers(office)


@pytest.fixture
def told(hearing):
    """What is said to those who rate, as (kind, player, day)."""
    return hearing.heard
