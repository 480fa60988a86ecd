"""Every kind of page, in a real browser: no complaint, no sideways scrolling, axe."""

from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

# So that midnight may come while the tests run.
TOMORROW = datetime.now(UTC).date() + timedelta(days=1)
MATCH = f"/matches/?one={{}}&other={{}}&system=OTBR&day={TOMORROW}&games=4"
ROWS = "12000001+W2+D3%0Aunr+L1+W3%0A1500+D1+L2"
SECTION = f"/estimate/section/?control=G/60;d5&why=2&rows={ROWS}"
PUBLIC = {
    "home": "/",
    "search": "/players/?q=ba",
    "profile": "/players/12000002/",
    "results": "/players/12000002/results/",
    "unrated profile": "/players/12000024/",
    "profile of a year": "/players/12000002/?show=OTBR&show=OTBQ&range=1y",
    "head to head": "/players/12000002/against/12000001/",
    "head to head with whom": "/players/12000002/against/",
    "events": "/events/",
    "event": "events/first",
    "crosstable": "crosstable/first",
    "why": "why/first",
    "classes": "/classes/",
    "distribution": "/distribution/",
    "rankings": "/rankings/",
    "lists": "/lists/",
    "rerates": "/rerates/",
    "foreign events": "/foreign/",
    "matches": MATCH.format("12000001", "12000002"),
    "estimate": "/estimate/?member=12000002&rating=&o=12000001&r=W&o=1700&r=",
    "estimate, target": "/estimate/target/?rating=1950&o=1900&r=W&o=2000&o=2100",
    "estimate, section": SECTION,
    "sign in": "/accounts/login/",
    "not found": "/players/99999999/",
}
DESK = {"desk": "/desk/", "upload": "/desk/upload/", "report": "report/first"}
OFFICE = {
    "queue": "/office/",
    "admin": "/admin/",
    "admin list": "/admin/players/player/",
}


def go(page: Page, address: str) -> None:
    """Open an address, or the first page of a kind that has no fixed one."""
    if address.endswith("/first"):
        kind = address.removesuffix("/first")
        if kind == "report":
            page.goto("/desk/")
            page.locator("main a[href*='/desk/reports/']").first.click()
            return
        page.goto("/events/?q=Lakeshore")
        page.locator("main a[href^='/events/2']").first.click()
        if kind in ("crosstable", "why"):
            page.locator("main a[href$='/1/']").first.click()
        if kind == "why":
            page.locator("main a[href*='why/']").first.click()
    else:
        page.goto(address)


# Cells of a card whose words lie over those of another cell.
OVERLAPPING = """() => {
  const words = cell => {
    const nodes = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), boxes = [];
    while (nodes.nextNode()) {
      if (nodes.currentNode.parentElement.closest('.vh')) continue;
      const range = document.createRange();
      range.selectNodeContents(nodes.currentNode);
      boxes.push(...range.getClientRects());
    }
    return boxes;
  };
  const overlap = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 6;
  return [...document.querySelectorAll('main .cardlike tr')].flatMap(row => {
    const cells = [...row.children].map(cell => [cell, words(cell)]);
    return cells.filter(([cell, own]) => cells.some(([other, boxes]) =>
      other !== cell && own.some(box => boxes.some(one => overlap(one, box)))
    )).map(([cell]) => cell.innerText);
  });
}"""


