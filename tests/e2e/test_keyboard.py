"""The three main journeys with the keyboard alone.

Every stop is checked: it is visible, it shows focus, and Tab leads on from it.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import ROOT, environment
from tests.e2e.keyboard_user import KeyboardUser
from tests.e2e.test_formats import pasted, report_on

pytestmark = pytest.mark.e2e

# A Saturday that the tests of formats leave alone.
SATURDAY = 10


@pytest.fixture
def keyboard_user(page, base_url, console_errors) -> KeyboardUser:
    page.set_viewport_size({"width": 1280, "height": 800})
    yield KeyboardUser(page)
    assert console_errors == []


# A visitor


def find(keyboard_user: KeyboardUser, name: str, member_id: str) -> None:
    """Type a name, move down and up the suggestions, and open one."""
    page = keyboard_user.page
    field, found = page.locator("#q"), page.locator("main .suggestions a")
    keyboard_user.focus_on(field)
    keyboard_user.page.keyboard.type(name)
    expect(found.first).to_contain_text(member_id)
    keyboard_user.press("ArrowDown")
    keyboard_user.require_visible_focus()
    expect(found.first).to_be_focused()
    keyboard_user.press("ArrowUp")
    expect(field).to_be_focused()
    keyboard_user.press("Escape")
    expect(found).to_have_count(0)
    expect(field).to_be_focused()
    keyboard_user.press("Control+a")
    keyboard_user.page.keyboard.type(name)
    expect(found.first).to_contain_text(member_id)
    keyboard_user.tab()  # past the button, which searches
    keyboard_user.tab()
    expect(found.first).to_be_focused()
    keyboard_user.press("Enter")


def test_visitor_reads_why_a_rating_is_what_it_is(keyboard_user, base_url):
    page, main = keyboard_user.page, keyboard_user.page.locator("main")
    page.goto("/")
    keyboard_user.tab()
    expect(page.locator(".skip")).to_be_focused()
    find(keyboard_user, "balogun, amara", "12000002")
    expect(page.locator("h1")).to_contain_text("Amara Balogun")
    address = page.url

    keyboard_user.activate(main.get_by_role("link", name="Results", exact=True))
    expect(page.locator("h1")).to_have_text("Results of Amara Balogun")
    keyboard_user.activate(main.locator("table a[href^='/events/']"))
    expect(page.locator(".crosstable")).to_be_visible()
    keyboard_user.activate(main.get_by_role("link", name="pairing number", exact=True))
    expect(page.locator(".crosstable")).to_be_visible()
    keyboard_user.activate(
        page.locator(".crosstable .total ~ td a")
    )  # to the opponent's row
    assert "#p" in page.url
    keyboard_user.tab()
    keyboard_user.activate(page.locator(".crosstable tr:target a[href*='why/']"))
    expect(page.locator("h1")).to_have_text("Why this rating")
    assert keyboard_user.tab_through() > 20

    page.goto(address)
    assert keyboard_user.tab_through() > 40


def test_menu_opens_walks_and_closes_by_keyboard(keyboard_user, base_url):
    page = keyboard_user.page
    page.goto("/help/")
    tools = page.locator(".masthead summary", has_text="Tools")
    ratings = page.locator(".masthead summary", has_text="Ratings")
    estimator = page.get_by_role("link", name="Rating estimator")
    keyboard_user.focus_on(ratings)
    keyboard_user.press("Enter")
    expect(page.get_by_role("link", name="Rankings", exact=True)).to_be_visible()
    keyboard_user.activate(tools)
    expect(estimator).to_be_visible()
    # One menu at a time.
    expect(page.get_by_role("link", name="Rankings", exact=True)).to_be_hidden()
    keyboard_user.tab()
    expect(estimator).to_be_focused()
    keyboard_user.press("Escape")
    expect(estimator).to_be_hidden()
    keyboard_user.activate(tools, key="Space")
    keyboard_user.activate(estimator)
    page.wait_for_url("**/estimate/")
    expect(page.locator(".masthead summary[aria-current]")).to_have_text("Tools")


def test_enter_on_the_only_match_opens_it(keyboard_user, base_url):
    page = keyboard_user.page
    page.goto("/")
    keyboard_user.fill(page.locator("#q"), "balogun, amara")
    keyboard_user.press("Enter")
    expect(page.locator("h1")).to_contain_text("Amara Balogun")
    page.goto("/help/")
    keyboard_user.fill(page.locator("#find-player"), "12000002")
    keyboard_user.press("Enter")
    expect(page.locator("h1")).to_contain_text("Amara Balogun")


# A director


def paste_a_faulty_report(keyboard_user: KeyboardUser, office: str) -> None:
    """Game 1-2 has contradictory results, and the event has no city."""
    page, report = keyboard_user.page, report_on(office, SATURDAY)
    text = pasted(report).replace("L1B", "D1B").replace("Springfield", "")
    keyboard_user.activate(page.get_by_role("link", name="My reports"))
    keyboard_user.activate(page.get_by_role("link", name="Upload a report"))
    keyboard_user.fill(page.get_by_label("Or paste a wall chart"), text)
    keyboard_user.activate(page.get_by_role("button", name="Upload report", exact=True))
    expect(page.locator("h1")).to_have_text(report.name)


def read_shortcuts(keyboard_user: KeyboardUser) -> None:
    """Open the list of keys; it holds the focus, and gives it back."""
    page, button = (
        keyboard_user.page,
        keyboard_user.page.locator("#findings [data-show-keys]"),
    )
    keyboard_user.focus_on(button)
    keyboard_user.press("?")
    expect(page.locator("#keys")).to_be_visible()
    for _ in range(4):
        keyboard_user.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body"
            " || document.getElementById('keys').contains(document.activeElement)"
        )
    keyboard_user.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(button).to_be_focused()


def correct_result(keyboard_user: KeyboardUser) -> None:
    """Go to the first issue, open its cell, leave it, and enter the winner."""
    page, finding = keyboard_user.page, keyboard_user.page.locator(".finding.current")
    keyboard_user.press("n")
    keyboard_user.require_visible_focus()
    expect(finding.locator(".to-place")).to_be_focused()
    keyboard_user.press("Enter")
    expect(page.locator(".editor select[name=code]")).to_be_focused()
    keyboard_user.require_visible_focus()
    keyboard_user.press("Escape")
    expect(page.locator("#panel.open")).to_have_count(0)
    expect(finding.locator(".to-place")).to_be_focused()
    won = page.get_by_role("button", name="1 won", exact=True)
    keyboard_user.activate(won)
    expect(won).to_have_count(0)
    expect(finding.locator(":focus")).to_have_count(1)  # the next one
    keyboard_user.require_visible_focus()


def enter_city(keyboard_user: KeyboardUser) -> None:
    page = keyboard_user.page
    keyboard_user.activate(page.get_by_role("link", name="Edit event"))
    keyboard_user.fill(page.locator("#edit [name=city]"), "Springfield")
    keyboard_user.press("Enter")
    expect(page.locator("#edit")).to_have_count(0)


def test_director_pastes_repairs_and_submits(keyboard_user, base_url):
    page = keyboard_user.page
    keyboard_user.sign_in("td")
    paste_a_faulty_report(keyboard_user, base_url)
    read_shortcuts(keyboard_user)
    correct_result(keyboard_user)
    enter_city(keyboard_user)
    keyboard_user.activate(page.get_by_role("button", name="Submit to the office"))
    page.wait_for_load_state()
    keyboard_user.activate(page.get_by_role("button", name="Submit report"))
    expect(page.locator("main")).to_contain_text("Submitted on")
    assert keyboard_user.tab_through() > 30


# A clerk

QUEUE = 3
SUBMIT_SCRIPT = f"from tests.e2e.report_queue import fill_queue; fill_queue({QUEUE})"


@pytest.fixture
def full_queue(data_dir: Path, base_url) -> None:
    """Three reports more in the queue of the office that is open."""
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", SUBMIT_SCRIPT],
        cwd=ROOT,
        env=environment(data_dir),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )


def tab_to_link(keyboard_user: KeyboardUser, name: str) -> None:
    """Walk down the queue to a report."""
    here = keyboard_user.page.locator("tr.current .name a").first
    for _ in range(60):
        keyboard_user.press("j")
        keyboard_user.require_visible_focus()
        if here.inner_text() == name:
            return
    raise AssertionError(f"{name} is not in the queue")


def test_clerk_takes_accepts_goes_on_and_returns(keyboard_user, full_queue):
    page = keyboard_user.page
    keyboard_user.sign_in("staff")
    keyboard_user.activate(page.get_by_role("link", name="Office", exact=True))
    keyboard_user.expect_title("Office")
    tab_to_link(keyboard_user, "Monday Open 1")
    keyboard_user.press("Enter")
    keyboard_user.expect_title("Monday Open 1")
    keyboard_user.press("t")
    expect(page.locator("#claim")).to_contain_text("Assigned to you since")
    keyboard_user.press("a")
    keyboard_user.expect_title("Accept Monday Open 1?")
    keyboard_user.activate(page.get_by_role("button", name="Accept and open next"))
    keyboard_user.expect_title("Monday Open 2")

    keyboard_user.press("f")
    keyboard_user.expect_title("Monday Open 3")
    page.go_back()  # a key of the browser
    keyboard_user.expect_title("Monday Open 2")
    keyboard_user.press("b")
    keyboard_user.expect_title("Return Monday Open 2 to the TD?")
    keyboard_user.fill(
        page.locator("[name=note]"), "Whose result is missing in round 2?"
    )
    keyboard_user.activate(page.get_by_role("button", name="Return and open next"))
    keyboard_user.expect_title("Monday Open 3")
    assert keyboard_user.tab_through() > 30
    page.goto("/office/")
    expect(page.locator("#decided")).to_contain_text("Monday Open 1")
    expect(page.locator("#decided")).to_contain_text("Monday Open 2")
