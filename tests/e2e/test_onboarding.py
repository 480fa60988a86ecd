"""From an empty database to the first official list, by hand: docs/moving-in.md.

Once in one process on SQLite, once with 50,000 members on PostgreSQL with a worker.

All data comes from commands and pages, and each person signs in on the page, with the
second factor if required.
"""

import base64
import hashlib
import hmac
import re
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from events.review.groups import OFFICE
from tests.databases import migrated_file
from tests.e2e.conftest import ROOT, environment, served
from tests.live_office import wait_for
from tests.onboarding_files import (
    AFFILIATE,
    member_id,
    write_affiliate,
    write_director,
    write_members,
    write_ratings,
)

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("real workers")]

PASSWORD = "a-long-way-to-Zenda"
PATIENT = 120_000  # milliseconds: work of the office on a busy machine
DIRECTOR = member_id(8)
BORN = date(2014, 5, 6)
PARENT = "parent@example.org"
NEWCOMER = "31234567"
# All players of a quad but the newcomer are rated members.
QUADS = (
    [member_id(number) for number in (10, 12, 14, 16)],
    [member_id(number) for number in (20, 22, 24, 26)],
    [member_id(number) for number in (30, 32, 34)],
)
# By cell: the newcomer, the last of the last quad, loses every game.
RESULTS = {"1-2": "1", "1-3": "½", "1-4": "1", "2-3": "0", "2-4": "1", "3-4": "1"}


