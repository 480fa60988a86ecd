"""The page of the roster check: pasted lines, a file, or a whole report."""

import csv
import io
import re
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from events.formats.rosters import RosterRow, read_roster
from events.formats.tables.grids import UnreadableTable
from players.formats.xlsx_writer import write_xlsx
from ratings.pages.roster import forms, queries
from ratings_site.common.models import ApiUse, AuditEntry
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db

URL = "/check-players/"
DAY = "2026-05-04"


@pytest.fixture
def td():
    return make_td("checking", "30000500")


@pytest.fixture
def client(td):
    client = Client()
    client.force_login(td)
    return client


@pytest.fixture
def members():
    return [
        make_player("30000501", "Ana", "Quillen", state="OH"),
        make_player("30000502", "Ben", "Bakersfield", member_until=date(2025, 12, 31)),
    ]


def send(client, rows="", **more):
    data = {"rows": rows, "day": DAY, "order": "problems"} | more
    return client.post(URL, data)


def table_of(response):
    """Return the words of the cells of each row of the result."""
    page = response.content.decode()
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


LINES = "30000501 Quillen, Ana\n30000502 Bakersfield, Ben\nNobody Knownhere\n"


def test_problems_come_first(client, members):
    response = send(client, LINES)
    assert [row[:4] for row in table_of(response)] == [
        ["Nobody Knownhere", "Not found", "", ""],
        [
            *("Bakersfield, Ben 30000502", "Match", "Ben Bakersfield 30000502"),
            "Membership ended Dec 31, 2025",
        ],
        ["Quillen, Ana 30000501", "Match", "Ana Quillen 30000501 OH", "Life member"],
    ]
    page = response.content.decode()
    assert "2 players to look at" in page
    assert "1 player has no issues." in page


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("sent", ["Quillen", "Bakersfield", "Nobody"]),
        ("name", ["Bakersfield", "Nobody", "Quillen"]),
    ],
)
def test_the_result_can_be_sorted(client, members, order, names):
    rows = table_of(send(client, LINES, order=order))
    assert [re.split("[, ]", row[0])[0] for row in rows] == names


def test_a_file_fills_the_form_so_that_its_rows_can_be_corrected(client, members):
    content = write_xlsx([["Name", "USCF ID"], ["Quillen, Ana", "30000501"]])
    response = send(client, file=SimpleUploadedFile("players.xlsx", content))
    assert [row[1] for row in table_of(response)] == ["Match"]
    assert "member id\tname\n30000501\tQuillen, Ana" in response.content.decode()


def test_a_file_is_read_once(client, members, monkeypatch):
    read = []
    monkeypatch.setattr(
        forms, "read_rows", lambda data: read.append(data) or read_roster(data)
    )
    file = SimpleUploadedFile("players.csv", LINES.encode())
    response = send(client, file=file, order="name")
    assert len(table_of(response)) == 3
    assert len(read) == 1
    assert '<option value="name" selected>' in response.content.decode()


def test_rows_whose_similar_names_were_not_searched_say_so(
    client, members, monkeypatch
):
    monkeypatch.setattr(queries, "MAX_LIKELY_ROWS", 1)
    make_player("30000503", "Wen", "Doubtful")
    rows = "Nobody Knownhere\nDoubtfull, Wen\n30000501 Zed Stranger\n30000501\n"
    sentence = (
        "We look for similar names only for the first 1 players without a match. "
        "Check this player in a shorter list."
    )
    page = table_of(send(client, rows, order="sent"))
    assert [row[1] for row in page] == [
        "Not found",
        f"Can’t be checked: {sentence}",
        f"Near match: {sentence}",
        "Match",
    ]
    content = send(client, rows, format="csv").content.decode()
    lines = list(csv.DictReader(io.StringIO(content)))
    assert [(line["status"], line["error"]) for line in lines] == [
        ("not_found", ""),
        ("invalid", sentence),
        ("near_match", sentence),
        ("match", ""),
    ]


