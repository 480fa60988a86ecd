"""The open files of a list: their contents, their addresses, and how they are sent."""

import csv
import gzip
import hashlib
import io
import json
import re
import subprocess
from base64 import b64decode
from datetime import UTC, date, datetime, timedelta

import dbfread
import openpyxl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.http import parse_http_date

from events.models import Official
from ratings.lists.files import read_csv_file
from ratings.lists.queries.open_lists import open_facts
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.lists.tasks import OPEN_FILES
from ratings.models import OfficialList, OfficialListFile
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import Job
from tests.factories import make_player, make_td, merge_with_approval
from tests.ratings.lists.helpers import (
    JUNE,
    newcomer_who_lost,
    play_for_norms,
    published,
)
from tests.ratings.lists.test_files import HEADINGS

pytestmark = pytest.mark.django_db

KINDS = {
    *("open.csv", "open.tsv", "open.dbf", "open.xlsx", "open.json"),
    *("supplement.dbf", "wintd.tsv"),
}


def office() -> OfficialList:
    """A TD with a FIDE ID, a child with an "about" rating and others."""
    ada = make_player(
        "30000001", "Ada", "O'Brien", suffix="Jr", state="IL", fide_id="2000001",
        ratings={"OTBR": (1650.4, 40), "OTBQ": (1500, 9)}, birth_date=date(1987, 6, 5),
    )  # fmt: skip
    until = timezone.localdate() + timedelta(1)
    Official.objects.create(player=ada, level="senior", certified_until=until)
    lapsed = make_player("30000002", "Bo", "=Berg", ratings={"OTBB": (900, 30)})
    Official.objects.create(
        player=lapsed,
        level="local",
        certified_until=timezone.localdate() - timedelta(1),
    )
    make_player("30000004", "Few", "Games", ratings={"OTBR": (1700, 3)})
    make_player(
        "30000005", "Gone", "Away", ratings={"OTBR": (1700, 40)}, status="deceased"
    )
    newcomer_who_lost("30000003")
    return published(JUNE)


def files_of(official: OfficialList) -> dict[str, bytes]:
    run_due_jobs()
    return {
        file.kind: bytes(file.content)
        if file.content is not None
        else gzip.decompress(file.compressed)
        for file in official.files.filter(made_at__isnull=False)
    }


def test_csv_adds_three_columns_to_the_published_file():
    official = office()
    content = files_of(official)["open.csv"].decode()
    rows = list(csv.reader(io.StringIO(content, newline="")))
    monthly = bytes(official.files.get(kind="csv").content).decode()
    assert [row[:-3] for row in rows] == list(
        csv.reader(io.StringIO(monthly, newline=""))
    )
    added = {row[0]: row[-3:] for row in rows}
    assert added["member_id"] == ["fide_id", "norm_title", "td_level"]
    assert added["30000001"] == ["2000001", "", "senior"]
    assert added["30000002"] == ["", "", ""]
    assert added["30000003"] == ["", "", ""]
    assert "30000004" not in added
    assert "30000005" not in added


def test_tsv_and_xlsx_have_the_cells_of_the_csv():
    content = files_of(office())
    rows = list(csv.reader(io.StringIO(content["open.csv"].decode(), newline="")))
    tabs = io.StringIO(content["open.tsv"].decode(), newline="")
    assert list(csv.reader(tabs, "excel-tab")) == rows
    sheet = openpyxl.load_workbook(io.BytesIO(content["open.xlsx"])).active
    cells = [[one.value for one in row] for row in sheet.iter_rows()]
    assert [["" if one is None else str(one) for one in row] for row in cells] == rows
    [ada] = [row for row in cells if row[0] == "30000001"]
    assert ada[cells[0].index("regular")] == 1650
    [bo] = [row for row in sheet.iter_rows() if row[0].value == "30000002"]
    assert (bo[1].value, bo[1].data_type) == ("=Berg, Bo", "s")


