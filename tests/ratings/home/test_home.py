"""The home page."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.models import EventRegistration
from players.models import Player
from ratings.home.queries.home import EVENTS, UPCOMING
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import OfficialList
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
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


def test_search_is_on_the_home_page_of_an_empty_office(client):
    make_player()
    html = text(client)
    assert (
        '<form class="find large" role="search" action="/search/" method="get">' in html
    )
    assert "No event is rated yet." in html
    assert "<svg xmlns" not in html


def test_first_page_says_where_to_see_why_a_rating_changed(client):
    assert "choose “Why” next to a rating." in text(client)


def test_latest_events_stand_by_their_last_day(client):
    td, staff = make_td(), make_staff()
    pair_event(td, staff, "June & July", date(2024, 6, 1))
    pair_event(td, staff, "April Open", date(2024, 4, 1))
    pair_event(td, staff, "Not rated yet", date(2024, 7, 1), rate=False)
    html = text(client)
    assert lines(html, "latest") == [
        ["June &amp; July", "Jun 1, 2024 · IL · 2 entries"],
        ["April Open", "Apr 1, 2024 · IL · 2 entries"],
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
    assert "rated late" in html.split("April Open</a>")[1].split("</li>")[0]


def test_what_is_new_does_not_repeat_the_latest_events(client):
    td, staff = make_td(), make_staff()
    for number in range(EVENTS):
        pair_event(td, staff, f"Open {number}", date(2024, 5, 1 + number))
    assert 'id="new"' not in text(client)
    # Played long ago, and rated only now.
    pair_event(td, staff, "Old Open", date(2020, 1, 4))
    assert [line[0] for line in lines(text(client), "new")] == ["Old Open: Section 1"]


def test_movers_are_those_of_the_newest_list_under_their_names_of_today(client):
    pair_event(make_td(), make_staff(), "May Open", date(2024, 5, 4))
    ada, bo = make_player(), make_player()
    movers = [
        {"player": ada.pk, "gain": 80, "after": 1580},
        {"player": bo.pk, "gain": 7, "after": 2007},
        {"player": 0, "gain": 5, "after": 1005},  # no player has this primary key
    ]
    published(date(2024, 5, 1), {"movers": [movers[1]]})
    published(date(2024, 6, 1), {"movers": movers})
    Player.objects.filter(pk=ada.pk).update(given_name="Newly", family_name="Wed")
    assert lines(text(client), "movers") == [
        ["Newly Wed", "1580 +80"],
        [bo.name, "2007 +7"],
    ]


def published(month: date, summary: dict) -> OfficialList:
    return OfficialList.objects.create(
        month=month,
        cut_off=timezone.now(),
        digest="0" * 64,
        members=1,
        summary={"totals": {}} | summary,
        prepared_at=timezone.now(),
        published_at=timezone.now(),
        reason="monthly",
    )


def registered(name: str, day: date, status: str = "planned") -> None:
    EventRegistration.objects.create(
        name=name,
        starts=day,
        ends=day,
        affiliate=make_affiliate(),
        chief=make_player(),
        registered_by=make_td(),
        status=status,
        notice="Snow." if status == "canceled" else "",
    )


def test_next_events_are_those_neither_over_nor_canceled(client):
    pair_event(make_td(), make_staff(), "May Open", date(2024, 5, 4))
    today = timezone.localdate()
    for name, days, status in (
        ("Later Open", 9, "planned"),
        ("Sooner Open", 2, "planned"),
        ("Canceled Open", 3, "canceled"),
        ("Open of yesterday", -1, "planned"),
    ):
        registered(name, today + timedelta(days), status)
    assert [line[0] for line in lines(text(client), "next")] == [
        "Sooner Open",
        "Later Open",
    ]


def test_chart_counts_members_by_the_rounded_rating(client):
    for rating in (2199.5, 2199.4, 1500.0, 99.9 + 0.1):
        open_rating(make_player(), "OTBR", rating, 30)
    open_rating(make_player(), "OTBQ", 1500.0, 30)
    html = text(client)
    counts = re.search(r"<desc.*?>(.*?)</desc>", html)[1]
    assert counts == (
        "4 in total: Senior Master 0, National Master 1, Expert 1, Class A 0, Class B "
        "0, Class C 1, Class D 0, Class E 0, Class F 0, Class G 0, Class H 0, "
        "Class I 0, Class J 1."
    )
    assert 'href="/classes/OTBR/class-c/"' in html


def test_text_in_the_address_leads_to_the_search(client):
    response = client.get("/?q=lind&page=2")
    assert (response.status_code, response["Location"]) == (
        302,
        "/search/?q=lind&page=2",
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
        registered(f"Next {number}", timezone.localdate() + timedelta(1))
    movers = [{"player": one.pk, "gain": 9, "after": 1509} for one in people]
    published(date(2024, 6, 1), {"movers": movers})
    count_ratings()
    with django_assert_num_queries(8):
        html = text(client)
    assert len(lines(html, "latest")) == min(count, EVENTS)
    assert len(lines(html, "next")) == min(count, UPCOMING)
    assert len(lines(html, "movers")) == len(people)
