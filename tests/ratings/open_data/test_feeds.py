"""Atom feeds: valid, stable, paged, cheap to poll, and without private data."""

from datetime import UTC, date, datetime, timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.urls import reverse

from events.models import Event, Section, SectionVersion
from ratings.home.queries import news
from ratings.models import RatingChange, Run
from tests.factories import make_player, merge_with_approval, rated_section
from tests.ratings.lists.helpers import newcomer_who_lost
from tests.response_text import is_not_found

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
EVENTS, CORRECTIONS = "/feeds/events.atom", "/feeds/corrections.atom"
NOON = datetime(2024, 6, 2, 12, tzinfo=UTC)


def read(client, address: str) -> ElementTree.Element:
    response = client.get(address)
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(response.content)  # noqa: S314 (our own)
    assert feed.tag == f"{ATOM}feed"
    for one in (feed, *feed.iter(f"{ATOM}entry")):
        for required in ("id", "title", "updated"):
            assert one.findtext(ATOM + required), required
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Ratings office"
    return feed


def entries(feed: ElementTree.Element) -> list[dict[str, str]]:
    return [
        {
            "id": entry.findtext(f"{ATOM}id"),
            "title": entry.findtext(f"{ATOM}title"),
            "text": entry.findtext(f"{ATOM}summary"),
            "link": entry.find(f"{ATOM}link").get("href"),
            "updated": entry.findtext(f"{ATOM}updated"),
        }
        for entry in feed.iter(f"{ATOM}entry")
    ]


def links(feed: ElementTree.Element) -> dict[str, str]:
    return {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}


def another_event(event: Event, serial: int, **fields) -> Event:
    """A copy of an event under another ID, with a section that is rated."""
    submission = event.submission
    submission.pk, submission.content_digest = None, f"copy{serial}"
    submission.save(force_insert=True)
    copy = Event.objects.create(
        event_id=f"{202405059000 + serial}",
        **{"name": f"Open {serial}", "state": "OH", **fields},
        starts=event.starts,
        ends=event.ends,
        affiliate=event.affiliate,
        submission=submission,
    )
    Section.objects.create(
        event=copy,
        number=1,
        starts=event.starts,
        ends=event.ends,
        rounds=1,
        time_control="G/90;d5",
        status="rated",
    )
    return copy


def correct(section: Section, number: int, at: datetime) -> None:
    with time_machine.travel(at, tick=False):
        SectionVersion.objects.create(
            section=section,
            number=number,
            document="{}",
            digest="0",
            reason=f"Why {number} & <so>",
        )


def publish(at: datetime, **fields) -> Run:
    return Run.objects.create(
        kind="rerate",
        status=fields.pop("status", "published"),
        published_at=at,
        summary={"whole_changes": 3},
        reason="The office’s own words",
        publish_reason="Looked at",
        undo_reason="Taken back",
        **fields,
    )


def test_rated_event_is_told_of_once_all_sections_are_rated(client):
    with time_machine.travel(NOON, tick=False):
        section = rated_section(players=4)
    event = section.event
    address = f"http://testserver/events/{event.event_id}/"
    expected = {
        "id": f"tag:127.0.0.1,2026:events/{event.event_id}",
        "title": "May Open",
        "text": "May 4 to 5, 2024 · Springfield, IL · 1 section",
        "link": address,
        "updated": "2024-06-02T12:00:00+00:00",
    }
    assert entries(read(client, EVENTS)) == [expected]
    assert entries(read(client, "/feeds/events/IL.atom")) == [expected]
    assert entries(read(client, "/feeds/events/OH.atom")) == []
    section.status = Section.Status.READY
    section.save()
    assert entries(read(client, EVENTS)) == []


def test_pages_lead_to_each_other(client, monkeypatch):
    monkeypatch.setattr(news, "NEWS_ON_A_PAGE", 2)
    first = rated_section(players=4).event
    for serial in range(1, 5):
        another_event(first, serial)
    names = []
    address = EVENTS
    while address:
        feed = read(client, address)
        assert links(feed)["self"].removeprefix("http://testserver") == address
        names += [entry["title"] for entry in entries(feed)]
        address = links(feed).get("next", "").removeprefix("http://testserver")
    assert names == ["Open 4", "Open 3", "Open 2", "Open 1", "May Open"]
    middle = links(read(client, f"{EVENTS}?page=2"))
    assert middle["previous"] == f"http://testserver{EVENTS}"
    assert middle["next"] == f"http://testserver{EVENTS}?page=3"


@pytest.mark.parametrize("page", ["-1", "0", "nonsense", "²", "9" * 30])
def test_page_that_is_not_there_is_another_page(client, page):
    rated_section(players=4)
    assert len(entries(read(client, f"{EVENTS}?page={page}"))) == 1


@pytest.mark.parametrize("number", [1, 10])
def test_events_take_the_same_queries_for_any_number(
    client, number, django_assert_num_queries
):
    first = rated_section(players=4).event
    for serial in range(1, number):
        another_event(first, serial)
    with django_assert_num_queries(3):
        assert len(entries(read(client, EVENTS))) == number


