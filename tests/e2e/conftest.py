"""A real office in a process of its own, and a real browser in front of it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from tests.databases import exclusive_lock, migrated_file

ROOT = Path(__file__).resolve().parent.parent.parent
# Seconds; loading the demo is slow when other tests run in parallel.
SLOWEST_START = 240


@pytest.fixture(autouse=True, scope="session")
def suite_day():
    """Keep the machine's date: the office and the browser have no other."""


@pytest.fixture(autouse=True, scope="session")
def clicks_wait_for_pages():
    """End a click or tap when the page that it opens has loaded, not earlier.

    Counting and measuring do not wait, and would look at the first half of a page.
    """

    def and_wait(act: Callable[..., None]) -> Callable[..., None]:
        def act_and_wait(self: Locator, **options) -> None:
            act(self, **options)
            self.page.wait_for_load_state()

        return act_and_wait

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Locator, "click", and_wait(Locator.click))
        patch.setattr(Locator, "tap", and_wait(Locator.tap))
        yield


@pytest.fixture(scope="session")
def browser_type_launch_args(require_services):
    chromium = shutil.which("chromium")
    if chromium is None:
        if require_services:
            pytest.fail("Chromium is not installed.")
        pytest.skip("needs Chromium")
    return {
        "executable_path": chromium,
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("office")


@pytest.fixture(scope="session")
def pristine_data_dir(tmp_path_factory) -> Path:
    """The demo as it was loaded, for offices that begin with it.

    It is loaded once, by whichever process of the tests comes first.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    demo, empty = folder / "demo", migrated_file()
    with exclusive_lock():
        if not demo.exists():
            making = folder / "demo-in-the-making"
            making.mkdir()
            shutil.copy(empty, making / "office.sqlite3")
            with served(making, "--demo"):
                pass
            making.rename(demo)
    return demo


@pytest.fixture(scope="session")
def base_url(data_dir, pristine_data_dir):
    """Start what `make run` starts, with the demo, and return its address."""
    shutil.copytree(pristine_data_dir, data_dir, dirs_exist_ok=True)
    with served(data_dir, "--demo") as address:
        yield address


def environment(data_dir: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
        "DATA_DIR": str(data_dir),
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "SECRET_KEY": "only for tests",
        "HASHED_STATIC": "true",
        "REQUIRE_SECOND_FACTOR": "false",
    }


@contextmanager
def served(data_dir: Path, *options: str, **variables: str) -> Iterator[str]:
    """Open an office on a directory of data, and close it again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (data_dir / "log").open("w")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", *options, f"--bind=127.0.0.1:{port}"],
        cwd=ROOT,
        env=environment(data_dir) | variables,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(address, process, data_dir / "log")
        yield address
    finally:
        process.terminate()
        process.wait(60)


def wait_until_healthy(address: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SLOWEST_START
    while True:
        try:
            urllib.request.urlopen(f"{address}/health/")  # noqa: S310
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(log.read_text())
            time.sleep(0.2)


@pytest.fixture(scope="session")
def signed_in() -> dict[tuple[str, str], list]:
    """Return the cookies of every account that has signed in, by office and name."""
    return {}


@pytest.fixture
def sign_in(base_url, signed_in):
    """Sign in by the form once; later pages begin with the cookies it left.

    An office takes thirty sign-ins a minute from one address, and a fast machine
    opens more pages than that.
    """

    def sign_in(page: Page, username: str, office: str = base_url) -> None:
        page.context.clear_cookies()
        page.context.add_cookies(signed_in.get((office, username), []))
        page.goto(f"{office}/accounts/login/")
        if page.url.rstrip("/") == office:
            return
        page.locator("input[name=login]").fill(username)
        page.locator("input[name=password]").fill(f"demo-{username}")
        page.locator("main button[type=submit]").click()
        page.wait_for_url(f"{office}/")
        signed_in[office, username] = page.context.cookies()

    return sign_in


@pytest.fixture
def console_errors(page: Page) -> list[str]:
    """Errors in the browser: scripts, missing files, policy violations."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on(
        "console",
        lambda message: message.type == "error" and found.append(message.text),
    )
    return found
