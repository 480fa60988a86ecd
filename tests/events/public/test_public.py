"""The public pages of events: list, event and download."""

import io
import re
import zipfile
from datetime import date

import pytest
from django.db import connection
from django.urls import reverse

from events.formats.report_reader import read_report
from events.models import Event
from events.public.filters import EventFilter
from events.records.exports import event_as_reported
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db

PAIR = ["W2W", "L1B"]


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def staff():
    return make_staff("staff")


def add_event(td, staff, *, name="May Open", day=date(2024, 5, 4), rate=False):
    pair = [make_player(birth_date=date(1931, 7, 19)) for _ in range(2)]
    report = event_report(
        td, [section_report(pair, PAIR)], name=name, starts=day, ends=day
    )
    return (rated_event if rate else accepted_event)(td, report, staff=staff)


def names(response) -> list[str]:
    return re.findall(
        r'<th scope="row" class="name"><a href="/events/\d{12}/">(.*?)</a>',
        text(response),
    )


def text(response) -> str:
    return response.content.decode()


def test_list_shows_the_newest_event_first(client, td, staff):
    add_event(td, staff, name="Spring Open", day=date(2024, 3, 2))
    add_event(td, staff, name="Autumn <Open>", day=date(2023, 10, 7))
    add_event(td, staff, name="Summer Open", day=date(2024, 7, 6))
    response = client.get("/events/")
    assert names(response) == ["Summer Open", "Spring Open", "Autumn &lt;Open&gt;"]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", text(response))[:4]
    assert cells == ["Jul 6, 2024", "Springfield, IL", "1", "2"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name=aUtUmN", ["Autumn Open"]),
        ("year=2023", ["Autumn Open"]),
        ("state=il", ["Spring Open", "Autumn Open"]),
        ("state=OH", []),
        ("year=2024&name=open", ["Spring Open"]),
        ("sort=name", ["Autumn Open", "Spring Open"]),
        ("sort=nonsense&page=77&per_page=0", ["Spring Open", "Autumn Open"]),
        ("page=" + "9" * 5000, ["Spring Open", "Autumn Open"]),
    ],
)
def test_list_can_be_narrowed_and_sorted(client, td, staff, query, found):
    add_event(td, staff, name="Spring Open", day=date(2024, 3, 2))
    add_event(td, staff, name="Autumn Open", day=date(2023, 10, 7))
    response = client.get(f"/events/?{query}")
    assert (response.status_code, names(response)) == (200, found)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("year=20a4", "Enter a year with four digits, such as 2024."),
        ("year=1" + "0" * 30, "Enter a year with four digits, such as 2024."),
        ("state=12", "Enter a two-letter state, such as IL."),
        ("name=%00", "Null characters are not allowed."),
    ],
)
def test_list_says_what_is_wrong_with_a_filter(client, td, staff, query, sentence):
    add_event(td, staff)
    response = client.get(f"/events/?{query}")
    assert response.status_code == 422
    assert text(response).count(sentence) == 2  # next to the field and at the top
    assert names(response) == ["May Open"]


def test_empty_list_says_what_will_stand_there(client):
    words = text(client.get("/events/"))
    assert "Events will appear here when the office accepts" in words


@pytest.mark.parametrize("events", [2, 20])
def test_list_takes_the_same_queries_for_any_size(
    client, td, staff, django_assert_num_queries, events
):
    for number in range(events):
        add_event(td, staff, name=f"Open {number}", day=date(2024, 1, 1 + number))
    with django_assert_num_queries(3):
        response = client.get("/events/")
    assert len(names(response)) == events


def test_list_has_fifty_events_a_page(client, td, staff):
    pattern = add_event(td, staff)
    for number in range(55):
        pattern.submission.pk = None
        pattern.submission.content_digest = f"{number:064}"
        pattern.submission.save()
        Event.objects.create(
            event_id=f"2023010100{number:02}",
            name=f"Open {number}",
            starts=date(2023, 1, 1),
            ends=date(2023, 1, 1),
            affiliate=pattern.affiliate,
            submission=pattern.submission,
        )
    assert len(names(client.get("/events/"))) == 50
    assert len(names(client.get("/events/?page=2"))) == 6


def test_words_are_found_by_their_index():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite reads all events for a word.")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # no matter how small they are
    searched = EventFilter({"q": "summit open"}, Event.objects.all()).qs
    assert searched.explain().count("events_event_words") == 2


def test_event_page_shows_its_sections_and_officials(client, td, staff):
    pair = [make_player(birth_date=date(1931, 7, 19)) for _ in range(2)]
    sections = [
        section_report(pair, PAIR, name="Open & free"),
        section_report(pair, PAIR, number=2, name="Blitz", time_control="G/5;d2"),
    ]
    event = rated_event(td, event_report(td, sections), staff=staff)
    event.sections.filter(number=2).update(status="ready")
    page = text(client.get(event.get_absolute_url()))
    rows = [
        [
            re.sub(r"<.*?>", "", cell).strip()
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
        ]
        for row in re.findall(
            r"<tr>(.*?)</tr>", page[: page.index("</table>")], re.DOTALL
        )[1:]
    ]
    dates = "May 4 to 5, 2024"
    assert rows == [
        ["1", "Open &amp; free", dates, "G/90;d5", "Swiss", "1", "2", "1", "Rated"],
        ["2", "Blitz", dates, "G/5;d2", "Swiss", "1", "2", "1", "Waiting to be rated"],
    ]
    assert f'<a href="/events/{event.event_id}/2/">Blitz</a>' in page
    td_id = td.player.member_id
    assert f'<a href="/tds/{td_id}/">Tessa Director</a>' in page
    assert "Castle Chess Club" in page
    assert f'href="/events/{event.event_id}/report.zip"' in page
    assert not contains_number(page, 1931)


@pytest.mark.parametrize("count", [2, 20])
def test_event_page_takes_the_same_queries_for_any_size(
    client, td, staff, django_assert_num_queries, count
):
    pair = [make_player() for _ in range(2)]
    sections = [section_report(pair, PAIR, number=n) for n in range(1, count + 1)]
    event = accepted_event(td, event_report(td, sections), staff=staff)
    with django_assert_num_queries(7):
        response = client.get(event.get_absolute_url())
    assert text(response).count("Waiting to be rated") == count


def test_download_holds_the_three_files_of_the_event(client, td, staff):
    event = add_event(td, staff)
    response = client.get(reverse("events:export", args=[event.event_id]))
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == (
        f'attachment; filename="{event.event_id}.zip"'
    )
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        files = [(name, archive.read(name)) for name in archive.namelist()]
    assert [name for name, _ in files] == [
        "THEXPORT.DBF",
        "TSEXPORT.DBF",
        "TDEXPORT.DBF",
    ]
    assert read_report(files).reported == event_as_reported(event)


@pytest.mark.parametrize(
    "address",
    [
        "202405050994",
        "abc",
        "1" + "0" * 30,
        "9" * 5000,
        "٢٠٢٤٠٥٠٥٠٠٠٤",
        "20240505000%00",
        "2024 0505 004",
        "%F0%9F%90%B4",
        "202405050994/report.zip",
        "horse/report.zip",
    ],
)
def test_unknown_event_is_not_found(client, td, staff, address):
    add_event(td, staff)
    response = client.get(f"/events/{address}{'' if 'zip' in address else '/'}")
    assert response.status_code == 404
    assert "Page not found" in text(response)