@pytest.mark.parametrize("number", [1, 10])
def test_corrections_take_the_same_queries_for_any_number(
    client, number, django_assert_num_queries
):
    section = rated_section(players=4)
    for one in range(number):
        correct(section, 2 + one, NOON)
        publish(NOON)
    with django_assert_num_queries(4):
        assert len(entries(read(client, CORRECTIONS))) == 2 * number


def test_corrections_and_rerates_stand_together_newest_first(client):
    section = rated_section(players=4)
    correct(section, 1, NOON)
    correct(section, 2, NOON + timedelta(hours=1))
    run = publish(NOON + timedelta(hours=2))
    undone = publish(NOON, status="undone", undone_at=NOON + timedelta(hours=5))
    publish(NOON, status="discarded")
    event_id = section.event.event_id
    crosstable = f"events/{event_id}/1"
    assert entries(read(client, CORRECTIONS)) == [
        {
            "id": f"tag:127.0.0.1,2026:rerates/{run.pk}",
            "title": f"Rerate {run.pk}",
            "text": "3 ratings have changed in whole numbers.",
            "link": f"http://testserver/rerates/{run.pk}/",
            "updated": "2024-06-02T14:00:00+00:00",
        },
        {
            "id": f"tag:127.0.0.1,2026:{crosstable}/versions/2",
            "title": "Corrected: May Open, section 1",
            "text": "Why 2 & <so>",
            "link": f"http://testserver/{crosstable}/",
            "updated": "2024-06-02T13:00:00+00:00",
        },
        {
            "id": f"tag:127.0.0.1,2026:rerates/{undone.pk}",
            "title": f"Rerate {undone.pk}",
            "text": "It was undone. The earlier ratings are current again.",
            "link": f"http://testserver/rerates/{undone.pk}/",
            "updated": "2024-06-02T17:00:00+00:00",
        },
    ]


def test_member_reads_what_sections_did_in_whole_numbers(client):
    with time_machine.travel(NOON, tick=False):
        section = rated_section(players=4)
    change = RatingChange.objects.filter(calculation__section=section).first()
    player = change.player
    where = f"{section.event.event_id}/1"
    address = reverse("ratings:member_feed", args=[player.member_id])
    assert entries(read(client, address)) == [
        {
            "id": f"tag:127.0.0.1,2026:players/{player.member_id}/{where}/OTBR",
            "title": f"May Open: {change.pre_rating:.0f} → "
            f"{int(change.post_rating + 0.5)}",
            "text": "Regular · May 5, 2024",
            "link": f"http://testserver/events/{where}/",
            "updated": "2024-06-02T12:00:00+00:00",
        }
    ]


def test_first_rating_that_still_is_the_start_is_news_as_about(client):
    child = newcomer_who_lost()
    address = f"/players/{child.member_id}/feed.atom"
    [entry] = entries(read(client, address))
    assert entry["title"] == "May Open: unrated → about 500"


def test_member_reads_what_sections_did_under_a_merged_number(client):
    section = rated_section(players=4)
    merged = section.entries.first().player
    kept = make_player()
    merge_with_approval(kept, merged)
    found = entries(read(client, f"/players/{kept.member_id}/feed.atom"))
    where = f"{section.event.event_id}/1/OTBR"
    assert [one["id"] for one in found] == [
        f"tag:127.0.0.1,2026:players/{kept.member_id}/{where}"
    ]


def test_member_who_played_nothing_has_an_empty_feed_that_never_changes(client):
    player = make_player(birth_date=date(2013, 5, 6))
    address = reverse("ratings:member_feed", args=[player.member_id])
    first, second = client.get(address), client.get(address)
    assert first.content == second.content
    assert entries(read(client, address)) == []
    assert b"2013" not in first.content


def test_feed_of_a_duplicate_leads_to_the_member_that_was_kept(client):
    kept = make_player()
    merged = make_player(status="duplicate", merged_into=kept)
    response = client.get(f"/players/{merged.member_id}/feed.atom")
    assert response["Location"] == f"/players/{kept.member_id}/feed.atom"


@pytest.mark.parametrize(
    "address",
    [
        "/players/99999999/feed.atom",
        "/players/nonsense/feed.atom",
        "/feeds/events/oh.atom",
        "/feeds/events/OHIO.atom",
        "/feeds/events/½½.atom",
    ],
)
def test_feed_of_nothing_is_not_there(client, address):
    assert is_not_found(client.get(address))


@pytest.mark.parametrize("address", [EVENTS, CORRECTIONS])
def test_reader_that_has_the_feed_gets_nothing(client, address):
    correct(rated_section(players=4), 2, NOON)
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first["Cache-Control"] == "public, max-age=0, must-revalidate"
    publish(NOON + timedelta(days=1))
    Event.objects.update(name="Renamed Open")
    changed = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200


def test_letters_that_xml_cannot_hold_are_left_out(client):
    section = rated_section(players=4)
    Event.objects.update(name="Bad\x0bOpen \x1f<b>&")
    [entry] = entries(read(client, EVENTS))
    assert entry["title"] == "BadOpen <b>&"
    assert section.event.event_id in entry["id"]
