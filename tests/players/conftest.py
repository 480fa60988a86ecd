"""Shared fixtures for the tests of players."""

import pytest

from players.members.rating_history import bind_rating_history, rating_history


class FakeRatings:
    """A ratings app that allows every merge; every foreign rating affects a player."""

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
def fake_ratings():
    """Replace the ratings app."""
    office = rating_history()
    bind_rating_history(fake_ratings := FakeRatings())
    yield fake_ratings
    bind_rating_history(office)


@pytest.fixture
def announced_changes(fake_ratings):
    """Return the changes sent to the ratings app, as (kind, player, day)."""
    return fake_ratings.heard
