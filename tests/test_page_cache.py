"""The page cache: never stale, never private, and limited in size.

These tests commit, because nothing is cached inside a transaction.
"""

import gzip
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client

from events.calendar.services import cancel_registration
from events.models import Section
from players.models import Player
from ratings.pages.my_data.services import delete_member_data
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Office
from ratings_site.common.web import page_cache
from tests.databases import migrated_file
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_td,
    make_user,
    section_report,
    swiss_rows,
)
from tests.hypothesis_settings import is_search_profile
from tests.sample_office import PAGES, PUBLIC, REASON, World
from tests.test_page_security import address_of, complaints, valid

pytestmark = pytest.mark.django_db(transaction=True)

SEEN = [place for place in PAGES if place.who == PUBLIC]
API = (
    "members/{ana}",
    "members/{ana}/ratings",
    "members/{ana}/history?system=OTBR",
    "members/{ana}/lists",
    "members?query=ana",
    "events",
    "events/{event}",
    "events/{event}/sections/1/standings",
    "lists",
    "rankings/OTBR",
)


@pytest.fixture(autouse=True)
def _empty_page_cache(monkeypatch) -> Iterator[None]:
    monkeypatch.setattr(page_cache, "_unavailable_until", 0.0)
    caches["pages"].clear()
    yield
    Office.current, Office._refreshed_for = None, ""


def addresses(world: World) -> dict[str, str]:
    """Return each address that visitors read, by the name of its page."""
    ids = {"ana": world.members["Ana"].member_id, "event": world.event.event_id}
    return {
        place.id: address_of(place, world)
        for place in SEEN
        if place.name in settings.PUBLIC_PAGES
    } | {
        **{path: f"/api/v1/{path.format(**ids)}" for path in API},
        "a spare number": world.spare.get_absolute_url(),
        "its twin": world.twin.get_absolute_url(),
        "whom a ceiling holds": f"{world.members['Ben'].get_absolute_url()}floors/",
    }


def read(found: dict[str, str]) -> dict[str, tuple[int, bytes]]:
    visitor = Client()
    answers = {name: visitor.get(address) for name, address in found.items()}
    return {name: (one.status_code, one.content) for name, one in answers.items()}


def submit_form(name: str) -> Callable[[World], None]:
    """Return the action of an office page, as its form sends it."""
    place = next(place for place in PAGES if place.id == name)

    def act(world: World) -> None:
        office = Client()
        office.force_login(world.admin)
        address, said = valid(place, world, office.get)
        response = office.post(address, said)
        assert response.status_code == 302, complaints(response)
        run_due_jobs()

    return act


def save_row(of: Callable[[World], Any], **changes: Any) -> Callable[[World], None]:
    """Return what the admin does: a row is saved with something else in it."""

    def act(world: World) -> None:
        row = of(world)
        row.refresh_from_db()
        for name, value in changes.items():
            setattr(row, name, value)
        row.save()

    return act


def forgotten(world: World) -> None:
    delete_member_data(
        player_id=world.members["Ana"].pk, actor=world.admin, reason=REASON
    )


def canceled(world: World) -> None:
    cancel_registration(
        registration_id=world.planned.pk, actor=world.staff, reason=REASON
    )


ACTIONS: dict[str, Callable[[World], None]] = {
    "ratings:rerate_act-publish-run": submit_form("ratings:rerate_act-publish-run"),
    "ratings:office_list": submit_form("ratings:office_list"),
    "a member's name": save_row(
        lambda world: world.members["Ana"], family_name="Newname"
    ),
    "a member's state": save_row(lambda world: world.members["Ana"], state="AK"),
    "the federation's name": save_row(lambda world: world.office, name="Another one"),
    "an event's name": save_row(lambda world: world.event, name="Renamed Open"),
    "an affiliate's name": save_row(
        lambda world: world.event.affiliate, name="New Club"
    ),
    **{
        name: submit_form(name)
        for name in (
            "events:accept",
            "events:decide_correction",
            "ratings:end_floor",
            "ratings:impose_ceiling",
            "ratings:foreign_result-leave_out-abroad",
            "ratings:experiment_act-withdraw",
            "players_office:status",
            "players_office:link",
            "players_office:pair",
            "players_office:undo_merge",
        )
    },
    "a registered event is canceled": canceled,
    "a member is forgotten": forgotten,
}