@dataclass
class Federation:
    """A running office with an empty database, its letters, and how large it is."""

    address: str
    directory: Path
    variables: dict[str, str]
    members: int

    def run(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=environment(self.directory) | self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def mailed_match(self, pattern: str) -> str:
        """Wait for a letter that holds the pattern, and return its last group."""
        logs = [self.directory / "log", self.directory / "worker.log"]

        def found() -> list[str]:
            written = (log.read_text() for log in logs if log.exists())
            return re.findall(pattern, "".join(written), re.M)

        return wait_for(found)[-1]

    def code_for(self, email: str) -> str:
        """Wait for the email with a code, which is on its own line."""
        to = re.escape(email)
        return self.mailed_match(
            rf"^To: {to}$(?:\n(?!---).*)*?\n *(\w{{4}}[- ]\w{{4}})$"
        )


@contextmanager
def working(directory: Path, variables: dict[str, str]) -> Iterator[None]:
    """Let a worker do the office's jobs."""
    with (directory / "worker.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "worker", "--processes", "1"],
            cwd=ROOT,
            env=environment(directory) | variables,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        yield
        process.kill()
        process.wait()


SAFE = {
    "SECRET_KEY": "only for tests, but as long as production asks for",
    "REQUIRE_SECOND_FACTOR": "true",
}


@pytest.fixture
def small(tmp_path) -> Iterator[Federation]:
    """Everything in one process, on SQLite."""
    shutil.copy(migrated_file(), tmp_path / "office.sqlite3")
    with served(tmp_path, **SAFE) as address:
        yield Federation(address, tmp_path, SAFE, members=300)


@pytest.fixture
def national(tmp_path, production_office) -> Iterator[Federation]:
    """PostgreSQL, Redis, a worker of its own."""
    service_urls = {
        name: production_office.environment[name]
        for name in ("DATABASE_URL", "REDIS_URL")
    }
    variables = SAFE | service_urls
    with served(tmp_path, **variables) as address, working(tmp_path, variables):
        yield Federation(address, tmp_path, variables, members=50_000)


@pytest.mark.parametrize("size", ["small", "national"])
def test_a_federation_moves_in(browser: Browser, request, size):
    office = request.getfixturevalue(size)
    manager = signed_out_page(browser, office)
    opened = office.run(
        "create_office",
        "--name=Chess Federation of Ruritania",
        "--address=1 Castle Street, Streslau",
        "--time-zone=America/Chicago",
        "--manager=flavia",
        "--email=flavia@example.org",
    )
    import_files(office)
    accept_invitation(manager, office, "flavia", path_in(opened))
    clerk = signed_out_page(browser, office)
    accept_invitation(clerk, office, "fritz", invite_colleague(manager))

    invite(manager, DIRECTOR, "rudolf@example.org")
    link = office.mailed_match(r"(/players/invited/[\w:-]+/)")
    director = signed_out_page(browser, office)
    activate_director(director, office, link)
    enter_three_quads(director)

    accept(clerk)
    assign_newcomer_number(clerk)
    exact = check_parent_view(signed_out_page(browser, office), office)

    stranger = signed_out_page(browser, office)
    assert_public_rating_is_whole(stranger, exact)
    publish_list(manager)
    stranger.goto("/lists/")
    stranger.locator("main").get_by_role("link", name=re.compile("20")).first.click()
    expect(stranger.locator("main")).to_contain_text("members")


def signed_out_page(browser: Browser, office: Federation) -> Page:
    """Open a browser without a session."""
    return browser.new_context(base_url=office.address).new_page()


def send(page: Page, **fields: str) -> None:
    for name, text in fields.items():
        page.locator(f"main [name={name}]").fill(text)
    page.locator("main button.primary[type=submit]").first.click()


def import_files(office: Federation) -> None:
    files = {
        "affiliates": office.directory / "affiliates.csv",
        "members": office.directory / "members.csv",
        "directors": office.directory / "directors.csv",
        "ratings": office.directory / "ratings.csv",
    }
    write_affiliate(files["affiliates"])
    write_members(files["members"], office.members)
    write_director(files["directors"], DIRECTOR)
    rated = write_ratings(files["ratings"], office.members)
    said = {
        kind: office.run(f"import_{kind}", str(path), "--apply", "--by", "flavia")
        for kind, path in files.items()
    }
    assert f"{office.members:,} new" in said["members"]
    assert f"{len(rated):,} new" in said["ratings"]
    assert "matches the file" in said["ratings"]


def accept_invitation(page: Page, office: Federation, username: str, link: str) -> None:
    """Set the password, verify the address, set up the second factor, and be in."""
    page.goto(link)
    send(page, password1=PASSWORD, password2=PASSWORD)
    page.goto("/accounts/login/?next=/office/")
    send(page, login=username, password=PASSWORD)
    send(page, code=office.code_for(f"{username}@example.org"))
    expect(page.locator("main")).to_contain_text("Set up two-step verification")
    page.goto("/accounts/2fa/totp/activate/")
    if page.locator("main input[name=password]").count():
        send(page, password=PASSWORD)
    send(page, code=current_totp(page.locator("code.key").inner_text()))
    expect(page.locator("h1")).to_have_text("Recovery codes")
    page.goto("/office/")
    expect(page.locator(".office-menu")).to_be_visible()


def invite_colleague(page: Page) -> str:
    """Invite the clerk who will accept; return the link to be handed over."""
    page.goto("/office/colleagues/invite/")
    page.locator(f"input[name=groups][value='{OFFICE}']").check()
    send(
        page,
        email="fritz@example.org",
        username="fritz",
        reason="A clerk for the reports.",
    )
    return path_in(page.locator("p.receipt").inner_text())


def path_in(text: str) -> str:
    """Return the path of the address in a text."""
    return re.search(r"http://[^/]+(/\S+)", text)[1]


def current_totp(secret: str) -> str:
    """Return the current code of an authenticator app (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    offset = digest[-1] & 15
    number = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def invite(page: Page, member: str, email: str) -> None:
    page.goto("/office/claims/invite/")
    page.locator("input[name=whom][value=member]").check()
    send(page, member=member, email=email)


def sign_up(
    page: Page, office: Federation, username: str, email: str, after: str
) -> None:
    page.goto(f"/accounts/signup/?next={after}")
    send(page, username=username, email=email, password1=PASSWORD, password2=PASSWORD)
    send(page, code=office.code_for(email))


def activate_director(page: Page, office: Federation, link: str) -> None:
    sign_up(page, office, "rudolf", "rudolf@example.org", after=link)
    page.goto(link)
    page.locator("main form button[type=submit]").first.click()
    expect(page.locator("main")).to_contain_text("Your account is now linked to")


def enter_three_quads(page: Page) -> None:
    page.goto("/desk/type-in/")
    page.locator("select[name=kind]").select_option("quads")
    players = [member for quad in QUADS for member in quad]
    send(
        page,
        name="Streslau Quads",
        starts=str(timezone.localdate() - timedelta(days=1)),
        city="Streslau",
        state="TX",
        affiliate_id=AFFILIATE,
        time_control="G/60;d5",
        players="\n".join([*players, "Kim Beginner"]),
    )
    for number in range(1, len(QUADS) + 1):
        expect(page.locator("h1")).to_have_text(f"Quad {number}")
        for cell, result in RESULTS.items():
            page.locator(f"#v-{cell}").fill(result)
        page.locator("#grid button[value=next]").click()
    expect(page.locator("h1")).to_have_text("Streslau Quads")
    page.get_by_role("link", name="Add as new member").click(timeout=4000)
    send(
        page,
        given_name="Kim",
        family_name="Beginner",
        birth_date=str(BORN),
        email=PARENT,
    )
    expect(page.locator("main")).to_contain_text("New member added.")
    report = page.url.partition("#")[0]
    page.get_by_role("link", name="Preview ratings").first.click()
    expect(page.locator("main")).to_contain_text("BEGINNER, KIM")
    page.goto(report)
    page.get_by_role("button", name="Submit to the office").first.click()
    page.get_by_role("button", name="Submit report").click()
    expect(page.locator("main")).to_contain_text("Submitted on")


def accept(page: Page) -> None:
    page.goto("/office/")
    page.get_by_role("link", name="Streslau Quads").first.click()
    page.get_by_role("link", name=re.compile("Accept")).click()
    expect(page.locator("main")).to_contain_text("1 section is waiting")
    page.get_by_role("button", name="Accept", exact=True).click()
    expect(page.locator("main")).to_contain_text("Rated", timeout=PATIENT)


def assign_newcomer_number(page: Page) -> None:
    """Give the newcomer the number of the membership system; the section is rated."""
    page.goto("/office/newcomers/")
    row = page.locator("tr", has_text="Kim Beginner")
    row.locator("input[name^=number]").fill(NEWCOMER)
    page.get_by_role("button", name="Assign the IDs entered").click()
    page.locator("textarea[name=reason]").fill("The system has entered her.")
    page.get_by_role("button", name="Assign 1 ID").click()
    expect(page.locator("h1")).to_have_text("ID assigned to 1 new member")
    page.goto(f"/players/{NEWCOMER}/")


def check_parent_view(page: Page, office: Federation) -> str:
    sign_up(page, office, "parent", PARENT, after=f"/players/{NEWCOMER}/")
    page.goto(f"/players/claim/?member={NEWCOMER}")
    page.locator("input[name=whom][value=guardian]").check()
    send(page)
    send(page, secret_code=office.mailed_match(r"^ +(\d{4} \d{4})$"))
    expect(page.locator("main")).to_contain_text("Your account is now linked to")
    page.goto(f"/players/{NEWCOMER}/")
    exact = re.search(r"\b(\d+\.\d\d) · ", page.locator("main").inner_text())
    page.get_by_role("link", name=re.compile(r"Why \d+\?")).first.click()
    expect(page.locator("main")).to_contain_text(exact[1])
    return exact[1]


def assert_public_rating_is_whole(page: Page, exact: str) -> None:
    """Read what everyone can: the whole number, no decimals and no birth date."""
    whole = f"{int(float(exact) + 0.5)}"
    page.goto(f"/players/{NEWCOMER}/?decimals=1")
    pages = [page.locator("main").inner_text()]
    page.locator("main a[href*=why]").first.click()
    pages.append(page.locator("main").inner_text())
    page.goto(f"/players/{NEWCOMER}/")
    page.get_by_role("link", name="Streslau Quads").first.click()
    pages.append(page.locator("main").inner_text())
    pages.append(page.goto(f"/api/v1/members/{NEWCOMER}/ratings").text())
    for text in pages:
        assert exact not in text
        assert re.search(rf"\b{whole}(?!\d)", text)
        assert str(BORN.year) not in text


def publish_list(page: Page) -> None:
    page.goto("/office/lists/")
    page.get_by_role("button", name="Prepare").click()
    publish = page.get_by_role("button", name="Publish list")
    expect(publish).to_be_visible(timeout=PATIENT)
    page.locator("main [name=reason]").fill("The first list.")
    publish.click()
    page.wait_for_url(re.compile(r"(?<!office)/lists/\d{4}-\d\d/$"), timeout=PATIENT)
