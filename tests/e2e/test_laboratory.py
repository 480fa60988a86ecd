"""The laboratory's public pages in a real browser, with and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_pages import FIRST_DISPLAY, apply_display, axe_displays, check, go

pytestmark = pytest.mark.e2e

CALCULATED = "rating=1500&deviation=200&o=1400&d=30&r=W&o=1550&d=100&r=L"
PAGES = {
    "catalog": "/laboratory/",
    "how ratings work": "/laboratory/how-ratings-work/",
    "chronology": "/laboratory/chronology/",
    "scales": "/laboratory/scales/?figure=2000&scale=elo",
    "calculator": f"/laboratory/systems/glicko/?{CALCULATED}",
    "career": "/players/12000002/laboratory/",
    "section": "",
    "section in detail": "?system=glicko2",
}


def open_page(page: Page, name: str) -> None:
    if PAGES[name].startswith("/"):
        page.goto(PAGES[name])
        return
    go(page, "crosstable/first")
    page.get_by_role("link", name="Compare rating systems").click()
    if PAGES[name]:
        page.goto(page.url + PAGES[name])


@pytest.mark.parametrize("name", PAGES)
def test_laboratory_page(page, base_url, console_errors, name):
    apply_display(page, FIRST_DISPLAY)
    open_page(page, name)
    check(page, console_errors, axe_displays(name))


@pytest.mark.parametrize("scripts", [True, False])
def test_calculator_calculates(browser, base_url, scripts):
    context = browser.new_context(base_url=base_url, java_script_enabled=scripts)
    page = context.new_page()
    page.goto("/laboratory/systems/elo.table/")
    page.get_by_label("Rating before").fill("1500")
    for number, rating in enumerate(["1500", "", "", "", ""], start=1):
        page.get_by_label(f"Rating of opponent {number}").fill(rating)
    page.get_by_label("Result against opponent 1").select_option("won")
    page.get_by_role("button", name="Calculate").click()
    answer = page.get_by_role("region", name="The new rating")
    expect(answer.get_by_text("1516", exact=True)).to_be_visible()
    assert "rating=1500" in page.url
    page.get_by_label("Rating before").fill("horse")
    page.get_by_role("button", name="Calculate").click()
    fault = "Rating before: Enter a number such as 1654 or 0.06."
    expect(page.get_by_role("alert").get_by_text(fault)).to_be_visible()
    context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_other_systems_are_chosen_for_a_rating_history(browser, base_url, scripts):
    context = browser.new_context(base_url=base_url, java_script_enabled=scripts)
    page = context.new_page()
    page.goto("/players/12000002/")
    page.get_by_role("link", name="Compare rating systems").click()
    page.get_by_text("Choose systems").click()
    chosen = page.get_by_role("checkbox", checked=True)
    while chosen.count():
        chosen.first.uncheck()
    page.get_by_label("Harkness", exact=True).check()
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("columnheader", name="Harkness")).to_be_visible()
    assert page.locator("figure.chart path.line").count() == 2
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_kind_of_experiment_can_be_seen(page, base_url, sign_in, width):
    page.set_viewport_size({"width": width, "height": 900})
    sign_in(page, "manager")
    page.goto("/laboratory/experiments/new/")
    tabs = page.locator("main .tabs")
    expect(tabs.get_by_role("link")).to_have_count(4)
    assert tabs.evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_a_system_shows_its_parameters_once_it_is_ticked(page, base_url, sign_in):
    sign_in(page, "manager")
    page.goto("/laboratory/experiments/new/")
    stephenson = page.locator(".system", has_text="Stephenson · ")
    expect(stephenson.get_by_text("Parameters")).to_be_hidden()
    stephenson.get_by_role("checkbox").check()
    stephenson.get_by_text("Parameters").click()
    expect(stephenson.get_by_role("textbox").first).to_be_visible()