# Each action takes as long as all pages twice; the others run in `make fuzz`.
# They all move one stamp (`tests/common/db/test_cache_version.py`). These write past
# the ORM, what is kept in the process, and in many tables.
ALWAYS_TESTED = (
    "ratings:rerate_act-publish-run",
    "the federation's name",
    "a member is forgotten",
)


# Pages say to the minute when they counted.
@pytest.mark.gate
@time_machine.travel(datetime.now(UTC), tick=False)
def test_no_page_is_stale_after_a_change():
    world = World()
    found = addresses(world)
    before = read(found)
    stale, without_effect = {}, []
    for name in ACTIONS if is_search_profile() else ALWAYS_TESTED:
        ACTIONS[name](world)
        current = read(found)
        caches["pages"].clear()
        fresh = read(found)
        if late := [page for page in found if current[page] != fresh[page]]:
            stale[name] = late
        if fresh == before:
            without_effect.append(name)
        before = fresh
    assert (stale, without_effect) == ({}, [])


# One page, asked for in all ways


@pytest.fixture
def ana() -> Player:
    return make_player("12345678", "Ana", "Member", ratings={"OTBR": (1500.0, 30)})


def unchanged(response: Any) -> tuple[int, bytes]:
    return response.status_code, response.content


def test_what_the_reader_has_costs_one_query(client, ana, django_assert_num_queries):
    address = ana.get_absolute_url()
    tag = client.get(address)["ETag"]
    with django_assert_num_queries(1):
        again = client.get(address, headers={"if-none-match": tag})
    assert unchanged(again) == (304, b"")
    assert again["ETag"] == tag
    assert again["Cache-Control"] == "public, max-age=0, must-revalidate"


def test_cached_page_takes_one_query(client, ana, django_assert_num_queries):
    first = client.get(ana.get_absolute_url())
    with django_assert_num_queries(1):
        again = client.get(ana.get_absolute_url())
    assert again.content == first.content
    ours = ("Vary", "ETag", "Content-Type", "Content-Language", "Content-Length")
    assert [again[name] for name in ours] == [first[name] for name in ours]
    assert "default-src" in again["Content-Security-Policy"]
    assert again["X-Frame-Options"] == "DENY"
    assert again["X-Request-Id"] != first["X-Request-Id"]


@pytest.mark.parametrize(
    "address", ["/search/suggestions/?q=an", "/estimate/?member=12345678", "/matches/"]
)
def test_search_as_you_type_is_cached(client, ana, django_assert_num_queries, address):
    first = client.get(address)
    with django_assert_num_queries(1):
        assert client.get(address).content == first.content
    saved_elsewhere(ana, "Newname")
    assert (client.get(address).content == first.content) == (address == "/matches/")


def test_unchanged_page_is_not_sent_again(client, ana):
    tag = client.get("/laboratory/")["ETag"]
    saved_elsewhere(ana, "Newname")
    again = client.get("/laboratory/", headers={"if-none-match": tag})
    assert unchanged(again) == (304, b"")
    assert client.get("/laboratory/")["ETag"] != tag


def saved_elsewhere(player: Player, name: str) -> None:
    Player.objects.filter(pk=player.pk).update(family_name=name)


def test_head_gets_what_get_gets_without_it(client, ana):
    page = client.get(ana.get_absolute_url())
    head = client.head(ana.get_absolute_url())
    assert head.content == b""
    assert (head["ETag"], head["Content-Length"]) == (
        page["ETag"],
        str(len(page.content)),
    )


def test_page_is_compressed_for_who_can_read_it(client, ana):
    plain = client.get(ana.get_absolute_url())
    small = client.get(ana.get_absolute_url(), headers={"accept-encoding": "gzip"})
    assert gzip.decompress(small.content) == plain.content
    assert small["Content-Encoding"] == "gzip"
    assert not plain.has_header("Content-Encoding")
    assert "Accept-Encoding" in small["Vary"]
    assert small["ETag"] == plain["ETag"]


def test_each_reader_gets_their_language(client, ana):
    spanish = {"accept-language": "es"}
    first = client.get("/", headers=spanish)
    assert b'lang="es"' in first.content
    assert client.get("/", headers={"if-none-match": first["ETag"]}).status_code == 200
    assert b'<html lang="en"' in client.get("/").content
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"
    assert client.get("/").content == first.content


