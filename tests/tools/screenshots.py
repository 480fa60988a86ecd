"""Take the pictures of README and help: ``python -m tests.tools.screenshots [name …]``.

They show the demo federation in a browser of a fixed size. `make pictures` takes them
all again; needs Chromium.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.e2e.conftest import ROOT, environment, served
from tests.onboarding_files import write_members

PICTURES = ROOT / "docs" / "pictures"
STATIC = ROOT / "ratings_site" / "static" / "office"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

# Name of the picture: who looks, at what (each further step is a link to follow), on
# which screen, in which colors.
TOUR = {
    "home": ("", ["/"], DESK, "light"),
    "search": ("", ["/search/?q=baker"], DESK, "light"),
    "profile": ("", ["/players/12000002/"], DESK, "light"),
    "profile-phone": ("", ["/players/12000002/"], PHONE, "dark"),
    "crosstable": ("", ["/events/?q=Lakeshore", "a[href^='/events/2']",
                        "a[href$='/1/']"], DESK, "light"),
    "why": ("", ["/events/?q=Lakeshore", "a[href^='/events/2']", "a[href$='/1/']",
                 "a[href*='why/']"], DESK, "light"),
    "distribution": ("", ["/distribution/"], DESK, "light"),
    "calendar": ("", ["/calendar/"], DESK, "light"),
    "estimator": ("", ["/estimate/target/?rating=1950&o=1900&r=W&o=2000&o=2100"],
                  DESK, "light"),
    "spanish": ("es", ["/players/12000002/"], DESK, "light"),
    "api": ("", ["/api/v1/docs"], DESK, "light"),
    "open-data": ("", ["/open-data/"], DESK, "light"),
    "desk": ("td", ["/desk/"], DESK, "light"),
    "report": ("td", ["/desk/", "a[href*='/desk/reports/']"], DESK, "light"),
    "my-chess": ("member", ["/"], DESK, "light"),
    "upload": ("td", ["/desk/upload/"], PHONE, "light"),
    "office": ("staff", ["/office/"], DESK, "light"),
    "office-dark": ("staff", ["/office/"], DESK, "dark"),
    "rerate": ("manager", ["/office/rerates/", "a[href*='/office/rerates/']"],
               DESK, "light"),
    "admin": ("admin", ["/admin/players/player/"], DESK, "light"),
    "experiment": ("", ["/laboratory/experiments/", "tbody a"], DESK, "light"),
    "system": ("", ["/laboratory/systems/glicko2/"], DESK, "light"),
    "section-systems": ("", ["/events/?q=Lakeshore", "a[href^='/events/2']",
                             "a[href$='/1/']", "a[href$='/laboratory/']"],
                        DESK, "light"),
}  # fmt: skip
# The screenshots of the help's task pages.
HELP_SCREEN = {"width": 800, "height": 600}
SECTION = ["/events/?q=Lakeshore", "a[href^='/events/2']", "a[href$='/1/']"]
HELP = {
    f"help/{slug}": (who, steps, HELP_SCREEN, "light")
    for slug, who, steps in (
        ("find-a-rating", "", ["/search/?q=baker"]),
        ("why-a-rating-changed", "", [*SECTION, "a[href*='why/']"]),
        ("link-your-account", "td", ["/players/claim/"]),
        ("ask-for-a-correction", "td", [*SECTION, "a[href$='/correct/']"]),
        ("estimate-a-rating", "", ["/estimate/"]),
        ("your-data", "td", ["/my-data/"]),
        ("follow-your-child", "", ["/players/12000002/"]),
        ("understand-a-rating", "", ["/laboratory/how-ratings-work/"]),
        ("send-a-report", "td", ["/desk/upload/"]),
        ("fix-a-report", "td", ["/desk/", "a[href*='/desk/reports/']"]),
        ("enter-results", "td", ["/desk/type-in/"]),
        ("register-an-event", "td", ["/calendar/register/"]),
        ("become-a-td", "td", ["/welcome/"]),
        ("review-reports", "staff", ["/office/"]),
        ("decide-corrections", "staff", ["/office/corrections/"]),
        ("merge-duplicates", "staff", ["/office/duplicates/"]),
        ("import-members", "manager", ["/office/intake/"]),
        ("update-fide-ratings", "manager", ["/office/fide/"]),
        ("publish-a-list", "manager", ["/office/lists/"]),
        ("rerate", "manager", ["/office/rerates/"]),
        ("run-an-experiment", "", ["/laboratory/experiments/"]),
        ("compare-rating-systems", "", [*SECTION, "a[href$='/laboratory/']"]),
    )
}
MOVING = {
    "moving-in": ("manager", ["/office/intake/1/"], DESK, "light"),
}


@contextmanager
def empty_office() -> Iterator[str]:
    """The demo, and a file of members that waits to be entered."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), "--demo") as address,
    ):
        file = Path(folder) / "members.csv"
        write_members(file, members=400)
        with file.open("a", encoding="utf-8") as more:
            more.write("2000048,Adams,Ada,2/13/2011,TX,Youth,,\n")
            more.write("20000481,Baker,Ben,2/30/2010,NY,Regular,,\n")
        subprocess.run(
            [sys.executable, "manage.py", "import_members", str(file)],
            cwd=ROOT,
            env=environment(Path(folder)),
            capture_output=True,
            check=True,
        )
        yield address


@contextmanager
def demo() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), "--demo") as address,
    ):
        yield address


def sign_in(page: Page, office: str, username: str) -> None:
    page.goto(f"{office}/accounts/login/")
    page.locator("input[name=login]").fill(username)
    page.locator("input[name=password]").fill(f"demo-{username}")
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/")


def take_screenshots(browser, office: str, tour: dict, wanted: list[str]) -> None:
    for name, (who, steps, screen, theme) in tour.items():
        if wanted and name not in wanted:
            continue
        context = browser.new_context(
            viewport=screen,
            color_scheme=theme,
            reduced_motion="reduce",
            locale="es-US" if who == "es" else "en-US",
        )
        page = context.new_page()
        if who not in ("", "es"):
            sign_in(page, office, who)
        page.goto(office + steps[0])
        for step in steps[1:]:
            page.locator(f"main {step}").first.click()
        page.wait_for_load_state("networkidle")
        picture = (STATIC if name in HELP else PICTURES) / f"{name}.png"
        page.screenshot(path=picture)
        context.close()
        print(picture.relative_to(ROOT))


def main() -> None:
    wanted = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        offices = ((demo, TOUR | HELP), (empty_office, MOVING))
        for office, tour in offices:
            if not wanted or set(wanted) & set(tour):
                with office() as address:
                    take_screenshots(browser, address, tour, wanted)
        browser.close()


if __name__ == "__main__":
    main()
