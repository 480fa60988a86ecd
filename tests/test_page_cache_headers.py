"""No header of a stranger's request changes a cached page that other visitors get.

Which headers the product and its libraries read is found in their source: a header that
is read somewhere new fails the first two tests until it is listed here, and tried.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import allauth
import csp
import django
import django_htmx
import ninja
import pytest
import time_machine
import whitenoise
from django.conf import settings as project
from django.core.cache import caches
from django.test import Client

from ratings.api.app import api
from ratings_site.common.models import Office
from ratings_site.common.web import page_cache
from tests.factories import make_player
from tests.hypothesis_settings import is_search_profile
from tests.sample_office import PAGES, World
from tests.test_page_security import address_of, world  # noqa: F401

pytestmark = pytest.mark.django_db

# The headers that the product reads, with values that mean something to it.
OURS: dict[str, tuple[str, ...]] = {
    "Accept-Encoding": ("gzip", "identity"),
    "Accept-Language": ("es", "es-MX,es;q=0.9", "xx"),
    "Authorization": ("Bearer ro_nothing",),
    "Content-Length": ("5",),
    "Cookie": (
        "django_language=es",
        "csrftoken=abcdefghijklmnopqrstuvwxyz012345",
        "sessionid=anything",
        "messages=anything",
    ),
    "Host": ("127.0.0.1:8213", "evil.example"),
    "Hx-Current-Url": ("http://testserver/players/?q=ben",),
    "Hx-History-Restore-Request": ("true",),
    "Hx-Request": ("true",),
    "If-None-Match": ('W/"0123.4567"', "*"),
    "Referer": ("http://testserver/players/?q=ben",),
    "Sec-Fetch-Dest": ("empty",),
    "X-Forwarded-For": ("192.0.2.1",),
    "X-Forwarded-Proto": ("https",),
    "X-Shown-Version": ("1",),
}
# Headers that libraries read.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "Accept": ("application/json", "text/html;q=0, */*"),
    "Connection": ("close",),
    "Content-Type": ("text/plain; charset=cp037", "text/plain; charset=latin-1"),
    "From": ("a@example.org",),
    "Hx-Boosted": ("true",),
    "Hx-Prompt": ("ben",),
    "Hx-Ptag": ("true",),
    "Hx-Request-Type": ("partial",),
    "Hx-Source": ("results",),
    "Hx-Target": ("results",),
    "Hx-Trigger": ("results",),
    "Hx-Trigger-Name": ("q",),
    "If-Match": ('"anything"',),
    "If-Modified-Since": ("Fri, 01 Jan 2100 00:00:00 GMT",),
    "If-Unmodified-Since": ("Sat, 01 Jan 2000 00:00:00 GMT",),
    "Origin": ("https://evil.example",),
    "Range": ("bytes=0-9",),
    "Triggering-Event": ("{}",),
    "User-Agent": ("anything",),
    "X-Email-Verification-Key": ("anything",),
    "X-Forwarded-Host": ("evil.example",),
    "X-Forwarded-Port": ("8213",),
    "X-Password-Reset-Key": ("anything",),
    "X-Requested-With": ("XMLHttpRequest",),
    "X-Session-Token": ("anything",),
}
HEADERS = OURS | LIBRARIES


# --- Every header that is read is listed ---

READ = re.compile(r"\b(?:headers|META)(?:\.get\(|\[)\s*([\w\"'-]+)")
HTMX = re.compile(r"\bhtmx(\.\w+)?\b|\bHtmxDetails\b")
HELPERS = {
    r"\.accepts\(|\.get_preferred_type\(": ("Accept",),
    r"\.get_host\(|\.build_absolute_uri\(": ("Host",),
    r"\.COOKIES\b": ("Cookie",),
    r"\.get_client_ip\(|\"REMOTE_ADDR\"": ("X-Forwarded-For",),
    r"\bget_language_from_request\(": ("Accept-Language", "Cookie"),
    r"request\.scheme\b|\.is_secure\(": ("X-Forwarded-Proto",),
}
UNCLEAR = re.compile(r"(?<!headers = )request\.(?:headers|META)\b(?!\.get\(|\[).*")
# These drop headers, and read none.
REVIEWED = {"request.META if name.endswith(ENCODED)]:", "request.META.pop(name)"}
OF_THE_ADDRESS = {"Query-String", "Script-Name"}


def spelled(name: str) -> str:
    """Return HTTP_HX_REQUEST and HX-Request as the one header that they are."""
    return name.removeprefix("HTTP_").replace("_", "-").title()


def headers_read_in(source: str) -> set[str]:
    """Return the headers that code or templates read, and unclear accesses."""
    found = set(UNCLEAR.findall(source))
    for name in READ.findall(source):
        if name[0] not in "\"'":
            constant = re.search(rf'^{name}(?:: Final)? = ("[^"]+")', source, re.M)
            name = constant[1] if constant else name
        found.add(spelled(name.strip("\"'")))
    for name in HTMX.findall(source):
        found.add(spelled(f"HX_{name[1:] or 'Request'}"))
    for pattern, names in HELPERS.items():
        if re.search(pattern, source):
            found.update(names)
    return found


def test_headers_that_the_product_reads_are_listed():
    found = set()
    formats = project.BASE_DIR / "events" / "formats"  # headers of files
    for folder in ("ratings_site", "players", "events", "ratings", "templates"):
        for path in (project.BASE_DIR / folder).rglob("*.*"):
            if path.is_relative_to(formats):
                continue
            if path.suffix in (".py", ".html", ".txt", ".xml"):
                found |= headers_read_in(path.read_text())
    assert found - OF_THE_ADDRESS - REVIEWED == OURS.keys()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('request.headers.get("X-New")', {"X-New"}),
        ('NAME: Final = "X-New"\nrequest.headers[NAME]', {"X-New"}),
        ("request.META['HTTP_X_NEW']", {"X-New"}),
        ("request.htmx.current_url", {"Hx-Current-Url"}),
        ("{% if request.headers.x_new %}", {"request.headers.x_new %}"}),
        ("environ = request.META", {"request.META"}),
        ("headers = request.headers\nheaders.get('X-New')", {"X-New"}),
    ],
)
def test_header_that_is_read_is_found(source, found):
    assert headers_read_in(source) == found


READ_BY_LIBRARIES = re.compile(
    r"(?:META|environ)(?:\.get\(|\[)\s*[\"']((?:HTTP|CONTENT)_\w+)[\"']"
    r"|(?:headers\.get|_get_header_value)\(\s*[\"']([A-Za-z-]+)[\"']"
)


def test_headers_that_libraries_read_are_listed():
    found = set()
    for library in (allauth, csp, django, django_htmx, ninja, whitenoise):
        for path in Path(library.__file__).parent.rglob("*.py"):
            for names in READ_BY_LIBRARIES.findall(path.read_text()):
                found.update(spelled(name) for name in names if name)
    assert found - HEADERS.keys() == set()
    # Nothing reads it today.
    assert LIBRARIES.keys() - found == {"Range"}


# --- None of them changes what others get ---

Environ = dict[str, str]


def environ_of(headers: dict[str, str]) -> Environ:
    """Return headers as a server hands them over, whatever their values."""
    names = {name: name.upper().replace("-", "_") for name in headers}
    bare = ("CONTENT_TYPE", "CONTENT_LENGTH")
    return {
        name if name in bare else f"HTTP_{name}": headers[spelled(name)]
        for name in names.values()
    }


def ordinary(name: str, value: str) -> Environ:
    return environ_of({name: value})


def encoded(name: str, value: str) -> Environ:
    """Return what htmx sends for a value that a header cannot hold as it is."""
    by_percent = "".join(f"%{byte:02x}" for byte in value.encode())
    return environ_of({name: by_percent, f"{name}-Uri-Autoencoded": "true"})


def doubled(name: str, value: str) -> Environ:
    return environ_of({name: f"{value},{value}"})


def odd_cased(name: str, value: str) -> Environ:
    return environ_of({name: value.swapcase()})


def garbage(name: str, value: str) -> Environ:
    return environ_of({name: f"{value}\xff%f0'\"<script>"})


SPELLINGS = (ordinary, encoded, doubled, odd_cased, garbage)
# With these a request may be answered before any page is made.
ANSWERED_BEFORE = {"Authorization", "Cookie", "Host", "If-None-Match"}


@pytest.fixture(autouse=True)
def _caching(monkeypatch, settings) -> Iterator[None]:
    """Let pages be cached inside a test's transaction, whose data stays as it is."""
    monkeypatch.setattr(page_cache, "current_cache_version", lambda: "a version")
    monkeypatch.setattr(page_cache, "_unavailable_until", 0.0)
    settings.API_QUOTA_WITHOUT_KEY = 1_000_000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    with time_machine.travel(datetime.now(UTC), tick=False):
        yield
    caches["pages"].clear()
    Office.current, Office._refreshed_for = None, ""


