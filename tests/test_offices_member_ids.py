"""Offices whose member IDs are not eight digits, from the first member to the API."""

import csv
import io
import os
import subprocess
import sys
from datetime import date
from functools import partial
from typing import NamedTuple

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.urls import NoReverseMatch, Resolver404, resolve, reverse

from events.formats.checks.report import check_report
from events.formats.dbf.writer import write_report
from events.formats.json.writer import write_json
from events.formats.report_reader import read_report
from events.formats.rosters import read_roster
from events.formats.tables.crosstables import extract_member_id, name_without_id
from events.formats.tables.writer import write_crosstables
from events.formats.trf.writer import write_trf_files
from events.models import Submission
from events.reports.services.file_reader import read_files
from events.reports.services.submissions import reported_in
from events.results_entry.queries import resolve_lines
from players.formats.member_ids import EIGHT_DIGITS, MEMBER_ID
from players.formats.members import MemberColumns, RefusedRow, read_members
from players.identity.queries import suspected_duplicates
from players.members.constraints import NAME, sync_member_id_constraint
from players.members.services import MemberIdRefused, enter_member
from players.models import Player
from tests.events.formats.samples import zipped
from tests.events.results_entry.test_results_entry import begun
from tests.factories import (
    event_report,
    handed_in,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
)
from tests.players.imports.files import entered

pytestmark = pytest.mark.django_db


class Office(NamedTuple):
    """A pattern, three IDs of members in order, the next one, and one with a typo.

    *written* is the first ID as a spreadsheet writes it, *fide_id* one that looks like
    a member ID if any does.
    """

    pattern: str
    ids: tuple[str, str, str]
    following: str
    typo: str
    written: str
    fide_id: str


OFFICES = {
    "Canadian": Office(
        r"^\d{6}$", ("001234", "150001", "150009"), "150010", "150090", "1234", "700070"
    ),
    "like FIDE's": Office(
        "^[1-9][0-9]{6}$",
        *(("2000001", "2600001", "2600009"), "2600010"),
        *("2600090", "2000001.0", "2600001"),
    ),
    "letters": Office(
        r"^[A-Z]\d{5}$",
        *(("A00001", "B00002", "B99999"), "C00000"),
        *("B99899", "a00001", "2000001"),
    ),
}


@pytest.fixture(params=OFFICES, ids=str)
def office(request, settings, monkeypatch):
    office = OFFICES[request.param]
    settings.MEMBER_ID_PATTERN = office.pattern
    MEMBER_ID.use(office.pattern)
    [check] = [one for one in Player._meta.constraints if one.name == NAME]
    condition = Q(member_id__regex=MEMBER_ID.pattern)
    monkeypatch.setattr(check, "condition", condition)
    on_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        # A table can't be made again in a transaction of SQLite.
        if on_sqlite:
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        else:
            cursor.execute(f"ALTER TABLE players_player DROP CONSTRAINT {NAME}")
    yield office
    MEMBER_ID.use(EIGHT_DIGITS)
    if on_sqlite:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


@pytest.fixture
def members(office):
    names = [("Ana", "Quillen"), ("Ben", "Bakersfield"), ("Cy", "Dorrance")]
    return [
        make_player(member_id, *name)
        for member_id, name in zip(office.ids, names, strict=True)
    ]


@pytest.fixture
def td(members):
    return make_td("td", MEMBER_ID.after(members[-1].member_id))


def test_the_office_does_not_start_with_a_pattern_of_anything():
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        env=os.environ | {"MEMBER_ID_PATTERN": "^.*$"},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "MEMBER_ID_PATTERN" in done.stderr


def test_a_new_member_gets_the_next_id(office, members):
    def enter(member_id=""):
        return enter_member(
            given_name="Dee",
            family_name="Ek",
            birth_date=None,
            state="",
            member_id=member_id,
            actor=make_staff(),
        )

    assert enter().member_id == office.following
    Player.objects.filter(member_id=office.following).update(
        member_id="".join(place[-1] for place in MEMBER_ID.places)
    )
    with pytest.raises(MemberIdRefused, match="no ID after"):
        enter()


