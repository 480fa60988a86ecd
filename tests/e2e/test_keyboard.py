"""The three main journeys with the keyboard alone.

Every stop on the way is looked at: it is seen, it is marked, and Tab leads on from it.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import ROOT, environment
from tests.e2e.hands import Hands
from tests.e2e.test_formats import pasted, report_on

pytestmark = pytest.mark.e2e

# A Saturday that the tests of formats leave alone.
SATURDAY = 10


@pytest.fixture
def hands(page, base_url, complaints) -> Hands:
    page.set_viewport_size({"width": 1280, "height": 800})
    yield Hands(page)
    assert complaints == []


# A visitor


def find_in_the_masthead(hands: Hands, name: str, member_id: str) -> None:
    """Type a name, walk down what is suggested and up again, and open it."""
    page = hands.page
    field, found = page.locator("#find-player"), page.locator("#suggestions a")
    hands.to(field)
    hands.page.keyboard.type(name)
    expect(found.first).to_contain_text(member_id)
    hands.press("ArrowDown")
    hands.look()
    expect(found.first).to_be_focused()
    hands.press("ArrowUp")
    expect(field).to_be_focused()
    hands.press("Escape")
    expect(found).to_have_count(0)
    expect(field).to_be_focused()
    hands.press("Control+a")
    hands.page.keyboard.type(name)
    expect(found.first).to_contain_text(member_id)
    hands.tab()  # past the button, which searches
    hands.tab()
    expect(found.first).to_be_focused()
    hands.press("Enter")


def test_visitor_reads_why_a_rating_is_what_it_is(hands, base_url):
    page, main = hands.page, hands.page.locator("main")
    page.goto("/")
    hands.tab()
    expect(page.locator(".skip")).to_be_focused()
    find_in_the_masthead(hands, "balogun, amara", "12000002")
    expect(page.locator("h1")).to_contain_text("Amara Balogun")
    address = page.url

    hands.use(main.get_by_role("link", name="Results", exact=True))
    expect(page.locator("h1")).to_have_text("Results of Amara Balogun")
    hands.use(main.locator("table a[href^='/events/']"))
    expect(page.locator(".crosstable")).to_be_visible()
    hands.use(main.get_by_role("link", name="pairing number", exact=True))
    expect(page.locator(".crosstable")).to_be_visible()
    hands.use(page.locator(".crosstable .total ~ td a"))  # to the opponent's row
    assert "#p" in page.url
    hands.tab()
    hands.use(page.locator(".crosstable tr:target a[href*='why/']"))
    expect(page.locator("h1")).to_have_text("Why this rating")
    assert hands.walk_through() > 20

    page.goto(address)
    assert hands.walk_through() > 40


# A director


def paste_a_faulty_report(hands: Hands, office: str) -> None:
    """Game 1 against 2 is told in two ways, and the event has no city."""
    page, report = hands.page, report_on(office, SATURDAY)
    text = pasted(report).replace("L1B", "D1B").replace("Springfield", "")
    hands.use(page.get_by_role("link", name="My reports"))
    hands.use(page.get_by_role("link", name="Send a report"))
    hands.fill(page.get_by_label("Or paste a wall chart"), text)
    hands.use(page.get_by_role("button", name="Send", exact=True))
    expect(page.locator("h1")).to_have_text(report.name)


def look_into_the_keys(hands: Hands) -> None:
    """Open the list of keys; it holds the focus, and gives it back."""
    page, button = hands.page, hands.page.locator("#findings [data-show-keys]")
    hands.to(button)
    hands.press("?")
    expect(page.locator("#keys")).to_be_visible()
    for _ in range(4):
        hands.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body"
            " || document.getElementById('keys').contains(document.activeElement)"
        )
    hands.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(button).to_be_focused()


def settle_the_result(hands: Hands) -> None:
    """Walk to the first finding; look into its cell, leave it, and say who won."""
    page, finding = hands.page, hands.page.locator(".finding.current")
    hands.press("n")
    hands.look()
    expect(finding.locator(".to-place")).to_be_focused()
    hands.press("Enter")
    expect(page.locator(".editor select[name=code]")).to_be_focused()
    hands.look()
    hands.press("Escape")
    expect(page.locator(".editor")).to_have_count(0)
    expect(finding.locator(".to-place")).to_be_focused()
    won = page.get_by_role("button", name="1 won", exact=True)
    hands.use(won)
    expect(won).to_have_count(0)
    expect(finding.locator(":focus")).to_have_count(1)  # the next one
    hands.look()


def name_the_city(hands: Hands) -> None:
    page = hands.page
    hands.use(page.get_by_role("link", name="Change the event"))
    hands.fill(page.locator("#edit [name=city]"), "Springfield")
    hands.press("Enter")
    expect(page.locator("#edit")).to_have_count(0)


def test_director_pastes_repairs_and_submits(hands, base_url):
    page = hands.page
    hands.sign_in("td")
    paste_a_faulty_report(hands, base_url)
    look_into_the_keys(hands)
    settle_the_result(hands)
    name_the_city(hands)
    hands.use(page.get_by_role("button", name="Submit to the office"))
    expect(page.locator("main")).to_contain_text("With the office since")
    assert hands.walk_through() > 30


# A clerk

QUEUE = 3
HAND_IN = f"from tests.e2e.many_reports import hand_in; hand_in({QUEUE})"


@pytest.fixture
def full_queue(data_dir: Path, base_url) -> None:
    """Three reports more in the queue of the office that is open."""
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", HAND_IN],
        cwd=ROOT,
        env=environment(data_dir),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )


def walk_to(hands: Hands, name: str) -> None:
    """Walk down the queue to a report."""
    here = hands.page.locator("tr.current .name a").first
    for _ in range(60):
        hands.press("j")
        hands.look()
        if here.inner_text() == name:
            return
    raise AssertionError(f"{name} is not in the queue")


def test_clerk_takes_accepts_goes_on_and_returns(hands, full_queue):
    page = hands.page
    hands.sign_in("staff")
    hands.use(page.get_by_role("link", name="Office", exact=True))
    hands.arrive("Office")
    walk_to(hands, "Monday Open 1")
    hands.press("Enter")
    hands.arrive("Monday Open 1")
    hands.press("t")
    expect(page.locator("#claim")).to_contain_text("You have taken this report")
    hands.press("a")
    hands.arrive("Accept Monday Open 1?")
    hands.use(page.get_by_role("button", name="Accept, then the next"))
    hands.arrive("Monday Open 2")

    hands.press("f")
    hands.arrive("Monday Open 3")
    page.go_back()  # a key of the browser
    hands.arrive("Monday Open 2")
    hands.press("b")
    hands.arrive("Return Monday Open 2 to the TD?")
    hands.fill(page.locator("[name=note]"), "Whose result is missing in round 2?")
    hands.use(page.get_by_role("button", name="Return, then the next"))
    hands.arrive("Monday Open 3")
    assert hands.walk_through() > 30
    page.goto("/office/")
    expect(page.locator("#decided")).to_contain_text("Monday Open 1")
    expect(page.locator("#decided")).to_contain_text("Monday Open 2")
