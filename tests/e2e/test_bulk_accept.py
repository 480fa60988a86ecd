"""A clerk's Monday: forty reports, one of them returned, the others in bulk."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT, environment, served

pytestmark = pytest.mark.e2e

REPORTS = 40


@pytest.fixture(scope="module")
def full_queue(tmp_path_factory, base_url, pristine_data_dir) -> Path:
    """The demo with a queue of forty reports."""
    data_dir = tmp_path_factory.mktemp("full-queue")
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    act = f"from tests.e2e.report_queue import fill_queue; fill_queue({REPORTS})"
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", act],
        cwd=ROOT,
        env=environment(data_dir),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    return data_dir


@pytest.fixture(params=["with scripts", "without"])
def office(request, tmp_path_factory, browser, full_queue):
    data_dir = tmp_path_factory.mktemp("monday")
    shutil.copytree(full_queue, data_dir, dirs_exist_ok=True)
    scripts = request.param == "with scripts"
    with served(data_dir) as address:
        context = browser.new_context(base_url=address, java_script_enabled=scripts)
        yield context.new_page(), scripts
        context.close()


def enter(page: Page, username: str) -> None:
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill(username)
    page.locator("input[name=password]").fill(f"demo-{username}")
    page.locator("main button[type=submit]").click()


def press(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def return_second_report(page: Page, scripts: bool) -> None:
    """Return a report; the next of the queue opens."""
    page.goto("/office/")
    if scripts:
        press(page, "jj")
        expect(page.locator("tr.current .name a").first).to_have_text("Monday Open 2")
        press(page, "b")
    else:
        page.get_by_role("link", name="Return Monday Open 2", exact=True).click()
    expect(page.locator("h1")).to_have_text("Return Monday Open 2 to the TD?")
    page.locator("textarea[name=note]").fill("Whose result is missing in round 2?")
    page.get_by_role("button", name="Return and open next").click()
    expect(page.locator("h1")).to_have_text("Monday Open 3")


def tick_one(page: Page, scripts: bool) -> None:
    """The bulk action needs a selected row; without scripts the response says so."""
    page.goto("/office/")
    accept = page.get_by_role("button", name="Accept selected")
    if scripts:
        expect(accept).to_be_disabled()
        press(page, "jx")
        expect(accept).to_be_enabled()
        press(page, "x")
        expect(accept).to_be_disabled()
    else:
        accept.click()
        expect(page.locator("h1")).to_have_text("Nothing selected")


def accept_clean_reports(page: Page, scripts: bool) -> None:
    """List all, leave one out, and accept the others."""
    page.goto("/office/")
    page.get_by_role("button", name=re.compile("Accept all 39 clean reports")).click()
    expect(page.locator("h1")).to_have_text("Accept 39 reports?")
    page.get_by_role("button", name="Remove Monday Open 5", exact=True).click()
    expect(page.locator("h1")).to_have_text("Accept 38 reports?")
    page.locator("textarea[name=reason]").fill("Looked through on Monday.")
    page.get_by_role("button", name="Accept 38 reports").click()
    while not scripts and page.get_by_role("progressbar").count():
        page.wait_for_timeout(500)
        page.get_by_role("link", name="Refresh", exact=True).click()
    expect(page.locator("h1")).to_have_text("38 reports are accepted", timeout=60_000)
    expect(page.locator("#left-out")).to_have_count(0)
    expect(page.locator("#done li")).to_have_count(38)


def accept_last_report(page: Page, scripts: bool) -> None:
    """Take and accept the one that is left; the queue is empty then."""
    page.get_by_role("link", name="Back to the list").click()
    expect(page.locator(".walk tbody tr")).to_have_count(1)
    if scripts:
        press(page, "jt")
        expect(page.locator("#claim")).to_contain_text("Assigned to you since")
        press(page, "a")
        expect(page.locator("h1")).to_have_text("Accept Monday Open 5?")
        press(page, "a")
    else:
        page.get_by_role(
            "button", name="Assign to me Monday Open 5", exact=True
        ).click()
        page.get_by_role("link", name=re.compile("Accept")).click()
        page.get_by_role("button", name="Accept and open next").click()
    expect(page.locator("#reports")).to_contain_text("None are waiting now.")


def test_forty_reports_on_a_monday(office):
    page, scripts = office
    enter(page, "staff")
    return_second_report(page, scripts)
    tick_one(page, scripts)
    accept_clean_reports(page, scripts)
    accept_last_report(page, scripts)