def test_dbf_has_floors_and_facts_after_the_fields_of_the_monthly_file(tmp_path):
    official = office()
    content = files_of(official)
    path = tmp_path / "list.dbf"
    path.write_bytes(bytes(official.files.get(kind="dbf").content))
    monthly = [dict(row) for row in dbfread.DBF(path)]
    path.write_bytes(content["open.dbf"])
    rows = [dict(row) for row in dbfread.DBF(path)]
    names = monthly[0].keys()
    assert [{name: row[name] for name in names} for row in rows] == monthly
    assert list(rows[0])[: len(names)] == list(names)
    by_id = {row["MEM_ID"]: row for row in rows}
    ada, bo, child = (by_id[f"3000000{number}"] for number in (1, 2, 3))
    assert {name: text for name, text in ada.items() if name not in names} == {
        "R_FLOOR": "1400", "Q_FLOOR": "100", "B_FLOOR": "", "ONL_R_FLR": "",
        "ONL_Q_FLR": "", "ONL_B_FLR": "", "FIDE_ID": "2000001", "NORM_TITLE": "",
        "TD_LEVEL": "senior",
    }  # fmt: skip
    assert bo["TD_LEVEL"] == ""
    assert (child["R_LPB_RAT"], child["R_ABOUT"]) == ("500/4", "Y")


def test_supplement_and_wintd_have_the_fields_their_readers_know(tmp_path):
    content = files_of(office())
    path = tmp_path / "list.dbf"
    path.write_bytes(content["supplement.dbf"])
    [ada] = [row for row in dbfread.DBF(path) if row["R_MEM_ID"] == "30000001"]
    assert dict(ada) == {
        "R_MEM_ID": "30000001",
        "R_MEM_NAME": "O'Brien, Ada Jr",
        "R_EXP_DATE": "20991231",
        "R_STATE": "IL",
        "R_RATING1": "1650",
        "R_RATING2": "1500/9",
    }
    rows = list(
        csv.reader(io.StringIO(content["wintd.tsv"].decode(), newline=""), "excel-tab")
    )
    assert rows[0] == ["ID", "Name", "State", "Rate"]
    assert ["30000001", "O'Brien, Ada Jr", "IL", "1650"] in rows
    assert "30000002" not in {row[0] for row in rows}  # no regular rating


def test_json_says_which_list_and_of_which_day_it_is():
    official = office()
    found = json.loads(files_of(official)["open.json"])
    members = {one["member_id"]: one for one in found.pop("members")}
    assert found == {
        "list": "2024-06",
        "correction": 0,
        "in_force_from": "2024-06-01",
        "facts_day": timezone.localdate().isoformat(),
        "license": "https://creativecommons.org/licenses/by/4.0/",
    }
    assert members["30000001"] == {
        "member_id": "30000001",
        "name": "O'Brien, Ada Jr",
        "state": "IL",
        "expires": "2099-12-31",
        "fide_id": "2000001",
        "norm_title": None,
        "td_level": "senior",
        "ratings": {
            "regular": {"rating": 1650, "is_about": False,
                        "provisional_games": None, "floor": 1400},
            "quick": {"rating": 1500, "is_about": False,
                      "provisional_games": 9, "floor": 100},
        },
    }  # fmt: skip
    row = official.ratings.get(player__member_id="30000003")
    assert members["30000003"]["ratings"]["regular"] == {
        "rating": 500, "is_about": True, "provisional_games": 4, "floor": row.floor,
    }  # fmt: skip


def test_no_file_has_a_birth_date_and_a_later_rating_changes_none():
    official = office()
    before = files_of(official)
    assert set(before) == KINDS
    for content in before.values():
        assert b"1987" not in content
        assert b"2014" not in content
    enqueue(OPEN_FILES, key="again", args={"list": official.pk})
    enqueue(OPEN_FILES, key="a night")
    assert files_of(official) == before
    assert official.files.count() == len(KINDS) + 3


def test_old_file_without_about_columns_is_read():
    headings = [name for name in HEADINGS if not name.endswith("_about")]
    row = ["12345678", '"Lee, Al"', "", "2025-03-31", "1500", "", "1300", *[""] * 15]
    text = "\r\n".join([",".join(headings), ",".join(row), ""])
    [member] = read_csv_file(text.encode())
    assert member.ratings == {"OTBR": (1500, False, 0, False, 1300)}


def test_norm_title_is_the_highest_one_earned():
    people = [
        make_player(f"3100000{number}", ratings={"OTBR": (1500.0, 60)})
        for number in range(5)
    ]
    play_for_norms(people)
    official = published(JUNE)
    found = json.loads(files_of(official)["open.json"])
    titles = {one["member_id"]: one["norm_title"] for one in found["members"]}
    assert titles.pop("31000000") == "3rd Category"
    assert set(titles.values()) == {None}


