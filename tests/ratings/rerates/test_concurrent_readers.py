"""Publishing a rerate does not block readers, and they never see half of it."""

import threading

import pytest
from django.db import connection

from ratings.models import PlayerRating
from ratings.rerates.services import publishing
from ratings.rerates.services.publishing import publish_rerate
from tests.ratings.rerates.factories import ratings
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    office,
    rated_in_this_order,
    rerate,
)

PATIENCE = 20


@pytest.mark.django_db(transaction=True)
def test_readers_see_the_old_ratings_until_the_new_ones_are_there(
    office,  # noqa: F811
    monkeypatch,
):
    if connection.vendor != "postgresql":
        pytest.skip("The tests' SQLite is one connection; WAL lets readers through.")
    rated_in_this_order(office, [0, 2, 1])
    before = ratings()
    run = rerate()
    moved, may_go_on = threading.Event(), threading.Event()
    plain = publishing._keep_whole_points

    def pause(run):
        plain(run)
        moved.set()
        may_go_on.wait(PATIENCE)

    monkeypatch.setattr(publishing, "_keep_whole_points", pause)
    publisher = threading.Thread(target=_publish, args=(run.pk,))
    publisher.start()
    try:
        assert moved.wait(PATIENCE)
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = '2s'")
        assert ratings() == before
        assert PlayerRating.objects.count() == len(before)
    finally:
        may_go_on.set()
        publisher.join()
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
    assert ratings() != before


def _publish(run_id: int) -> None:
    try:
        publish_rerate(run_id=run_id, actor=None, reason="Good.")
    finally:
        connection.close()
