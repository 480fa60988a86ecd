"""What tests of the members' app share."""

import pytest

from players import registry
from players.signals import history_changed


@pytest.fixture
def told(monkeypatch):
    """What is said to those who rate, as (kind, player, day).

    Here every foreign rating matters to everybody.
    """
    monkeypatch.setattr(registry, "affected_by_rating", [])
    heard = []

    def hear(kind, player, day, **_):
        heard.append((kind, player, day))

    history_changed.connect(hear)
    yield heard
    history_changed.disconnect(hear)