def wider_than_screen(page: Page) -> int:
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def check(page: Page, complaints: list[str]) -> None:
    page.wait_for_load_state("networkidle")
    wider = wider_than_screen(page)
    assert wider <= 0, f"{page.url} scrolls sideways by {wider} pixels"
    assert page.locator("h1").count() == 1
    assert page.evaluate(OVERLAPPING) == [], page.url
    assert page.locator("main table.table:not(:has(caption))").count() == 0, page.url
    results = Axe().run(page)
    grave = [
        f"{violation['id']}: {violation['nodes'][0]['html'][:200]}"
        for violation in results.response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert grave == [], page.url
    missing = "Failed to load resource: the server responded with a status of 404"
    assert [c for c in complaints if not c.startswith(missing)] == []


SCREENS = pytest.mark.parametrize("width", [1280, 390])
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@SCREENS
@THEMES
@pytest.mark.parametrize("name", PUBLIC)
def test_public_page(page, base_url, complaints, name, width, theme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    go(page, PUBLIC[name])
    check(page, complaints)


@SCREENS
@THEMES
@pytest.mark.parametrize("name", DESK)
def test_desk_page(page, sign_in, complaints, name, width, theme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    sign_in(page, "td")
    go(page, DESK[name])
    check(page, complaints)


@SCREENS
@pytest.mark.parametrize("name", OFFICE)
def test_office_page(page, sign_in, complaints, name, width):
    page.set_viewport_size({"width": width, "height": 900})
    sign_in(page, "staff")
    go(page, OFFICE[name])
    check(page, complaints)


REPORT = "/desk/ -> Castle Bishop Quads"
# By who looks at it; nobody is signed in for those of None.
OTHERS = {
    None: {
        "calendar": "/calendar/",
        "open data": "/open-data/",
        "API": "/api/v1/docs/",
        "affiliate": "/affiliates/A6000001/",
        "director": "/tds/12000001/",
        "compared lists": "/lists/compare/",
        "sign up": "/accounts/signup/",
        "new password": "/accounts/password/reset/",
        "estimate form": "/estimate/",
        "estimate form, target": "/estimate/target/",
        "estimate form, section": "/estimate/section/",
    },
    "td": {
        "account": "/account/",
        "address": "/accounts/email/",
        "password": "/accounts/password/change/",
        "second factor": "/accounts/2fa/",
        "members spoken for": "/players/claim/",
        "keys": "/account/keys/",
        "notices": "/account/notices/",
        "notice settings": "/account/notices/settings/",
        "webhooks": "/account/webhooks/",
        "register": "/calendar/register/",
        "registered": "/desk/registered/",
        "registered event": "/desk/registered/ -> Castle Winter Open",
        "type in": "/desk/type-in/",
        "grid": f"{REPORT} -> Edit as a grid",
    },
    "staff": {
        "claims": "/office/claims/",
        "invite": "/office/claims/invite/",
        "lateness": "/office/lateness/",
        "expected": "/office/expected/",
        "messages": "/office/messages/",
    },
}


@pytest.mark.parametrize(
    ("username", "name"),
    [(username, name) for username, ways in OTHERS.items() for name in ways],
)
def test_other_page(page, base_url, sign_in, complaints, username, name):
    if username:
        sign_in(page, username)
    follow(page, base_url, OTHERS[username][name])
    check_on_both(page, complaints)


# The narrowest screen for the longest words, and the width between phone and desk.
@pytest.mark.parametrize(("language", "width"), [("es", 390), ("en", 768)])
def test_main_pages_fit(browser, base_url, sign_in, language, width):
    size = {"width": width, "height": 900}
    context = browser.new_context(base_url=base_url, locale=language, viewport=size)
    page = context.new_page()
    fitting(page, language, PUBLIC)
    sign_in(page, "td")
    fitting(page, language, DESK)
    sign_in(page, "staff")
    fitting(page, language, {"queue": OFFICE["queue"]})
    context.close()


def fitting(page: Page, language: str, addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        go(page, address)
        assert page.locator("html").get_attribute("lang") == language
        assert wider_than_screen(page) <= 0, f"{name} scrolls sideways"


MOST_BYTES = 100_000
FIRST_VIEWS = ("home", "search", "profile", "event", "crosstable", "why", "rankings")


@pytest.mark.parametrize("name", FIRST_VIEWS)
def test_first_view_is_light_and_asks_nobody_else(browser, page, base_url, name):
    go(page, PUBLIC[name])
    address = page.url
    context = browser.new_context()
    first = context.new_page()
    network = context.new_cdp_session(first)
    network.send("Network.enable")
    asked: list[str] = []
    sent: list[float] = []
    network.on(
        "Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"])
    )
    network.on(
        "Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"])
    )
    first.goto(address, wait_until="networkidle")
    context.close()
    assert [one for one in asked if not one.startswith((base_url, "data:"))] == []
    assert len(sent) >= 3  # the page, a style sheet and a script at least
    assert sum(sent) < MOST_BYTES


