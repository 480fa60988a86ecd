"""From upload to rated on one page: by the keyboard in place, and without scripts."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ratings_site.demo.dates import saturday
from ratings_site.demo.faulty_report import UPLOADED_WEEKS_AGO
from tests.e2e.conftest import served

pytestmark = pytest.mark.e2e


@pytest.fixture(params=["with scripts", "without"])
def office(request, tmp_path_factory, browser, base_url, pristine_data_dir):
    """A separate office whose faulty report has not been submitted."""
    data_dir = tmp_path_factory.mktemp("desk")
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    scripts = request.param == "with scripts"
    with served(data_dir, "--demo") as address:
        context = browser.new_context(base_url=address, java_script_enabled=scripts)
        yield context.new_page(), data_dir, scripts
        context.close()


def enter(page: Page, username: str) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill(username)
    page.locator("input[name=password]").fill(f"demo-{username}")
    page.locator("main button[type=submit]").click()


def send_the_faulty_report(page: Page, data_dir: Path) -> None:
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(data_dir / "faulty-report.zip")
    page.locator("main button[type=submit]").click()
    expect(page.locator("h1")).to_have_text("Castle Rook Quads")


def open_form(page: Page, place: str) -> None:
    page.locator("#findings").get_by_role("link", name=place, exact=True).first.click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#edit")).to_have_count(0)


def use_likely_member(page: Page, place: str) -> None:
    finding = page.locator(".finding", has=page.get_by_role("link", name=place)).first
    finding.locator(".likely button").first.click()


def correct_by_keyboard(page: Page) -> None:
    """Walk to the first problem, open its cell, and save: the hands stay put."""
    # A person sees the page before the keys work, and has not pressed one yet.
    page.wait_for_load_state()
    page.keyboard.press("n")
    expect(page.locator(".finding.current")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("Use the member’s record")
    page.keyboard.press("Escape")
    for _ in range(40):
        if "round" in page.locator(".finding.current .place").inner_text():
            break
        page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.locator(".editor select[name=code]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#panel.open")).to_have_count(0)


def test_from_upload_to_rated_on_one_page(office):
    page, data_dir, scripts = office
    enter(page, "td")
    send_the_faulty_report(page, data_dir)
    address = page.url
    findings = page.locator("#findings")
    expect(findings).to_contain_text("A draw with 2, but 2 shows a win.")
    if scripts:
        correct_by_keyboard(page)

    findings.get_by_role("button", name="It was a draw", exact=True).click()
    expect(findings).not_to_contain_text("A draw with 2")

    # Wrong IDs come with suggestions of members.
    use_likely_member(page, "Section 1, pairing number 4")
    expect(findings).not_to_contain_text("Casimir Quintero")
    use_likely_member(page, "Section 2, pairing number 3")
    expect(page.locator("#findings .finding.error")).not_to_contain_text(
        ["pairing number 3"]
    )
    if scripts:
        assert page.url == address  # all of it happened on the page

    open_form(page, "Section 2")
    page.locator("input[name=time_control]").fill("G/60;d5")
    page.locator("input[name=ends]").fill(saturday(UPLOADED_WEEKS_AGO).isoformat())
    save(page)
    expect(page.locator("#group-error")).to_have_count(0)

    page.locator("#findings").get_by_role("button", name="Submit to the office").click()
    page.get_by_role("button", name="Submit report").click()
    expect(page.locator("#receipt")).to_contain_text("File checksum")

    enter(page, "staff")
    page.goto(address)
    page.get_by_role("button", name="Assign to me").click()
    expect(page.locator("#claim")).to_contain_text("Assigned to you since")
    page.get_by_role("link", name=re.compile("Accept")).click()
    page.get_by_role("button", name="Accept and rate").click()
    rated = page.locator(".timeline li", has_text=re.compile("^Rated"))
    for _ in range(40):
        if rated.count():
            break
        page.wait_for_timeout(500)
        if not scripts:
            page.reload()
    expect(rated).to_have_class("done")
    page.locator("#progress .rated-lines a[href*='why/']").first.click()
    expect(page.locator("h1")).to_have_text("Why this rating")
