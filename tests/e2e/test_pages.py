"""Every kind of page, in a real browser: no complaint, no sideways scrolling, axe."""

from collections.abc import Sequence
from datetime import UTC, timedelta
from zlib import crc32

import pytest
import time_machine
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.hypothesis_settings import is_search_profile

pytestmark = pytest.mark.e2e

# By the machine's date, as the office; midnight may come while the tests run.
NOW = time_machine.escape_hatch.datetime.datetime.now(UTC)
TOMORROW = NOW.date() + timedelta(days=1)
MATCH = f"/matches/?one={{}}&other={{}}&system=OTBR&day={TOMORROW}&games=4"
ROWS = "12000001+W2+D3%0Aunr+L1+W3%0A1500+D1+L2"
SECTION = f"/estimate/section/?control=G/60;d5&why=2&rows={ROWS}"
PUBLIC = {
    "home": "/",
    "search": "/players/?q=ba",
    "search of all": "/search/?q=castle",
    "several IDs": "/search/?q=12000001,12000002,A6000001,99999999",
    "compare players": "/compare/?first=ba&second=12000001",
    "help": "/help/",
    "help page": "/help/why-a-rating-changed/",
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


# Screens and themes. What a page is made of is looked at on each screen, its colors in
# both themes of each; the page is loaded once.
Display = tuple[int, str]
DISPLAYS: tuple[Display, ...] = (
    (1280, "light"),
    (1280, "dark"),
    (390, "dark"),
    (390, "light"),
)
FIRST_DISPLAY = DISPLAYS[0]
PHONE_ENDS = 640
# The size of targets is off by default.
EVERYTHING = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},
}
COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}
AXE = Axe().axe_script
SETTLED = "Promise.all(document.getAnimations().map(one => one.finished))"


def axe_displays(name: str) -> Sequence[Display]:
    """Return the screen and theme for axe, the same in every run."""
    if is_search_profile():
        return DISPLAYS
    return [DISPLAYS[crc32(name.encode()) % len(DISPLAYS)]]


def apply_display(page: Page, at: Display) -> None:
    width, theme = at
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.evaluate(SETTLED)  # the admin's links take a while to change their color


def check(
    page: Page,
    console_errors: Sequence[str] = (),
    displays: Sequence[Display] = DISPLAYS,
) -> None:
    """Check the layout of a page on both screens, and run axe on the *displays*.

    axe is loaded once.
    """
    expect(page.locator("[hx-trigger=load]")).to_have_count(0)  # they have come
    assert page.locator("h1").count() == 1, page.url
    assert page.locator("main table.table:not(:has(caption))").count() == 0, page.url
    page.evaluate(AXE)
    found, measured, examined = [], set(), set()
    for width, theme in DISPLAYS:
        if width in measured and (width, theme) not in displays:
            continue
        apply_display(page, (width, theme))
        if width not in measured:
            measured.add(width)
            found += misplaced(page, width)
        if (width, theme) in displays:
            rules = COLORS if width in examined else EVERYTHING
            examined.add(width)
            found += [f"{width} {theme}: {one}" for one in violations(page, rules)]
    assert found == [], f"{page.url}\n" + "\n".join(found)
    missing = "Failed to load resource: the server responded with a status of 404"
    assert [c for c in console_errors if not c.startswith(missing)] == []


def violations(page: Page, rules: dict) -> list[str]:
    """Return what axe finds, of any weight, each by its first place."""
    found = page.evaluate("rules => axe.run(rules)", rules)["violations"]
    return [
        f"{one['id']} in {len(one['nodes'])}: {one['nodes'][0]['html'][:200]}"
        for one in found
    ]


# A table that is wider than its frame scrolls in it, and a shadow says so.
CLIPPED = """[...document.querySelectorAll("main table")].filter(table => {
  const frame = table.closest(".frame") ?? table.parentElement;
  const style = getComputedStyle(frame);
  return table.getClientRects().length && table.scrollWidth > frame.clientWidth + 1 &&
    !(/auto|scroll/.test(style.overflowX) && style.backgroundImage !== "none");
}).map(table => table.caption?.textContent ?? table.className)"""


def misplaced(page: Page, width: int) -> list[str]:
    wider, over = wider_than_screen(page), page.evaluate(OVERLAPPING)
    found = [f"{width}: scrolls sideways by {wider} pixels"] if wider > 0 else []
    if width < PHONE_ENDS:
        clipped = page.evaluate(CLIPPED)
        found += [f"{width}: the table is clipped: {name}" for name in clipped]
    return found + [f"{width}: lies over another cell: {text}" for text in over]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_page(page, base_url, console_errors, name):
    apply_display(page, FIRST_DISPLAY)
    go(page, PUBLIC[name])
    check(page, console_errors, axe_displays(name))


@pytest.mark.parametrize("name", DESK)
def test_report_page(page, sign_in, console_errors, name):
    apply_display(page, FIRST_DISPLAY)
    sign_in(page, "td")
    go(page, DESK[name])
    check(page, console_errors, axe_displays(name))


@pytest.mark.parametrize("name", OFFICE)
def test_office_page(page, sign_in, console_errors, name):
    apply_display(page, FIRST_DISPLAY)
    sign_in(page, "staff")
    go(page, OFFICE[name])
    check(page, console_errors, axe_displays(name))


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


MAX_BYTES = 100_000
FIRST_VIEWS = ("home", "search", "profile", "event", "crosstable", "why", "rankings")


@pytest.mark.parametrize("name", FIRST_VIEWS)
def test_first_view_is_light_and_loads_no_third_party(browser, page, base_url, name):
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
    assert sum(sent) < MAX_BYTES
