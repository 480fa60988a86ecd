"""No page that is kept is older than an act: two connections, the order that hurts."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from players.models import Player
from ratings_site.common.database.generation import current_generation
from ratings_site.common.web.kept import answered
from tests.factories import make_player
from tests.races import at_once, in_the_middle, needs_two_connections  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
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
    """A page that shows a member's name; before and after it looks, something comes."""

    def __init__(self, player: Player, before: Any = None, after: Any = None) -> None:
        self.player, self.before, self.after = player, before, after

    def visit(self) -> str:
        request = RequestFactory().get("/a-page/")
        return answered(request, self._make, language="en").content.decode()

    def _make(self, request: HttpRequest) -> HttpResponse:
        if self.before:
            at_once(self.before)
        name = name_of(self.player)
        if self.after:
            at_once(self.after)
        return HttpResponse(name)


def test_page_made_before_an_act_commits_is_not_shown_after_it(ana):
    _, seen = in_the_middle(lambda: rename(ana), Page(ana).visit)
    assert (seen, Page(ana).visit()) == ("Old", "New")


def test_page_made_while_an_act_commits_is_not_shown_after_it(ana):
    seen = Page(ana, after=lambda: rename(ana)).visit()
    assert (seen, Page(ana).visit()) == ("Old", "New")


def test_page_that_saw_more_than_its_stamp_harms_nobody(ana):
    seen = Page(ana, before=lambda: rename(ana)).visit()
    assert (seen, Page(ana).visit()) == ("New", "New")


def test_two_writers_move_it_at_once_and_neither_waits(ana, ben):
    stamps = [current_generation()]

    def second() -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            rename(ben)
        stamps.append(current_generation())
        return Player.objects.filter(family_name="New").count()

    # The second has committed while the first has not.
    assert in_the_middle(lambda: rename(ana), second) == [None, 1]
    stamps.append(current_generation())
    assert len(set(stamps)) == 3


def test_what_is_taken_back_does_not_move_it_and_what_follows_does(ana):
    before = current_generation()
    with transaction.atomic():
        with transaction.atomic():
            rename(ana, "Nobody")
            transaction.set_rollback(True)
        assert name_of(ana) == "Old"
    assert current_generation() == before
    with transaction.atomic():
        with transaction.atomic():
            rename(ana, "Nobody")
            transaction.set_rollback(True)
        rename(ana)
    assert current_generation() != before


def test_many_writers_leave_few_rows(ana):
    for number in range(20):
        rename(ana, str(number))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM common_generation")
        assert cursor.fetchone()[0] <= 3
