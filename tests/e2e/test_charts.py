"""Charts in a real browser: tooltip, systems, ranges, and dots that open events."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.e2e

PLAYER = "/players/12000004/"
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
SCREENS = pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
# A rating with its change, the event, and its day.
TIP = re.compile(r"^\d{3,4} \([+−±]\d+\)\s*\S.*\s*[A-Z][a-z]{2} \d{1,2}, \d{4}$")


@pytest.fixture
def touched(browser: Browser, base_url: str) -> Iterator[Page]:
    context = browser.new_context(base_url=base_url, viewport=PHONE, has_touch=True)
    yield context.new_page()
    context.close()


def dots(page: Page) -> list[Locator]:
    return page.locator("#chart a.mark").filter(visible=True).all()


def dot_center(page: Page, place: int) -> tuple[float, float]:
    box = dots(page)[place].locator("circle").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@SCREENS
def test_tooltip_and_crosshair_follow_the_mouse(page, base_url, console_errors, screen):
    page.set_viewport_size(screen)
    page.goto(PLAYER)
    page.locator("#chart svg").first.scroll_into_view_if_needed()
    tip, crosshair = page.locator(".chart-tip"), page.locator("#chart .crosshair")
    expect(tip).to_be_hidden()
    x, y = dot_center(page, -3)
    page.mouse.move(x + 1, y - 30)  # near it is enough
    expect(tip).to_have_text(TIP)
    assert abs(crosshair.bounding_box()["x"] - x) < 1
    shown = tip.bounding_box()
    assert 0 <= shown["x"] <= screen["width"] - shown["width"]
    first = tip.inner_text()
    page.mouse.move(*dot_center(page, -4))
    expect(tip).not_to_have_text(first)
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    expect(crosshair).to_have_count(0)
    assert console_errors == []


@SCREENS
def test_a_dot_opens_its_event(page, base_url, screen):
    page.set_viewport_size(screen)
    page.goto(PLAYER)
    event = dots(page)[-1].get_attribute("href")
    dots(page)[-1].locator("circle").click()
    page.wait_for_url(f"**{event}")
    expect(page.locator("table.crosstable")).to_contain_text("Demir")


def test_without_scripts_dots_are_links_with_titles(browser, base_url):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    page.goto(PLAYER)
    last = dots(page)[-1]
    expect(last.locator("title")).to_have_text(TIP)
    last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("table.crosstable")).to_contain_text("Demir")
    context.close()


def test_first_tap_shows_the_event_and_the_second_opens_it(touched):
    touched.goto(PLAYER)
    touched.locator("#chart svg").first.scroll_into_view_if_needed()
    event = dots(touched)[-1].get_attribute("href")
    touched.touchscreen.tap(*dot_center(touched, -1))
    expect(touched.locator(".chart-tip")).to_have_text(TIP)
    assert touched.url.endswith(PLAYER)
    touched.touchscreen.tap(*dot_center(touched, -1))
    touched.wait_for_url(f"**{event}")


@SCREENS
def test_arrow_keys_go_from_dot_to_dot_and_say_where_they_are(page, base_url, screen):
    page.set_viewport_size(screen)
    page.goto(PLAYER)
    page.locator("#chart-official").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#chart figure > svg")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    spoken = page.locator("#chart [aria-live]")
    last = spoken.inner_text()
    assert TIP.match(last)
    page.keyboard.press("ArrowLeft")
    expect(spoken).not_to_have_text(last)
    page.keyboard.press("End")
    expect(spoken).to_have_text(last)
    expect(dots(page)[-1]).to_be_focused()
    page.keyboard.press("Home")
    expect(spoken).to_contain_text(re.compile("rating", re.IGNORECASE))
    page.keyboard.press("Escape")
    expect(spoken).to_have_text("")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("table.crosstable")).to_contain_text("Demir")


@SCREENS
def test_one_system_is_shown_and_others_on_request(page, base_url, screen):
    page.set_viewport_size(screen)
    page.goto(PLAYER)
    current = page.locator("#chart .tabs [aria-current]")
    expect(current).to_have_text(["Regular", "All"])
    ends = page.locator("#chart .end")
    expect(ends).to_have_count(1)
    page.locator("#show-OTBQ").click()
    expect(current).to_have_text(["Quick", "All"])
    expect(page).to_have_url(re.compile(r"\?show=OTBQ$"))
    expect(page.locator("#show-OTBQ")).to_be_focused()
    page.locator("#show-all").click()
    expect(current).to_have_text(["All systems", "All"])
    names = page.locator("#chart .end-name").all_text_contents()
    assert {"Regular", "Quick", "Blitz"} <= set(names)
    page.locator("#chart-official").click()
    expect(page.locator("#chart .official path").first).to_be_attached()
    # The tooltip works in what was swapped in.
    page.locator("#chart figure > svg").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#chart [aria-live]")).to_contain_text(":")


@SCREENS
def test_a_range_is_chosen_by_link_by_dragging_and_by_keys(page, base_url, screen):
    page.set_viewport_size(screen)
    page.goto(PLAYER)
    page.locator("#range-1y").click()
    expect(page.locator("#range-1y")).to_have_attribute("aria-current", "page")
    page.locator("#range-all").click()
    expect(page.locator("#range-all")).to_have_attribute("aria-current", "page")
    chart = page.locator("#chart figure > svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=4)
    expect(page.locator("#chart .selection")).to_be_visible()
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"range=\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d"))
    expect(page.locator("#chart .tabs").last.locator("[aria-current]")).to_have_text(
        re.compile(r" to \w{3} \d{1,2}, \d{4}$")
    )
    wide = chart.get_attribute("data-from")
    expect(chart).to_be_focused()
    page.keyboard.press("+")
    expect(chart).not_to_have_attribute("data-from", wide)
    page.keyboard.press("-")
    expect(page.locator("#range-all")).to_have_attribute("aria-current", "page")


OVERLAPS = """() => {
  const shown = [...document.querySelectorAll('.chart > svg text')]
    .filter(text => text.checkVisibility())
    .map(text => ({text, box: text.getBoundingClientRect(), of: text.closest('svg')}));
  const touch = (a, b) => a.left < b.right && b.left < a.right
    && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3;
  return shown.flatMap((one, place) => shown.slice(0, place)
    .filter(other => other.of === one.of && touch(one.box, other.box))
    .map(other => `${one.text.textContent} / ${other.text.textContent}`));
}"""
PAGES = {
    "profile": PLAYER,
    "all systems": f"{PLAYER}?show=OTBR&show=OTBQ&show=OTBB&show=OLQ&ratings=both",
    "distribution": "/distribution/",
    "classes": "/classes/",
    "home": "/",
    "other systems": f"{PLAYER}laboratory/",
    "monthly comparison": "/laboratory/standing/",
}


@SCREENS
@pytest.mark.parametrize("name", PAGES)
def test_labels_as_drawn_do_not_overlap_and_are_large_enough(
    page, base_url, screen, name
):
    page.set_viewport_size(screen)
    page.goto(PAGES[name])
    assert page.locator(".chart > svg text").count() > 5
    assert page.evaluate(OVERLAPS) == []
    sizes = page.locator(".chart > svg text").evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 11
    assert page.locator(".chart > svg[viewBox]").count() == 0  # no text is scaled


@SCREENS
@pytest.mark.parametrize("name", ["distribution", "monthly comparison"])
def test_other_charts_have_tooltips_by_mouse_and_keys(page, base_url, screen, name):
    page.set_viewport_size(screen)
    page.goto(PAGES[name])
    chart = page.locator(".chart > svg").first
    chart.scroll_into_view_if_needed()
    tip = page.locator(".chart-tip").first
    chart.hover(position={"x": 100, "y": 60})
    expect(tip).to_have_text(re.compile(r"\d"))
    shown = tip.inner_text()
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(shown)