def test_td_certified_under_a_merged_id_has_the_level():
    td = make_td().player
    kept = make_player("30000009", ratings={"OTBR": (1500, 40)})
    merge_with_approval(kept, td)
    june = published(JUNE)
    for day, level in ((date(2099, 12, 31), "senior"), (date(2100, 1, 1), "")):
        assert open_facts(june, day=day)["30000009"].td_level == level


@pytest.mark.parametrize("members", [2, 20])
def test_facts_take_the_same_queries_for_any_number_of_members(
    django_assert_num_queries, members
):
    for _ in range(members):
        make_player(ratings={"OTBR": (1500, 40)})
    official = published(JUNE)
    with django_assert_num_queries(5):
        found = open_facts(official, day=timezone.localdate())
    assert len(found) == members


# Addresses


def test_fixed_address_has_the_list_in_force_and_the_newest(client, settings):
    make_player("30000001", ratings={"OTBR": (1600, 40)})
    today = timezone.localdate().replace(day=1)
    later = (today + timedelta(32)).replace(day=1)
    for month in (today, later):
        published(month)
    run_due_jobs()
    for address, month in (
        ("current", today),
        ("newest", later),
        (f"{today:%Y-%m}", today),
    ):
        response = client.get(f"/lists/{address}/open.json")
        assert response.json()["list"] == f"{month:%Y-%m}"
        assert response["Content-Disposition"] == (
            f'attachment; filename="open-{month:%Y-%m}.json"'
        )
        assert response["Cache-Control"] == "public, max-age=300"


def test_month_has_the_corrected_list_and_each_version_its_own_address(client):
    make_player("30000001", ratings={"OTBR": (1600, 40)})
    published(JUNE)
    run_due_jobs()
    first = client.get("/lists/2024-06/open.csv").content
    make_player("30000002", ratings={"OTBR": (1700, 40)})
    draft = prepare_list(month=JUNE, actor=None, correction=1)
    publish_list(month=JUNE, digest=draft.digest, actor=None, reason="A member missed.")
    run_due_jobs()
    second = client.get("/lists/2024-06/open.csv").content
    assert b"30000002" in second
    assert client.get("/lists/2024-06/open-2024-06.csv").content == first
    by_version = client.get("/lists/2024-06/open-2024-06-correction-1.csv")
    assert by_version.content == second
    assert by_version["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_file_is_sent_once_with_strong_tag_digest_date_and_license(client, name):
    official = office()
    run_due_jobs()
    file = official.files.get(kind=name)
    plain = client.get(f"/lists/2024-06/{name}")
    assert hashlib.sha256(plain.content).hexdigest() == file.sha256
    assert len(plain.content) == file.size
    assert plain["ETag"] == f'"{file.sha256}"'
    assert (
        plain["Link"] == '<https://creativecommons.org/licenses/by/4.0/>; rel="license"'
    )
    packed = client.get(f"/lists/2024-06/{name}", headers={"Accept-Encoding": "gzip"})
    if name == "open.xlsx":
        assert packed["Content-Encoding"] == "identity"
        assert packed["ETag"] == plain["ETag"]
    else:
        assert gzip.decompress(packed.content) == plain.content
        assert packed["ETag"] == f'"{file.sha256}-gzip"'
    for response in (plain, packed):
        digest = re.fullmatch("sha-256=:(.+):", response["Repr-Digest"])[1]
        assert b64decode(digest) == hashlib.sha256(response.content).digest()
        assert "Accept-Encoding" in response["Vary"]
        again = client.get(
            f"/lists/2024-06/{name}",
            headers={
                "If-None-Match": response["ETag"],
                "Accept-Encoding": response["Content-Encoding"],
            },
        )
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == response["ETag"]
    since = client.get(
        f"/lists/2024-06/{name}", headers={"If-Modified-Since": plain["Last-Modified"]}
    )
    assert since.status_code == 304
    other = client.get(f"/lists/2024-06/{name}", headers={"If-None-Match": '"other"'})
    assert other.content == plain.content


def test_list_in_force_counts_as_changed_on_the_day_it_took_effect(client):
    make_player(ratings={"OTBR": (1600, 40)})
    today = timezone.localdate().replace(day=1)
    official = published(today)
    run_due_jobs()
    made = official.files.get(kind="open.csv").made_at
    response = client.get("/lists/current/open.csv")
    changed = datetime.fromtimestamp(parse_http_date(response["Last-Modified"]), UTC)
    midnight = datetime.combine(
        today, datetime.min.time(), timezone.get_current_timezone()
    )
    assert changed == max(made, midnight).replace(microsecond=0)


def test_checksums_are_those_that_sha256sum_checks(client, tmp_path):
    office()
    run_due_jobs()
    sums = client.get("/lists/2024-06/SHA256SUMS")
    (tmp_path / "SHA256SUMS").write_bytes(sums.content)
    for name in ("open.csv", "open.xlsx", "ratings-2024-06.dbf", "open-2024-06.json"):
        (tmp_path / name).write_bytes(client.get(f"/lists/2024-06/{name}").content)
    check = ["sha256sum", "--check", "--ignore-missing", "SHA256SUMS"]
    done = subprocess.run(
        check, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count(": OK") == 4
    (tmp_path / "open.csv").write_bytes(b"changed")
    assert (
        subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode
        == 1
    )
    again = client.get(
        "/lists/2024-06/SHA256SUMS", headers={"If-None-Match": sums["ETag"]}
    )
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/lists/current/open.csv",
        "/lists/newest/SHA256SUMS",
        "/lists/2024-06/open.csv",
        "/lists/2024-13/open.csv",
        "/lists/current/open.exe",
    ],
)
def test_address_without_a_file_says_so(client, path):
    response = client.get(path)
    assert response.status_code == 404
    assert b"Traceback" not in response.content


