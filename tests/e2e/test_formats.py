"""Each kind of file a director may send, from the upload to the rated section."""

import csv
import json
import re
import urllib.request
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from events.formats.dbf.writer import zip_report
from events.formats.json.writer import write_json
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf_files
from players.formats.xlsx_writer import write_xlsx

pytestmark = pytest.mark.e2e

ROWS = ["W2W W3B D4W", "L1B W4W L3B", "W4B L1W W2W", "L3W L2B D1B"]
FIRST_SATURDAY = date(2026, 9, 5)
# Members of the demo who play in none of its events.
SPARE = 12001500


def rows_of(reported: ReportedEvent) -> list[list[str]]:
    return list(
        csv.reader(write_crosstables(reported).decode("utf-8-sig").splitlines())
    )


def pasted(reported: ReportedEvent) -> str:
    return "\n".join("\t".join(row) for row in rows_of(reported))


def trf26(reported: ReportedEvent) -> bytes:
    [content] = write_trf_files(reported, "TRF26").values()
    return content


FORMATS: dict[str, Callable[[ReportedEvent], bytes]] = {
    "report.zip": zip_report,
    "trf26.trf": trf26,
    "table.csv": write_crosstables,
    "table.xlsx": lambda report: write_xlsx(rows_of(report)),
    "report.json": write_json,
}


def member(office: str, member_id: str) -> dict:
    with urllib.request.urlopen(f"{office}/api/v1/members/{member_id}") as answer:  # noqa: S310
        return json.load(answer)


def report_on(office: str, number: int) -> ReportedEvent:
    """Four members without games, on a separate Saturday."""
    day = FIRST_SATURDAY + timedelta(weeks=number)
    people = [member(office, str(SPARE + 4 * number + one)) for one in range(4)]
    section = ReportedSection(
        number=1,
        name="Open",
        system_letter="R",
        time_control="G/60;d5",
        kind_letter="S",
        rounds=3,
        last_pairing_number=4,
        entries=tuple(
            ReportedEntry(
                pairing_number=place,
                member_id=one["member_id"],
                name=one["name"],
                state=one["state"],
                cells=tuple(parse_cell(text) for text in row.split()),
            )
            for place, (one, row) in enumerate(zip(people, ROWS, strict=True), start=1)
        ),
    )
    return ReportedEvent(
        program="tests",
        name=f"Saturday number {number + 1}",
        starts=day,
        ends=day,
        affiliate_id="A6000001",
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        chief_td_id="12000001",
        sections=(section,),
        total_sections=1,
    )


def confirm_findings(page: Page) -> None:
    """Confirm warnings with a reason; an error fails the test."""
    expect(page.locator("#findings")).to_be_visible()
    assert page.locator("#findings .chip.error").count() == 0, page.locator(
        "#findings"
    ).inner_text()


def submit_accept_and_check_rated(
    page: Page, sign_in, name: str, *, is_sent: bool = False
) -> None:
    expect(page.locator("h1")).to_have_text(name)
    if not is_sent:
        confirm_findings(page)
        page.get_by_role("button", name="Submit to the office").first.click()
        page.get_by_role("button", name="Submit report").click()
        expect(page.locator("main")).to_contain_text("Submitted on")
    address = page.url.partition("#")[0]
    sign_in(page, "staff")
    page.goto(address)
    page.get_by_role("link", name=re.compile("Accept")).click()
    page.get_by_role("button", name="Accept and rate").click()
    expect(page.locator("main")).to_contain_text("Rated", timeout=20_000)
    page.reload()
    page.get_by_role("link", name=re.compile("Crosstable|Section 1|Open")).first.click()
    expect(page.locator("table.crosstable, .crosstable")).to_contain_text(
        "W 2", timeout=20_000
    )


@pytest.mark.parametrize(("number", "name"), list(enumerate(FORMATS)))
def test_file_is_rated(
    page, sign_in, base_url, tmp_path: Path, console_errors, number, name
):
    report = report_on(base_url, number)
    path = tmp_path / name
    path.write_bytes(FORMATS[name](report))
    sign_in(page, "td")
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(path)
    page.locator("main button[type=submit]").click()
    submit_accept_and_check_rated(page, sign_in, report.name)
    assert console_errors == []


def test_pasted_chart_is_rated(page, sign_in, base_url, console_errors):
    report = report_on(base_url, len(FORMATS))
    sign_in(page, "td")
    page.goto("/desk/upload/")
    page.locator("main textarea").fill(pasted(report))
    page.locator("main button[type=submit]").click()
    submit_accept_and_check_rated(page, sign_in, report.name)
    assert console_errors == []


def test_tournament_report_of_2016_is_rated(
    page, sign_in, base_url, tmp_path: Path, console_errors
):
    """That format has no members, so the page asks. It remembers the affiliate."""
    report = report_on(base_url, len(FORMATS) + 1)
    path = tmp_path / "trf16.trf"
    [content] = write_trf_files(report, "TRF16").values()
    path.write_bytes(content)
    sign_in(page, "td")
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(path)
    page.locator("main button[type=submit]").click()
    expect(page.locator("#findings")).to_be_visible()
    for entry in report.sections[0].entries:
        use = page.get_by_role("button", name=re.compile(f"Use.*{entry.member_id}"))
        use.click()
        expect(use).to_have_count(0)
    submit_accept_and_check_rated(page, sign_in, report.name)
    assert console_errors == []


