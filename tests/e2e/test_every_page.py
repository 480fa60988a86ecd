"""Every page on both screens: layout and axe.

Axe looks at each on one screen in one theme, which take turns from page to page; on
all of them with ``make e2e ARGS=--hypothesis-profile=search``.

The pages are those of ``tests.sample_office``, so a new one is looked at here as well,
and with them the pages of signing in and of the admin.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.databases import migrated_file
from tests.e2e.conftest import ROOT, SLOWEST_START, environment, served
from tests.e2e.page_manifest import HALFWAY, UNVERIFIED, WITH_FACTOR, WITHOUT_FACTOR
from tests.e2e.test_pages import FIRST_DISPLAY, apply_display, axe_displays, check
from tests.sample_office import (
    MEMBER,
    NEEDS_LIST_IN_FORCE,
    OFFICE,
    PAGES,
    PUBLIC,
    REPORTERS,
    SIGNED_IN,
)

pytestmark = pytest.mark.e2e

READERS = {PUBLIC: "", SIGNED_IN: "td", MEMBER: "member", REPORTERS: "td",
           OFFICE: "admin"}  # fmt: skip
SIGNING_IN = {
    "": (
        *("login/", "signup/", "inactive/", "password/reset/", "password/reset/done/"),
        *("password/reset/key/1-bad/", "password/reset/key/done/", "set a password"),
    ),
    HALFWAY: ("2fa/authenticate/",),
    UNVERIFIED: ("confirm-email/",),
    WITHOUT_FACTOR: ("2fa/", "2fa/totp/activate/"),
    WITH_FACTOR: (
        *("2fa/", "2fa/totp/deactivate/", "2fa/webauthn/", "2fa/webauthn/add/"),
        *("2fa/recovery-codes/", "2fa/recovery-codes/generate/", "password/change/"),
        *("email/", "reauthenticate/", "2fa/reauthenticate/", "logout/"),
    ),
}
ADMIN = (
    *("", "players/", "players/player/", "players/player/add/"),
    *("players/player/1/change/", "players/player/1/history/"),
    *("common/user/", "common/user/1/change/", "auth/group/1/change/"),
    *("common/auditentry/", "ratings/calculation/1/change/", "password_change/"),
)
# More of what a month leaves: a career, a floor that held, titles, lists; and the API.
MORE = (
    *("players/12000006/", "players/12000008/floors/", "players/12000009/titles/"),
    *("players/12000008/lists/", "api/v1/docs/"),
)


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Iterator[dict[str, Any]]:
    """An office that has everything, its address, pages and sessions."""
    data_dir = tmp_path_factory.mktemp("everything")
    shutil.copy(migrated_file(), data_dir / "office.sqlite3")
    subprocess.run(
        [sys.executable, "-m", "tests.e2e.page_manifest", data_dir / "pages.json"],
        cwd=ROOT,
        env=environment(data_dir) | {"HASHED_STATIC": "false"},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=SLOWEST_START,
    )
    with served(data_dir, NIGHTLY_AT="") as address:
        yield json.loads((data_dir / "pages.json").read_text()) | {"address": address}


@pytest.fixture(scope="module")
def browsers(browser, office) -> Iterator[dict[str, Page]]:
    """A browser window for each reader, and one that is not signed in."""
    contexts = {name: browser.new_context() for name in ("", *office["sessions"])}
    for name, session in office["sessions"].items():
        cookie = {"name": "sessionid", "value": session, "url": office["address"]}
        contexts[name].add_cookies([cookie])
    yield {name: context.new_page() for name, context in contexts.items()}
    for context in contexts.values():
        context.close()


@pytest.fixture(scope="module")
def covered_pages() -> set[str]:
    """Checked URLs, because some actions share one."""
    return set()


def open_page(page: Page, address: str) -> bool:
    """Open a URL; return whether it is a whole page."""
    apply_display(page, FIRST_DISPLAY)
    try:
        response = page.goto(address)
    except Error:  # a file, or an act that has no page of its own
        assert page.request.get(address).status in (200, 405)
        return False
    if response.status == 405 or "html" not in response.headers.get("content-type", ""):
        return False
    assert response.status == 200, f"{address} is answered with {response.status}"
    return page.evaluate("document.doctype !== null")


# First, because they need a recent sign-in.
@pytest.mark.parametrize(
    ("reader", "path"),
    [(reader, path) for reader, paths in SIGNING_IN.items() for path in paths],
)
def test_page_of_signing_in(office, browsers, reader, path):
    page = browsers[reader]
    address = f"{office['address']}/accounts/{office['pages'].get(path, path)}"
    assert open_page(page, address)
    assert ("reauthenticate" in page.url) == ("reauthenticate" in path)
    check(page, displays=axe_displays(path))


@pytest.mark.parametrize(
    "place",
    [place for place in PAGES if place.id not in NEEDS_LIST_IN_FORCE],
    ids=lambda place: place.id,
)
def test_page(office, browsers, covered_pages, place):
    path, reader = office["pages"][place.id], READERS[place.who]
    if path in covered_pages:
        return
    covered_pages.add(path)
    page = browsers[reader]
    if open_page(page, office["address"] + path) and page.url not in covered_pages:
        covered_pages.add(page.url)
        check(page, displays=axe_displays(place.id))


@pytest.mark.parametrize("path", MORE)
def test_page_after_a_month(office, browsers, path):
    assert open_page(browsers[""], f"{office['address']}/{path}")
    check(browsers[""], displays=axe_displays(path))


@pytest.mark.parametrize("path", ADMIN)
def test_page_of_the_admin(office, browsers, path):
    assert open_page(browsers["admin"], f"{office['address']}/admin/{path}")
    check(browsers["admin"], displays=axe_displays(path))


def test_page_that_is_refused_or_missing(office, browsers):
    for reader, path in (("member", "/office/"), ("", "/nowhere/")):
        apply_display(browsers[reader], FIRST_DISPLAY)
        assert browsers[reader].goto(office["address"] + path).status in (403, 404)
        check(browsers[reader])
