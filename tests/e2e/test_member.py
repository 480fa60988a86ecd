"""The journey of a member: search, compare, estimate, why; without scripts too."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.e2e

BALOGUN = re.compile("Balogun")


@pytest.fixture(params=["with scripts", "without scripts"])
def reader(request, browser: Browser, base_url: str) -> Iterator[Page]:
    """A page without sign-in."""
    scripts = request.param == "with scripts"
    context = browser.new_context(base_url=base_url, java_script_enabled=scripts)
    page = context.new_page()
    page.has_scripts = scripts
    yield page
    context.close()


def search(page: Page, name: str) -> int:
    """Search for a player on the home page; return the number of clicks."""
    page.goto("/")
    page.locator("#q").fill(name)
    if page.has_scripts:  # the members are listed as one types
        found = page.locator("main .suggestions").get_by_role("link", name=BALOGUN)
        expect(found.first).to_be_visible()
        return 0
    page.locator("main").get_by_role("button", name="Search").click()
    return 1


def test_from_the_first_page_to_why_takes_two_clicks(reader):
    clicks = search(reader, "balogun")
    reader.locator("main").get_by_role("link", name=BALOGUN).first.click()
    expect(reader.locator("h1")).to_contain_text("Balogun")
    reader.get_by_role("link", name=re.compile(r"^Why \d+\? Regular$")).click()
    expect(reader.locator("h1")).to_have_text("Why this rating")
    expect(reader.locator(".plain")).to_contain_text("expected")
    expect(reader.locator(".working")).to_contain_text("Amara scored")
    assert clicks + 2 <= (2 if reader.has_scripts else 3)


def test_each_line_of_the_history_leads_to_why_in_as_many_clicks(reader):
    clicks = search(reader, "balogun")
    reader.locator("main").get_by_role("link", name=BALOGUN).first.click()
    reader.get_by_role("link", name=re.compile("^Why ?: ")).last.click()
    expect(reader.locator("h1")).to_have_text("Why this rating")
    assert clicks + 2 <= (2 if reader.has_scripts else 3)


def test_member_is_compared_with_another(reader):
    search(reader, "balogun")
    reader.locator("main").get_by_role("link", name=BALOGUN).first.click()
    reader.get_by_role("link", name="Head to head").click()
    opponent = reader.locator("table tbody th a").first
    name = opponent.inner_text()
    opponent.click()
    expect(reader.locator("h1")).to_contain_text(f"against {name}")
    expect(reader.locator("main")).to_contain_text("Score")


def test_member_estimates_the_next_event_with_the_record_filled_in(reader):
    search(reader, "balogun")
    reader.locator("main").get_by_role("link", name=BALOGUN).first.click()
    rating = reader.locator(".stat .figure").first.inner_text()
    reader.get_by_role("link", name=re.compile("Estimate the next event")).click()
    expect(reader.locator("input[name=rating]")).to_have_value(rating)
    reader.locator("input[name=o]").first.fill("2000")
    reader.locator("select[name=r]").first.select_option("W")
    reader.get_by_role("button", name="Estimate").click()
    expect(reader.locator("#result")).to_contain_text("After 1 game, estimated")


def test_section_is_estimated_and_its_link_gives_it_again(reader):
    reader.goto("/estimate/section/")
    reader.locator("textarea").fill("1500 Ada W2\n1600 Bela L1")
    reader.get_by_role("button", name="Estimate").click()
    expect(reader.locator("#result")).to_contain_text("Bela")
    address = reader.get_by_role("link", name="Link to share").get_attribute("href")
    reader.goto(address)
    expect(reader.locator("#result")).to_contain_text("Bela")


def test_crosstable_is_read_in_other_orders(reader):
    reader.goto("/events/?q=Lakeshore")
    reader.locator("main a[href^='/events/2']").first.click()
    reader.locator("main a[href$='/1/']").first.click()
    reader.get_by_role("link", name="pairing number", exact=True).click()
    numbers = reader.locator("table.crosstable td.number").all_inner_texts()
    assert [int(text) for text in numbers] == sorted(int(text) for text in numbers)
    reader.get_by_role("link", name="compact", exact=True).click()
    expect(reader.locator("table.crosstable thead")).not_to_contain_text("Before")
    again = reader.locator("table.crosstable td.number").all_inner_texts()
    assert again == numbers


def test_chart_of_a_profile_has_switches_range_and_a_table(reader):
    reader.goto("/players/12000002/")
    reader.get_by_role("link", name="1 year", exact=True).click()
    expect(reader.locator("#range-1y")).to_have_attribute("aria-current", "page")
    reader.get_by_role("link", name="Show official ratings").click()
    expect(reader.locator("#chart-official")).to_have_text("Hide official ratings")
    expect(reader.locator("#chart figcaption, #chart > p.quiet")).to_be_visible()
    reader.goto("/players/12000002/")
    reader.get_by_role("link", name="Show as a table").click()
    expect(reader.locator("#chart table tbody tr").first).to_be_visible()
    reader.get_by_role("link", name="Hide the table").click()
    expect(reader.locator("#chart table")).to_have_count(0)


def test_distribution_is_shown_and_narrowed(reader):
    reader.goto("/classes/")
    reader.locator("main a[href^='/distribution/']").click()
    expect(reader.locator("figure.chart svg")).to_be_visible()
    reader.locator("select[name=standing]").select_option("established")
    reader.get_by_role("button", name="Show").click()
    expect(reader).to_have_url(re.compile("standing=established"))
    expect(reader.locator("main")).to_contain_text("by current rating")
