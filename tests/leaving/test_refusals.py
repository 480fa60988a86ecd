"""Exports that cannot be made and exports that are not loaded, with sentences."""

import json
import os
import shutil
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from players.imports.services.actions import receive_file
from players.models import Intake, Player
from ratings.models import OpeningEntry
from ratings_site.common.models import Job, Office, UploadPart, User
from ratings_site.common.uploads.services import upload_storage
from ratings_site.leaving.services import exporting
from ratings_site.leaving.services.exporting import (
    ExportRefused,
    OfficeBusy,
    export_office,
)
from ratings_site.leaving.services.importing import ImportRefused, import_office
from tests.factories import make_player
from tests.leaving.exports import exported_and_gone, seal

pytestmark = pytest.mark.django_db

MEMBERS, FILES = "tables/players.Player.jsonl", "tables/players.Intake.jsonl"


def small_office() -> None:
    Office.objects.create(pk=1, name="Small federation")
    make_player("12345678", ratings={"OTBR": (1500.1, 20)})
    content = [b"member_id,family_name\n1,A\n"]
    receive_file(actor=None, kind="members", name="members.csv", content=content)
    Job.objects.all().delete()


@pytest.fixture(scope="module")
def export(django_db_setup, django_db_blocker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small") / "export"
    with django_db_blocker.unblock():
        exported_and_gone(small_office, folder)
    return folder


@pytest.fixture
def folder(export, tmp_path):
    """A copy that a test may change."""
    shutil.copytree(export, tmp_path / "export")
    return tmp_path / "export"


def refusal(folder) -> str:
    with pytest.raises(ImportRefused) as refused:
        import_office(folder)
    assert not Player.objects.exists()
    assert not User.objects.exists()
    assert not UploadPart.objects.exists()
    return str(refused.value)


def change(folder, name, **values) -> None:
    """Change values in the first row of a table, or in the manifest, and seal it."""
    path = folder / name
    if name == "manifest.json":
        path.write_text(json.dumps(json.loads(path.read_text()) | values))
    else:
        first, *others = path.read_text().splitlines()
        changed = json.dumps(json.loads(first) | values)
        path.write_text("\n".join([changed, *others]) + "\n")
    seal(folder)


def test_the_unchanged_export_is_loaded(folder):
    import_office(folder)
    assert Player.objects.get().member_id == "12345678"
    assert OpeningEntry.objects.get().rating == 1500.1
    stored = Intake.objects.get().stored_as
    assert upload_storage().open(stored).read() == b"member_id,family_name\n1,A\n"


class TestDamaged:
    def test_a_changed_digit(self, folder):
        path = folder / MEMBERS
        path.write_text(path.read_text().replace("12345678", "12345679"))
        assert refusal(folder).startswith(f"{MEMBERS} does not have the SHA-256")

    def test_a_missing_file(self, folder):
        (folder / MEMBERS).unlink()
        assert f"{MEMBERS} is in SHA256SUMS, but it is not a file" in refusal(folder)

    def test_a_half_written_export_has_no_checksums(self, folder):
        (folder / "SHA256SUMS").unlink()
        assert "is not a complete export: it has no SHA256SUMS" in refusal(folder)

    def test_a_table_that_the_checksums_do_not_name(self, folder):
        (folder / MEMBERS).unlink()
        seal(folder)
        assert f"SHA256SUMS has no {MEMBERS}" in refusal(folder)

    def test_a_manifest_that_is_no_json(self, folder):
        (folder / "manifest.json").write_text("{")
        seal(folder)
        assert refusal(folder).startswith("manifest.json cannot be read")

    def test_rows_that_are_missing(self, folder):
        (folder / MEMBERS).write_text("")
        seal(folder)
        assert "has 0 rows, and manifest.json says 1" in refusal(folder)


class TestHostile:
    @pytest.mark.parametrize(
        "name",
        [
            "../outside",
            "tables/../../outside",
            "/etc/passwd",
            "tables/x/y",
            "files/ab/../../../outside",
            "tables\\..\\outside",
            "",
        ],
    )
    def test_a_file_name_that_leaves_the_folder(self, folder, name):
        (folder.parent / "outside").write_text("x")
        with (folder / "SHA256SUMS").open("a") as sums:
            sums.write(f"{'0' * 64}  {name}\n")
        assert "expected a SHA-256, two spaces and the name" in refusal(folder)

    @pytest.mark.parametrize("is_folder", [False, True])
    def test_a_symbolic_link(self, folder, is_folder):
        one = folder / ("tables" if is_folder else MEMBERS)
        one.rename(folder.parent / "outside")
        os.symlink(folder.parent / "outside", one)
        assert "is not a file of the export" in refusal(folder)

    @pytest.mark.parametrize("stored_as", ["../../etc/cron.d/x", "/etc/x", "a/../../x"])
    def test_an_upload_whose_name_leaves_the_storage(self, folder, stored_as):
        change(folder, FILES, stored_as=stored_as)
        assert f"{FILES}, line 1: stored_as is not the name" in refusal(folder)

    @pytest.mark.parametrize("digest", ["../../x", "0" * 64, 5, None])
    def test_an_upload_that_is_not_in_the_export(self, folder, digest):
        change(folder, FILES, sha256=digest)
        assert refusal(folder)

    def test_a_row_that_the_database_refuses(self, folder):
        change(folder, MEMBERS, status="unheard of")
        assert refusal(folder).startswith(
            "tables/players.Player.jsonl: the database refuses a row"
        )

    def test_a_key_to_nothing(self, folder):
        change(folder, MEMBERS, account_id=999)
        assert "the database refuses a row" in refusal(folder)

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({"more": 1}, "the columns are not those of schema.json"),
            ({"birth_date": "yesterday"}, "yesterday"),
            ({"birth_date": 5}, "line 1"),
            ({"member_id": ["1"]}, "tables/players.Player.jsonl"),
            ({"member_id": {"a": 1}}, "tables/players.Player.jsonl"),
            ({"id": 10**30}, "tables/players.Player.jsonl"),
            ({"given_name": "\ud800"}, "tables/players.Player.jsonl"),
        ],
    )
    def test_a_value_that_is_none(self, folder, values, said):
        change(folder, MEMBERS, **values)
        assert said in refusal(folder)

    @pytest.mark.parametrize("text", ["NaN", "Infinity", '"1500"', "true", "[1]"])
    def test_a_rating_that_is_no_number(self, folder, text):
        path = folder / "tables/ratings.OpeningEntry.jsonl"
        path.write_text(path.read_text().replace("1500.1", text))
        seal(folder)
        assert "ratings.OpeningEntry.jsonl, line 1" in refusal(folder)

    @pytest.mark.parametrize("line", ["[]", "null", "5", '{"a"', "\x00", "[" * 100_000])
    def test_a_line_that_is_no_row(self, folder, line):
        (folder / MEMBERS).write_text(f"{line}\n")
        seal(folder)
        assert f"{MEMBERS}, line 1" in refusal(folder)

    def test_bytes_that_are_no_text(self, folder):
        (folder / MEMBERS).write_bytes(b"\xff\xfe\n")
        seal(folder)
        assert MEMBERS in refusal(folder)