def test_the_first_member_of_all(office):
    first = enter_member(
        given_name="Dee",
        family_name="Ek",
        birth_date=None,
        state="",
        actor=make_staff(),
    )
    assert first.member_id == MEMBER_ID.after(MEMBER_ID.first)


def test_a_member_with_an_id_of_another_office_is_refused(office):
    with pytest.raises(ValidationError) as refused:
        Player(member_id="12345678", given_name="A", family_name="B").full_clean()
    [sentence] = refused.value.message_dict["member_id"]
    assert sentence == f"Enter a member ID such as {MEMBER_ID.example}."


def test_members_enter_from_a_file_and_their_guardians_too(office):
    _, adult, other = office.ids
    intake = entered(
        f"{office.written},Ada,Adams,2015-02-13,{adult}",
        f"{adult},Ben,Baker,1980-05-06,",
        f"{other},Cy,Clark,1970-05-06,",
        "12345678,No,Member,1970-05-06,",
        headings="Member ID,Given name,Family name,Birth date,Guardian's member ID",
    )
    assert [row.key for row in intake.rows.filter(kind="new")] == list(office.ids)
    [refused] = intake.rows.filter(kind="refused")
    assert refused.reason["code"] == "no_member_id"
    assert set(Player.objects.values_list("member_id", flat=True)) == set(office.ids)


def report_of(td, members):
    return event_report(td, [section_report(members, ["W2W W3B", "L1B B", "B L1W"])])


def test_a_report_of_files_is_read_and_accepted(td, members):
    submission = handed_in(td, report_of(td, members))
    assert submission.state == Submission.State.SUBMITTED
    [section] = reported_in(submission).sections
    assert [one.member_id for one in section.entries] == [
        one.member_id for one in members
    ]


def csv_report(td, office, members) -> bytes:
    rows = [
        *(["Event", "May Open"], ["First day", "2024-05-04"]),
        *(["Last day", "2024-05-05"], ["Affiliate ID", "A6000001"]),
        ["Chief TD", f"Tessa Director ({td.player.member_id})"],
        *(["City", "Springfield"], ["State", "IL"], ["Section", "Open"]),
        *(["Time control", "G/90;d5"], ["Rounds", "2"]),
        ["No.", "Name", "Member ID", "FIDE ID", "Rating", "Rd 1", "Rd 2"],
        ["1", "QUILLEN, ANA", office.written, office.fide_id, "", "W2", "W3"],
        ["2", "BAKERSFIELD, BEN", members[1].member_id, "", "", "L1", "B"],
        ["3", f"DORRANCE, CY ({members[2].member_id})", "", "", "", "B", "L1"],
    ]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("packed", [False, True], ids=["here", "in a sandbox"])
def test_a_table_is_read_with_member_ids_apart_from_fide_ids(
    office, td, members, packed
):
    make_affiliate()
    data = csv_report(td, office, members)
    name, data = ("may.zip", zipped({"may.csv": data})) if packed else ("may.csv", data)
    reported = read_files([(name, data)]).reported
    assert reported.chief_td_id == td.player.member_id
    [section] = reported.sections
    assert [(one.member_id, one.fide_id) for one in section.entries] == [
        (office.ids[0].removesuffix(".0"), office.fide_id),
        *((member.member_id, "") for member in members[1:]),
    ]


def test_two_stray_quotation_marks_drop_no_members(office, tmp_path):
    first, second, _third = office.ids
    path = tmp_path / "members.csv"
    path.write_text(f'ID,Last name,City\n{first},Adams,"Dover\n{second},Baker,Rome"\n')
    [row] = read_members(path, MemberColumns(date(2026, 11, 28)))[1]
    assert isinstance(row, RefusedRow)
    assert row.reason.code == "rows_joined"


