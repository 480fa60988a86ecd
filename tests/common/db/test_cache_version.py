"""No cached page is stale: two connections in the critical order."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from players.models import Player
from ratings_site.common.db.cache_version import current_cache_version
from ratings_site.common.web.page_cache import cached_response
from tests.concurrency import needs_two_connections, run_before_commit, run_concurrently  # noqa: F401
from tests.factories import make_player

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _empty_page_cache() -> Iterator[None]:
    caches["pages"].clear()
    yield
    caches["pages"].clear()


@pytest.fixture
def ana() -> Player:
    return make_player("12345678", "Ana", "Old")


@pytest.fixture
def ben() -> Player:
    return make_player("12345679", "Ben", "Old")


def rename(player: Player, name: str = "New") -> None:
    Player.objects.filter(pk=player.pk).update(family_name=name)


def name_of(player: Player) -> str:
    return Player.objects.get(pk=player.pk).family_name


class Page:
    """A page that shows a member's name, with hooks before and after the query."""

    def __init__(self, player: Player, before: Any = None, after: Any = None) -> None:
        self.player, self.before, self.after = player, before, after

    def visit(self) -> str:
        request = RequestFactory().get("/a-page/")
        return cached_response(request, self._make, language="en").content.decode()

    def _make(self, request: HttpRequest) -> HttpResponse:
        if self.before:
            run_concurrently(self.before)
        name = name_of(self.player)
        if self.after:
            run_concurrently(self.after)
        return HttpResponse(name)


def test_page_rendered_before_a_commit_is_not_served_after_it(ana):
    _, seen = run_before_commit(lambda: rename(ana), Page(ana).visit)
    assert (seen, Page(ana).visit()) == ("Old", "New")


def test_page_rendered_during_a_commit_is_not_served_after_it(ana):
    seen = Page(ana, after=lambda: rename(ana)).visit()
    assert (seen, Page(ana).visit()) == ("Old", "New")


def test_page_newer_than_its_cache_version_is_harmless(ana):
    seen = Page(ana, before=lambda: rename(ana)).visit()
    assert (seen, Page(ana).visit()) == ("New", "New")


def test_two_writers_move_it_at_once_and_neither_waits(ana, ben):
    stamps = [current_cache_version()]

    def second() -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            rename(ben)
        stamps.append(current_cache_version())
        return Player.objects.filter(family_name="New").count()

    # The second has committed while the first has not.
    assert run_before_commit(lambda: rename(ana), second) == [None, 1]
    stamps.append(current_cache_version())
    assert len(set(stamps)) == 3


def test_what_is_taken_back_does_not_move_it_and_what_follows_does(ana):
    before = current_cache_version()
    with transaction.atomic():
        with transaction.atomic():
            rename(ana, "Nobody")
            transaction.set_rollback(True)
        assert name_of(ana) == "Old"
    assert current_cache_version() == before
    with transaction.atomic():
        with transaction.atomic():
            rename(ana, "Nobody")
            transaction.set_rollback(True)
        rename(ana)
    assert current_cache_version() != before


def test_many_writers_leave_few_rows(ana):
    for number in range(20):
        rename(ana, str(number))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM common_generation")
        assert cursor.fetchone()[0] <= 3
