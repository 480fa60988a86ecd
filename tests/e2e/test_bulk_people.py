"""A clerk's Monday with people: FIDE IDs linked and newcomers numbered, in bulk."""

import re
import shutil
import subprocess
import sys
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT, environment, served
from tests.e2e.test_bulk_accept import enter, press

pytestmark = pytest.mark.e2e

LINKS, NEWCOMERS = 30, 10
# The demo has a newcomer of its own.
GIVEN = NEWCOMERS + 1
# Seconds that a clerk has for all of them.
MAX_KEYSTROKES = 120


@pytest.fixture
def office(request, tmp_path_factory, browser, base_url, pristine_data_dir):
    data_dir = tmp_path_factory.mktemp("people")
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    act = (
        "from tests.e2e.people_queue import create_people; "
        f"create_people(links={LINKS}, newcomers={NEWCOMERS})"
    )
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", act],
        cwd=ROOT,
        env=environment(data_dir),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    with served(data_dir) as address:
        context = browser.new_context(
            base_url=address, java_script_enabled=request.param
        )
        yield context.new_page(), request.param
        context.close()


def link_second_alone(page: Page, scripts: bool) -> None:
    """Link one row, by its key or its button; the search stays as it was."""
    page.goto("/office/links/?q=monday")
    if scripts:
        press(page, "jj")
        expect(page.locator("tr.current .name a").first).to_have_text("Ada Monday02")
        press(page, "a")
    else:
        page.get_by_role("button", name="Link Ada Monday02", exact=True).click()
    expect(page.locator("h1")).to_have_text("Link 1 member to a FIDE ID?")
    page.locator("textarea[name=reason]").fill("The passport.")
    page.get_by_role("button", name="Link 1 member").click()
    expect(page.locator("h1")).to_have_text("1 member linked")
    page.get_by_role("link", name="Back to the list").click()
    expect(page).to_have_url(re.compile(r"\?q=monday$"))
    expect(page.locator(".walk tbody tr")).to_have_count(LINKS - 1)


def reject_one_match(page: Page, scripts: bool) -> None:
    """Select a row with its shortcut, and decline the suggestion."""
    if scripts:
        press(page, "jjx")
    else:
        page.get_by_role("checkbox", name="Select Ada Monday03").check()
    expect(page.locator("input[name=row]:checked")).to_have_count(1)
    page.get_by_role("button", name="Decline selected").click()
    page.locator("textarea[name=reason]").fill("Another federation.")
    page.get_by_role("button", name="Decline 1 suggestion").click()
    expect(page.locator("#done li")).to_have_count(1)
    page.get_by_role("link", name="Back to the list").click()


def wait_for_result(page: Page, title: str) -> None:
    """Follow the job; without scripts, by the link on its page."""
    refresh = page.get_by_role("link", name="Refresh", exact=True)
    while refresh.count():
        page.wait_for_timeout(500)
        refresh.click()
    expect(page.locator("h1")).to_have_text(title, timeout=60_000)


def link_exact_matches(page: Page) -> None:
    page.get_by_role("button", name="Link all exact matches").click()
    left = LINKS - 2
    expect(page.locator("h1")).to_have_text(f"Link {left} members to their FIDE IDs?")
    page.get_by_role("button", name="Remove Ada Monday05", exact=True).click()
    page.locator("textarea[name=reason]").fill("All agrees.")
    page.get_by_role("button", name=f"Link {left - 1} members").click()
    wait_for_result(page, f"{left - 1} members linked")
    expect(page.locator("#left-out")).to_have_count(0)
    page.get_by_role("link", name="Back to the list").click()
    expect(page.locator(".walk tbody tr")).to_have_count(1)


def assign_newcomer_numbers(page: Page, scripts: bool) -> None:
    """All are ticked already; one gets a typed number."""
    page.goto("/office/newcomers/")
    row = page.locator("tr", has_text="Kim03 Monday")
    row.locator("input[name^=number]").fill("87654321")
    if scripts:
        page.locator("h1").click()
        press(page, "A")
    else:
        page.get_by_role("button", name="Assign IDs to selected").click()
    expect(page.locator("h1")).to_have_text(f"Assign IDs to {GIVEN} new members?")
    expect(page.locator("tr", has_text="Kim03 Monday")).to_contain_text("87654321")
    page.locator("textarea[name=reason]").fill("New in Monday’s reports.")
    page.get_by_role("button", name=f"Assign {GIVEN} IDs").click()
    wait_for_result(page, f"IDs assigned to {GIVEN} new members")
    page.goto("/players/87654321/")
    expect(page.locator("h1")).to_contain_text("Kim03 Monday")


@pytest.mark.parametrize(
    "office", [True, False], indirect=True, ids=["with scripts", "without"]
)
def test_forty_people_on_a_monday(office):
    page, scripts = office
    enter(page, "staff")
    begun = time.monotonic()
    link_second_alone(page, scripts)
    reject_one_match(page, scripts)
    link_exact_matches(page)
    assign_newcomer_numbers(page, scripts)
    assert time.monotonic() - begun < MAX_KEYSTROKES
