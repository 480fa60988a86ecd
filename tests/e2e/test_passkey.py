"""The office opens with a passkey, set up and used in a real browser."""

import shutil

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import served

pytestmark = pytest.mark.e2e

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(tmp_path_factory, browser, base_url, pristine_data_dir) -> Page:
    """An office that asks for a second factor, and a browser that has one to give."""
    data_dir = tmp_path_factory.mktemp("passkey")
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    with served(data_dir, REQUIRE_SECOND_FACTOR="true") as address:
        # Browsers give passkeys to names, not to numbers.
        named = address.replace("127.0.0.1", "localhost")
        context = browser.new_context(base_url=named)
        page = context.new_page()
        devices = context.new_cdp_session(page)
        devices.send("WebAuthn.enable")
        devices.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        yield page
        context.close()


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/?next=/office/")
    page.locator("input[name=login]").fill("staff")
    page.locator("input[name=password]").fill("demo-staff")
    page.locator("main button[type=submit]").click()


def test_staff_set_up_a_passkey_and_come_in_with_it(page):
    sign_in(page)
    expect(page.locator("main")).to_contain_text("Set up two-step verification")
    page.get_by_role("link", name="Add a passkey").click()
    page.locator("input[name=password]").fill("demo-staff")
    page.locator("main button[type=submit]").click()
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("h1")).to_have_text("Recovery codes")
    page.goto("/office/")
    expect(page.locator(".office-menu")).to_be_visible()

    page.locator("summary", has_text="Account").click()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    expect(page.locator("h1")).to_have_text("Two-step verification")
    page.goto("/office/")
    expect(page.locator("h1")).to_have_text("Two-step verification")
    page.get_by_role("button", name="Use a passkey instead").click()
    expect(page.locator("summary", has_text="Account")).to_be_visible()
    page.goto("/office/")
    expect(page.locator(".office-menu")).to_be_visible()