def test_part_of_a_page_is_not_taken_for_the_page(client, ana):
    address = "/players/?q=ana"
    part = client.get(address, headers={"hx-request": "true"})
    page = client.get(address)
    assert (b"<html" in part.content, b"<html" in page.content) == (False, True)
    assert client.get(address, headers={"hx-request": "true"}).content == part.content
    assert "HX-Request" in page["Vary"]


def test_header_that_htmx_encodes_does_not_replace_the_page(client, ana):
    address = "/players/?q=ana"
    spelled = {"hx-request": "%74rue", "hx-request-uri-autoencoded": "true"}
    stranger = client.get(address, headers=spelled)
    assert b"<html" in client.get(address).content
    assert b"<html" in stranger.content  # "true" has one spelling, also for a CDN


def test_part_is_sent_when_another_header_of_htmx_is_encoded(client, ana):
    encoded = {"hx-trigger-name": "%C4%81", "hx-trigger-name-uri-autoencoded": "true"}
    part = client.get("/players/?q=ana", headers={"hx-request": "true", **encoded})
    assert (b"<html" in part.content, b"12345678" in part.content) == (False, True)


def test_equal_looking_bytes_and_text_are_two_queries(client):
    raw = client.get("/players/", QUERY_STRING=b"q=\xc3\xa9".decode("latin-1"))
    quoted = client.get("/players/?q=%C3%83%C2%A9")
    seen = [
        re.search(rb'name="q"[^>]*value="([^"]*)"', one.content)[1]
        for one in (raw, quoted)
    ]
    assert [value.decode() for value in seen] == ["é", "Ã©"]


def test_signed_in_and_not_are_never_mixed(ana):
    visitor, member = Client(), Client()
    member.force_login(make_user("member", player=ana))
    address = ana.get_absolute_url()
    before = visitor.get(address)
    own = member.get(address, headers={"if-none-match": before["ETag"]})
    assert (own.status_code, own["Cache-Control"]) == (200, "private, no-store")
    assert b"csrfmiddlewaretoken" in own.content
    assert not own.has_header("ETag")
    after = visitor.get(address)
    assert after.content == before.content
    assert b"csrfmiddlewaretoken" not in after.content


def test_who_is_told_something_gets_a_page_of_their_own(client, ana):
    first = client.get("/")
    client.cookies["messages"] = "anything"
    told = client.get("/", headers={"if-none-match": first["ETag"]})
    assert (told.status_code, told["Cache-Control"]) == (200, "private, no-store")


def test_page_of_yesterday_is_not_shown_today(client, ana):
    address = "/calendar/"
    with time_machine.travel(datetime(2026, 5, 31, 23, 59, tzinfo=UTC), tick=False):
        may = client.get(address)
    with time_machine.travel(datetime(2026, 6, 1, 0, 1, tzinfo=UTC), tick=False):
        june = client.get(address, headers={"if-none-match": may["ETag"]})
    assert (b"May 2026" in may.content, june.status_code) == (True, 200)
    assert b"June 2026" in june.content


def test_page_for_another_host_is_another_page(ana):
    here = Client(headers={"host": "localhost"}).get("/robots.txt")
    there = Client(headers={"host": "127.0.0.1:8213"}).get("/robots.txt")
    assert (b"//localhost/" in here.content, b"//127.0.0.1:8213/" in there.content) == (
        True,
        True,
    )
    assert (
        Client(headers={"host": "evil.example"}).get("/robots.txt").status_code == 400
    )


def test_unrated_section_is_not_cached(client):
    section = accepted_section()
    waits = client.get(section.get_absolute_url())
    assert (waits.has_header("ETag"), "no-store" in waits["Cache-Control"]) == (
        False,
        True,
    )


def accepted_section() -> Section:
    event = accepted_event(
        make_td(),
        event_report(
            make_td(),
            [section_report([make_player() for _ in range(4)], swiss_rows(4, 3))],
        ),
    )
    return event.sections.get()


# In a transaction nothing is sure


def test_pages_rendered_in_a_transaction_are_not_cached(client, ana):
    address = ana.get_absolute_url()
    with transaction.atomic():
        saved_elsewhere(ana, "Nobody")
        assert b"Nobody" in client.get(address).content
        transaction.set_rollback(True)
    assert b"Nobody" not in client.get(address).content


# The API