def test_not_modified_reads_no_content(client):
    office()
    run_due_jobs()
    tag = client.get("/lists/2024-06/open.json")["ETag"]
    with CaptureQueriesContext(connection) as asked:
        client.get("/lists/2024-06/open.json", headers={"If-None-Match": tag})
    read = " ".join(query["sql"] for query in asked)
    assert "officiallistfile" in read
    assert '"content"' not in read.replace('"content" IS', "")
    assert 'SELECT "compressed"' not in read


# The page


def test_page_names_files_sizes_checksums_and_the_license(client):
    today = timezone.localdate().replace(day=1)
    make_player(ratings={"OTBR": (1600, 40)})
    official = published(today)
    waiting = client.get("/lists/files/").content.decode()
    assert "The files of this list are being created" in waiting
    run_due_jobs()
    html = client.get("/lists/files/").content.decode()
    for file in official.files.filter(made_at__isnull=False):
        assert f'href="/lists/current/{file.kind}"' in html
        assert file.sha256 in html
    assert 'rel="license"' in html
    assert "sha256sum --check" in html
    assert f"/lists/{official.slug}/open.csv" in html


def test_page_without_lists_says_what_will_be_there(client):
    assert "No lists yet" in client.get("/lists/files/").content.decode()


def test_table_of_lists_names_the_monthly_files_only(client):
    office()
    run_due_jobs()
    html = client.get("/lists/").content.decode()
    assert "ratings-2024-06.csv" in html
    assert "open-2024-06.csv" not in html
    assert "/lists/files/" in html


def test_job_is_queued_with_the_list():
    official = office()
    job = Job.objects.get(kind=OPEN_FILES)
    assert (job.key, job.args) == ("2024-06", {"list": official.pk})
    assert not OfficialListFile.objects.filter(made_at__isnull=False).exists()


def test_nightly_job_makes_the_files_that_an_upgraded_office_lacks():
    make_player("30000001", "Ada", "O'Brien", ratings={"OTBR": (1650.4, 40)})
    next_month = (timezone.localdate().replace(day=1) + timedelta(32)).replace(day=1)
    lists = [published(month) for month in (JUNE, next_month)]
    Job.objects.all().delete()  # as before the version that makes these files
    made = OfficialListFile.objects.filter(made_at__isnull=False)
    seen = []
    for night in ("one", "two", "three"):
        enqueue(OPEN_FILES, key=night)
        run_due_jobs()
        seen.append(sorted(set(made.values_list("list", flat=True))))
    in_force, newest = (one.pk for one in lists)
    assert seen == [[newest], [in_force, newest], [in_force, newest]]
