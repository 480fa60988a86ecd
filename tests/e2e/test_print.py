"""A crosstable of a club's event is printed on one page."""

import re

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.e2e


def page_count(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_crosstable_of_a_club_is_one_page(page, base_url):
    """The largest of the club's monthly events has 22 players."""
    page.goto(f"{base_url}/events/?q=Castle+Club&year=2026&sort=-entry_count")
    page.locator("main tbody a").first.click()
    page.wait_for_load_state()
    page.locator("main tbody a").first.click()
    page.wait_for_load_state()
    assert page.locator(".crosstable tr[id]").count() == 22
    assert page_count(page) == 1
