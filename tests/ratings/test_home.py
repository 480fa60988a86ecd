"""The first page."""

import re
from datetime import date

import pytest

from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db


def text(client) -> str:
    return client.get("/").content.decode()


def lines(html: str, section: str) -> list[list[str]]:
    """The links of a list on the page, each with its remark."""
    part = re.search(rf'<h2 id="{section}">.*?</section>', html, re.DOTALL)[0]
    return [
        [re.sub(r"<.*?>", "", piece).strip() for piece in line]
        for line in re.findall(
            r"<li>\s*(<a .*?</a>)\s*(<span.*?</span>)\s*</li>", part, re.DOTALL
        )
    ]


def pair_event(td, staff, name: str, day: date, *, rate: bool = True):
    pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
    report = event_report(
        td, [section_report(pair, ["W2W", "L1B"])], name=name, starts=day, ends=day
    )
    return (rated_event if rate else accepted_event)(td, report, staff=staff)


def test_search_is_on_the_first_page_even_when_the_books_are_empty(client):
    make_player()
    html = text(client)
    assert (
        '<form class="find large" role="search" method="get" action="/players/"' in html
    )
    assert "No event is rated yet." in html
    assert "<svg xmlns" not in html


def test_first_page_says_where_to_see_why_a_rating_changed(client):
    assert "“Why” beside each rating shows how it came about." in text(client)


def test_latest_events_stand_by_their_last_day(client):
    td, staff = make_td(), make_staff()
    pair_event(td, staff, "June & July", date(2024, 6, 1))
    pair_event(td, staff, "April Open", date(2024, 4, 1))
    pair_event(td, staff, "Not rated yet", date(2024, 7, 1), rate=False)
    html = text(client)
    assert lines(html, "latest") == [
        ["June &amp; July", "1 June 2024 · IL · 2 entries"],
        ["April Open", "1 April 2024 · IL · 2 entries"],
    ]
    assert [line[0] for line in lines(html, "new")] == [
        "April Open: Section 1",
        "June &amp; July: Section 1",
    ]
    assert "1 section</span>" in html
    assert "waiting to be rated" in html


def test_an_event_without_entries_counts_none(client):
    section = rated_section()
    section.entries.all().delete()
    page = client.get("/").content.decode()
    assert section.event.name in page
    assert "0 entries" in page


def test_section_that_was_rated_late_says_so(client):
    td, staff = make_td(), make_staff()
    pair = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(2)]
    section = section_report(pair, ["W2W", "L1B"])
    for name, day in (("May Open", date(2024, 5, 4)), ("April Open", date(2024, 4, 6))):
        report = event_report(td, [section], name=name, starts=day, ends=day)
        rated_event(td, report, staff=staff)
    html = text(client)
    assert html.count("rated late") == 1
    assert "rated late" in html.split("April Open: Section 1")[1].split("</li>")[0]


def test_chart_counts_members_by_the_rounded_rating(client):
    for rating in (2199.5, 2199.4, 1500.0, 99.9 + 0.1):
        open_rating(make_player(), "OTBR", rating, 30)
    open_rating(make_player(), "OTBQ", 1500.0, 30)
    html = text(client)
    counts = re.search(r"<desc.*?>(.*?)</desc>", html)[1]
    assert counts == (
        "4 in all: Senior Master 0, Master 1, Expert 1, Class A 0, Class B 0, "
        "Class C 1, Class D 0, Class E 0, Class F 0, Class G 0, Class H 0, "
        "Class I 0, Class J 1."
    )
    assert 'href="/classes/OTBR/class-c/"' in html


def test_further_pages_of_what_was_found_are_the_search_pages(client):
    response = client.get("/?q=lind&page=2")
    assert (response.status_code, response["Location"]) == (
        302,
        "/players/?q=lind&page=2",
    )


@pytest.mark.parametrize("count", [2, 20])
def test_first_page_takes_the_same_queries_for_any_size(
    client, django_assert_num_queries, count
):
    td, staff = make_td(), make_staff()
    for number in range(count):
        people = [make_player() for _ in range(4)]
        sections = [section_report(people, swiss_rows(4, 1), time_control="G/60;d5")]
        day = date(2024, 1, 1 + number)
        report = event_report(td, sections, name=f"Open {number}", starts=day, ends=day)
        rated_event(td, report, staff=staff)
    with django_assert_num_queries(6):
        html = text(client)
    assert len(lines(html, "latest")) == min(count, 8)
    assert len(lines(html, "new")) == min(count, 6)