class TestAnotherOffice:
    def test_an_office_with_members(self, folder):
        make_player("11111111")
        with pytest.raises(ImportRefused, match="This office is not empty"):
            import_office(folder)
        assert Player.objects.get().member_id == "11111111"

    def test_an_export_of_another_version(self, folder):
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["migrations"]["players"].append("0099_later")
        change(folder, "manifest.json", **manifest)
        assert "(migrations of players differ)" in refusal(folder)

    def test_an_export_of_another_format(self, folder):
        change(folder, "manifest.json", format=2)
        assert "The export has format 2" in refusal(folder)

    def test_an_export_under_another_edition(self, folder):
        change(folder, "manifest.json", rating_edition="2020-09-02")
        assert "Set RATING_EDITION=2020-09-02" in refusal(folder)

    @pytest.mark.parametrize("part", ["rows", "last_ids", "file_problems"])
    def test_a_manifest_without_a_part(self, folder, part):
        path = folder / "manifest.json"
        manifest = json.loads(path.read_text())
        del manifest[part]
        path.write_text(json.dumps(manifest))
        seal(folder)
        assert "manifest.json cannot be read" in refusal(folder)

    def test_the_command_says_it(self, folder):
        change(folder, "manifest.json", format=2)
        with pytest.raises(CommandError, match="The export has format 2"):
            call_command("import_office", folder)


class TestExport:
    def test_a_folder_that_exists(self, tmp_path):
        with pytest.raises(ExportRefused, match="already exists"):
            export_office(tmp_path)
        with pytest.raises(CommandError, match="There is no folder"):
            call_command("export_office", tmp_path / "none" / "export")

    def test_a_job_that_is_changing_records(self, tmp_path):
        common = {"key": "1", "run_after": timezone.now()}
        Job.objects.create(kind="common.send_mail", **common)
        Job.objects.create(kind="site.export_office", state="running", **common)
        export_office(tmp_path / "fine")
        later = common | {"run_after": timezone.now() + timedelta(minutes=1)}
        Job.objects.create(kind="ratings.rate_section", **later)
        with pytest.raises(OfficeBusy, match=r"ratings.rate_section \(1\)"):
            export_office(tmp_path / "export")
        assert os.listdir(tmp_path) == ["fine"]

    def test_a_failure_leaves_nothing_that_looks_complete(self, tmp_path, monkeypatch):
        monkeypatch.setattr(exporting, "README", tmp_path / "none")
        with pytest.raises(FileNotFoundError):
            export_office(tmp_path / "export")
        assert list(tmp_path.iterdir()) == []

    def test_what_a_killed_export_leaves_is_not_continued(self, tmp_path):
        (tmp_path / "export.unfinished").mkdir()
        with pytest.raises(ExportRefused, match="Delete it first"):
            export_office(tmp_path / "export")

    @pytest.mark.parametrize("problem", ["missing", "damaged"])
    def test_an_upload_that_is_not_what_it_was(self, tmp_path, problem):
        def make() -> None:
            small_office()
            parts = UploadPart.objects.filter(name=Intake.objects.get().stored_as)
            if problem == "missing":
                parts.delete()
            else:
                parts.update(content=b"other")

        manifest, _, _ = exported_and_gone(
            make, tmp_path / "export", with_uploads=False
        )
        [found] = manifest["file_problems"]
        assert found["problem"] == problem
        import_office(tmp_path / "export")
        stored = Intake.objects.get().stored_as
        assert upload_storage().exists(stored) == (problem == "damaged")
        if problem == "damaged":
            assert upload_storage().open(stored).read() == b"other"
