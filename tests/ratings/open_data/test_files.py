"""Bulk files: complete, the same in every format, and without private data."""

import csv
import gzip
import hashlib
import io
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from events.models import Section
from players.identity.services import merge_players
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.models import OfficialList, OpenFile, OpenFilePart, RatingChange
from ratings.open_data import queries as open_data
from ratings.open_data import services as open_files
from ratings.open_data.queries import TABLES, content_of
from ratings.open_data.tasks import MAKE_FILES
from ratings_site.common.jobs.services import claim, enqueue, perform, run_due_jobs
from ratings_site.common.web import files
from ratings_site.common.web.files import Column, ColumnType
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)
from tests.ratings.lists.helpers import newcomer_who_lost, published

pytestmark = pytest.mark.django_db

NIGHT = datetime(2024, 6, 2, 4, tzinfo=UTC)


def make_files() -> None:
    job = enqueue(MAKE_FILES, key=f"{timezone.now():%Y-%m-%d %H:%M:%S}")
    perform(claim(job.pk))
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "")


def bytes_of(name: str) -> bytes:
    table, _, kind = name.partition(".")
    file = OpenFile.objects.get(table=table, kind=kind, is_newest=True)
    content = b"".join(content_of(file))
    assert (len(content), hashlib.sha256(content).hexdigest()) == (
        file.size,
        file.sha256,
    )
    return content


def lines_of(table: str) -> list[list[str]]:
    text = gzip.decompress(bytes_of(f"{table}.csv.gz")).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.fixture(scope="module")
def played(module_data):
    """Three rated members, and one unrated who beats two of them."""
    td = make_td()
    ann = make_player("30000011", "Ann", "Archer", ratings={"OTBR": (1500.4, 40)})
    bob = make_player("30000012", "Bob", "Baker", ratings={"OTBR": (1600.0, 40)})
    new = make_player("30000013", "Nia", "Newton", birth_date=date(2012, 3, 4))
    dan = make_player("30000014", "Dan", "Drake", ratings={"OTBR": (1450.0, 40)})
    cells = ["D2W L3B", "D1B W4W", "W4B W1W", "L3W L2B"]
    section = section_report([ann, bob, new, dan], cells, name="Open")
    return rated_event(td, event_report(td, [section]))


def test_games_and_rating_changes_stand_as_on_the_crosstable(played):
    make_files()
    event = played.event_id
    assert lines_of("games") == [
        [column.name for column in TABLES[3].columns],
        [event, "1", "1", "1", "30000011", "30000012", "W", "D", "D"],
        [event, "1", "1", "1", "30000013", "30000014", "B", "W", "L"],
        [event, "1", "2", "1", "30000011", "30000013", "B", "L", "W"],
        [event, "1", "2", "1", "30000012", "30000014", "W", "W", "L"],
    ]
    changes = {
        change.player.member_id: change
        for change in RatingChange.objects.filter(calculation__section__event=played)
    }
    expected = [
        [
            event,
            "1",
            member,
            "OTBR",
            half_points,
            "2",
            before_games,
            str(changes[member].post_games),
            before,
            str(round(changes[member].post_rating)),
            "false",
            "false",
        ]
        for member, half_points, before_games, before in (
            ("30000011", "1", "40", "1500"),
            ("30000012", "3", "40", "1600"),
            ("30000013", "4", "0", ""),
            ("30000014", "0", "40", "1450"),
        )
    ]
    header, *rows = lines_of("ratings")
    assert header == [column.name for column in TABLES[4].columns]
    assert sorted(rows) == expected


def test_rating_that_still_is_its_start_is_about_in_both_tables():
    child = newcomer_who_lost("30000013")
    published(date(2099, 5, 1))
    td = make_td()
    ann = make_player("30000011", ratings={"OTBR": (1500.4, 40)})
    rated_event(td, event_report(td, [section_report([child, ann], ["D2W", "D1B"])]))
    published(date(2099, 6, 1))
    now = RatingChange.objects.filter(player=child).latest("pk").post_rating
    make_files()
    first, second = (
        dict(zip(lines_of("ratings")[0], row, strict=True))
        for row in lines_of("ratings")
        if "30000013" in row
    )
    rated = ("before", "before_is_about", "after", "after_is_about")
    assert [first[name] for name in rated] == ["", "false", "500", "true"]
    assert [second[name] for name in rated] == ["500", "true", f"{now:.0f}", "false"]
    header, *rows = lines_of("lists")
    listed = {row[0]: row for row in rows if "30000013" in row}
    place = header.index("is_about")
    assert listed["2099-05"][place] == "true"
    assert listed["2099-06"][place] == "false"
    assert "508" not in str(lines_of("ratings"))


def test_events_and_sections_stand_as_accepted(played):
    make_files()
    assert lines_of("events")[1:] == [
        [
            played.event_id,
            "May Open",
            "2024-05-04",
            "2024-05-05",
            "Springfield",
            "IL",
            "USA",
            "A6000001",
        ]
    ]
    assert lines_of("sections")[1:] == [
        [
            played.event_id,
            "1",
            "Open",
            "swiss",
            "2024-05-04",
            "2024-05-05",
            "2",
            "G/90;d5",
            "false",
            "rated",
            "1",
        ]
    ]


def test_no_file_tells_a_birth_date_a_decimal_or_a_name_of_who_is_on_no_list(played):
    make_files()
    text = "".join(
        gzip.decompress(b"".join(content_of(file))).decode()
        for file in OpenFile.objects.filter(kind="csv.gz")
    )
    for private in ("2012", "Newton", "Archer", "1500.4", "birth"):
        assert private not in text
    assert "30000013" in text