def test_columns_that_say_nothing_are_asked_for(page, sign_in, base_url, tmp_path):
    report = report_on(base_url, len(FORMATS) + 2)
    rows = [
        ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"],
        *(
            [entry.member_id, entry.name, *row.split()]
            for entry, row in zip(report.sections[0].entries, ROWS, strict=True)
        ),
    ]
    path = tmp_path / "unknown.csv"
    path.write_text("\n".join(",".join(row) for row in rows))
    sign_in(page, "td")
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(path)
    page.locator("main button[type=submit]").click()
    expect(page.locator("h1")).to_have_text("Match the columns")
    page.get_by_label(re.compile("Alpha")).select_option("member_id")
    page.get_by_label(re.compile("Beta")).select_option("name")
    page.get_by_role("button", name="Read the table").click()
    day = report.ends.isoformat()
    facts = {"name": report.name, "starts": day, "ends": day}
    ids = {"affiliate_id": "A6000001", "chief_td_id": "12000001"}
    for field, text in {**facts, **ids}.items():
        page.locator(f"main [name={field}]").fill(text)
    page.get_by_role("button", name="Save").click()
    page.locator("main [name=name]").fill("Open")
    page.locator("main [name=time_control]").fill("G/60;d5")
    page.locator("main [name=kind_letter]").select_option("S")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#findings")).to_be_visible()
    submit_accept_and_check_rated(page, sign_in, report.name)


# Other actions of the office


def sent_by(page: Page, sign_in, reported: ReportedEvent, tmp_path: Path) -> str:
    """Send a report as the TD, submit it, and return its address."""
    path = tmp_path / "report.json"
    path.write_bytes(write_json(reported))
    sign_in(page, "td")
    page.goto("/desk/upload/")
    page.locator("input[type=file]").set_input_files(path)
    page.locator("main button[type=submit]").click()
    page.get_by_role("button", name="Submit to the office").first.click()
    page.get_by_role("button", name="Submit report").click()
    expect(page.locator("main")).to_contain_text("Submitted on")
    return page.url.partition("#")[0]


def test_office_returns_a_report_and_gets_it_again(
    page, sign_in, base_url, tmp_path, console_errors
):
    report = report_on(base_url, len(FORMATS) + 3)
    address = sent_by(page, sign_in, report, tmp_path)
    sign_in(page, "staff")
    page.goto(address)
    page.get_by_role("link", name=re.compile("Return")).click()
    page.locator("main textarea").first.fill("The last round is missing, please.")
    page.locator("main button[type=submit]").first.click()
    expect(page.locator("main")).to_contain_text("Returned")
    sign_in(page, "td")
    page.goto("/desk/")
    page.get_by_role("link", name=report.name).first.click()
    expect(page.locator("main")).to_contain_text("The last round is missing, please.")
    submit_accept_and_check_rated(page, sign_in, report.name)
    assert console_errors == []


def test_td_asks_for_a_correction_and_the_office_makes_it(
    page, sign_in, base_url, tmp_path, console_errors
):
    report = report_on(base_url, len(FORMATS) + 4)
    sent_by(page, sign_in, report, tmp_path)
    submit_accept_and_check_rated(page, sign_in, report.name, is_sent=True)
    crosstable = page.url
    sign_in(page, "td")
    page.goto(crosstable)
    page.get_by_role("link", name="Request a correction").click()
    page.locator("tbody tr").first.get_by_role("link", name=re.compile("D 4")).click()
    page.locator("main select[name=result]").select_option("W")
    page.locator("main [name=text]").fill("The score sheet shows a win for White.")
    page.get_by_role("button", name="Request correction").click()
    expect(page.locator("main")).to_contain_text("the office decides next.")
    sign_in(page, "staff")
    page.goto("/office/corrections/")
    page.get_by_role("link", name=re.compile(f"{report.name}\\b")).first.click()
    expect(page.locator("#difference")).to_contain_text("corrected")
    expect(page.locator("#effect")).to_contain_text("Petra")
    page.locator("#approve [name=public_note]").fill("The score sheet shows a win.")
    page.get_by_role("button", name="Approve and correct section").click()
    page.goto(crosstable)
    expect(page.locator("main")).to_contain_text("The score sheet shows a win.")
    expect(page.locator(".crosstable tbody tr").first).to_contain_text("W 4")
    assert console_errors == []


def test_member_asks_to_have_games_abroad_rated(page, sign_in):
    sign_in(page, "member")
    page.goto("/players/fide-opt-in/")
    page.get_by_role("button", name="Opt in", exact=True).click()
    expect(page.locator("main")).to_contain_text("You opted in. Events that start")
