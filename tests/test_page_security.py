"""The security of every page: missing permissions, invalid input and attacks.

The pages are those of ``tests.sample_office.PAGES``; one that is missing there fails
the first test. What is sent to them is found in their own forms, so a field that is
added later is tried too.
"""

import hashlib
import io
import re
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache, partial
from html import unescape
from html.parser import HTMLParser
from itertools import cycle
from typing import Any
from urllib.parse import quote, urljoin

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.client import ClientHandler
from django.urls import Resolver404, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from events.models import ForeignResult
from players.models import FideList, Player
from ratings.ledger.services.rating import NotReady, rate_foreign_result
from ratings.models import Experiment
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, PendingAct, User
from ratings_site.common.web.page_cache import PUBLIC_CACHE_CONTROL
from tests.factories import make_user
from tests.hypothesis_settings import is_search_profile
from tests.page_texts import not_american, not_spanish
from tests.sample_office import (
    EMAIL,
    EVIDENCE,
    MEMBER,
    NEEDS_LIST_IN_FORCE,
    OFFICE,
    PAGES,
    PUBLIC,
    REASON,
    REPORTERS,
    SIGNED_IN,
    STAFF_NAME,
    Page,
    World,
)
from tests.tools.messages import spanish

pytestmark = pytest.mark.django_db

OUR_APPS = ("players", "events", "ratings", "common")
OURS = (
    "",
    "players",
    "players_office",
    "notices",
    "office",
    "events",
    "ratings",
    "webhooks",
    "leaving",
    "idp",
    "idp:oidc",
)
# What programs and sites send to (tests/common/programs).
_OAUTH = "authorization token revoke device_code userinfo"
OF_PROGRAMS = {f"idp:oidc:{name}" for name in _OAUTH.split()}
SIGN_IN = "/accounts/login/"