def api(client: Client, path: str, **headers: str) -> Any:
    return client.get(f"/api/v1/{path}", headers=headers)


def test_cached_api_answers_are_counted(client, ana):
    left = [
        int(re.search(r"r=(\d+)", api(client, "lists")["RateLimit"])[1])
        for _ in range(3)
    ]
    assert left == [left[0], left[0] - 1, left[0] - 2]


def test_api_answers_head_cached_or_not(client, ana):
    first = client.head("/api/v1/lists")
    answer = api(client, "lists")
    second = client.head("/api/v1/lists")
    told = [
        (one.status_code, one["ETag"], one["Content-Length"]) for one in (first, second)
    ]
    assert told == [(200, answer["ETag"], str(len(answer.content)))] * 2


def test_invalid_key_gets_no_cached_answer(client, ana):
    tag = api(client, "lists")["ETag"]
    said = {"authorization": "Bearer ro_nothing", "if-none-match": tag}
    refused = api(client, "lists", **said)
    assert (refused.status_code, refused.has_header("ETag")) == (401, False)


def test_exhausted_quota_blocks_cached_answers_too(client, ana, settings):
    api(client, "lists")
    settings.API_QUOTA_WITHOUT_KEY = 1
    refused = api(client, "lists")
    assert (refused.status_code, refused.has_header("ETag")) == (429, False)


# The cache may be small, or away


def test_robots_do_not_fill_the_memory(client, ana, settings):
    settings.CACHES = settings.CACHES | {"pages": IN_MEMORY}
    for number in range(60):
        assert client.get(f"/robots.txt?{number}").status_code == 200
    assert 0 < len(caches["pages"]._cache) <= 20
    caches["pages"].clear()
    client.get(f"/robots.txt?{'9' * 600}")
    assert not caches["pages"]._cache


IN_MEMORY = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "LOCATION": "small",
    "OPTIONS": {"MAX_ENTRIES": 20},
}


@pytest.mark.skipif(not settings.REDIS_URL, reason="needs Redis: set REDIS_URL")
def test_redis_expires_pages(client, ana):
    for address in ("/robots.txt", "/robots.txt?1"):
        client.get(address)
    server = caches["pages"]._cache.get_client()
    keys = list(server.scan_iter("office-pages*"))
    assert sorted(round(server.ttl(key), -1) for key in keys) == [60, 600]


def test_without_redis_pages_are_made_each_time(client, ana, settings, caplog):
    nobody = {**settings.CACHES["pages"], "LOCATION": "redis://127.0.0.1:1/0"}
    nobody["BACKEND"] = "django.core.cache.backends.redis.RedisCache"
    nobody["OPTIONS"] = {}
    settings.CACHES = settings.CACHES | {"pages": nobody}
    pages = [client.get(ana.get_absolute_url()) for _ in range(3)]
    assert {(page.status_code, page.content) for page in pages} == {
        (200, pages[0].content)
    }
    assert caplog.text.count("The page cache is unavailable") == 1


def test_without_the_stamp_pages_are_made_each_time(client, ana):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE common_generation RENAME TO away")
    try:
        first, second = (client.get("/laboratory/") for _ in range(2))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE away RENAME TO common_generation")
    assert first.content == second.content
    assert len(first["ETag"]) < len(client.get("/laboratory/")["ETag"])


def test_on_sqlite_each_row_moves_it_once_its_transaction_commits(tmp_path):
    path = shutil.copy(migrated_file(), tmp_path)
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as writer,
        closing(sqlite3.connect(path, isolation_level=None)) as reader,
    ):
        stamp = "SELECT stamp FROM common_generation"
        seen = {reader.execute(stamp).fetchone()}
        for act in (
            "INSERT INTO players_membershiptype (name, is_adult) VALUES ('x', 0)",
            "UPDATE players_membershiptype SET name = 'y'",
            "DELETE FROM players_membershiptype",
        ):
            writer.execute("BEGIN IMMEDIATE")
            writer.execute(act)
            assert reader.execute(stamp).fetchone() in seen
            writer.execute("COMMIT")
            assert reader.execute(stamp).fetchone() not in seen
            seen.add(reader.execute(stamp).fetchone())
        writer.execute(
            "INSERT INTO django_session VALUES ('key', 'data', '2026-01-01')"
        )
        assert reader.execute(stamp).fetchone() in seen
