"""A start blended from a rating tells no more of that rating than its own line does."""

import re

import pytest
from django.test import Client

from ratings.engine.numbers import official
from ratings.ledger.queries.privacy import about, tells_start
from ratings.models import RatingChange
from ratings_site.common.looks.figures import in_words
from tests.factories import open_rating
from tests.privacy.books import Books
from tests.privacy.test_birth_dates import BORN, KINDS, lost_all, mixed, several
from tests.privacy.test_who_sees import reader

pytestmark = pytest.mark.django_db

ROLES = ["anybody", "somebody", "another director", "member", "guardian"]
ALL_OF_IT = ["director", "office"]


def then_quick(books: Books) -> None:
    """Let the target, and an opponent so far rated over the board, start in quick."""
    books.play(
        [books.target, books.known(1143.37), books.newcomer(BORN)],
        ["L2 W3", "W1 D3", "L1 D2"],
        time_control="G/15;d5",
    )


def source(books: Books) -> RatingChange:
    lines = RatingChange.objects.filter(player=books.target, calculation__system="OTBR")
    told = tells_start("post_games", system="calculation__system")
    return lines.annotate(told=told).latest("post_games")


def why_page(books: Books, client: Client) -> str:
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
@pytest.mark.parametrize("role", [*ROLES, *ALL_OF_IT])
def test_the_source_is_shown_as_its_own_line_is(kind, role):
    books = Books(BORN)
    kind(books)
    then_quick(books)
    line = source(books)
    may_see = role in ("member", "guardian", *ALL_OF_IT)
    seen = f"{line.post_rating:.2f}"
    if not may_see:
        seen = in_words(about(line.post_rating, line.told))
    page = why_page(books, reader(books, role))
    assert in_the_table(page) == seen


@pytest.mark.parametrize("role", ["member", "guardian"])
def test_of_a_section_without_other_newcomers_they_read_decimals(role):
    books = Books(BORN)
    lost_all(books)
    books.meet([books.known(1000.25)], "L")
    quick = [books.target, _known_in_quick(books)]
    books.play(quick, ["L2", "W1"], time_control="G/15;d5")
    page = why_page(books, reader(books, role))
    assert in_the_table(page) == f"{source(books).post_rating:.2f}"


@pytest.mark.parametrize("role", ["member", "guardian"])
def test_decimals_that_hold_the_start_of_others_are_left_out_of_all_figures(role):
    books = Books(BORN)
    several(books)
    quick = [books.target, _known_in_quick(books)]
    books.play(quick, ["L2", "W1"], time_control="G/15;d5")
    rating = source(books).post_rating
    page = why_page(books, reader(books, role))
    assert in_the_table(page) == str(official(rating))
    assert f"{rating:.2f}" not in page
    # Z, S and W have two decimals at most, for a third would give it back.
    table = page.split('<caption class="vh">Initial rating')[1].split("</table>")[0]
    assert not re.search(r"\d\.\d{3}", table)
    assert f"{rating:.2f}" in why_page(books, reader(books, "office"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_why_page_tells_a_stranger_decimals_of_a_rating(kind):
    books = Books(BORN)
    kind(books)
    then_quick(books)
    pages = _all_why_pages(books)
    assert len(pages) >= 5
    lines = RatingChange.objects.filter(player__in=books.people, games__gt=0)
    for line in lines:
        for rating in (line.post_rating, line.initial_rating):
            secret = f"{rating:.2f}"
            assert secret.endswith(".00") or all(secret not in one for one in pages)


def _known_in_quick(books: Books):
    player = books.known(1143.37)
    open_rating(player, "OTBQ", 1101.25, 40)
    return player


def _all_why_pages(books: Books) -> list[str]:
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