def test_lists_hold_every_published_rating_by_member(played):
    manager = make_staff()
    manager.is_superuser = True
    manager.save()
    month = date(2099, 6, 1)
    draft = prepare_list(month=month, actor=manager, cut_off=timezone.now())
    published = publish_list(
        month=month, digest=draft.digest, actor=manager, reason="It is due."
    )
    make_files()
    header, *rows = lines_of("lists")
    assert header == [column.name for column in TABLES[0].columns]
    rating = {one.player.member_id: one for one in published.ratings.all()}
    assert OfficialList.objects.count() == 1
    assert rows == [
        [
            "2099-06",
            name,
            member,
            "",
            "OTBR",
            str(rating[member].rating),
            str(rating[member].floor),
            str(rating[member].place),
            "",
            "false",
        ]
        for name, member in (
            ("Ann Archer", "30000011"),
            ("Bob Baker", "30000012"),
            ("Dan Drake", "30000014"),
        )
    ]


def test_games_of_a_duplicate_stand_under_the_member_that_was_kept(played):
    kept = make_player("30000099", "Bob", "Baker")
    staff = make_staff()
    bob = Section.objects.get(event=played).entries.get(pairing_number=2).player
    merge_players(
        kept_id=kept.pk, merged_id=bob.pk, actor=staff, reason="The same person."
    )
    make_files()
    assert lines_of("games")[1][4:6] == ["30000011", "30000099"]


def test_parquet_reads_as_the_csv_does(played, require_services):
    if not files.can_write_parquet():
        pytest.fail("pyarrow is missing") if require_services else pytest.skip(
            "no pyarrow"
        )
    from pyarrow import BufferReader
    from pyarrow.parquet import read_table

    make_files()
    for table in TABLES:
        read = read_table(BufferReader(bytes_of(f"{table.name}.parquet")))
        header, *lines = lines_of(table.name)
        assert read.column_names == header
        rows = [[_written(row[name]) for name in header] for row in read.to_pylist()]
        assert rows == lines, table.name
    assert {str(field.type) for field in read.schema} == {"string", "int32", "bool"}


def _written(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def test_without_pyarrow_only_csv_is_made_and_the_page_says_so(
    played, client, monkeypatch
):
    monkeypatch.setattr(files, "can_write_parquet", lambda: False)
    monkeypatch.setattr("ratings.open_data.views.can_write_parquet", lambda: False)
    make_files()
    assert set(OpenFile.objects.values_list("kind", flat=True)) == {"csv.gz"}
    page = client.get(reverse("ratings:open_data")).content.decode()
    assert "This office does not publish Parquet files." in page


def small_table(rows: int) -> SimpleNamespace:
    columns = (Column("number", ColumnType.NUMBER, "A number"),)
    return SimpleNamespace(
        name="small", columns=columns, rows=lambda: iter(numbers(rows))
    )


def numbers(rows: int):
    return ((number,) for number in range(rows))


def test_long_table_is_written_group_by_group_and_kept_in_parts(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "ROWS_PER_GROUP", 7)
    monkeypatch.setattr(open_files, "PART_BYTES", 10)
    paths, rows = open_files.write_table(small_table(100), tmp_path)
    path = paths[OpenFile.Kind.CSV]
    assert rows == 100
    file = open_files.store("small", OpenFile.Kind.CSV, path, rows)
    assert file.parts.count() == -(-path.stat().st_size // 10)
    text = gzip.decompress(b"".join(content_of(file))).decode()
    assert text == "number\r\n" + "".join(f"{one}\r\n" for one in range(100))


def test_same_rows_give_the_same_bytes_and_are_kept_once(played):
    with time_machine.travel(NIGHT, tick=False):
        make_files()
    before = list(OpenFile.objects.values("pk", "sha256", "made_at"))
    with time_machine.travel(NIGHT + timedelta(days=1), tick=False):
        make_files()
    assert list(OpenFile.objects.values("pk", "sha256", "made_at")) == before
    assert set(OpenFile.objects.values_list("checked_at", flat=True)) == {
        NIGHT + timedelta(days=1)
    }


def test_newer_file_takes_the_place_and_the_older_goes_after_some_days(
    tmp_path, settings, monkeypatch
):
    settings.OPEN_DATA_KEEP_DAYS = 7
    monkeypatch.setattr(files, "can_write_parquet", lambda: False)
    for day, rows in ((0, 1), (1, 2), (8, 2), (9, 2)):
        tables = [small_table(rows)]
        with time_machine.travel(NIGHT + timedelta(days=day), tick=False):
            job = enqueue(MAKE_FILES, key=str(day))
            open_files.make_open_files(claim(job.pk), tables=tables)
        found = OpenFile.objects.order_by("pk").values_list("rows", "is_newest")
        expected = {
            0: [(1, True)],
            1: [(1, False), (2, True)],
            8: [(1, False), (2, True)],
            9: [(2, True)],
        }
        assert list(found) == expected[day], day
    assert OpenFilePart.objects.count() == 1


def test_files_that_cannot_be_made_leave_the_older_ones(played, monkeypatch):
    make_files()
    before = list(OpenFile.objects.values())

    def break_off():
        yield from ()
        raise OSError("the disk is full")

    columns = TABLES[3].columns
    broken = [SimpleNamespace(name="games", columns=columns, rows=break_off)]
    job = enqueue(MAKE_FILES, key="broken")
    with pytest.raises(OSError, match="disk is full"):
        open_files.make_open_files(claim(job.pk), tables=broken)
    assert list(OpenFile.objects.values()) == before


def test_registered_for_every_night():
    from ratings_site.common.jobs import nightly

    assert MAKE_FILES in nightly._kinds
    run_due_jobs()
    assert open_data.newest_file("games.csv.gz") is None
