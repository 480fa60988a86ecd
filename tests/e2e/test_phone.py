"""A TD on a phone pastes a crosstable, fixes it and submits it."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from events.formats.report import ReportedEvent
from tests.e2e.test_formats import pasted, report_on
from tests.e2e.test_pages import wider_than_screen

pytestmark = pytest.mark.e2e

# A Saturday that the tests of formats and of the keyboard leave alone.
SATURDAY = 11
SMALLEST_TARGET = 24


@pytest.fixture
def phone(browser: Browser, base_url):
    """A page of a phone: as wide, and touched instead of clicked."""
    context = browser.new_context(
        base_url=base_url,
        viewport={"width": 390, "height": 844},
        device_scale_factor=3,
        is_mobile=True,
        has_touch=True,
    )
    page = context.new_page()
    yield page
    context.close()


def fits(page: Page) -> None:
    assert wider_than_screen(page) <= 0, f"{page.url} scrolls sideways"


def touch(what: Locator) -> None:
    """Touch what a finger can hit, on a page that fits the screen."""
    expect(what).to_be_visible()
    fits(what.page)
    what.scroll_into_view_if_needed()
    box = what.bounding_box()
    assert min(box["width"], box["height"]) >= SMALLEST_TARGET, (what, box)
    what.tap()


def chart_with_three_faults(reported: ReportedEvent) -> str:
    """Excel made a day of a draw, a game has two winners, and a player has no ID."""
    lines = pasted(reported).splitlines()
    third = reported.sections[0].entries[2].member_id
    at = {line.split("\t")[0]: place for place, line in enumerate(lines)}
    for place, old, new in (
        ("1", "D4W", "1-Jan"),
        ("2", "L1B", "W1B"),
        ("3", third, ""),
    ):
        assert old in lines[at[place]].split("\t")
        cells = [new if cell == old else cell for cell in lines[at[place]].split("\t")]
        lines[at[place]] = "\t".join(cells)
    return "\n".join(lines)


def write_the_draw(page: Page) -> None:
    """Open the cell of an issue and enter the result."""
    place = page.get_by_role("link", name="Section 1, pairing number 1, round 3")
    place.first.tap()
    editor = page.locator("#panel.open")
    editor.locator("[name=code]").select_option("D")
    editor.locator("[name=opponent]").fill("4")
    editor.locator("[name=color]").select_option("W")
    touch(editor.get_by_role("button", name="Save", exact=True))
    expect(editor).to_have_count(0)


def test_director_repairs_a_pasted_crosstable_on_a_phone(phone, sign_in, base_url):
    report = report_on(base_url, SATURDAY)
    third = report.sections[0].entries[2]
    sign_in(phone, "td")
    phone.goto("/desk/")
    touch(phone.get_by_role("link", name="Upload a report"))
    paste = phone.get_by_label("Or paste a wall chart")
    paste.tap()
    paste.fill(chart_with_three_faults(report))
    touch(phone.get_by_role("button", name="Upload report", exact=True))
    expect(phone.locator("h1")).to_have_text(report.name)
    findings = phone.locator("#findings")
    expect(findings).to_contain_text("3 errors")
    expect(findings).to_contain_text("“1-Jan” is a date")

    touch(findings.get_by_role("button", name="1 won", exact=True))
    expect(findings).to_contain_text("2 errors")
    write_the_draw(phone)
    expect(findings).to_contain_text("1 error")
    touch(findings.get_by_role("button", name=re.compile(f"Use.*{third.member_id}")))
    expect(findings).to_contain_text("Ready to submit.")
    touch(findings.get_by_role("button", name="Submit to the office"))
    touch(phone.get_by_role("button", name="Submit report"))
    expect(phone.locator("main")).to_contain_text("Submitted on")
    fits(phone)

    sign_in(phone, "staff")
    phone.goto("/office/")
    fits(phone)
    phone.locator("#reports").get_by_role("link", name=report.name, exact=True).tap()
    expect(phone.locator("h1")).to_have_text(report.name)
    fits(phone)
    expect(phone.locator("#event")).to_contain_text("Springfield, IL 62701")
    expect(phone.locator("#event")).to_contain_text("A6000001")
    rows = phone.locator(".crosstable tr[id]")
    cells = [row.locator(".total ~ td").all_text_contents() for row in rows.all()]
    assert [[cell[:3] for cell in row] for row in cells] == [
        ["W 2", "W 3", "D 4"],
        ["L 1", "W 4", "L 3"],
        ["W 4", "L 1", "W 2"],
        ["L 3", "L 2", "D 1"],
    ]
    expect(rows.nth(2)).to_contain_text(third.member_id)
