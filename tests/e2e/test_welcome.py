"""The page after sign-up: three choices that open in place."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e


def test_each_choice_opens_its_form_in_place(page: Page, sign_in, console_errors):
    sign_in(page, "td")
    page.goto("/account/")
    page.get_by_role("link", name="What brings you here?").click()
    expect(page.locator("h1")).to_have_text("What brings you here?")
    expect(page.locator("#td")).to_contain_text("You are certified as a Senior TD")

    page.locator("summary", has_text="I’m a parent or guardian").click()
    expect(page.get_by_role("button", name="Link my child")).to_be_visible()
    expect(page.locator("#td")).not_to_have_attribute("open", "")

    page.locator("summary", has_text="I’m a tournament director").click()
    page.get_by_role("link", name="Open My reports").click()
    expect(page.locator("h1")).to_have_text("My reports")
