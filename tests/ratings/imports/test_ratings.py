"""Imports of ratings: refused rows, saved rows, and the check of totals."""

import io
import zipfile
from datetime import date
from decimal import Decimal

import openpyxl
import pytest

from players.imports.services.actions import apply_intake, receive_file
from players.models import ExternalRating, Intake, IntakeRow, Player
from ratings.models import Floor, OpeningEntry, PlayerRating, RerateMark
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.formats.samples import rezipped
from tests.factories import make_player, make_staff, open_rating
from tests.players.imports.files import counts

pytestmark = pytest.mark.django_db

HEADINGS = "Member ID,System,Rating,Games,Date,Record,Wins,Draws,Losses,Peak"
FLOORED = f"{HEADINGS},Floor,Kind of floor,Floor since,Evidence"


@pytest.fixture
def staff():
    return make_staff()


@pytest.fixture(autouse=True)
def _members():
    for number in range(1, 5):
        make_player(f"2000000{number}", family_name=f"Adams{number}")


def received(
    staff, *rows: str, headings: str = HEADINGS, content: bytes = b""
) -> Intake:
    content = content or "\n".join([headings, *rows]).encode()
    intake = receive_file(
        actor=staff, kind="ratings", name="ratings.csv", content=[content]
    )
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def entered(staff, *rows: str, headings: str = HEADINGS) -> Intake:
    intake = received(staff, *rows, headings=headings)
    apply_intake(intake_id=intake.pk, actor=staff, reason="The earlier books.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


ROWS = (
    "20000001,OTBR,1654.31,31,2025-12-14,mixed,12,5,14,1702.5",
    "20000001,Quick,1601.1,8,12/13/2025,,,,,",
    "20000002,R,1200/9,,2025-11-30,all wins,9,0,0,",
    "20000003,OB,2211.123456789,400,2024-06-01,,,,,2300",
    "20000003,FIDE,2190,,2025-12-01,,,,,",
    "20000004,CFC,1800,20,2025-12-01,,,,,",
)


def test_ratings_of_all_kinds_enter_with_what_the_file_says(staff):
    intake = entered(staff, *ROWS)
    assert (intake.state, counts(intake)) == (Intake.State.ENTERED, {"new": 6})
    ratings = PlayerRating.objects.order_by("player__member_id", "system")
    assert list(
        ratings.values_list("player__member_id", "system", "rating", "games", "record")
    ) == [
        ("20000001", "OTBQ", 1601.1, 8, "mixed"),
        ("20000001", "OTBR", 1654.31, 31, "mixed"),
        ("20000002", "OTBR", 1200.0, 9, "all_wins"),
        ("20000003", "OLB", 2211.123456789, 400, "mixed"),
    ]
    ada = OpeningEntry.objects.get(player__member_id="20000001", system="OTBR")
    assert (ada.as_of, ada.wins, ada.draws, ada.losses, ada.peak) == (
        date(2025, 12, 14), 12, 5, 14, 1702.5,
    )  # fmt: skip
    external = ExternalRating.objects.order_by("body").values_list("body", "rating")
    assert list(external) == [("CFC", 1800), ("FIDE", 2190)]
    assert not RerateMark.objects.exists()


def test_a_spreadsheet_s_numbers_are_those_that_its_cells_show(staff):
    """Spreadsheets store floats, which some programs write with 17 digits."""
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active.append(HEADINGS.split(",")[:5])
    book.active.append([20000001, "OTBR", 1654.31, 31, date(2025, 12, 14)])
    book.save(data)
    part = "xl/worksheets/sheet1.xml"
    sheet = zipfile.ZipFile(data).read(part)
    assert b"1654.31<" in sheet
    noisy = sheet.replace(b"1654.31<", b"1654.3099999999999<")
    intake = received(staff, content=rezipped(data.getvalue(), part, noisy))
    assert intake.totals["file"]["OTBR"]["ratings"] == "1654.31"
    [row] = intake.rows.all()
    assert (row.values["rating"], row.values["as_of"]) == (1654.31, "2025-12-14")


def test_the_ledger_is_verified_against_the_file(staff):
    intake = entered(staff, *ROWS)
    assert intake.totals["books"] == intake.totals["file"]
    assert intake.totals["books"]["OTBR"] == {
        "rows": 2,
        "ratings": str(Decimal("1654.31") + 1200),
        "games": 40,
    }
    assert intake.totals["books"]["OLB"]["ratings"] == "2211.123456789"


def test_a_file_repeated_enters_nothing(staff):
    entered(staff, *ROWS)
    assert counts(received(staff, *ROWS)) == {"unchanged": 6}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("29999999,OTBR,1500,20,2025-12-14,,,,,", "member_unknown"),
        ("20000001,Chess960,1500,20,2025-12-14,,,,,", "system_unknown"),
        ("20000001,OTBR,99.9,20,2025-12-14,,,,,", "rating_out_of_range"),
        ("20000001,OTBR,100,20,2025-12-14,,,,,", ""),
        ("20000001,OTBR,3500.1,20,2025-12-14,,,,,", "rating_out_of_range"),
        ("20000001,OTBR,unrated,0,2025-12-14,,,,,", "no_number"),
        ("20000001,OTBR,1500,0,2025-12-14,,,,,", "rating_without_games"),
        ("20000001,OTBR,1500,20,2099-12-14,,,,,", "day_out_of_range"),
        ("20000001,OTBR,1500,20,1938-12-31,,,,,", "day_out_of_range"),
        ("20000001,OTBR,1500,20,,,,,,", "no_day"),
        ("20000001,OTBR,1500,20,2025-12-14,good,,,,", "record_unknown"),
        ("20000001,OTBR,1500,20,2025-12-14,,20,1,0,", "more_results_than_games"),
        ("20000001,OTBR,1500,20,2025-12-14,,,,,4000", "rating_out_of_range"),
        ("20000004,OTBR,1500,20,2025-12-14,,,,,", "rated_already"),
    ],
)
def test_each_fault_has_its_code(staff, row, code):
    open_rating(Player.objects.get(member_id="20000004"), "OTBR", 1700.0, 30)
    intake = received(staff, row)
    reasons = [
        one.reason["code"]
        for one in intake.rows.all()
        if one.kind == IntakeRow.Kind.REFUSED
    ]
    assert reasons == ([code] if code else [])


