"""The calendar: months, feeds, and the pages of affiliates and TDs."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from events.calendar.ics import calendar, folded
from events.calendar.queries.calendar import MAX_EVENTS_PER_DAY
from events.calendar.services import (
    Plan,
    cancel_registration,
    link_report,
    register_event,
)
from events.models import Affiliate, EventRegistration
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = timezone.localdate()
MAY = date(2024, 5, 4)


@pytest.fixture
def td():
    return make_td("td", "12000001")


@pytest.fixture
def staff():
    return make_staff("staff")


def rated(td, staff, *, name="May Open", day=MAY):
    pair = [make_player() for _ in range(2)]
    report = event_report(
        td, [section_report(pair, ["W2W", "L1B"])], name=name, starts=day, ends=day
    )
    return accepted_event(td, report, staff=staff)


def planned(td, staff, *, name="Winter Open", starts=MAY, days=1, state="IL", **more):
    ends = starts + timedelta(days - 1)
    plan = Plan(name, starts, ends, make_affiliate(), td.player, state=state, **more)
    return register_event(actor=staff, plan=plan)


def text(response) -> str:
    return response.content.decode()


def cells(page: str) -> dict[int, list[str]]:
    """Return the texts of the calendar by day of the month."""
    found = {}
    grid = page.partition('<table class="month">')[2].partition("</table>")[0]
    for classes, cell in re.findall(r'<td class="(.*?)".*?>(.*?)</td>', grid, re.S):
        if "other" not in classes and (
            names := re.findall(r"<li.*?<a.*?>(.*?)<", cell)
        ):
            found[int(re.search(r'class="date">(\d+)', cell).group(1))] = names
    return found


def test_a_month_shows_registered_and_rated_events(client, td, staff):
    rated(td, staff)
    planned(td, staff, starts=date(2024, 5, 31), days=2)
    planned(td, staff, name="April Open", starts=date(2024, 4, 20))
    page = text(client.get("/calendar/2024-05/"))
    assert cells(page) == {4: ["May Open"], 31: ["Winter Open"]}
    listed = page.partition("month-list")[2]
    assert re.findall(r"<li><span><a [^>]*>(.*?)<", listed) == [
        "May Open",
        "Winter Open",
    ]
    assert cells(text(client.get("/calendar/2024-06/"))) == {1: ["Winter Open"]}


def test_a_registered_event_on_record_is_listed_once(client, td, staff):
    event = rated(td, staff)
    one = planned(td, staff, name="As it was planned")
    EventRegistration.objects.filter(pk=one.pk).update(submission=event.submission)
    assert cells(text(client.get("/calendar/2024-05/"))) == {4: ["May Open"]}


def test_a_report_on_the_way_leaves_the_plan_in_the_calendar(client, td, staff):
    event = rated(td, staff)
    one = planned(td, staff)
    submission = event.submission
    link_report(submission=submission, registration_id=one.pk, actor=staff)
    type(submission).objects.filter(pk=submission.pk).update(state="submitted")
    assert cells(text(client.get("/calendar/2024-05/"))) == {
        4: ["Winter Open", "May Open"]
    } or cells(text(client.get("/calendar/2024-05/"))) == {
        4: ["May Open", "Winter Open"]
    }


def test_a_crowded_day_says_how_many_more(client, td, staff):
    for number in range(MAX_EVENTS_PER_DAY + 3):
        planned(td, staff, name=f"Open {number}")
    page = text(client.get("/calendar/2024-05/"))
    assert cells(page) == {
        4: [f"Open {number}" for number in range(MAX_EVENTS_PER_DAY)]
    }
    assert "3 more</a>" in page


def test_a_month_can_be_narrowed_to_a_state(client, td, staff):
    planned(td, staff)
    planned(td, staff, name="Other Open", state="OH")
    assert cells(text(client.get("/calendar/2024-05/?state=oh"))) == {4: ["Other Open"]}
    response = client.get("/calendar/2024-05/?state=o1")
    assert response.status_code == 422
    assert "Enter a two-letter state, such as IL." in text(response)


def test_this_month_leads_to_what_is_known_and_no_further(client, td, staff):
    ahead = TODAY + timedelta(40)
    planned(td, staff, starts=ahead)
    page = text(client.get("/calendar/"))
    assert 'rel="prev"' not in page
    assert 'rel="next"' in page
    last = text(client.get(f"/calendar/{ahead:%Y-%m}/"))
    assert ('rel="prev"' in last, 'rel="next"' in last) == (True, False)


@pytest.mark.parametrize(
    "month",
    ["2024-13", "2024-00", "0000-01", "1899-12", "2024-1", "nonsense", "٢٠٢٤-05"],
)
def test_no_such_month_is_a_helpful_page(client, month):
    response = client.get(f"/calendar/{month}/")
    assert response.status_code == 404
    assert "Page not found" in text(response)


def test_empty_month_says_what_will_stand_there(client):
    assert "No events this month yet." in text(client.get("/calendar/2999-12/"))


@pytest.mark.parametrize("events", [2, 20])
def test_a_month_takes_the_same_queries_for_any_size(
    client, td, staff, django_assert_num_queries, events
):
    pattern = rated(td, staff)
    for number in range(events):
        planned(td, staff, starts=MAY + timedelta(number))
    assert pattern
    with django_assert_num_queries(4):
        page = text(client.get("/calendar/2024-05/"))
    assert len(cells(page)) == events


# --- Feeds ---


def unfolded(text: str) -> list[str]:
    return text.replace("\r\n ", "").split("\r\n")


def test_the_feed_has_upcoming_and_recent_events(client, td, staff):
    planned(td, staff, starts=TODAY - timedelta(61), name="Long ago")
    planned(td, staff, starts=TODAY - timedelta(5), name="Lately")
    soon = planned(
        td, staff, starts=TODAY + timedelta(5), days=2, name="Ünsere; Meister, 1"
    )
    cancel_registration(registration_id=soon.pk, actor=staff, reason="Snow.")
    response = client.get("/calendar/events.ics")
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    lines = unfolded(text(response))
    assert [line for line in lines if line.startswith("SUMMARY")] == [
        "SUMMARY:Lately",
        "SUMMARY:Ünsere\\; Meister\\, 1",
    ]
    assert f"DTSTART;VALUE=DATE:{TODAY + timedelta(5):%Y%m%d}" in lines
    assert f"DTEND;VALUE=DATE:{TODAY + timedelta(7):%Y%m%d}" in lines
    assert lines.count("STATUS:CANCELLED") == 1
    assert "SEQUENCE:1" in lines
    other = unfolded(text(client.get("/calendar/events.ics?state=OH")))
    assert not [line for line in other if line.startswith("SUMMARY")]


def test_one_event_as_a_file(client, td, staff):
    one = planned(td, staff)
    lines = unfolded(text(client.get(f"{one.get_absolute_url()}event.ics")))
    assert "SUMMARY:Winter Open" in lines
    assert f"URL:http://testserver{one.get_absolute_url()}" in lines or any(
        line.endswith(one.get_absolute_url()) for line in lines
    )


def test_lines_are_folded_between_letters():
    line = "SUMMARY:" + "é" * 60
    parts = folded(line).split("\r\n")
    assert [len(part.encode()) for part in parts] == [74, 55]
    assert parts[0] + parts[1][1:] == line


def test_a_calendar_is_written_whole():
    one = EventRegistration(
        pk=1,
        name="New\nYear",
        starts=date(2024, 12, 31),
        ends=date(2024, 12, 31),
        affiliate=Affiliate(name="Chess; the club"),
        changed_at=datetime(2024, 5, 4, 12, 30, tzinfo=UTC),
    )
    assert calendar("Chess", [one]).split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Ratings office//Calendar//EN",
        "METHOD:PUBLISH",
        "X-WR-CALNAME:Chess",
        "BEGIN:VEVENT",
        f"UID:registration-1@{settings.SITE_URL.partition('://')[2]}",
        "DTSTAMP:20240504T123000Z",
        "SEQUENCE:0",
        "DTSTART;VALUE=DATE:20241231",
        "DTEND;VALUE=DATE:20250101",
        "SUMMARY:New\\nYear",
        "DESCRIPTION:Chess\\; the club",
        f"URL:{settings.SITE_URL}/calendar/registered/1/",
        "STATUS:CONFIRMED",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


# --- Affiliates and TDs ---


@pytest.mark.parametrize("events", [2, 12])
@pytest.mark.parametrize(
    ("address", "queries"), [("/affiliates/A6000001/", 8), ("/tds/12000001/", 7)]
)
def test_pages_of_affiliates_and_tds_list_their_events(
    client, td, staff, django_assert_num_queries, events, address, queries
):
    for number in range(events):
        rated(td, staff, name=f"Open {number:02}")
    planned(td, staff, starts=TODAY + timedelta(9))
    other = make_affiliate("A6000002", name="Rook Club")
    register_event(
        actor=staff,
        plan=Plan("Elsewhere", TODAY, TODAY, other, make_td("other").player),
    )
    with django_assert_num_queries(queries):
        page = text(client.get(address))
    assert re.findall(r"<dd>(\d+)</dd>", page) == [
        str(events),
        str(events),
        str(2 * events),
    ]
    assert len(re.findall(r'<a href="/events/\d{12}/">', page)) == events
    assert ("Winter Open" in page, "Elsewhere" in page) == (True, False)


def test_a_directors_page_says_nothing_private(client, td, staff):
    td.email = "quiet@example.net"
    td.save()
    official = td.player.official
    official.certified_until = date(2020, 1, 1)
    official.save()
    page = text(client.get("/tds/12000001/"))
    assert "Senior TD, certification not current" in page
    for private in ("quiet@example.net", "1990", "2020"):
        assert private not in page


@pytest.mark.parametrize(
    "address",
    ["/affiliates/A9/", "/affiliates/x%00/", "/tds/12000009/", "/tds/%00/", "/tds/٣/",
     "/calendar/registered/99999999999999999999999/"],
)  # fmt: skip
def test_unknown_number_gets_a_helpful_page(client, address):
    response = client.get(address)
    assert response.status_code == 404
    assert "Page not found" in text(response)