def page(address: str, **environ: str) -> tuple[Any, ...]:
    """Return what an ordinary visitor gets, but for what counts requests."""
    response = Client().get(address, **environ)
    own = ("X-Request-Id", "RateLimit")
    headers = {name: response[name] for name in response.headers if name not in own}
    return response.status_code, headers, response.content


class Visitors:
    """Those who ask for a page, or for a part of it, with nothing unusual."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.first = self._all(fresh=True)
        assert self.first[0][0] == 200
        assert "ETag" in self.first[0][1]

    def _all(self, *, fresh: bool = False) -> list[Any]:
        found = []
        for environ in ({}, {"HTTP_HX_REQUEST": "true"}):
            if fresh:
                caches["pages"].clear()
            found.append(page(self.address, **environ))
        return found

    def are_harmed_by(self, environ: Environ, method: str = "GET") -> bool:
        caches["pages"].clear()
        stranger = Client(raise_request_exception=False)
        stranger.generic(method, self.address, **environ)
        return self._all() != self.first


@pytest.mark.gate
@pytest.mark.parametrize("address", ["/players/?q=ana", "/api/v1/classes?system=OLB"])
def test_no_header_changes_what_others_get(address):
    make_player("12345678", "Ana", "Member", ratings={"OTBR": (1500.0, 30)})
    visitors = Visitors(address)
    attacks = {
        (spelling.__name__, method, name, value): spelling(name, value)
        for name, values in HEADERS.items()
        for value in values
        for spelling in SPELLINGS
        for method in ("GET", "HEAD", "OPTIONS")
        if method == "GET" or is_search_profile()
    }
    harmful = [
        attack
        for attack, environ in attacks.items()
        if visitors.are_harmed_by(environ, attack[1])
    ]
    assert harmful == []


def test_history_is_not_restored_from_another_spelling():
    """htmx sends both; the second one decides whether the whole page is wanted."""
    visitors = Visitors("/players/?q=ana")
    both = ordinary("Hx-Request", "true")
    for spelling in SPELLINGS:
        restored = spelling("Hx-History-Restore-Request", "true")
        assert not visitors.are_harmed_by(both | restored), spelling


def cached_addresses(world: World) -> dict[str, str]:  # noqa: F811
    """Return an address of every page and every API operation that is cached."""
    pages = [place for place in PAGES if place.name in project.PUBLIC_PAGES]
    assert {place.name for place in pages} == project.PUBLIC_PAGES
    month, compared = world.list.month, world.compared_month
    names = {
        "member_id": world.members["Ana"].member_id,
        "event_id": world.event.event_id,
        "system": "OTBR",
        "month": f"{month:%Y-%m}",
        "number": 1,
    }
    laboratory = {"month": f"{compared:%Y-%m}", "number": world.experiment.pk}
    operations = {}
    for path, methods in api.get_openapi_schema()["paths"].items():
        if "get" in methods and not methods["get"].get("security"):
            known = names | laboratory if "/laboratory/" in path else names
            query = "?query=ana" if path.endswith("/members") else ""
            operations[path] = path.format(**known) + query
    return {place.id: address_of(place, world) for place in pages} | operations


@pytest.mark.gate
def test_no_cached_page_is_changed_for_others(world):  # noqa: F811
    """With all headers at once; the test above tries each on two pages."""
    harmed = []
    others = cycle(SPELLINGS)
    for name, address in cached_addresses(world).items():
        visitors = Visitors(address)
        for spelling in SPELLINGS if is_search_profile() else {encoded, next(others)}:
            attack: Environ = {}
            for header, values in HEADERS.items():
                if header not in ANSWERED_BEFORE | {"Hx-History-Restore-Request"}:
                    attack |= spelling(header, values[0])
            if visitors.are_harmed_by(attack):
                harmed.append((name, spelling.__name__))
    assert harmed == []
