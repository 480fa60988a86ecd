"""An office that leaves and comes back is the same office, to the last bit."""

import csv
import hashlib
import json
import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from events.formats.report_reader import read_report
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings_site.common.models import AuditEntry, Job, User
from ratings_site.leaving.schema import csv_value, tables
from ratings_site.leaving.services.importing import digest_of, import_office
from tests.databases import migrated_file
from tests.leaving.exports import (
    contents,
    exported_and_gone,
    fill_empty_tables,
    seal,
    uploads,
)
from tests.live_office import Office
from tests.ratings.rerates.test_any_history import World as AnyHistory
from tests.ratings.rerates.test_any_history import rerate
from tests.sample_office import World as SampleOffice


def full_office() -> None:
    accepting = SampleOffice().accepting
    # An export waits for what is being accepted.
    Job.objects.filter(pk=accepting.pk).update(state=Job.State.DONE)
    fill_empty_tables()


@pytest.fixture(scope="module")
def sample(django_db_setup, django_db_blocker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaving") / "export"
    with django_db_blocker.unblock():
        return folder, *exported_and_gone(full_office, folder)


def ledger_rows(rows):
    return {name: rows[name] for name in rows if name != "common.AuditEntry"}


@pytest.mark.django_db
class TestSampleOffice:
    def test_it_has_rows_in_all_tables(self, sample):
        assert [label for label, rows in sample[2].items() if not rows] == []

    def test_every_row_and_file_is_equal_after_the_import(self, sample):
        folder, _, rows, files = sample
        import_office(folder)
        now = contents()
        assert ledger_rows(now) == ledger_rows(rows)
        log = rows["common.AuditEntry"]
        assert now["common.AuditEntry"][: len(log)] == log
        assert uploads() == files
        assert files

    def test_the_import_is_recorded_with_the_checksum(self, sample):
        import_office(sample[0])
        entry = AuditEntry.objects.order_by("-pk").first()
        assert (entry.action, entry.facts) == (
            "office.imported",
            {"sha256": digest_of(sample[0])},
        )

    def test_the_audit_is_clean_after_the_import(self, sample):
        assert sample[2]["ratings.RatingChange"]
        said = StringIO()
        call_command("import_office", sample[0], stdout=said)
        assert said.getvalue().count(" yes (") == 5

    def test_an_export_of_the_import_has_the_same_checksums(self, sample, tmp_path):
        folder = sample[0]
        import_office(folder)
        call_command("export_office", tmp_path / "again", stdout=StringIO())
        assert changed_files(folder, tmp_path / "again") <= {
            "manifest.json",
            "csv/common.AuditEntry.csv",
            "tables/common.AuditEntry.jsonl",
        }

    def test_primary_keys_go_on_where_they_were(self, sample):
        """Also those of deleted rows, to which the activity log may refer."""
        folder, manifest, *_ = sample
        import_office(folder)
        for model in (User, AuditEntry, Job):
            last = manifest["last_ids"].get(model._meta.label, 0)
            if model is AuditEntry:
                assert model.objects.latest("pk").pk == last + 1
        fresh = Job.objects.create(kind="test", key="1", run_after="2024-05-04T00:00Z")
        assert fresh.pk > manifest["last_ids"]["common.Job"]

    def test_accounts_have_no_password_and_no_second_factor(self, sample):
        import_office(sample[0])
        assert User.objects.exists()
        assert not any(user.has_usable_password() for user in User.objects.all())
        assert not any(user.authenticator_set.exists() for user in User.objects.all())

    def test_no_secret_is_in_the_export(self, sample):
        folder = sample[0]
        text = "".join(path.read_text() for path in folder.glob("tables/*.jsonl"))
        assert "Zenobia" in text
        assert "md5$" not in text
        assert not (folder / "tables/common.ApiKey.jsonl").exists()


@pytest.mark.django_db
class TestFiles:
    def test_sha256sum_accepts_the_checksums(self, sample):
        folder = sample[0]
        subprocess.run(
            ["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"],
            cwd=folder,
            check=True,
        )
        named = {line[66:] for line in (folder / "SHA256SUMS").read_text().splitlines()}
        there = {
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and path.name != "SHA256SUMS"
        }
        assert named == there

    def test_csv_has_the_rows_of_the_json_lines(self, sample):
        folder = sample[0]
        for table in tables():
            with (folder / table.csv_path).open(newline="") as file:
                heading, *rows = csv.reader(file)
            lines = (folder / table.path).read_text().split("\n")[:-1]
            objects = [json.loads(line) for line in lines]
            assert heading == [column.name for column in table.columns]
            assert rows == [
                ["" if one is None else str(csv_value(one)) for one in found.values()]
                for found in objects
            ], table.label

    def test_ratings_have_all_their_digits(self, sample):
        folder, _, rows, _ = sample
        lines = (folder / "tables/ratings.RatingChange.jsonl").read_text().splitlines()
        written = [repr(json.loads(line)["post_rating"]) for line in lines]
        assert all(
            f" {text}," in row
            for text, row in zip(written, rows["ratings.RatingChange"], strict=True)
        )
        assert any(len(text) > 12 for text in written)

    def test_files_are_named_by_their_sha256(self, sample):
        paths = list((sample[0] / "files").glob("*/*"))
        assert paths
        for path in paths:
            assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name
            assert path.parent.name == path.name[:2]

    def test_original_reports_come_byte_for_byte(self, sample):
        folder, _, _, files = sample
        for name, content in files.items():
            digest = hashlib.sha256(content).hexdigest()
            path = folder / "files" / digest[:2] / digest
            assert path.read_bytes() == content, name

    def test_accepted_events_are_reports_that_can_be_read(self, sample):
        folder, manifest, rows, _ = sample
        paths = list((folder / "reports").glob("*.json"))
        assert len(paths) == len(rows["events.Event"]) == manifest["reports"] > 0
        for path in paths:
            report = read_report([(path.name, path.read_bytes())]).reported
            assert report.name
            assert any(section.entries for section in report.sections)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "seed", [5, *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(6, 16))]
)
@pytest.mark.gate
def test_a_fuzzed_office_is_equal_and_its_audit_is_clean(seed, tmp_path):
    def anything() -> None:
        world = AnyHistory(seed)
        for _ in range(2):  # the first run stays in the ledger
            for _ in range(15):
                world.anything()
            rerate(whole_history=True)

    _, rows, _ = exported_and_gone(anything, tmp_path / "export")
    assert not RatingChange.objects.exists()
    said = StringIO()
    call_command("import_office", tmp_path / "export", stdout=said)
    assert ledger_rows(contents()) == ledger_rows(rows)
    assert said.getvalue().count(" yes (") == 5
    assert Calculation.objects.filter(is_current=False).exists()
    assert PlayerRating.objects.exists()


