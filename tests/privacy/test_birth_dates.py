"""From all public numbers together, no birth date is found below the window."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from tests.privacy.attack import window
from tests.privacy.books import Books

pytestmark = pytest.mark.django_db

WINDOW = timedelta(days=90)
BORN = date(2010, 7, 19)  # 13.8 years, a start of 690


def lost_all(books: Books) -> None:
    books.meet([books.known(r) for r in (1143.37, 1210.81, 1388.2, 1277.64)], "LLLL")


def won_all(books: Books) -> None:
    books.meet([books.known(r) for r in (143.37, 210.81, 188.2, 277.64)], "WWWW")


def mixed(books: Books) -> None:
    books.meet([books.known(r) for r in (643.37, 710.81, 888.2, 777.64)], "WLDL")


def flat(books: Books) -> None:
    """Any rating between those beaten and those lost to balances the result."""
    books.meet([books.known(r) for r in (143.37, 210.81, 1288.2, 1377.64)], "WWLL")


def one_draw(books: Books) -> None:
    books.meet([books.known(643.37, 1)], "D")


def provisional(books: Books) -> None:
    books.meet(
        [
            books.known(r, g)
            for r, g in ((643.4, 5), (710.8, 6), (888.2, 9), (777.6, 8))
        ],
        "WLDL",
    )


def several(books: Books) -> None:
    others = [books.newcomer(date(2012, 1, 5)), books.newcomer(date(2008, 11, 30))]
    known = [books.known(812.3, 12), books.known(641.77), books.known(935.05, 7)]
    books.all_play_all([books.target, *others, *known], "LWLLLWLWLLLDWLW")


def second_event(books: Books) -> None:
    lost_all(books)
    books.meet([books.known(r) for r in (643.37, 710.81, 588.2, 777.64)], "WLDL")


def third_event(books: Books) -> None:
    second_event(books)
    books.meet([books.known(r) for r in (604.6, 810.5, 777.3, 512.92)], "WLLW")


def after_a_draw(books: Books) -> None:
    one_draw(books)
    books.meet([books.known(r) for r in (643.37, 710.81, 588.2)], "WLD")


KINDS = (
    lost_all,
    won_all,
    mixed,
    flat,
    one_draw,
    provisional,
    several,
    second_event,
    third_event,
    after_a_draw,
)


def attacked(kind: Callable[[Books], None]) -> timedelta:
    books = Books(BORN)
    kind(books)
    return window(books.cards, books.target.pk, BORN, books.told())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_birth_date_stays_open_for_the_window(kind):
    assert attacked(kind) >= WINDOW


@pytest.mark.parametrize("kind", [lost_all, flat])
def test_without_the_guard_the_attack_finds_it(settings, kind):
    settings.BIRTH_DATE_WINDOW = 0
    assert attacked(kind) < timedelta(days=10)
