"""The database storage returns uploads byte for byte."""

import hashlib

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import call_command

from players.fide.services.lists import receive_list
from players.imports.kinds import ImportRefused
from players.imports.services import actions
from players.models import Intake
from ratings_site.common.models import UploadPart
from ratings_site.common.uploads import storage as storage_module
from ratings_site.common.uploads.services import (
    local_upload,
    read_upload,
    store_upload,
)
from ratings_site.common.uploads.storage import DatabaseStorage
from ratings_site.common.uploads.storage_migration import move_upload
from tests.players.fide.fide_files import text_list
from tests.players.fide.helpers import MAY
from tests.players.imports.files import ADA, received

pytestmark = pytest.mark.django_db


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(storage_module, "PART_BYTES", 4)
    monkeypatch.setattr(storage_module, "IN_MEMORY_BYTES", 8)


@pytest.mark.parametrize(
    "content", [b"", b"1234", b"12345", bytes(range(256))], ids=len
)
def test_a_file_comes_back_byte_for_byte(small_parts, content):
    stored = store_upload("reports", "May.TRF", [content[:3], content[3:]])
    assert (stored.sha256, stored.size) == (
        hashlib.sha256(content).hexdigest(),
        len(content),
    )
    assert read_upload(stored.stored_as) == content
    assert storages["uploads"].size(stored.stored_as) == len(content)
    assert UploadPart.objects.count() == max(1, -(-len(content) // 4))
    with local_upload(stored.stored_as) as path:
        assert (path.read_bytes(), path.suffix) == (content, ".trf")
        assert path.stat().st_mode & 0o077 == 0
    assert not path.exists()


def test_the_same_name_twice_is_two_files():
    storage = DatabaseStorage()
    names = [storage.save("reports/a.trf", ContentFile(one)) for one in (b"1", b"2")]
    assert [read_upload(name) for name in names] == [b"1", b"2"]


def test_what_is_not_stored_cannot_be_opened():
    with pytest.raises(FileNotFoundError, match="reports/none"):
        read_upload("reports/none.trf")


@pytest.mark.parametrize("name", ["a", "a.", "a.¼", "a.b/c", "../../a.txt", "a.\x00"])
def test_a_name_says_the_ending_at_most(name):
    stored_as = store_upload("reports", name, [b"1"]).stored_as
    assert stored_as.rpartition("/")[0] == "reports"
    assert stored_as.partition(".")[2] in ("", "txt")


def test_a_file_that_is_too_large_leaves_nothing(monkeypatch):
    monkeypatch.setattr(actions, "LARGEST_FILE", 10)
    with pytest.raises(ImportRefused, match="Split it into smaller files"):
        received(ADA)
    assert not UploadPart.objects.exists()
    assert not Intake.objects.exists()


def test_files_of_earlier_versions_move_out_of_the_folder(
    settings, tmp_path, capsys, django_capture_on_commit_callbacks
):
    settings.DATA_DIR = tmp_path
    content = text_list([])
    fide_list = receive_list(
        actor=None, name="may.txt", content=[content], list_date=MAY
    )
    intake, lost = received(ADA), received(ADA, ADA)
    file = tmp_path / fide_list.stored_as
    file.parent.mkdir()
    file.write_bytes(content)
    for one in (fide_list, lost):
        DatabaseStorage().delete(one.stored_as)
    with django_capture_on_commit_callbacks(execute=True):
        call_command("move_uploads")
    assert read_upload(fide_list.stored_as) == content
    assert read_upload(intake.stored_as).endswith(f"{ADA}\n".encode())
    assert not file.exists()
    told = capsys.readouterr()
    assert told.out == "1 files moved, 1 not found.\n"
    assert told.err == f"Not found: {lost.stored_as}\n"


def test_a_file_is_not_deleted_where_another_has_its_name(tmp_path):
    folder, database = FileSystemStorage(tmp_path), DatabaseStorage()
    folder.save("reports/a.trf", ContentFile(b"1"))
    database.save("reports/a.trf", ContentFile(b"2"))
    with pytest.raises(OSError, match="differs"):
        move_upload("reports/a.trf", folder, database)
    assert (tmp_path / "reports/a.trf").read_bytes() == b"1"
    assert read_upload("reports/a.trf") == b"2"


def test_moving_to_the_same_storage_deletes_nothing(django_capture_on_commit_callbacks):
    intake = received(ADA)
    with django_capture_on_commit_callbacks(execute=True):
        call_command("move_uploads", to_database=True)
    assert read_upload(intake.stored_as).endswith(f"{ADA}\n".encode())
