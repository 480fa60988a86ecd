"""A report of 64 unknown players, repaired in a few clicks while the page stays."""

import shutil
import sqlite3
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from events.formats.dbf.writer import zip_report
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from ratings_site.demo.clubs import CASTLE
from ratings_site.demo.dates import saturday
from ratings_site.demo.faulty_report import UPLOADED_WEEKS_AGO
from ratings_site.demo.members import TD_MEMBER_ID
from tests.e2e.conftest import served
from tests.e2e.test_report_page import enter
from tests.factories import swiss_rows

pytestmark = pytest.mark.e2e

PLAYERS, STRANGERS = 64, 4
MOST_CLICKS = 30


@pytest.fixture(params=["with scripts", "without"])
def office(request, tmp_path_factory, browser, base_url, pristine_data_dir):
    """A separate office with the demo."""
    data_dir = tmp_path_factory.mktemp("repair")
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    scripts = request.param == "with scripts"
    with served(data_dir, "--demo") as address:
        context = browser.new_context(base_url=address, java_script_enabled=scripts)
        yield context.new_page(), data_dir, scripts
        context.close()


def unknown_players(data_dir: Path, day: date) -> ReportedEvent:
    """Return a report of members whose IDs are all wrong, and of some strangers."""
    office = sqlite3.connect(data_dir / "office.sqlite3")
    rows = office.execute(
        "SELECT family_name, given_name, state FROM players_player WHERE status ="
        " 'active' AND length(family_name || given_name) < 26 GROUP BY search_name"
        " HAVING count(*) = 1 ORDER BY member_id LIMIT ?",
        [PLAYERS - STRANGERS],
    ).fetchall()
    office.close()
    rows += [(f"Stranger{letter}", "Zoe", "IL") for letter in "abcd"]
    entries = tuple(
        ReportedEntry(
            number,
            f"9{number:07}",
            f"{family}, {given}".upper()[:31],
            state,
            cells=tuple(map(parse_cell, cells.split())),
        )
        for number, ((family, given, state), cells) in enumerate(
            zip(rows, swiss_rows(PLAYERS, 3), strict=True), start=1
        )
    )
    section = ReportedSection(
        number=1,
        name="Open",
        system_letter="R",
        time_control="G/60;d5",
        kind_letter="S",
        rounds=3,
        last_pairing_number=PLAYERS,
        starts=day,
        ends=day,
        entries=entries,
    )
    return ReportedEvent(
        program="PairPro 9",
        name="Castle Spring Open",
        starts=day,
        ends=day,
        affiliate_id=CASTLE.affiliate_id,
        **CASTLE.address,
        country="USA",
        send_crosstable="N",
        chief_td_id=TD_MEMBER_ID,
        sections=(section,),
        total_sections=1,
    )


class Clicks:
    """Counts the clicks of a person."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, target: Locator) -> None:
        target.click()
        self.number += 1


def send(page: Page, data_dir: Path) -> None:
    day = saturday(UPLOADED_WEEKS_AGO)
    archive = data_dir / "unknown.zip"
    archive.write_bytes(zip_report(unknown_players(data_dir, day)))
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(archive)
    page.locator("main button[type=submit]").click()
    expect(page.locator("h1")).to_have_text("Castle Spring Open")


def test_64_unknown_players_are_fixed_in_under_30_clicks(office):
    page, data_dir, scripts = office
    enter(page, "td")
    send(page, data_dir)
    address = page.url
    click = Clicks()
    expect(page.locator("#kind-error-unmatched h4")).to_have_text(
        "Players without a match (64)"
    )
    if scripts:
        page.wait_for_load_state()
        click(page.locator("#kind-error-unmatched summary"))
        line = page.locator("#kind-error-unmatched a.to-place").nth(40)
        before = page.evaluate("scrollY")
        # The click itself, without the scrolling of the test's tool.
        line.evaluate("link => link.click()")
        expect(page.locator("#panel .likely button").first).to_be_focused()
        expect(page.locator("tr.selected")).to_be_in_viewport()
        expect(page.locator("#panel #edit")).to_have_count(1)
        assert page.evaluate("scrollY") == before
        page.locator("#panel .likely button").first.evaluate("button => button.click()")
        click.number += 2
        expect(page.locator("#kind-error-unmatched h4")).to_have_text(
            "Players without a match (63)"
        )
        expect(page.locator("#kind-error-unmatched")).to_have_attribute("open", "")
        assert page.evaluate("scrollY") == before
        page.locator("#group-fixed summary").click()
        page.locator("#group-fixed").get_by_role("button", name="Undo").click()
        expect(page.locator("#kind-error-unmatched h4")).to_have_text(
            "Players without a match (64)"
        )
        assert page.url == address

    click(page.get_by_role("link", name="Choose the members in one table"))
    page.wait_for_load_state()
    years = page.locator("tr", has_text="STRANGER").locator("input[name^=birth]")
    expect(years).to_have_count(STRANGERS)
    for field in years.all():
        click(field)
        page.keyboard.type("2014")
    click(page.get_by_role("button", name="Save all"))
    expect(page.locator("main")).to_contain_text("64 players were updated.")
    expect(page.locator("#kind-error-unmatched")).to_have_count(0)
    assert click.number < MOST_CLICKS


def test_two_tabs_keep_what_was_typed(office):
    page, data_dir, scripts = office
    if not scripts:
        pytest.skip("the pages are tested in tests/events")
    enter(page, "td")
    send(page, data_dir)
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(page.url)
        tab.wait_for_load_state()
        tab.locator("#s1p1 .name a").click()
        expect(tab.locator("#panel [name=state]")).to_be_visible()
    page.locator("#panel [name=state]").fill("WI")
    page.locator("#panel").get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#desk-said")).to_contain_text("Saved.")
    other.locator("#panel [name=state]").fill("MN")
    other.locator("#panel").get_by_role("button", name="Save", exact=True).click()
    expect(other.locator("#panel #form-errors")).to_contain_text("The report now says")
    expect(other.locator("#panel [name=state]")).to_have_value("MN")