def test_members_whose_names_begin_like_a_total_are_read(office, tmp_path):
    path = tmp_path / "members.csv"
    added = ".0" if MEMBER_ID.is_numeric else ""
    rows = [f'"Summe, Anna",{office.ids[1]}{added}', f"Sum,#{office.ids[2].lower()}"]
    lines = ["Name,ID", *rows, "Total,3", 'Total,"1,234.0"']
    path.write_text("\n".join(lines))
    table, found = read_members(path, MemberColumns(date(2026, 11, 28)))
    assert [row.line for row in found] == [2, 3]
    assert [note.values["line"] for note in table.totals] == ["4", "5"]


def test_numbers_in_the_column_of_fide_ids_are_not_taken_for_member_ids(office):
    rows = "No.,Name,FIDE ID,Rd 1\n1,LEE BO,{0},W2\n2,EK AN,{0},L1\n"
    result = read_report([("may.csv", rows.format(office.fide_id).encode())])
    [section] = result.reported.sections
    assert {one.member_id for one in section.entries} == {""}


@pytest.mark.parametrize(
    "write",
    [
        write_report,
        partial(write_trf_files, layout="TRF26"),  # that of 2016 has no member IDs
        lambda reported: {"may.json": write_json(reported)},
        lambda reported: {"may.csv": write_crosstables(reported)},
    ],
    ids=["DBF", "TRF26", "JSON", "CSV"],
)
def test_a_report_of_each_layout_keeps_the_ids(office, td, members, write):
    reported = report_of(td, members)
    read = read_report(list(write(reported).items())).reported
    assert read.chief_td_id == td.player.member_id
    assert [one.member_id for one in read.sections[0].entries] == list(office.ids)


def test_a_report_is_typed_in(client, td, members):
    client.force_login(td)
    lines = [f"{number}. {one.member_id} x" for number, one in enumerate(members, 1)]
    submission = begun(client, td, players="\n".join(lines))
    [section] = reported_in(submission).sections
    assert [one.name for one in section.entries] == [
        *("QUILLEN, ANA", "BAKERSFIELD, BEN", "DORRANCE, CY")
    ]


def test_an_id_of_another_office_is_an_error_of_the_report(td, members):
    reported = report_of(td, members).with_entry(1, 1, member_id="12345678")
    [found] = [
        one for one in check_report(reported) if one.code == "entry.member_id_malformed"
    ]
    assert found.message == "The member ID “12345678” is not a member ID."


def test_the_search_finds_ids_whole_and_with_a_typo(client, office, members):
    last = members[-1]
    for text in (last.member_id, last.member_id.lower(), office.typo):
        page = client.get(reverse("ratings:search"), {"q": text}, follow=True)
        assert "Cy Dorrance" in page.content.decode()
    listed = ", ".join(office.ids[1:])
    page = client.get(reverse("ratings:search"), {"q": listed}).content.decode()
    assert "Ben Bakersfield" in page
    assert "Cy Dorrance" in page


def test_records_of_one_name_are_compared(client, office, members):
    make_player(office.following, "Cy", "Dorrance")
    client.force_login(make_staff())
    page = client.get(reverse("players_office:duplicates"))
    assert members[-1].member_id in page.content.decode()


def test_a_profile_has_an_address(client, office, members):
    address = members[0].get_absolute_url()
    assert address == f"/players/{office.ids[0]}/"
    assert "Ana Quillen" in client.get(address).content.decode()
    with pytest.raises(Resolver404):
        resolve("/players/12345678/")
    with pytest.raises(NoReverseMatch):
        reverse("ratings:profile", args=["Ada"])


def test_the_api_knows_the_member(client, office, members):
    said = client.get(f"/api/v1/members/{office.ids[0]}").json()
    assert (said["member_id"], said["name"]) == (office.ids[0], "Ana Quillen")
    assert client.get("/api/v1/members/12345678").status_code == 404


