"""The progress of a long job, which one may leave and come back to."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.players.imports.files import HEADINGS

pytestmark = pytest.mark.e2e

ROWS = 120_000
# The office may share its machine with other tests.
SLOWEST = 180_000


def upload_members(page: Page, first_id: int) -> None:
    """Send a file of members that takes seconds to read."""
    lines = [f"{first_id + n},Ada,Adams{n},,TX,,,,,," for n in range(ROWS)]
    content = "\n".join([HEADINGS, *lines]).encode()
    page.goto("/office/intake/")
    page.wait_for_load_state()
    page.locator("select[name=kind]").select_option("members")
    page.locator("input[type=file]").set_input_files(
        {"name": "members.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.locator("main form button[type=submit]").first.click()


def test_a_job_is_on_the_todo_list_while_one_does_something_else(page, sign_in):
    sign_in(page, "staff")
    upload_members(page, 31_000_000)
    bar = page.locator("#progress")
    expect(bar).to_contain_text("You can leave this page and come back.")
    expect(bar).to_contain_text(re.compile("(waiting|running) for"))
    own_page = page.url

    page.goto("/office/")
    job = page.locator("section#waiting ul.lines li")
    expect(job).to_contain_text("Read import file")
    expect(job).to_contain_text(re.compile(r"\d+%.* left"), timeout=SLOWEST)
    job.get_by_role("link", name="Read import file").click()
    page.wait_for_url(own_page)

    # The page shows the result by itself when the job is done.
    expect(page.locator("main a.button.primary")).to_be_visible(timeout=SLOWEST)
    expect(bar).to_have_count(0)
    page.goto("/office/")
    expect(page.locator("#jobs")).to_have_count(0)


def test_without_scripts_a_link_shows_the_progress_again(browser, base_url, sign_in):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, "staff")
    upload_members(page, 32_000_000)
    refresh = page.locator("#progress").get_by_role("link", name="Refresh")
    expect(refresh).to_be_visible()
    for _ in range(SLOWEST // 1000):
        if not refresh.count():
            break
        refresh.click()
        page.wait_for_timeout(1000)
    expect(page.locator("main a.button.primary")).to_have_text("Import")
    context.close()