def changed_files(folder: Path, other: Path) -> set[str]:
    old, new = (
        set((one / "SHA256SUMS").read_text().splitlines()) for one in (folder, other)
    )
    return {line[66:] for line in old ^ new}


RESET = """
import django; django.setup()
from django.test import Client
from ratings_site.common.models import Job, User
user = User.objects.get(username="member")
page = Client().post("/accounts/password/reset/", {"email": user.email},
                     HTTP_HOST="localhost")
print(Job.objects.latest("pk").kind)
"""


@pytest.mark.gate
@pytest.mark.django_db
def test_after_the_import_accounts_ask_for_a_new_password(sample, tmp_path):
    office = sqlite_office(tmp_path / "elsewhere")
    office.python(COMMAND.format("import_office", str(sample[0])))
    assert re.search("letter|mail", office.python(RESET))


COMMAND = """
import django; django.setup()
from django.core.management import call_command
call_command({!r}, {!r})
"""


def sqlite_office(folder: Path) -> Office:
    office = Office(DATA_DIR=str(folder), DATABASE_URL="", REDIS_URL="")
    folder.mkdir()
    shutil.copy(migrated_file(), office.database)
    return office


@pytest.mark.gate
@pytest.mark.django_db
@pytest.mark.xdist_group("real workers")
def test_an_office_moves_to_the_other_database_and_back(
    sample, production_office, tmp_path
):
    """From the suite's own database to PostgreSQL, to SQLite."""
    elsewhere, back = (tmp_path / name for name in ("elsewhere", "back"))
    said = production_office.python(COMMAND.format("import_office", str(sample[0])))
    assert said.count(" yes (") == 5
    production_office.python(COMMAND.format("export_office", str(elsewhere)))
    office = sqlite_office(tmp_path / "sqlite")
    said = office.python(COMMAND.format("import_office", str(elsewhere)))
    assert said.count(" yes (") == 5
    office.python(COMMAND.format("export_office", str(back)))
    assert rows_in(sample[0]) == rows_in(elsewhere) == rows_in(back)


def rows_in(folder: Path) -> dict[str, list]:
    """Return all rows but the activity log's; PostgreSQL sorts the keys of JSON."""
    return {
        path.name: list(map(json.loads, path.read_text().split("\n")[:-1]))
        for path in sorted(folder.glob("tables/*.jsonl"))
        if path.name != "common.AuditEntry.jsonl"
    }


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="partitions")
def test_lines_of_a_staging_table_come_back_as_a_partition(sample, tmp_path):
    """A large rerate's lines have keys of their own range."""
    folder = tmp_path / "export"
    shutil.copytree(sample[0], folder)
    shift = 10**12 + 7 * 10**10
    path = folder / "tables/ratings.RatingChange.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    last = lines[-1]
    last["id"] += shift
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for name in ("PlayerRating", "OfficialRating", "RunDifference"):
        other = folder / f"tables/ratings.{name}.jsonl"
        text = other.read_text()
        for key in ("last_change_id", "change_id", "first_change_id"):
            text = re.sub(
                rf'"{key}":{last["id"] - shift}\b', f'"{key}":{last["id"]}', text
            )
        other.write_text(text)
    seal(folder)
    import_office(folder)
    assert RatingChange.objects.filter(pk=last["id"]).count() == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM ratings_ratingchange_107")
        assert cursor.fetchone() == (1,)
    assert RatingChange.objects.filter(pk__lt=10**12).count() == len(lines) - 1
