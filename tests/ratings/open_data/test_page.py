"""The page of open data, and its files at permanent URLs."""

import hashlib
import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from ratings.models import OpenFile, OpenFilePart
from ratings.open_data.queries import TABLES
from tests.factories import make_player
from tests.response_text import is_not_found

pytestmark = pytest.mark.django_db

MADE = datetime(2024, 6, 2, 4, tzinfo=UTC)


def file(content: list[bytes], *, table: str = "games", newest: bool = True):
    whole = b"".join(content)
    made = OpenFile.objects.create(
        table=table,
        kind="csv.gz",
        rows=3,
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        made_at=MADE,
        checked_at=MADE,
        is_newest=newest,
    )
    for number, part in enumerate(content):
        OpenFilePart.objects.create(file=made, number=number, content=part)
    return made


def test_page_names_every_file_and_field(client):
    made = file([b"abc"])
    older = file([b"ab"], newest=False)
    page = client.get("/open-data/").content.decode()
    assert made.sha256 in page
    assert 'href="/open-data/files/games.csv.gz"' in page
    assert f'href="/open-data/files/{older.pk}/games.csv.gz"' in page
    for table in TABLES:
        for column in table.columns:
            assert f"<code>{column.name}</code>" in page
    assert "Jun 2, 2024" in page
    assert "creativecommons.org/licenses/by/4.0/" in page


def test_office_without_files_says_when_they_come(client, settings):
    assert (
        "This office does not publish bulk files."
        in client.get("/open-data/").content.decode()
    )
    settings.NIGHTLY_AT = MADE.time()
    page = client.get("/open-data/").content.decode()
    assert "They are created every night, starting at 4:00 AM UTC." in page


def test_newest_file_stands_at_the_address_that_stays(client):
    file([b"old"], newest=False)
    made = file([b"one ", b"two"])
    response = client.get("/open-data/files/games.csv.gz", HTTP_ACCEPT_ENCODING="gzip")
    assert b"".join(response.streaming_content) == b"one two"
    assert {name: response[name] for name in (
        "Content-Type", "Content-Length", "ETag", "Last-Modified", "Cache-Control",
        "Content-Disposition", "Content-Encoding",
    )} == {
        "Content-Type": "application/gzip",
        "Content-Length": "7",
        "ETag": f'"{made.sha256}"',
        "Last-Modified": "Sun, 02 Jun 2024 04:00:00 GMT",
        "Cache-Control": "public, max-age=3600",
        "Content-Disposition": 'attachment; filename="games.csv.gz"',
        "Content-Encoding": "identity",
    }  # fmt: skip


@pytest.mark.parametrize("header", ["If-None-Match", "If-Modified-Since"])
def test_who_has_the_file_gets_nothing(client, header):
    made = file([b"abc"])
    known = {
        "If-None-Match": f'"{made.sha256}"',
        "If-Modified-Since": "Sun, 02 Jun 2024 04:00:00 GMT",
    }
    response = client.get(made.get_absolute_url(), headers={header: known[header]})
    assert (response.status_code, response.content) == (304, b"")
    assert response["ETag"] == f'"{made.sha256}"'


def test_older_file_stands_at_an_address_of_its_own(client):
    older = file([b"old"], newest=False)
    address = reverse("ratings:old_open_file", args=[older.pk, "games.csv.gz"])
    assert b"".join(client.get(address).streaming_content) == b"old"


@pytest.mark.parametrize(
    "address",
    [
        "games.csv",
        "games.parquet",
        "nonsense",
        "..%2Fetc%2Fpasswd",
        "0/games.csv.gz",
        "1/lists.csv.gz",
        "99999999999999999999/games.csv.gz",
    ],
)
def test_file_that_is_not_there_is_said_to_be_elsewhere(client, address):
    file([b"abc"])
    assert is_not_found(client.get(f"/open-data/files/{address}"))


@pytest.mark.parametrize("number", [1, 5])
def test_page_takes_the_same_queries_for_any_number_of_files(
    client, number, django_assert_num_queries
):
    for table in TABLES[:number]:
        file([b"abc"], table=table.name)
        file([b"ab"], table=table.name, newest=False)
    with django_assert_num_queries(2):
        page = client.get("/open-data/").content.decode()
    assert page.count("</li>") > number


class TestPageMetadata:
    def test_title_and_description_once_for_readers_and_once_for_sharing(self, client):
        make_player("30000017", "Ann", "O’Hara “Ace”")
        page = client.get("/players/30000017/?page=x&system=OTBR").content.decode()
        named = dict(
            re.findall(r'<meta (?:name|property)="([a-z:_]+)" content="([^"]*)"', page)
        )
        assert "<title>Ann O’Hara “Ace” · Ratings office</title>" in page
        assert named["og:title"] == "Ann O’Hara “Ace”"
        assert named["og:description"] == named["description"]
        assert "30000017" in named["description"]
        assert named["og:type"] == "profile"
        assert named["og:url"] == "http://testserver/players/30000017/"
        assert (
            '<link rel="canonical" href="http://testserver/players/30000017/">' in page
        )
        assert 'href="/players/30000017/feed.atom"' in page

    @pytest.mark.parametrize(
        ("query", "canonical"),
        [
            ("", ""),
            ("?page=1", ""),
            ("?page=2&name=x", "?page=2"),
            ("?page=-1", ""),
            ("?page=²", ""),
            (f"?page={'9' * 30}", ""),
        ],
    )
    def test_canonical_address_knows_pages_and_no_filters(
        self, client, query, canonical
    ):
        page = client.get(f"/events/{query}").content.decode()
        assert f'rel="canonical" href="http://testserver/events/{canonical}"' in page

    def test_quotation_marks_cannot_leave_an_attribute(self, client):
        make_player("30000017", "Ann", '"><script>alert(1)</script>')
        page = client.get("/players/30000017/").content.decode()
        assert "<script>alert" not in page
        assert 'content="Ann &quot;&gt;&lt;script&gt;' in page
