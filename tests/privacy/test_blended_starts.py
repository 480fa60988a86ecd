"""A start blended from a rating tells no more of that rating than its own line does."""

import re
from datetime import date

import pytest
from django.test import Client

from players.models import Player
from ratings.engine.numbers import official
from ratings.ledger.queries import privacy
from ratings.ledger.queries.privacy import MOST, SOME, Starts, about, tells_start
from ratings.models import PlayerRating, RatingChange
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


def public_pages(books: Books) -> list[str]:
    """What a stranger reads of the target and of the sections they were in."""
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


# After mixed results against rated players the rating is the performance, which holds
# nothing of the start and is printed.
@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if kind is not mixed],
    ids=lambda kind: kind.__name__,
)
def test_no_page_tells_a_rating_that_a_start_was_blended_from(kind):
    books = Books(BORN)
    kind(books)
    then_quick(books)
    read = public_pages(books)
    for line in books.target.rating_changes.filter(games__gt=0):
        whole = official(line.post_rating)
        if whole % 10:
            assert not [page for page in read if re.search(rf"\b{whole}\b", page)]


def told(player: Player, system: str) -> int:
    row = PlayerRating.objects.annotate(told=tells_start())
    return row.get(player=player, system=system).told


def test_what_a_blended_rating_tells_goes_by_its_sources():
    child, adult = Books(BORN), Books(date(1990, 1, 1))
    for books in (child, adult):
        mixed(books)
        then_quick(books)
    assert (told(child.target, "OTBR"), told(child.target, "OTBQ")) == (SOME, MOST)
    assert (told(adult.target, "OTBR"), told(adult.target, "OTBQ")) == (0, 0)
    # What was blended from a blend still holds the start.
    rivals = [child.target, child.known(1143.37)]
    child.play(rivals, ["L2", "W1"], time_control="G/5;d0")
    assert told(child.target, "OTBB") == MOST


def test_a_rating_blended_from_an_established_one_tells_nothing():
    books = Books(BORN)
    for _ in range(7):
        books.meet([books.known(r) for r in (643.4, 710.8, 588.2, 777.6)], "WLDL")
    assert told(books.target, "OTBR") == 0
    then_quick(books)
    assert told(books.target, "OTBQ") == 0


def test_a_blended_rating_that_is_established_is_a_whole_number_again():
    books = Books(BORN)
    lost_all(books)
    for _ in range(6):
        books.play(
            [books.target, *(books.known(r) for r in (643.4, 710.8, 588.2, 777.6))],
            ["W2 L3 D4 L5", "L1 H H H", "H W1 H H", "H H D1 H", "H H H W1"],
            time_control="G/15;d5",
        )
    row = PlayerRating.objects.get(player=books.target, system="OTBQ")
    assert (row.games > 25, told(books.target, "OTBQ")) == (True, 0)


def _known_in_quick(books: Books) -> Player:
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


@pytest.mark.parametrize("before", [2, 14], ids=["newcomer", "established by then"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_list_asks_of_all_at_once_what_a_page_asks_of_each(kind, before, monkeypatch):
    # With the rule's own number it would take many more games.
    monkeypatch.setattr(privacy, "MOST_PROVISIONAL", 13)
    tells_start.cache_clear()
    books = Books(BORN)
    kind(books)
    books.meet([books.known(1000.25) for _ in range(before)], "L" * before)
    then_quick(books)
    books.meet([books.known(1000.25)], "W")
    told = tells_start("post_games", system="calculation__system")
    lines = RatingChange.objects.select_related("calculation").annotate(told=told)
    starts = Starts()
    at_once = [
        starts.told(one.player_id, one.calculation.system, one.post_games)
        for one in lines
    ]
    one_by_one = [
        Starts(ratings=[(one.player_id, one.calculation.system)]).told(
            one.player_id, one.calculation.system, one.post_games
        )
        for one in lines
    ]
    tells_start.cache_clear()
    assert at_once == one_by_one == [one.told for one in lines]
    [quick] = [
        one.told
        for one in lines
        if (one.player_id, one.calculation.system) == (books.target.pk, "OTBQ")
    ]
    assert before == 2 or not quick


def test_starts_of_some_are_those_of_all_and_of_nobody_else():
    books = Books(BORN)
    others = [books.known(1500.0), books.known(1600.0)]
    books.meet(others, "LL")
    [line] = RatingChange.objects.filter(player=books.target, pre_rating=None)
    asked = (books.target.pk, line.calculation.system, line.post_games)
    assert Starts([books.target.pk]).told(*asked) == Starts().told(*asked) == MOST
    # Nothing is said of whom nobody asked for, rather than that all may be seen.
    with pytest.raises(LookupError):
        Starts([others[0].pk]).told(*asked)
    with pytest.raises(LookupError):
        Starts(ratings=[(books.target.pk, "OTBB")]).told(*asked)


def test_starts_asked_for_later_are_those_of_all(django_assert_num_queries):
    books = Books(BORN)
    other = books.known(1500.0)
    books.meet([other], "L")
    [line] = RatingChange.objects.filter(player=books.target, pre_rating=None)
    key = books.target.pk, line.calculation.system
    starts = Starts([other.pk])
    starts.ask([key])
    with django_assert_num_queries(1):
        assert starts.told(other.pk, "OTBR", 1) == 0
        assert starts.told(*key, line.post_games) == MOST
    answered = Starts([other.pk])
    assert answered.told(other.pk, "OTBR", 1) == 0
    answered.ask([key])
    assert answered.told(*key, line.post_games) == MOST
    with pytest.raises(LookupError):
        answered.told(books.target.pk, "OTBB", 1)


def test_nobody_asks_for_the_start_of_an_established_rating(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Starts([1]).told(1, "OTBR", privacy.MOST_PROVISIONAL + 1) == 0
