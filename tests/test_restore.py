"""A dump that is restored elsewhere is the office: as docs/operations.md says it."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.databases import migrated_file
from tests.live_office import Office, scratch_database

pytestmark = [pytest.mark.xdist_group("real workers"), pytest.mark.gate]

OPERATIONS = Path("docs/operations.md")
MONTH = """
import django; django.setup()
from ratings_site.demo.month import play_month
play_month(lambda sentence: None)
"""
AUDIT = """
import django; django.setup()
from django.core.management import call_command
call_command("audit", full=True)
"""
RECEIVE = """
import django; django.setup()
from players.imports.services.actions import receive_file
content = bytes(range(256)) * 5_000
receive_file(actor=None, kind="members", name="members.csv", content=[content])
"""
OPEN = """
import django; django.setup()
import hashlib
from players.models import Intake
from ratings_site.common.uploads.services import read_upload
intake = Intake.objects.get()
content = read_upload(intake.stored_as)
assert content == bytes(range(256)) * 5_000, len(content)
assert hashlib.sha256(content).hexdigest() == intake.sha256
print("byte for byte")
"""
CONTENT = """
SELECT (SELECT count(*) FROM ratings_ratingchange),
       (SELECT sum(post_rating) FROM ratings_ratingchange),
       (SELECT count(*) FROM common_auditentry),
       (SELECT sum(length(content)) FROM ratings_officiallistfile)
"""


@pytest.fixture
def programs(require_services):
    if not (shutil.which("pg_dump") and shutil.which("pg_restore")):
        (pytest.fail if require_services else pytest.skip)(
            "needs pg_dump and pg_restore"
        )


def test_restored_dump_has_the_same_ledger_and_passes_the_audit(
    production_office, service_urls, tmp_path, programs
):
    production_office.python(MONTH)
    production_office.python(RECEIVE)
    dump, address = (
        tmp_path / "office.dump",
        production_office.environment["DATABASE_URL"],
    )
    documented("pg_dump", {"office.dump": dump, "$DATABASE_URL": address})
    name = f"{address.rsplit('/', 1)[1]}_restored"
    with scratch_database(service_urls[0], name, "template0") as elsewhere:
        documented(
            "pg_restore",
            {"office.dump": dump, "postgresql://.../restored": elsewhere},
        )
        restored = Office(**production_office.environment | {"DATABASE_URL": elsewhere})
        assert restored.rows(CONTENT) == production_office.rows(CONTENT)
        with pytest.raises(psycopg.errors.RestrictViolation):
            restored.rows("DELETE FROM ratings_ratingchange RETURNING id")
        assert restored.python(OPEN) == "byte for byte\n"
        assert restored.python(AUDIT).count(" yes (") == 5


def test_restored_copy_of_sqlite_has_the_uploaded_files(tmp_path):
    office, restored = (
        Office(DATA_DIR=str(tmp_path / name), DATABASE_URL="", REDIS_URL="")
        for name in ("office", "restored")
    )
    office.database.parent.mkdir()
    shutil.copy(migrated_file(), office.database)
    office.python(RECEIVE)
    backup = tmp_path / "office.backup"
    documented(
        "sqlite3", {"var/office.sqlite3": office.database, "office.backup": backup}
    )
    restored.database.parent.mkdir()
    shutil.copy(backup, restored.database)
    assert restored.python(OPEN) == "byte for byte\n"


def documented(program: str, names: dict[str, object]) -> None:
    """Run the command of docs/operations.md, with names of this test in it."""
    [command] = re.findall(rf"^{program} .*", OPERATIONS.read_text(), re.M)
    for name, value in names.items():
        assert name in command
        command = command.replace(name, str(value))
    run(*shlex.split(command))


def run(*command) -> None:
    subprocess.run([*map(str, command)], check=True, capture_output=True)
