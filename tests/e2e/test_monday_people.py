"""A clerk's Monday with people: FIDE IDs linked and newcomers numbered, in bulk."""

import re
import shutil
import subprocess
import sys
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT, environment, served
from tests.e2e.test_monday import enter, press

pytestmark = pytest.mark.e2e

LINKS, NEWCOMERS = 30, 10
# The demo has a newcomer of its own.
GIVEN = NEWCOMERS + 1
# Seconds that a clerk has for all of them.
MOST = 120


@pytest.fixture
def office(request, tmp_path_factory, browser, base_url, untouched):
    data_dir = tmp_path_factory.mktemp("people")
    shutil.copytree(untouched, data_dir, dirs_exist_ok=True)
    act = (
        "from tests.e2e.many_people import come_in; "
        f"come_in(links={LINKS}, newcomers={NEWCOMERS})"
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


def link_the_second_by_itself(page: Page, scripts: bool) -> None:
    """Link one row, by its key or its button; the search stays as it was."""
    page.goto("/office/links/?q=monday")
    if scripts:
        press(page, "jj")
        expect(page.locator("tr.current .name a").first).to_have_text("Ada Monday02")
        press(page, "a")
    else:
        page.get_by_role("button", name="Link Ada Monday02", exact=True).click()
    expect(page.locator("h1")).to_have_text("Link 1 member with their FIDE ID?")
    page.locator("textarea[name=reason]").fill("The passport.")
    page.get_by_role("button", name="Link 1 member").click()
    expect(page.locator("h1")).to_have_text("1 member is linked")
    page.get_by_role("link", name="Back to the list").click()
    expect(page).to_have_url(re.compile(r"\?q=monday$"))
    expect(page.locator(".walk tbody tr")).to_have_count(LINKS - 1)


def tell_one_apart(page: Page, scripts: bool) -> None:
    """Tick a row with its key, and decline what was suggested."""
    if scripts:
        press(page, "jjx")
    else:
        page.get_by_role("checkbox", name="Choose Ada Monday03").check()
    expect(page.locator("input[name=row]:checked")).to_have_count(1)
    page.get_by_role("button", name="Those ticked are somebody else’s").click()
    page.locator("textarea[name=reason]").fill("Another federation.")
    page.get_by_role("button", name="1 is somebody else’s").click()
    expect(page.locator("#done li")).to_have_count(1)
    page.get_by_role("link", name="Back to the list").click()


def link_the_certain_ones(page: Page) -> None:
    page.get_by_role("button", name="Link all certain ones").click()
    left = LINKS - 2
    expect(page.locator("h1")).to_have_text(f"Link {left} members with their FIDE IDs?")
    page.get_by_role("button", name="Leave out Ada Monday05", exact=True).click()
    page.locator("textarea[name=reason]").fill("All agrees.")
    page.get_by_role("button", name=f"Link {left - 1} members").click()
    expect(page.locator("h1")).to_have_text(f"{left - 1} members are linked")
    expect(page.locator("#left-out")).to_have_count(0)
    page.get_by_role("link", name="Back to the list").click()
    expect(page.locator(".walk tbody tr")).to_have_count(1)


def number_the_newcomers(page: Page, scripts: bool) -> None:
    """All are ticked already; one gets a typed number."""
    page.goto("/office/newcomers/")
    row = page.locator("tr", has_text="Kim03 Monday")
    row.locator("input[name^=number]").fill("87654321")
    if scripts:
        page.locator("h1").click()
        press(page, "A")
    else:
        page.get_by_role("button", name="Give numbers to those ticked").click()
    expect(page.locator("h1")).to_have_text(f"Give {GIVEN} new members numbers?")
    expect(page.locator("tr", has_text="Kim03 Monday")).to_contain_text("87654321")
    page.locator("textarea[name=reason]").fill("New in Monday’s reports.")
    page.get_by_role("button", name=f"Give {GIVEN} numbers").click()
    expect(page.locator("h1")).to_have_text(f"{GIVEN} new members have numbers")
    page.goto("/players/87654321/")
    expect(page.locator("h1")).to_contain_text("Kim03 Monday")


@pytest.mark.parametrize(
    "office", [True, False], indirect=True, ids=["with scripts", "without"]
)
def test_forty_people_on_a_monday(office):
    page, scripts = office
    enter(page, "staff")
    begun = time.monotonic()
    link_the_second_by_itself(page, scripts)
    tell_one_apart(page, scripts)
    link_the_certain_ones(page)
    number_the_newcomers(page, scripts)
    assert time.monotonic() - begun < MOST
