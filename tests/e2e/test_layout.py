"""Layout of pages in a real browser: edges, rows and the first screen."""

import re

import pytest
from playwright.sync_api import Page, expect

from ratings.pages.crosstable.rows import FIRST_ROWS
from tests.e2e.test_pages import DESK, OFFICE, PUBLIC, go, wider_than_screen

pytestmark = pytest.mark.e2e

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
ENTRIES = ["Players", "Events", "Help", "Sign in"]


@pytest.fixture
def phone(browser, base_url):
    """A page as wide as a phone, without scripts."""
    context = browser.new_context(
        base_url=base_url, viewport=PHONE, java_script_enabled=False
    )
    yield context.new_page()
    context.close()


def left_edges(page: Page) -> tuple[float, float]:
    return tuple(
        page.locator(one).first.evaluate("one => one.getBoundingClientRect().left")
        for one in ("h1", ".brand")
    )


def height(page: Page, what: str) -> float:
    return page.locator(what).evaluate("one => one.getBoundingClientRect().height")


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_all_pages_begin_at_one_left_edge(page, sign_in, screen):
    page.set_viewport_size(screen)
    edges = {}
    for username, addresses in ((None, PUBLIC), ("td", DESK), ("staff", OFFICE)):
        if username:
            sign_in(page, username)
        for name, address in addresses.items():
            if not address.startswith("/admin/"):
                go(page, address)
                page.wait_for_load_state()
                edges[name] = left_edges(page)
    assert len({round(edge) for pair in edges.values() for edge in pair}) == 1, edges


@pytest.mark.parametrize("username", ["td", "staff", "member"])
@pytest.mark.parametrize("language", ["en", "es"])
def test_masthead_is_one_row(browser, base_url, sign_in, language, username):
    context = browser.new_context(base_url=base_url, locale=language, viewport=DESKTOP)
    page = context.new_page()
    sign_in(page, username)
    page.goto("/")
    assert height(page, ".masthead") < 64
    context.close()


@pytest.mark.parametrize("language", ["en", "es"])
def test_office_has_two_rows(browser, base_url, sign_in, language):
    context = browser.new_context(base_url=base_url, locale=language, viewport=DESKTOP)
    page = context.new_page()
    sign_in(page, "staff")
    for address in ("/office/", "/office/duplicates/", "/office/rerates/"):
        page.goto(address)
        assert height(page, ".masthead") < 110, address
        assert wider_than_screen(page) <= 0, address
    context.close()


def test_menu_of_a_phone_opens_by_keyboard_and_without_scripts(phone):
    phone.goto("/")
    assert height(phone, ".masthead") <= 56
    entries = phone.locator(".masthead nav .menu > li > a")
    assert [one.is_visible() for one in entries.all()] == [False] * len(ENTRIES)
    phone.get_by_role("button", name="Menu").press("Enter")
    assert [one.inner_text() for one in entries.all() if one.is_visible()] == ENTRIES
    tools = phone.locator(".masthead summary", has_text="Tools")
    calculator = phone.get_by_role("link", name="Match calculator")
    expect(calculator).to_be_hidden()
    tools.press("Enter")
    expect(calculator).to_be_visible()
    phone.keyboard.press("Escape")
    expect(entries.first).to_be_hidden()


def test_downloads_are_behind_one_button(phone):
    go(phone, "events/first")
    files = phone.locator("main .drop a")
    assert [one.is_visible() for one in files.all()] == [False] * 5
    phone.locator("main .drop summary").press("Enter")
    expect(files.last).to_be_visible()


def test_phone_shows_the_first_players_of_a_crosstable_at_once(phone):
    go(phone, "crosstable/first")
    phone.wait_for_load_state()
    first = phone.locator(".crosstable tr[id]").first.bounding_box()
    assert first["y"] + first["height"] <= PHONE["height"]
    shown = phone.locator(".crosstable tr[id]:visible")
    expect(shown).to_have_count(FIRST_ROWS)
    assert height(phone, "html") <= 6 * PHONE["height"]
    phone.get_by_text("Show all 64 players").click()
    expect(shown).to_have_count(64)


# Far down; by a part behind a hyphen; without accents; by member ID and number.
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("mbeki", ["Ada Mbeki"]),
        ("Worthington", ["Nikolai Featherstonehaugh-Worthington"]),
        ("gior soren", ["Søren Giordano"]),
        ("o'brien", ["Mei O’Brien"]),
        ("12000088", ["Ada Mbeki"]),
        ("64", ["Ada Mbeki"]),
        ("nobody", []),
    ],
)
def test_players_find_themselves_in_a_crosstable(
    page, base_url, console_errors, typed, found
):
    page.set_viewport_size(PHONE)
    go(page, "crosstable/first")
    page.get_by_label("Find a player in this table").fill(typed)
    shown = page.locator(".crosstable tr[id]:visible")
    expect(shown.locator(".name a")).to_have_text(found)
    expect(shown.locator(".total ~ td").filter(visible=True)).to_have_count(
        7 * len(found)
    )
    expect(page.locator("#nobody")).to_be_visible(visible=not found)
    assert console_errors == []


def test_ratings_and_chart_of_a_player_are_on_the_first_screen(page, base_url):
    page.set_viewport_size(DESKTOP)
    page.goto(PUBLIC["profile"])
    ratings = [one.bounding_box() for one in page.locator(".band .stat").all()]
    assert len({one["y"] for one in ratings}) == 1
    chart = page.locator("#chart .chart").bounding_box()
    drawing = page.locator("#chart .chart > svg").bounding_box()
    assert drawing["y"] + drawing["height"] <= DESKTOP["height"]
    assert chart["width"] == page.locator("main").bounding_box()["width"]


def test_profile_is_under_four_screens_of_a_phone(phone):
    phone.goto(PUBLIC["profile"])
    assert height(phone, "html") < 4 * PHONE["height"]
    everything = phone.get_by_role("link", name=re.compile("Show all [0-9]+ events"))
    lines = int(re.sub("[^0-9]", "", everything.inner_text()))
    assert lines >= 28
    everything.click()
    expect(phone.locator("main .table.cardlike tbody tr")).to_have_count(lines)


RENAME = """([name, other]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.data = text.data.replaceAll(name, other);
  }
}"""


@pytest.mark.parametrize("name", ["profile", "results", "head to head", "matches"])
def test_the_longest_name_does_not_widen_a_page(page, base_url, name):
    page.set_viewport_size(PHONE)
    page.goto(PUBLIC[name])
    longest = "Hubert Blaine Wolfeschlegelsteinhausenbergerdorffwelche"
    page.evaluate(RENAME, ["Amara Balogun", longest])
    assert longest in page.locator("main").inner_text()
    assert wider_than_screen(page) <= 0


CUT = """() => [...document.querySelectorAll('main .table')].filter(table => {
  const frame = table.closest('.frame') ?? table.parentElement;
  return frame.scrollWidth > frame.clientWidth;
}).map(table => table.caption.innerText)"""


@pytest.mark.parametrize("language", ["en", "es"])
def test_no_table_of_results_is_cut_on_a_phone(browser, base_url, language):
    context = browser.new_context(base_url=base_url, locale=language, viewport=PHONE)
    page = context.new_page()
    page.goto(PUBLIC["results"])
    assert page.locator("main .table").count() >= 5
    longest = "Hubert Blaine Wolfeschlegelsteinhausenbergerdorffwelche"
    page.evaluate(RENAME, [page.locator("main tbody th a").first.inner_text(), longest])
    assert longest in page.locator("main").inner_text()
    assert page.evaluate(CUT) == []
    context.close()
