"""Attacks that once worked: decimals and initial ratings on other pages.

Losing 27 games, another of them, is a kind of newcomer in `test_birth_dates`; the tests
of archives and previews, and `test_every_page`, cover others.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from ratings.lists.queries.rankings import BANDS, age_date
from ratings.models import RatingChange, Run, RunDifference
from tests.factories import make_player
from tests.privacy.public_records import PublicRecords
from tests.privacy.test_birth_dates import BORN, lost_all

pytestmark = pytest.mark.django_db

TOKENS = re.compile(r'nonce="[^"]*"|csrfmiddlewaretoken" value="[^"]*"')
ONE, OTHER = "19000001", "19000002"
ADDRESSES = (
    *(
        f"/matches/?one={ONE}&other={OTHER}&system=OTBR&day=2030-06-01&games={games}"
        for games in (2, 4, 7, 20)
    ),
    f"/matches/?one={OTHER}&other={ONE}&system=OTBQ&day=2030-06-01&games=3",
    f"/estimate/?member={ONE}&system=OTBR&opponents=1500+W%0A1600+L&control=G/90",
    f"/estimate/target/?member={ONE}&system=OTBR&target=1800&opponents=1700&games=5",
    f"/estimate/section/?players={ONE}%0A{OTHER}",
    f"/players/{ONE}/?decimals=1&table=1",
    f"/players/{ONE}/floors/",
    f"/players/{ONE}/results/",
    f"/players/{ONE}/against/{OTHER}/",
    f"/players/?q={ONE}",
    f"/players/{ONE}/feed.atom",
    f"/api/v1/members/{ONE}/ratings",
    f"/api/v1/members/{ONE}/history",
    "/classes/OTBR/class-b/",
)


def read_publicly(ratings: Iterable[tuple[str, float, float]]) -> dict[str, str]:
    """Return public pages of two members with these ratings, and undo the members."""
    pages = {}
    with transaction.atomic():
        for member_id, regular, quick in ratings:
            make_player(
                member_id,
                "Same",
                f"Name{member_id[-1]}",
                birth_date=None,
                ratings={"OTBR": (regular, 40), "OTBQ": (quick, 12)},
            )
        for address in ADDRESSES:
            response = Client().get(address)
            text = TOKENS.sub("", response.content.decode())
            pages[address] = f"{response.status_code} {text}"
        transaction.set_rollback(True)
    return pages


def test_ratings_that_are_published_alike_are_shown_alike_everywhere():
    """Decimals once came to a hundredth from 20 requests of the match calculator."""
    low = read_publicly([(ONE, 1649.5, 1700.4), (OTHER, 1600.2, 1500.4)])
    high = read_publicly([(ONE, 1650.4, 1699.6), (OTHER, 1599.8, 1499.6)])
    assert low == high
    assert {address for address in low if "1650" in low[address]} >= {
        ADDRESSES[0], f"/players/{ONE}/?decimals=1&table=1"
    }  # fmt: skip
    answers = [page[:3] for page in low.values()]
    assert answers.count("200") >= len(ADDRESSES) - 2


def test_page_of_a_rerate_says_about_of_a_start():
    books = PublicRecords(BORN)
    lost_all(books)
    line = RatingChange.objects.get(player=books.target)
    run = Run.objects.create(
        kind="rerate",
        status="published",
        publish_reason="Looked at.",
        published_at=timezone.now(),
    )
    RunDifference.objects.create(
        run=run,
        player=books.target,
        system="OTBR",
        before=line.post_rating - 7,
        before_age_start=line.post_rating - 7,
        after=line.post_rating,
        age_start=line.age_start,
    )
    page = books.html(f"/rerates/{run.pk}/players/{books.target.member_id}/")
    assert "about 700 → about 700" in page
    assert not re.search(r"\b(?:690|683)\b", page)


def test_age_bands_tell_the_quarter_of_birth_and_no_day():
    """Leaving a band reveals the quarter of birth, "about 700" a year.

    Where the two overlap least, fewer days than a quarter are left (docs/privacy.md).
    """
    event = date(2024, 5, 5)
    told = [
        born
        for born in (date(2009, 1, 1) + timedelta(days=n) for n in range(1096))
        if 675 <= 50 * (event - born).days / 365.25 < 725
    ]
    band = next(one for one in BANDS if one.slug == "u14")
    months = [date(2023 + n // 12, n % 12 + 1, 1) for n in range(36)]
    by_history: dict[tuple[bool, ...], int] = {}
    for born in told:
        history = tuple(
            born > _years_before(age_date(month), band.below) for month in months
        )
        by_history[history] = by_history.get(history, 0) + 1
    assert min(by_history.values()) >= 34
    assert max(by_history.values()) >= 90


def _years_before(day: date, years: int) -> date:
    return day.replace(year=day.year - years)