# What stands on the pages once an office has had its month: Rosa fell to her floor,
# Iris lost a match, Mia played abroad, and the Spring Open was corrected.
MONTH = {
    "home": "/",
    "profile": "/players/12000006/",
    "floors": "/players/12000008/floors/",
    "titles": "/players/12000009/titles/",
    "lists of a player": "/players/12000008/lists/",
    "crosstable": "/events/?q=Spring -> Spring Open -> Open",
    "versions": "/events/?q=Spring -> Spring Open -> Open -> All versions",
    "old version": (
        "/events/?q=Spring -> Spring Open -> Open -> All versions"
        " -> Results of version 1"
    ),
    "rankings": "/rankings/",
    "ranking": "/rankings/OTBR/",
    "gains": "/rankings/OTBR/gains/",
    "lists": "/lists/",
    "list": "/ -> Official list",
    "rerates": "/rerates/",
    "rerate": "/rerates/2/",
    "rerate of a player": "/rerates/2/players/12000003/",
    "foreign events": "/foreign/",
    "foreign event": "/foreign/1/",
    "foreign why": "/foreign/1/why/12000009/",
    "match": MATCH.format("12000007", "12000008"),
}
MONTH_DESK = {
    "corrections": "/desk/corrections/",
    "correction": "/desk/corrections/1/",
    "ask": "/events/?q=Spring -> Spring Open -> Open -> Ask for a correction",
    "own opt-in": "/players/fide-opt-in/",
}
MONTH_OFFICE = {
    "home": "/office/",
    "corrections": "/office/corrections/",
    "decided correction": "/office/corrections/1/",
    "floor requests": "/office/floor-requests/",
    "floor request": "/office/floor-requests/1/",
    "approvals": "/office/approvals/",
    "duplicates": "/office/duplicates/",
    "pair": "/office/duplicates/12000001/12000002/",
    "undo a merge": "/office/merges/1/undo/",
    "links": "/office/links/",
    "link": "/office/links/12000003/4100012/",
    "opt-ins": "/office/opt-ins/",
    "FIDE lists": "/office/fide/",
    "FIDE list": "/office/fide/1/",
    "CFC ratings": "/office/cfc/",
    "status": "/office/members/12000002/status/",
    "rerates": "/office/rerates/",
    "rerate": "/office/rerates/2/",
    "undo a rerate": "/office/rerates/3/undo/",
    "floors": "/office/members/12000008/floors/",
    "grant a floor": "/office/members/12000008/floors/grant/",
    "money floor": "/office/members/12000008/floors/money/",
    "adjust": "/office/members/12000008/adjust/",
    "adjustments": "/office/adjustments/",
    "Life Masters": "/office/life-masters/",
    "foreign work": "/office/foreign/",
    "foreign events": "/office/foreign/events/",
    "foreign event": "/office/foreign/events/1/",
    "foreign games": "/office/foreign/events/1/enter/12000009/",
    "foreign result": "/office/foreign/results/1/",
    "foreign preview": "/office/foreign/preview/",
    "foreign file": "/office/foreign/upload/",
    "official lists": "/office/lists/",
    "jobs": "/office/jobs/",
    "audit": "/office/audit/",
    "permissions": "/office/permissions/",
}
# Each size in one theme; the first tests have every page kind in both.
SCREENS_AND_THEMES = ((1280, "dark"), (390, "light"))


def follow(page: Page, office: str, way: str) -> None:
    """Open an address, then the link of each further part of the way."""
    address, *links = way.split(" -> ")
    page.goto(office + address)
    for link in links:
        page.locator("#content a", has_text=link).first.click()


def check_on_both(page: Page, complaints: list[str]) -> None:
    for width, theme in SCREENS_AND_THEMES:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        check(page, complaints)


@pytest.mark.parametrize("name", MONTH)
def test_public_page_after_a_month(page, month_url, complaints, name):
    follow(page, month_url, MONTH[name])
    check_on_both(page, complaints)


@pytest.mark.parametrize("name", MONTH_DESK)
def test_desk_page_after_a_month(page, sign_in, month_url, complaints, name):
    sign_in(page, "td", month_url)
    follow(page, month_url, MONTH_DESK[name])
    check_on_both(page, complaints)


@pytest.mark.parametrize("name", MONTH_OFFICE)
def test_office_page_after_a_month(page, sign_in, month_url, complaints, name):
    sign_in(page, "manager", month_url)
    follow(page, month_url, MONTH_OFFICE[name])
    check_on_both(page, complaints)
