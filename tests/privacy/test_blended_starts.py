"""A blended initial rating reveals no more of a rating than its own line does."""

import re

import pytest
from django.test import Client

from ratings.engine.numbers import official
from ratings.ledger.queries.published_ratings import published
from ratings.models import RatingChange
from ratings_site.common.ui.formatting import format_rating
from tests.privacy.public_records import PublicRecords
from tests.privacy.test_birth_dates import (
    BORN,
    KINDS,
    flat,
    lost_27,
    lost_all,
    mixed,
)
from tests.privacy.test_visibility import reader

pytestmark = pytest.mark.django_db

ROLES = ["anybody", "somebody", "another director", "member", "guardian"]
DEFAULT_OPTIONS = ["director", "office"]


def then_quick(books: PublicRecords) -> None:
    """Let the target, and an opponent so far rated over the board, start in quick."""
    books.play(
        [books.target, books.rated_player(1143.37), books.newcomer(BORN)],
        ["L2 W3", "W1 D3", "L1 D2"],
        time_control="G/15;d5",
    )


def source(books: PublicRecords) -> RatingChange:
    lines = RatingChange.objects.filter(player=books.target, calculation__system="OTBR")
    return lines.latest("post_games")


def why_page(books: PublicRecords, client: Client) -> str:
    event_id = books.sections[-1].event.event_id
    url = f"/events/{event_id}/1/why/{books.target.member_id}/OTBQ/"
    response = client.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def in_the_table(page: str) -> str:
    """The rating that the table of sources prints."""
    return re.search(
        r'<tr><td>Regular</td><td>[^<]*</td><td class="num">([^<]*)', page
    )[1]


@pytest.mark.parametrize("kind", [lost_all, mixed], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("role", [*ROLES, *DEFAULT_OPTIONS])
def test_the_source_is_shown_as_its_own_line_is(kind, role):
    books = PublicRecords(BORN)
    kind(books)
    then_quick(books)
    line = source(books)
    seen = format_rating(published(line))
    if role in ("member", "guardian", *DEFAULT_OPTIONS):
        seen = f"{line.post_rating:.2f}"
    page = why_page(books, reader(books, role))
    assert in_the_table(page) == seen


@pytest.mark.gate
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.__name__)
def test_no_why_page_tells_a_stranger_decimals_of_a_rating(kind):
    books = PublicRecords(BORN)
    kind(books)
    then_quick(books)
    pages = _all_why_pages(books)
    assert len(pages) >= 5
    lines = RatingChange.objects.filter(player__in=books.people, games__gt=0)
    for line in lines:
        for rating in (line.post_rating, line.initial_rating):
            secret = f"{rating:.2f}"
            assert secret.endswith(".00") or all(secret not in one for one in pages)


def public_pages(books: PublicRecords) -> list[str]:
    """Return what is public about the target and their sections."""
    member = f"/players/{books.target.member_id}/"
    urls = [f"{member}?decimals=1", f"/players/?q={books.target.member_id}"]
    urls += [f"{member}feed.atom", f"/api/v1/members/{books.target.member_id}/ratings"]
    for section in books.sections:
        event_id = section.event.event_id
        urls.append(f"/events/{event_id}/1/?decimals=1")
        urls.append(f"/api/v1/events/{event_id}/sections/1/standings")
    # The labels of a chart's axis are round numbers, whatever the ratings are.
    axis = re.compile('<text class="axis".*?</text>')
    return [
        axis.sub("", page) for page in [*map(books.html, urls), *_all_why_pages(books)]
    ]


@pytest.mark.parametrize(
    "kind", [lost_all, flat, lost_27], ids=lambda kind: kind.__name__
)
def test_no_page_tells_a_start_or_a_rating_that_still_is_one(kind):
    books = PublicRecords(BORN)
    kind(books)
    then_quick(books)
    read = public_pages(books)
    for line in books.target.rating_changes.exclude(age_start=None):
        whole = official(line.post_rating)
        assert whole % 50
        assert not [page for page in read if re.search(rf"\b{whole}\b", page)]


def _all_why_pages(books: PublicRecords) -> list[str]:
    lines = RatingChange.objects.filter(calculation__section__in=books.sections)
    lines = lines.select_related("calculation__section__event", "player")
    found = []
    for line in lines:
        event_id = line.calculation.section.event.event_id
        why = f"why/{line.player.member_id}/{line.calculation.system}/"
        response = Client().get(f"/events/{event_id}/1/{why}")
        assert response.status_code == 200
        found.append(response.content.decode())
    return found
