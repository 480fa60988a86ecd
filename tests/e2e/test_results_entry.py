"""A TD types a quad event in from paper: by keyboard alone, and without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e

# By row: who won against whom, as a TD reads it from the chart.
QUADS = (("1", "0", "5", "1", "=", "1"), ("1", "1", "1", "0", "1", ".5"),
         ("+", "1", "0", "1", "d", "0"))  # fmt: skip
DAY = "2026-11-14"
QUAD = [str(12_000_060 + number) for number in range(4)]


def begin(page: Page, name: str) -> None:
    page.goto("/desk/type-in/")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=starts]").fill(DAY)
    page.locator("input[name=time_control]").fill("G/60;d5")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the field has the focus."""
    for _ in range(60):
        focused = page.evaluate("document.activeElement.name || ''")
        if focused == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}.")


def type_in(page: Page, **texts: str) -> None:
    for name, text in texts.items():
        tab_to(page, name)
        page.keyboard.press("Control+A")
        page.keyboard.type(text)


def expect_page(page: Page, title: str) -> None:
    """Wait for the page and its scripts: before them, Enter submits a form."""
    expect(page.locator("h1")).to_have_text(title)
    page.wait_for_load_state()


def test_three_quads_with_a_newcomer_take_six_pages(page, sign_in, console_errors):
    """From the list of reports to the submitted report, by keyboard."""
    sign_in(page, "td")
    loads: list[str] = []
    page.on("domcontentloaded", lambda one: loads.append(one.url))
    page.goto("/desk/")
    page.get_by_role("link", name="Enter results manually").focus()
    page.keyboard.press("Enter")
    expect_page(page, "Enter results manually")
    page.locator("input[name=name]").focus()
    type_in(page, name="Keyboard Quads")
    tab_to(page, "starts")
    page.keyboard.type(f"{DAY[5:7]}{DAY[8:]}{DAY[:4]}")
    # Affiliate, TD, and place are those of the last report, and folded.
    expect(page.locator("#typed-event")).to_contain_text("Castle Chess Club")
    tab_to(page, "kind")
    page.keyboard.type("Quads")
    type_in(page, time_control="G/60;d5", players="")
    members = [str(12_000_040 + number) for number in range(11)]
    page.keyboard.type("\n".join([*members, "Newcomb, Nora"]))
    names = page.locator("#typed-players li")
    expect(names).to_have_count(12)
    expect(names.first).to_contain_text(re.compile(r"[A-Z]\w+ .*12000040, IL"))
    page.get_by_role("button", name="Continue to results").focus()
    page.keyboard.press("Enter")
    expect_page(page, "Quad 1")

    page.locator("#v-1-2").focus()
    for prefix, results in zip(("", "s2-", "s3-"), QUADS, strict=True):
        # The next quad is added to the page, and Enter goes on there.
        expect(page.locator(f"#{prefix}v-1-2")).to_be_focused()
        if prefix != "s3-":
            expect(page.locator("form.key-in")).to_have_count(2 + len(prefix) // 3)
        for text in results:
            page.keyboard.type(text)
            page.keyboard.press("Enter")
        expect(page.locator(f"#{prefix}total-4")).not_to_have_text("0")
    expect(page.locator("#s3-grid button[value=next]")).to_be_focused()
    expect(page.locator("#s3-findings-here")).not_to_contain_text("results are")
    page.get_by_role("link", name="Add as new member").focus()
    page.keyboard.press("Enter")
    expect_page(page, "New member")
    page.locator("input[name=birth_year]").fill("2012")
    page.keyboard.press("Enter")
    expect_page(page, "Submit Keyboard Quads?")
    expect(page.locator("main")).to_contain_text("3 sections, 12 players, 17 games")
    page.get_by_role("button", name="Submit report").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Submitted on")
    page.wait_for_load_state()  # the end of a page comes after what it says first
    assert (len(loads), console_errors) == (6, [])


def test_results_of_a_quad_can_be_corrected_in_its_grid(page, sign_in, console_errors):
    sign_in(page, "td")
    begin(page, "Corrected Quad")
    page.locator("select[name=kind]").select_option("quads")
    page.locator("textarea[name=players]").fill("\n".join(QUAD))
    page.get_by_role("button", name="Continue to results").click()
    expect_page(page, "Quad 1")
    page.locator("#v-1-2").focus()
    for text in QUADS[0]:
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(page.locator("button[value=next]")).to_be_focused()
    expect(page.locator("#findings-here")).not_to_contain_text("missing")
    page.keyboard.press("Enter")
    expect_page(page, "Submit Corrected Quad?")
    page.get_by_role("link", name="Back to the report").click()
    expect(page.locator("#s1")).to_contain_text("W 2")
    page.get_by_role("link", name="Edit in grid").first.click()
    expect_page(page, "Quad 1")
    expect(page.locator("#v-4-1")).to_have_value("½")
    expect(page.locator("#v-3-1")).to_have_value("1")
    # A result changes the opponent's cell too; an invalid one shows an error at once.
    page.locator("#v-3-4").fill("1")
    page.locator("#v-3-4").press("Enter")
    expect(page.locator("#v-4-3")).to_have_value("0")
    page.locator("#v-4-3").fill("7")
    page.locator("#v-4-3").press("Enter")
    expect(page.locator("#v-4-3-note")).to_contain_text("7")
    page.locator("#v-4-3").fill("1")
    page.locator("#v-4-3").press("Enter")
    expect(page.locator("#v-4-3-note")).to_be_empty()
    expect(page.locator("#v-3-4")).to_have_value("0")
    assert console_errors == []


def test_player_is_found_by_name_as_one_types(page, sign_in, console_errors):
    sign_in(page, "td")
    page.goto("/desk/type-in/")
    page.locator("input[name=name]").fill("Found by name")
    page.locator("input[name=starts]").fill(DAY)
    page.locator("input[name=time_control]").fill("G/60;d5")
    page.locator("input[name=rounds]").fill("3")
    page.get_by_role("button", name="Continue to results").click()
    expect(page.locator("#find-0")).to_be_focused()
    page.wait_for_load_state()
    page.keyboard.type("balogun")
    expect(page.locator(".choice").first).to_contain_text(re.compile("Balogun"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#row-1 .who")).to_contain_text("BALOGUN")
    expect(page.locator("#find-0")).to_be_focused()
    assert console_errors == []


def test_small_quad_is_typed_in_without_scripts(browser, base_url, sign_in):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, "td")
    page.goto("/desk/type-in/")
    page.locator("input[name=name]").fill("Paper Quad")
    page.locator("input[name=starts]").fill(DAY)
    page.locator("select[name=kind]").select_option("quads")
    page.locator("input[name=time_control]").fill("G/60;d5")
    page.locator("textarea[name=players]").fill("12000060\n12000061\n12000062")
    page.get_by_role("button", name="Continue to results").click()
    page.locator("#find-0").fill("12000063")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#row-4")).to_contain_text("12000063")
    for name, text in {"1-2": "1", "1-3": "1", "1-4": "½", "2-3": "0", "2-4": "1",
                       "3-4": "0"}.items():  # fmt: skip
        page.locator(f"#v-{name}").fill(text)
    page.get_by_role("button", name="Save and check the report").click()
    page.get_by_role("link", name="Back to the report").click()
    expect(page.locator("h1")).to_have_text("Paper Quad")
    expect(page.locator("#s1")).to_contain_text("W 2")
    expect(page.locator("#s1")).to_contain_text("2½")
    context.close()


def test_tap_on_the_button_counts_while_the_last_result_is_saved(
    browser, base_url, sign_in
):
    """Leaving the field saves it, and the message must not move the button."""
    context = browser.new_context(
        base_url=base_url, viewport={"width": 390, "height": 844}, has_touch=True
    )
    page = context.new_page()
    sign_in(page, "td")
    page.goto("/desk/type-in/")
    page.locator("input[name=name]").fill("Typed by thumb")
    page.locator("input[name=starts]").fill(DAY)
    page.locator("input[name=time_control]").fill("G/60;d5")
    page.locator("input[name=rounds]").fill("3")
    page.locator("textarea[name=players]").fill("12000060\n12000061\n12000062")
    page.get_by_role("button", name="Continue to results").click()
    page.locator("#c-1-1").tap()
    page.keyboard.type("W2")
    button = page.locator("button[value=next]")
    before = button.bounding_box()
    page.touchscreen.tap(before["x"] + 20, before["y"] + before["height"] - 3)
    expect(page.locator("h1")).to_have_text("Typed by thumb")
    expect(page.locator("#s1")).to_contain_text("W 2")
    context.close()