def test_a_roster_is_checked(client, office, td, members):
    client.force_login(td)
    lines = [
        f"{members[1].member_id} Bakersfield, Ben",
        f"Dorrance, Cy\t{members[2].member_id}",
    ]
    data = {"rows": "\n".join(lines), "day": "2026-05-04", "order": "sent"}
    response = client.post("/check-players/", data | {"format": "csv"})
    rows = csv.DictReader(io.StringIO(response.content.decode()))
    assert [(row["status"], row["member_id"]) for row in rows] == [
        ("match", members[1].member_id),
        ("match", members[2].member_id),
    ]
    written = office.written.removesuffix(".0")
    table = {"rows": f'ID,Name\n{written},"Quillen, Ana"\n', "format": "csv"}
    response = client.post("/check-players/", data | table)
    [row] = csv.DictReader(io.StringIO(response.content.decode()))
    assert row["sent_id"] == row["member_id"] == members[0].member_id


@pytest.mark.parametrize(
    ("pattern", "line", "member_id", "name"),
    [
        ("^[0-9]{5}$", "Lee, Ann 1985", "", "Lee, Ann 1985"),
        (r"^\d{6}$", "Lee, Ann 50011", "", "Lee, Ann 50011"),
        ("^[1-9][0-9]{6}$", "Lee, Ann, A5000408", "", "Lee, Ann, A5000408"),
        (r"^[A-Z]\d{5}$", "b23456 Lee, Ann", "B23456", "Lee, Ann"),
        ("^[0-9]{8}$", "Lee, Ann A5000408", "", "Lee, Ann A5000408"),
        (EIGHT_DIGITS, "Lee, Ann 1234567", "1234567", "Lee, Ann"),
    ],
)
def test_other_numbers_in_a_roster_are_no_ids(pattern, line, member_id, name):
    try:
        MEMBER_ID.use(pattern)
        [row] = read_roster(line.encode())
        assert (row.member_id, row.name) == (member_id, name)
    finally:
        MEMBER_ID.use(EIGHT_DIGITS)


@pytest.mark.parametrize("office", ["letters"], indirect=True)
def test_an_id_in_lower_case_is_found_in_a_line(office, members):
    [entry] = resolve_lines([f"quillen, ana {office.ids[0].lower()}"])
    assert entry.member_id == office.ids[0]
    text = f"Quillen, Ana ({office.ids[0].lower()})"
    assert extract_member_id(text) == office.ids[0]
    assert name_without_id(text) == "Quillen, Ana"


def test_duplicates_are_looked_for(office, members):
    make_player(office.typo, "Cy", "Dorrance", birth_date=None)
    found = suspected_duplicates().values_list("member_id", flat=True)
    assert list(found) == ([members[-1].member_id] if MEMBER_ID.is_numeric else [])


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_other_ids_once_the_office_has_migrated(monkeypatch):
    def is_refused(member_id):
        try:
            with transaction.atomic():
                player = make_player(member_id)
                player.memberships.all().delete()
                player.delete()
        except IntegrityError:
            return True
        return False

    def migrate(pattern):
        MEMBER_ID.use(pattern)
        condition = Q(member_id__regex=MEMBER_ID.pattern)
        monkeypatch.setattr(check, "condition", condition)
        sync_member_id_constraint(using="default")
        return is_refused("123456"), is_refused("12345678")

    [check] = [one for one in Player._meta.constraints if one.name == NAME]
    try:
        assert migrate(EIGHT_DIGITS) == (True, False)
        member = make_player("12345678")
        with pytest.raises(ImproperlyConfigured, match="such as 12345678"):
            migrate(r"^\d{6}$")
        member.memberships.all().delete()
        member.delete()
        assert migrate(r"^\d{6}$") == (False, True)
    finally:
        migrate(EIGHT_DIGITS)