def test_two_rows_of_a_member_in_a_system_are_not_both_taken(staff):
    intake = received(staff, ROWS[0], ROWS[0].replace("1654", "1655"))
    assert counts(intake) == {"new": 1, "refused": 1}
    assert intake.rows.get(kind="refused").reason["code"] == "rating_twice"


@pytest.mark.parametrize(
    ("floor", "code"),
    [
        ("1500,office,2015-03-01,Lowered by letter", ""),
        ("150,,,", ""),
        ("1550,office,,", "floor_not_possible"),
        ("2000,money,2010-01-01,World Open", ""),
        ("2100,money,2010-01-01,World Open", "floor_not_possible"),
        (",OLM,2011-05-05,", ""),
        ("1900,OLM,,", "floor_not_possible"),
        ("1500,gift,,", "floor_kind_unknown"),
    ],
)
def test_granted_floors_enter_before_the_ratings_that_stand_on_them(staff, floor, code):
    row = f"20000001,OTBR,2200,350,2025-12-14,,,,,2300,{floor}"
    intake = entered(staff, row, ROWS[1] + ",,,,", headings=FLOORED)
    assert not RerateMark.objects.exists()
    if code:
        assert intake.rows.get(kind="refused").reason["code"] == code
        return
    granted = Floor.objects.get()
    assert granted.granted_by == staff
    rated = PlayerRating.objects.get(player__member_id="20000001", system="OTBR")
    assert rated.floor == max(granted.level, 2100)  # 200 below the peak


def test_without_a_person_no_floor_is_granted(staff):
    row = "20000001,OTBR,2200,350,2025-12-14,,,,,,1500,,,"
    intake = received(staff, row, headings=FLOORED)
    apply_intake(intake_id=intake.pk, actor=None, reason="The earlier books.")
    run_due_jobs()
    intake.refresh_from_db()
    assert (intake.state, intake.problem["code"]) == ("ready", "needs_a_person")
    assert not PlayerRating.objects.exists()


def test_the_page_shows_the_proof_and_offers_no_undoing(client, staff):
    client.force_login(staff)
    intake = entered(staff, *ROWS)
    page = client.get(intake.get_absolute_url()).content.decode()
    member_id = intake.rows.first().key
    assert f'href="/players/{member_id}/floors/"' in page
    assert page.count("2854.31") == 2
    assert "undo/" not in page
    answer = client.post(f"{intake.get_absolute_url()}undo/", {"reason": "No."})
    assert "Imported ratings can’t be undone." in answer.content.decode()
    assert PlayerRating.objects.count() == 4
