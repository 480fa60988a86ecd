"""Every kind of page, in a real browser: no complaint, no sideways scrolling, axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

PUBLIC = {
    "home": "/",
    "search": "/players/?q=ba",
    "profile": "/players/12000002/",
    "unrated profile": "/players/12000024/",
    "events": "/events/",
    "event": "events/first",
    "crosstable": "crosstable/first",
    "why": "why/first",
    "classes": "/classes/",
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


def check(page: Page, complaints: list[str]) -> None:
    page.wait_for_load_state("networkidle")
    wider = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wider <= 0, f"{page.url} scrolls sideways by {wider} pixels"
    assert page.locator("h1").count() == 1
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
