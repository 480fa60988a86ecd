"""The way of the README: from a faulty report to an explained rating, by hand."""

import re

import pytest
from playwright.sync_api import Page, expect

from ratings_site.demo.dates import saturday
from ratings_site.demo.faulty_report import UPLOADED_WEEKS_AGO

pytestmark = pytest.mark.e2e


def open_finding(page: Page, place: str) -> None:
    page.locator("#findings").get_by_role("link", name=place, exact=True).first.click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#edit")).to_have_count(0)


def use_this_member(page: Page) -> None:
    page.get_by_role("button", name="Use this ID and save").first.click()
    expect(page.locator("#edit")).to_have_count(0)


@pytest.mark.calendar
def test_faulty_report_is_corrected_accepted_rated_and_explained(
    page, sign_in, data_dir, console_errors
):
    sign_in(page, "td")
    page.goto("/desk/")
    page.get_by_role("link", name="Upload a report").click()
    page.locator("input[type=file]").set_input_files(data_dir / "faulty-report.zip")
    page.locator("main button[type=submit]").click()
    expect(page.locator("h1")).to_have_text("Castle Rook Quads")
    expect(page.locator("#findings")).to_contain_text(
        "A draw with 2, but 2 shows a win."
    )

    # One of the two is right, and says it for both.
    page.get_by_role("button", name="It was a draw", exact=True).click()
    expect(page.locator("#findings")).not_to_contain_text("A draw with 2")

    # An ID with two digits exchanged: the member is found by name.
    open_finding(page, "Section 1, pairing number 4")
    use_this_member(page)
    expect(page.locator("#findings")).not_to_contain_text("Casimir Quintero")

    # A missing ID, and a section with a wrong date and an unreadable time control.
    open_finding(page, "Section 2, pairing number 3")
    use_this_member(page)
    open_finding(page, "Section 2")
    page.locator("input[name=time_control]").fill("G/60;d5")
    page.locator("input[name=ends]").fill(saturday(UPLOADED_WEEKS_AGO).isoformat())
    save(page)
    expect(page.locator("#findings")).not_to_contain_text("Error")

    page.get_by_role("button", name="Submit to the office").first.click()
    page.get_by_role("button", name="Submit report").click()
    expect(page.locator("main")).to_contain_text("Submitted on")
    address = page.url

    sign_in(page, "staff")
    page.goto("/office/")
    page.get_by_role("link", name="Castle Rook Quads").first.click()
    assert page.url == address
    page.get_by_role("link", name=re.compile("Accept")).click()
    page.get_by_role("button", name="Accept and rate").click()

    # The worker rates both sections while the page watches.
    expect(page.locator("main")).to_contain_text("Rated", timeout=20_000)
    page.get_by_role("link", name=re.compile("Section 1|Quad 1")).first.click()
    expect(page.locator("h1")).to_contain_text("Castle Rook Quads")
    expect(page.locator("table.crosstable")).to_contain_text("W 4", timeout=20_000)

    page.locator("table.crosstable a[href*='why/']").first.click()
    expect(page.locator("h1")).to_have_text("Why this rating")
    expect(page.locator("main")).to_contain_text("scored")
    check = page.locator("main summary", has_text="Rules and check")
    expect(check).to_contain_text("matches")
    assert console_errors == []


def test_nothing_typed_is_lost_when_a_form_is_refused(page, sign_in):
    sign_in(page, "td")
    page.goto("/desk/")
    page.get_by_role("link", name="Castle Bishop Quads").first.click()
    open_finding(page, "Section 2")
    page.locator("input[name=name]").fill("Quad of the brave")
    page.locator("input[name=ends]").fill("2026-10-01")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text(
        "The last day is before the first day."
    )
    expect(page.locator("input[name=name]")).to_have_value("Quad of the brave")
    expect(page.locator("input[name=ends]")).to_have_value("2026-10-01")


def test_form_that_comes_after_the_session_is_filled_again(page, sign_in):
    sign_in(page, "staff")
    page.goto("/office/foreign/events/new/")
    page.locator("input[name=name]").fill("Torneo “Ñandú” <de> León")
    page.locator("select[name=federation], input[name=federation]").first.fill("ESP")
    away = page.context.new_page()
    away.goto("/")
    away.evaluate("document.querySelector('form[action*=logout]').submit()")
    away.wait_for_url("**/")
    away.close()
    page.locator("main button[type=submit]").click()
    expect(page.locator("main")).to_contain_text(
        "bring back the form as you filled it in"
    )
    page.locator("input[name=login]").fill("staff")
    page.locator("input[name=password]").fill("demo-staff")
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/office/foreign/events/new/")
    expect(page.locator("#form-is-back")).to_contain_text("Nothing was changed")
    expect(page.locator("input[name=name]")).to_have_value("Torneo “Ñandú” <de> León")
    expect(page.locator("[name=federation]")).to_have_value("ESP")


def test_search_and_crosstable_work_without_javascript(browser, base_url):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.locator("main input[type=search], main input[name=q]").first.fill("balogun")
    page.locator("main form button").first.click()
    page.get_by_role("link", name=re.compile("Balogun")).first.click()
    expect(page.locator("h1")).to_contain_text("Balogun")
    context.close()