def test_the_file_has_each_row_with_codes(client, members):
    response = send(client, LINES, format="csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [
        (row["sent_name"], row["status"], row["member_id"], row["is_member"])
        for row in rows
    ] == [
        ("Quillen, Ana", "match", "30000501", "Y"),
        ("Bakersfield, Ben", "match", "30000502", "N"),
        ("Nobody Knownhere", "not_found", "", ""),
    ]
    assert rows[1]["membership_ends"] == "2025-12-31"
    assert None not in rows[2]


def test_names_are_no_formulas_in_the_file(client):
    response = send(client, "ID\tName\n\t=1+1 Quillen\n", format="csv")
    assert "'=1+1 Quillen" in response.content.decode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"rows": ""}, "Paste the players, or choose a file."),
        ({"rows": "ID,Name\n"}, "The list has no players below its headings."),
        ({"rows": "x\n" * 1001}, "The list has 1,001 players, more than 1,000."),
        ({"rows": "Ana", "day": "soon"}, "Enter a date such as 2024-05-04."),
        ({"rows": "Ana", "order": "x"}, "Select a valid choice."),
    ],
)
def test_a_list_that_cannot_be_checked_says_why(client, data, sentence):
    response = send(client, **data)
    assert response.status_code == 422
    assert sentence in response.content.decode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x00\x01\x02", "This file is not a table."),
        (b"\x03" + b"\x00" * 40, "This DBF file can’t be read."),
        (b"PK\x03\x04 broken", "This file is not a table."),
        (b"", "The submitted file is empty."),
        (b"x" * 2_000_001, "The file is larger than 2 MB."),
    ],
)
def test_a_file_that_cannot_be_read_says_why(client, content, sentence):
    response = send(client, file=SimpleUploadedFile("players.bin", content))
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_a_report_is_checked_as_a_whole(client, td, members):
    section = section_report(members, swiss_rows(2, 1))
    day = date(2025, 12, 31)
    report = event_report(td, [section], starts=day, ends=day, name="Whole Open")
    submission = upload(td, report)
    page = client.get(submission.get_absolute_url()).content.decode()
    link = f"{URL}?report={submission.pk}"
    assert f'href="{link}"' in page
    rows = table_of(client.get(link))
    assert [row[1] for row in rows] == ["Match", "Match"]
    assert "Member until Dec 31, 2025" in {row[3] for row in rows}
    checks = AuditEntry.objects.filter(action="members.checked")
    assert (ApiUse.objects.get().requests, checks.count()) == (2, 1)
    assert client.head(link).status_code == 200
    assert (ApiUse.objects.get().requests, checks.count()) == (2, 1)
    client.get(link)
    assert (ApiUse.objects.get().requests, checks.count()) == (4, 2)
    other = Client()
    other.force_login(make_td("other td"))
    assert other.get(link).status_code == 404


def test_the_page_is_for_tds_and_the_office():
    client = Client()
    assert client.get(URL).url == f"/accounts/login/?next={URL}"
    client.force_login(make_user())
    assert client.get(URL).status_code == 403


# Reading


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("12345678", [RosterRow(1, "12345678")]),
        ("12345678 Ana Adams", [RosterRow(1, "12345678", "Ana Adams")]),
        ("3. Ana Adams 12345678", [RosterRow(1, "12345678", "Ana Adams")]),
        (
            "Adams, Ana\nEk, Bo",
            [RosterRow(1, "", "Adams, Ana"), RosterRow(2, "", "Ek, Bo")],
        ),
        ("Ana Adams OH", [RosterRow(1, "", "Ana Adams", state="OH")]),
        ("1234567", [RosterRow(1, "1234567")]),
        ("1234567 Bo Ek", [RosterRow(1, "1234567", "Bo Ek")]),
        (
            "12345678,Adams,Ana,OH,2026-05-04",
            [RosterRow(1, "12345678", "Adams, Ana", "2026-05-04", "OH")],
        ),
        (
            "May Open\nName;USCF ID;Birth year\nAdams, Ana;12345678;2011",
            [RosterRow(3, "12345678", "Adams, Ana", birth_year="2011")],
        ),
    ],
)
def test_lines_are_read_with_or_without_headings(text, rows):
    assert read_roster(text.encode()) == rows


def test_an_empty_file_is_no_table():
    with pytest.raises(UnreadableTable):
        read_roster(b"")