def each_page(places: list[Page]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("place", places, ids=lambda place: place.id)


def sampled_pages(many: int, places: list[Page], turn: int = 0) -> pytest.MarkDecorator:
    """Try one place in so *many* each time, and the rest in `make fuzz`.

    With another *turn* it is others, so each page meets nonsense of some kind always.
    """
    return pytest.mark.parametrize(
        "place",
        [
            pytest.param(
                place,
                id=place.id,
                marks=() if PAGES.index(place) % many == turn else pytest.mark.fuzz,
            )
            for place in places
        ],
    )


# The first of each name, which may have several actions.
ADDRESSES = list({place.name: place for place in reversed(PAGES)}.values())[::-1]
ACTIONS = [place for place in PAGES if place.sends]

HUGE = "9" * 30
TEXTS = {
    "word": "nonsense",
    "minus": "-1",
    "huge": HUGE,
    "beyond 64 bits": str(2**63),
    "very long": "9" * 10_000,
    "NUL": "1\x00",
    "other digits": "٣²Ⅷ",
    "odd letters": "\u202e\ud7ff\U0001f3f3\u0301%_'\"<script>",
    "float": "1e308",
    "NaN": "NaN",
    "comma": "1,5",
    "month 13": "2024-13",
    "first day": "0001-01-01",
    "last day": "9999-12-31",
    "blank": "",
    "long text": "ab " * 33_000,
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    """One office for all tests, each of which is undone at its end."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = World()
        for user in world.users.values():
            cookies = browser(user).cookies
            SESSIONS[user.pk] = cookies[settings.SESSION_COOKIE_NAME].value
        yield world
        SESSIONS.clear()
        SHOWN.clear()
        transaction.set_rollback(True)


def url(place: Page, world: World, **changes: Any) -> str:
    return reverse(place.name, kwargs={**place.of(world), **changes})


# Signed in once for all tests, by the account's number.
SESSIONS: dict[int, str] = {}
# To put the middleware together takes longer than most pages do.
HANDLER = ClientHandler(enforce_csrf_checks=False)
STRICT_HANDLER = ClientHandler(enforce_csrf_checks=True)


def browser(user: User | None, *, handler: ClientHandler = HANDLER) -> Client:
    client = Client(raise_request_exception=False)
    client.handler = handler
    if user is not None and user.pk in SESSIONS:
        client.cookies[settings.SESSION_COOKIE_NAME] = SESSIONS[user.pk]
    elif user is not None:
        client.force_login(user)
    return client


# What comes from an address.
Get = Callable[[str], Any]
# Each answer and the tables read for it, by the reader's name and the address.
SHOWN: dict[tuple[str, str], tuple[HttpResponse, set[str]]] = {}


def shown(who: str, world: World, address: str) -> HttpResponse:
    """Return the response for a user of the *world*, or for a visitor.

    A page is rendered once for all tests that check it. Request it before any change,
    because all tests start with the same world.
    """
    if (who, address) not in SHOWN:
        with tables_read() as tables:
            answer = browser(world.users.get(who)).get(address)
        copy = HttpResponse(answer.getvalue(), status=answer.status_code)
        copy.headers, copy.cookies = answer.headers, answer.cookies
        SHOWN[who, address] = copy, tables
    return SHOWN[who, address][0]


@contextmanager
def tables_read() -> Iterator[set[str]]:
    """Note the tables that are read inside."""
    tables: set[str] = set()

    def note(execute, sql, *args):
        tables.update(re.findall(r'(?:FROM|JOIN) "(\w+)"', str(sql)))
        return execute(sql, *args)

    with connection.execute_wrapper(note):
        yield tables


def table_digests() -> dict[str, str]:
    """Return a digest of each of our tables, to detect changes."""
    digests = {}
    for model in apps.get_models():
        if model._meta.app_label not in OUR_APPS or model is User:
            continue
        table, key = model._meta.db_table, model._meta.pk.column
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}" ORDER BY "{key}"')  # noqa: S608
            rows = cursor.fetchall()
        digests[model.__name__] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return digests


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back all changes of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def changed_tables(before: dict[str, str]) -> set[str]:
    after = table_digests()
    return {name for name in after if after[name] != before[name]}


def names(resolver: URLResolver, space: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = ":".join(filter(None, [space, pattern.namespace]))
            if inner in OURS and pattern.pattern._route != "accounts/":
                yield from names(pattern, inner)
        elif pattern.name:
            yield f"{space}:{pattern.name}" if space else pattern.name


class Forms(HTMLParser):
    """The forms of a page that are sent by POST: where to, and their fields."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.asked: set[str] = set()
        self._fields: dict[str, str] | None = None
        self._select = self._area = ""
        self.feed(html)

    def handle_starttag(self, tag: str, given: list) -> None:
        attributes = dict(given)
        name = attributes.get("name") or ""
        if tag == "form":
            self._fields = {}
            if attributes.get("method", "").lower() == "post":
                self.found.append((attributes.get("action") or "", self._fields))
        elif tag == "option":
            self._option(attributes)
        elif name and self._fields is not None:
            self.asked.add(name)
            self._field(tag, name, attributes)

    def _field(self, tag: str, name: str, attributes: dict) -> None:
        kind = attributes.get("type", "text")
        self._select = name if tag == "select" else ""
        self._area = name if tag == "textarea" else ""
        if tag == "select":
            return  # its first option is chosen, unless another says that it is
        if kind in ("radio", "checkbox") and "checked" not in attributes:
            self._fields.setdefault(name, "")
        elif kind not in ("submit", "file"):
            self._fields[name] = attributes.get("value") or ""
        else:
            self._fields.setdefault(name, "")

    def _option(self, attributes: dict) -> None:
        if not self._select or self._fields is None:
            return
        value = attributes.get("value") or ""
        if "selected" in attributes:
            self._fields[self._select] = value
        self._fields.setdefault(self._select, value)

    def handle_data(self, text: str) -> None:
        if self._area and self._fields is not None:
            self._fields[self._area] = text.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag in ("form", "select", "textarea"):
            self._select = self._area = ""
        if tag == "form":
            self._fields = None


def text_of(response: Any) -> str:
    """Return the page as text, empty if what comes is no page."""
    is_page = response.status_code == 200 and "html" in response["Content-Type"]
    return response.content.decode() if is_page else ""


def forms_on(get: Get, address: str) -> list[tuple[str, dict[str, str]]]:
    """Return where the forms of a page go to that concern the page itself."""
    here = address.partition("?")[0]
    forms = Forms(text_of(get(address))).found
    own = [(address, fields) for action, fields in forms if action in ("", here)]
    return own or [(address, {})]


def address_of(place: Page, world: World) -> str:
    query = "&".join(f"{key}={value}" for key, value in place.query(world).items())
    return url(place, world) + (f"?{query}" if query else "")


def valid(place: Page, world: World, get: Get) -> tuple[str, dict[str, Any]]:
    """Return the action of a page with valid data."""
    address = address_of(place, world)
    forms = forms_on(get, address)
    said = place.sends(world)
    for _, fields in forms:
        if set(said) <= set(fields) or "csrfmiddlewaretoken" not in fields:
            return address, {**fields, **said}
    return address, said


# --- All pages are here ---


def test_every_page_is_tried():
    assert {one.name for one in PAGES} == set(names(get_resolver())) - OF_PROGRAMS


def test_every_page_is_tried_once():
    assert len({place.id for place in PAGES}) == len(PAGES)


# Public, and yet made for each reader: what a reader typed, what has no end, what can
# be revoked at any time, and what says itself how long it may be kept.
NOT_KEPT = {
    "health",
    "live",
    "ready",
    "logo",
    "set_language",
    "notices:unsubscribe",
    "ratings:search_file",
    "ratings:shared",
    "ratings:shared_card",
    "ratings:statement",
    "ratings:statement_keys",
    "ratings:verified",
    "ratings:verify",
    "ratings:matches",
    "ratings:estimate",
    "ratings:estimate_target",
    "idp:oidc:configuration",
    "idp:oidc:jwks",
    "ratings:estimate_section",
    "ratings:open_file",
    "ratings:old_open_file",
    "ratings:list_file",
    "ratings:current_list_file",
    "ratings:newest_list_file",
    "ratings:experiment_data_file",
    "ratings:experiment_data_archive",
}


def test_every_public_page_has_a_cache_decision():
    public = {place.name for place in PAGES if place.who == PUBLIC}
    assert public == settings.PUBLIC_PAGES | NOT_KEPT


# Who did something is joined to the row and not shown; a page that says how a job
# stands is not kept; lines and inputs come and count together with their calculation,
# and what a rerate changed with its run.
READ_AND_NOT_WATCHED = {
    "common_user",
    "common_job",
    "ratings_calculationinputs",
    "ratings_ratingchange",
    "ratings_rundifference",
}


def test_tables_that_public_pages_show_are_watched(world):
    read = set()
    for place in PAGES:
        if place.name in settings.PUBLIC_PAGES:
            address = address_of(place, world)
            shown("", world, address)
            read |= SHOWN["", address][1]
    assert read & settings.PRIVATE_TABLES == READ_AND_NOT_WATCHED


def test_cached_pages_are_not_personal(world):
    mixed = {}
    for place in PAGES:
        if place.name in settings.PUBLIC_PAGES:
            address = address_of(place, world)
            public, own = (shown(who, world, address) for who in ("", "new clerk"))
            personal = public.cookies or b"csrfmiddlewaretoken" in public.content
            if personal or "nonce-" in public["Content-Security-Policy"]:
                mixed[place.id] = "kept"
            said = public["Cache-Control"], own["Cache-Control"]
            if said != (PUBLIC_CACHE_CONTROL, "private, no-store") or own.has_header(
                "ETag"
            ):
                mixed[place.id] = said
    assert mixed == {}


# --- Who may see and do what ---

# Expected responses: the page, a redirect to the sign-in, or a refusal.
SEES, SIGNS_IN, REFUSED, TAKES_ONLY = "sees", "signs in", "refused", "takes only"
GATES = {
    PUBLIC: {"": SEES, "new clerk": SEES},
    SIGNED_IN: {"": SIGNS_IN, "member": SEES, "td": SEES},
    MEMBER: {"": SIGNS_IN, "member": SEES, "new clerk": REFUSED},
    REPORTERS: {"": SIGNS_IN, "member": REFUSED, "new clerk": REFUSED, "td": SEES},
    OFFICE: {
        "": SIGNS_IN,
        "member": REFUSED,
        "td": REFUSED,
        "new clerk": REFUSED,
        "admin": SEES,
    },
}


def gates(place: Page, turn: int) -> dict[str, str]:
    """Who requests a page, and the expected response.

    Members and TDs lack the same flag for the office's pages: one of them tries to read
    a page, and in the other *turn* the other tries to send to it.
    """
    left_out = ("member", "td")[(ADDRESSES.index(place) + turn) % 2]
    return {
        who: gate
        for who, gate in GATES[place.who].items()
        if place.who != OFFICE or who != left_out or is_search_profile()
    }


def outcome(response: Any) -> str:
    is_refused = response.status_code == 403
    if is_refused and f'href="{SIGN_IN}' in response.content.decode():
        return SIGNS_IN  # what was written stands above the way there
    if response.status_code in (403, 404):
        return REFUSED
    if response.status_code == 405:
        return TAKES_ONLY
    if response.status_code == 302 and response["Location"].startswith(SIGN_IN):
        return SIGNS_IN
    assert response.status_code < 400, response.status_code
    return SEES


@each_page(ADDRESSES)
def test_pages_open_to_those_who_may_see_them(place, world):
    if place.id in NEEDS_LIST_IN_FORCE and world.list.month > timezone.localdate():
        pytest.skip("The list of the sample is in force next month.")
    address, expected = address_of(place, world), gates(place, 0)
    seen = {who: outcome(shown(who, world, address)) for who in expected}
    # Views that only accept POST show nothing; see the next test.
    assert seen == expected or TAKES_ONLY in seen.values()
    pages = {who: text_of(shown(who, world, address)) for who in seen}
    assert {text for page in pages.values() for text in not_american(page)} == set()


@each_page([place for place in ADDRESSES if place.who != PUBLIC])
def test_who_may_not_see_a_page_cannot_send_to_it_either(place, world):
    entries = AuditEntry.objects.count()
    sent = {"reason": REASON, **(place.sends(world) if place.sends else {})}
    for who, gate in gates(place, 1).items():
        if gate != SEES:
            sender = browser(world.users.get(who))
            response = sender.post(address_of(place, world), sent)
            assert outcome(response) in (gate, TAKES_ONLY), who
    assert AuditEntry.objects.count() == entries


@pytest.fixture(scope="module")
def clerk(world) -> User:
    """An account of staff that may do all there is."""
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    SESSIONS[user.pk] = browser(user).cookies[settings.SESSION_COOKIE_NAME].value
    return user


def without(permission: str, user: User) -> User:
    """Remove one permission from an account for this test."""
    app, _, codename = permission.partition(".")
    taken = Permission.objects.get(content_type__app_label=app, codename=codename)
    user.user_permissions.remove(taken)
    return user


def complaints(response: Any) -> list[str]:
    """Return the form errors of a page."""
    return re.findall(r"<li>([^<]+)</li>", response.content.decode())


# A second time changes nothing in these either, but is noted, or written, again.
NOTED_AGAIN = {
    "events:foreign_change": {"AuditEntry"},
    "events:foreign_enter": {"AuditEntry", "ForeignGame"},
    "ratings:foreign_prepare": {"AuditEntry"},
    "ratings:foreign_preview": {"AuditEntry"},
    "ratings:foreign_result-look_up-ready": {"AuditEntry"},
}


@each_page(ACTIONS)
def test_actions_require_their_permission_and_run_once(place, world, clerk):
    boss, lacking = browser(world.admin), browser(without(place.takes, clerk))
    address, sent = valid(place, world, partial(shown, "admin", world))
    forger = browser(world.admin, handler=STRICT_HANDLER)
    before = table_digests()
    assert lacking.post(address, sent).status_code == 403
    assert forger.post(address, place.sends(world)).status_code == 403
    assert not changed_tables(before)

    response = boss.post(address, sent)
    assert response.status_code == 302, complaints(response)
    after_once = table_digests()
    assert after_once["AuditEntry"] != before["AuditEntry"] or (
        after_once["Job"] != before["Job"]
    )

    assert boss.post(address, sent).status_code < 500
    assert changed_tables(after_once) <= NOTED_AGAIN.get(place.id, set())


# --- Nonsense ---

# Page numbers, searches and filters, whether or not the page has them.
ALWAYS_ASKED = ("page", "q", "system", "sort", "list", "state", "kind", "event", "row")
# Each time every field says something else, and each page begins elsewhere.
TIMES = 2 if is_search_profile() else 1


def mixed(fields: Iterable[str], place: Page) -> Iterator[dict[str, str]]:
    texts = list(TEXTS.values())
    start = PAGES.index(place)
    for time in range(TIMES):
        yield {
            name: texts[(start + number + time * 5) % len(texts)]
            for number, name in enumerate(sorted(fields))
        }


def is_refused_well(response: Any) -> bool:
    """It is answered, sent elsewhere or refused; it is not a fault of the office."""
    return response.status_code in (200, 302, 400, 403, 404, 405, 409, 422)


@pytest.mark.gate
@sampled_pages(2, PAGES)
def test_nonsense_in_the_query_is_no_fault_of_the_office(place, world):
    client = browser(world.admin)
    html = text_of(shown("admin", world, address_of(place, world)))
    links = re.findall(r"[?;&]([a-z_]+)=", html)
    asked = {*ALWAYS_ASKED, *Forms(html).asked, *links, *place.query(world)}
    for said in mixed(asked, place):
        query = "&".join(
            f"{name}={quote(text[:10_000])}" for name, text in said.items()
        )
        response = client.get(f"{url(place, world)}?{query}")
        assert is_refused_well(response), (response.status_code, said)


ALWAYS_IN_ADDRESSES = ["1\x00", HUGE]
IN_ADDRESSES = ["9" * 5_000, "٣", "2024-13", "0000-01", "nonsense"]


@pytest.mark.gate
@sampled_pages(3, ADDRESSES)
def test_nonsense_in_the_address_is_not_found(place, world):
    client = browser(world.admin)
    turn = ADDRESSES.index(place)
    for name in place.of(world):
        for text in (*ALWAYS_IN_ADDRESSES, IN_ADDRESSES[turn % len(IN_ADDRESSES)]):
            marked = path_with(place, world, name, text)
            response = client.get(marked)
            if response.status_code == 405:
                response = client.post(marked)
            if response.status_code == 301:  # a slash is missing
                response = client.get(response["Location"])
            # Some that only take what is sent lead to their list, whatever is named.
            assert response.status_code in (302, 404), (name, text[:20])


def path_with(place: Page, world: World, name: str, text: str) -> str:
    """Replace *name* in the URL by *text*."""
    given = place.of(world)
    here = reverse(place.name, kwargs=given).split("/")
    other = {**given, name: _another(given[name])}
    there = reverse(place.name, kwargs=other).split("/")
    at = next(at for at, part in enumerate(here) if part != there[at])
    here[at] = quote(text)
    return "/".join(here)


def _another(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, date):
        return date(1999, 1, 1)
    return str(int(value) + 1) if value.isdigit() else f"{value}x"


@pytest.mark.gate
@sampled_pages(2, PAGES, 1)
def test_nonsense_that_is_sent_is_refused(place, world):
    client = browser(world.admin)
    get = partial(shown, "admin", world)
    for action, fields in forms_on(get, address_of(place, world)):
        said = place.sends(world) if place.sends else {}
        for sent in mixed({*fields, *said, "reason"}, place):
            with rolled_back():
                assert is_refused_well(client.post(action, sent)), sent


@pytest.mark.gate
@sampled_pages(3, ACTIONS)
def test_one_wrong_field_is_refused_and_changes_nothing(place, world):
    """Choices and dates are validated for every button."""
    client = browser(world.admin)
    address, right = valid(place, world, partial(shown, "admin", world))
    entries = AuditEntry.objects.count()
    for name, value in place.sends(world).items():
        if name in ("name", "result", "public_note", "text", "note", "limit"):
            continue  # any text, or looked at elsewhere
        for text in ("x\x00", "x" * 100_000):
            with rolled_back():
                response = client.post(address, {**right, name: text})
                assert response.status_code == 422, (name, value, text[:9])
                assert AuditEntry.objects.count() == entries


FILES = {
    "empty": b"",
    "text": b"nothing of the kind",
    "NUL": b"a\x00b",
    "UTF-16": "member_id,round,result\n1,1,1\n".encode("utf-16"),
    "Latin-1": "member_id,round,opponent_name\n1,1,M\xfcller\n".encode("latin-1"),
    "wide": b"member_id," * 100_000 + b"\n",
    "XML bomb": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "'
    + b"x" * 1_000
    + b'">]><players><player><fideid>&b;</fideid></player></players>',
    "ZIP cut off": b"PK\x03\x04" + b"\x00" * 50,
    "TRF cut off": b"012 Open\n042 2024/05/04\n052 2024/05/06\n001    1 m",
    "FIDE list cut off": b"ID Number      Name          Fed Sex Tit",
}


def zip_of(name: str, content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return written.getvalue()


def files() -> dict[str, bytes]:
    entity = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    return FILES | {
        "ZIP bomb": zip_of("xl/worksheets/sheet1.xml", b"0" * 50_000_000),
        "path in a ZIP": zip_of("../../list.txt", b"ID Number"),
        "sheet with an entity": zip_of("xl/worksheets/sheet1.xml", entity),
        "no sheet": zip_of("mimetype", b"nothing"),
    }


def a_file(name: str, content: bytes) -> SimpleUploadedFile:
    """A file of any name at all; our side of a browser would tidy it."""
    file = SimpleUploadedFile("x", content)
    file._name = name
    return file


UPLOADS = ("events:upload", "events:foreign_upload_new", "events:foreign_upload")
# Reports that lack something are kept, and their senders are led to what is missing.
KEPT_TO_BE_ASKED = {
    ("events:upload", "Latin-1"): "/columns/",
    ("events:upload", "TRF cut off"): "/event/?facts=1",
}


@pytest.mark.gate
@pytest.mark.parametrize("name", UPLOADS)
def test_wrecked_files_are_refused_in_words(name, world):
    place = next(place for place in ADDRESSES if place.name == name)
    client = browser(world.admin)
    names = cycle(("file.csv", "../../etc/passwd", "a\x00b.xlsx", "." * 300))
    for (what, content), called in zip(files().items(), names, strict=False):
        sent = {field: a_file(called, content) for field in ("file", "files")}
        response = client.post(url(place, world), sent)
        if missing := KEPT_TO_BE_ASKED.get((name, what)):
            assert response.url.endswith(missing)
            continue
        assert response.status_code in (413, 422), (what, called)
        assert "text/html" in response["Content-Type"]


def test_wrecked_fide_lists_change_nothing(world):
    client = browser(world.admin)
    post(world.admin, "players_office:fide_give_up", world.loading.pk)
    for what, content in files().items():
        with rolled_back():
            sent = {
                "file": SimpleUploadedFile("list.zip", content),
                "list_date": f"{timezone.localdate():%Y-%m}",
            }
            response = client.post(reverse("players_office:fide_lists"), sent)
            assert response.status_code in (302, 422), what
            run_due_jobs()
            assert FideList.objects.get(state="current") == world.fide_list, what
            assert not FideList.objects.filter(state="loading").exists(), what


# --- Stale and impossible actions ---


def refusal(response: Any, sentence: str) -> None:
    """The page says so, or the next one does."""
    assert response.status_code in (200, 422), response.status_code
    assert sentence in " ".join(response.content.decode().split())


def post(user: User, name: str, *args: Any, **sent: Any) -> Any:
    address = reverse(name, args=args)
    return browser(user).post(address, {"reason": REASON, **sent}, follow=True)


def test_proposers_cannot_approve_their_proposals(world):
    refusal(
        post(world.manager, "office:approval", world.act.pk, decision="approve"),
        "You proposed this, so another person must approve it.",
    )
    assert PendingAct.objects.get(pk=world.act.pk).status == "waiting"


def test_a_duplicate_takes_nothing_on_itself(world):
    """An action on a duplicate applies to the member or is refused."""
    ben, again = world.members["Ben"], world.members["Ben again"]
    number, today = again.member_id, timezone.localdate()
    dated = {"system": "OTBR", "level": 1900, "starts": today}
    post(world.admin, "ratings:grant_floor", number, **dated)
    proposed = PendingAct.objects.get(kind="floors.grant_office", status="waiting")
    assert proposed.payload["player_id"] == ben.pk
    refusal(
        post(world.admin, "players_office:status", number, status="suspended"),
        "This ID was merged into",
    )
    refusal(
        post(world.admin, "players_office:link", number, 4100011, decision="accept"),
        "is a duplicate of",
    )
    for name, day in (("cfc", "list_date"), ("opt_ins", "day")):
        sent = {"member": number, "rating": 1500, day: "2024-05-01"}
        answer = post(world.admin, f"players_office:{name}", **sent)
        refusal(answer, "is a duplicate of")
    refusal(
        post(world.admin, "players_office:pair", world.spare.member_id, number,
             decision="merge"),
        "already",
    )  # fmt: skip
    assert Player.objects.get(pk=again.pk).merged_into == ben


@pytest.mark.parametrize(
    ("status", "word"), [("draft", "being entered"), ("excluded", "left out")]
)
def test_only_what_is_ready_is_rated_abroad(world, status, word):
    fields = {"excluded_because": REASON} if status == "excluded" else {}
    ForeignResult.objects.filter(pk=world.rough.pk).update(status=status, **fields)
    with pytest.raises(NotReady, match="not ready to be rated"):
        rate_foreign_result(result_id=world.rough.pk)
    assert not world.rough.calculations.exists()
    refusal(
        post(world.admin, "ratings:foreign_preview", result=world.rough.pk),
        "None of these results is ready to rate.",
    )


def test_a_run_that_is_done_with_cannot_be_acted_on(world):
    for run, act in (
        (world.published_run, "discard"),
        (world.published_run, "retry"),
        (world.run, "undo"),
        (world.failed_run, "publish"),
        (world.failed_run, "undo"),
    ):
        before = run.status
        answer = post(world.admin, "ratings:rerate_act", run.pk, act)
        assert answer.status_code == 422, (run, act)
        run.refresh_from_db()
        assert run.status == before


def test_a_second_rerate_is_refused_while_one_is_open(world):
    refusal(
        post(world.admin, "ratings:office_rerates", begin="nothing"),
        "Publish or discard it first.",
    )


def test_a_correction_of_an_old_version_is_not_made(world):
    name, pk = "events:decide_correction", world.correction.pk
    answer = post(world.admin, name, pk, version=7, public_note=REASON)
    refusal(answer, "was corrected while you worked")


# --- Private data ---


def written(day: date) -> set[str]:
    """The ways in which people write a day."""
    month = f"{day:%B}"
    return {
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day:%m/%d/%Y}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day:%d.%m.%Y}",
        f"{day:%Y%m%d}",
        f"{day.day} {day:%b} {day.year}",
    }


def secrets(world: World) -> set[str]:
    """Private values that no public page may show."""
    days = Player.objects.exclude(birth_date=None).values_list("birth_date", flat=True)
    return {text for day in set(days) for text in written(day)} | {
        EMAIL, EVIDENCE, STAFF_NAME, "@example.org", REASON, "Both score sheets say",
    }  # fmt: skip


def unpacked(content: bytes) -> str:
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = b"\n".join(archive.read(name) for name in archive.namelist())
    return content.decode("utf-8", "replace")


def walk(get: Get, starts: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Follow every link from page to page; yield each address with its answer.

    One address of a name is enough to know its page, and one more with a query.
    """
    waiting, seen, met = deque(starts), set(), set()
    while waiting:
        address = waiting.popleft()
        if address in seen:
            continue
        seen.add(address)
        kind = name_of(address), "?" in address
        if kind[0] is None or kind in met:
            continue
        met.add(kind)
        response = get(address)
        yield address, response
        if response.status_code == 200 and "html" in response["Content-Type"]:
            links = re.findall(r'href="([^"#]+)', response.content.decode())
            waiting += [urljoin(address, unescape(link)) for link in links]


def name_of(address: str) -> str | None:
    """Return the name of one of our own pages, None of others."""
    try:
        match = resolve(address.partition("?")[0])
    except Resolver404:
        return None if not address.startswith("/") else "nowhere"
    ours = match.namespace in OURS and not address.startswith(("/accounts", "/admin"))
    return match.view_name if ours else None


def public_addresses(world: World) -> list[str]:
    open_pages = (place for place in ADDRESSES if place.who == PUBLIC)
    return [address_of(place, world) for place in open_pages]


def is_broken(response: Any) -> bool:
    return response.status_code not in (200, 302, 403)


@pytest.mark.parametrize("who", ["", "member"])
def test_nothing_private_is_on_public_pages(who, world):
    hidden = secrets(world) - ({REASON} if who else set())  # it may be the own wish
    starts = [*public_addresses(world), "/", "/office/", "/desk/"]
    for address, response in walk(partial(shown, who, world), starts):
        assert address in starts or not is_broken(response), address
        if address == "/account/":  # it shows people their own address
            continue
        if not address.startswith(("/desk", "/office")) and "correct" not in address:
            text = unpacked(response.getvalue())
            assert not {word for word in hidden if word in text}, address


@pytest.mark.gate
@pytest.mark.parametrize("who", ["td", "admin"])
def test_links_lead_somewhere(who, world):
    walked = walk(partial(shown, who, world), ["/", "/office/", "/desk/"])
    broken = {address: is_broken(response) for address, response in walked}
    assert len(broken) > 30  # it went somewhere
    assert [address for address in broken if broken[address]] == []


# --- In the reader's other language ---

# The words of a page, each by itself; names of keys and of data are what they are.
WORDS = re.compile(r">([^<>]+)<(?!/(?:kbd|code)>)")
# Groups and kinds of records are called as the database calls them.
OF_THE_DATABASE = {
    "office:audit",
    "office:permissions",
    "events:invite_colleague",
    "ratings:experiment_data",  # names of files and columns
}


@cache
def in_spanish() -> dict[str, str]:
    """Return the messages that are translated, with their translations."""
    return {
        one.id: one.string
        for one in spanish()
        if one.id and isinstance(one.id, str) and one.string != one.id
    }


# Names in this office that happen to be words of ours: a section, and an account.
NAMES = {"Open", "member"}


def stored_titles() -> list[str]:
    """Return what was written in English once, and is shown as it was written."""
    acts = PendingAct.objects.values_list("title", flat=True)
    months = Experiment.objects.filter(standing_month__isnull=False)
    return [*acts, *months.values_list("title", flat=True)]


@pytest.mark.gate
@each_page([place for place in ADDRESSES if place.name not in OF_THE_DATABASE])
def test_pages_speak_spanish(place, world):
    reader = browser(world.admin)
    reader.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"
    # It is empty for a file, or a way that only takes what is sent.
    page = unescape(text_of(reader.get(address_of(place, world))))
    assert "<html" not in page or '<html lang="es"' in page
    said = {words.strip() for words in WORDS.findall(page)}
    ours = (said & set(in_spanish())) - NAMES
    assert {words: in_spanish()[words] for words in ours} == {}
    for title in stored_titles():
        page = page.replace(title, "")
    assert not_spanish(page) == set()
