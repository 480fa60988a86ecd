"""The files of a list, read by third-party libraries."""

import csv
import gzip
import hashlib
import io
from datetime import date

import dbf as dbf_oracle
import dbfread
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.lists.files import ListedMember, ListedRating, csv_file, dbf_file, tsv_file
from ratings.models import OfficialListFile
from tests.factories import make_player
from tests.ratings.lists.helpers import JUNE, newcomer_who_lost, published

HEADINGS = [
    "member_id",
    "name",
    "state",
    "expires",
    *("regular", "regular_provisional_games", "regular_floor"),
    *("quick", "quick_provisional_games", "quick_floor"),
    *("blitz", "blitz_provisional_games", "blitz_floor"),
    *("online_regular", "online_regular_provisional_games", "online_regular_floor"),
    *("online_quick", "online_quick_provisional_games", "online_quick_floor"),
    *("online_blitz", "online_blitz_provisional_games", "online_blitz_floor"),
    *("regular_about", "quick_about", "blitz_about"),
    *("online_regular_about", "online_quick_about", "online_blitz_about"),
]
MEMBERS = [
    ListedMember(
        "12345678",
        "O'Brien-Müller, José Jr",
        "IL",
        date(2025, 3, 31),
        {
            "OTBR": ListedRating(1654, False, 300, False, 1500),
            "OLB": ListedRating(600, True, 12, True, 100),
        },
    ),
    ListedMember(
        "12345679",
        'Łukasz, "Bo", Bartholomew Maximilian',
        "",
        date(2099, 12, 31),
        {"OTBQ": ListedRating(2801, False, 25, True, 2100)},
    ),
]
BLANKS = [""] * 3


@pytest.mark.parametrize(
    ("write", "dialect"), [(csv_file, "excel"), (tsv_file, "excel-tab")]
)
def test_text_files_say_everything_in_columns(write, dialect):
    text = write(MEMBERS).decode()
    assert list(csv.reader(io.StringIO(text, newline=""), dialect)) == [
        HEADINGS,
        [
            *("12345678", "O'Brien-Müller, José Jr", "IL", "2025-03-31"),
            *("1654", "", "1500"),
            *(BLANKS * 4),
            *("600", "12", "100"),
            *("", "", "", "", "", "Y"),
        ],
        [
            *("12345679", 'Łukasz, "Bo", Bartholomew Maximilian', "", "2099-12-31"),
            *BLANKS,
            *("2801", "25", "2100"),
            *(BLANKS * 4),
            *(BLANKS * 2),
        ],
    ]


ABOUT_FIELDS = ["R_ABOUT", "Q_ABOUT", "B_ABOUT", "ONL_R_ABT", "ONL_Q_ABT", "ONL_B_ABT"]
ROWS = [
    {
        "MEM_ID": "12345678",
        "MEM_NAME": "O'Brien-Müller, José Jr",
        "STATE": "IL",
        "EXPIRED": "20250331",
        "R_LPB_RAT": "1654",
        "Q_LPB_RAT": "",
        "B_LPB_RAT": "",
        "ONL_R_RTG": "",
        "ONL_Q_RTG": "",
        "ONL_B_RTG": "600/12",
        **dict.fromkeys(ABOUT_FIELDS, ""),
        "ONL_B_ABT": "Y",
    },
    {
        "MEM_ID": "12345679",
        "MEM_NAME": 'Lukasz, "Bo", Bartholomew Maxi',
        "STATE": "",
        "EXPIRED": "20991231",
        "R_LPB_RAT": "",
        "Q_LPB_RAT": "2801/25",
        "B_LPB_RAT": "",
        "ONL_R_RTG": "",
        "ONL_Q_RTG": "",
        "ONL_B_RTG": "",
        **dict.fromkeys(ABOUT_FIELDS, ""),
    },
]


def test_dbf_is_read_by_both_libraries(tmp_path):
    path = tmp_path / "list.dbf"
    path.write_bytes(dbf_file(MEMBERS, month=JUNE))

    table = dbfread.DBF(path)
    assert [dict(row) for row in table] == ROWS
    assert table.date == JUNE

    with dbf_oracle.Table(str(path)) as other:
        names = other.field_names
        rows = [
            {name: str(record[name]).rstrip() for name in names} for record in other
        ]
    assert rows == ROWS


def test_same_list_gives_the_same_bytes():
    again = [ListedMember(**_fields(member)) for member in MEMBERS]
    assert csv_file(MEMBERS) == csv_file(again)
    assert tsv_file(MEMBERS) == tsv_file(again)
    assert dbf_file(MEMBERS, month=JUNE) == dbf_file(again, month=JUNE)


def _fields(member: ListedMember) -> dict:
    return {name: getattr(member, name) for name in member.__dataclass_fields__}


@pytest.mark.django_db
def test_files_are_stored_with_their_checksums_and_tell_no_birth_date():
    make_player(
        "30000002",
        "Ada",
        "Lind",
        ratings={"OTBR": (1500.0, 30)},
        birth_date=date(1987, 6, 5),
        gender="F",
        state="IL",
    )
    make_player("30000001", "Bo", "Berg", ratings={"OTBR": (1600.0, 4)}, suffix="Jr")

    official = published(JUNE)

    files = {file.kind: file for file in official.files.all()}
    assert sorted(files) == ["csv", "dbf", "tsv"]
    for kind, file in files.items():
        content = bytes(file.content)
        assert file.name == f"ratings-2024-06.{kind}"
        assert file.sha256 == hashlib.sha256(content).hexdigest()
        assert file.size == len(content)
        assert b"1987" not in content
    rows = list(csv.reader(io.StringIO(bytes(files["csv"].content).decode())))
    assert [row[:7] for row in rows[1:]] == [
        ["30000001", "Berg, Bo Jr", "", "2099-12-31", "1600", "4", "100"],
        ["30000002", "Lind, Ada", "IL", "2099-12-31", "1500", "", "1300"],
    ]


@pytest.mark.django_db
def test_rating_that_still_is_its_start_is_about_in_every_layout(tmp_path):
    newcomer_who_lost("30000001")

    published(JUNE)

    content = {
        file.kind: bytes(file.content) for file in OfficialListFile.objects.all()
    }
    for kind, dialect in (("csv", "excel"), ("tsv", "excel-tab")):
        text = io.StringIO(content[kind].decode(), newline="")
        about = {
            row["member_id"]: (row["regular"], row["regular_about"])
            for row in csv.DictReader(text, dialect=dialect)
        }
        assert about.pop("30000001") == ("500", "Y")
        assert {flag for _, flag in about.values()} == {""}
    path = tmp_path / "list.dbf"
    path.write_bytes(content["dbf"])
    [row] = [row for row in dbfread.DBF(path) if row["MEM_ID"] == "30000001"]
    assert (row["R_LPB_RAT"], row["R_ABOUT"]) == ("500/4", "Y")


@pytest.mark.django_db
def test_download_is_the_stored_file_and_is_not_sent_twice(client):
    make_player("30000001", ratings={"OTBR": (1600.0, 40)})
    official = published(JUNE)
    file = OfficialListFile.objects.get(kind="dbf")
    url = f"/lists/2024-06/{file.name}"
    assert file.get_absolute_url() == url

    response = client.get(url)

    assert response.content == bytes(file.content)
    assert response["ETag"] == f'"{file.sha256}"'
    assert response["Content-Type"] == "application/x-dbf"
    assert response["Content-Disposition"] == (
        'attachment; filename="ratings-2024-06.dbf"'
    )
    packed = client.get(url, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == response.content
    again = client.get(url, headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/lists/2024-07/{file.name}").status_code == 404
    assert client.get("/lists/2024-06/ratings-2024-06.exe").status_code == 404
    assert official.files.count() == 3


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/lists/", "/lists/2024-06/", "/api/v1/lists"])
def test_pages_that_name_files_do_not_read_them(client, path):
    make_player("30000001", ratings={"OTBR": (1600.0, 40)})
    published(JUNE)
    with CaptureQueriesContext(connection) as asked:
        assert b"ratings-2024-06.dbf" in client.get(path).content
    read = " ".join(query["sql"] for query in asked)
    assert "officiallistfile" in read
    assert 'file"."content"' not in read
    assert 'file"."compressed"' not in read
