"""A dump that is restored elsewhere is the office: as docs/operations.md says it."""

import shutil
import subprocess

import psycopg
import pytest

from tests.real_office import Office, scratch_database

pytestmark = pytest.mark.xdist_group("real workers")

MONTH = """
import django; django.setup()
from ratings_site.demo.month import month_of_an_office
month_of_an_office(lambda sentence: None)
"""
AUDIT = """
import django; django.setup()
from django.core.management import call_command
call_command("audit", full=True)
"""
CONTENT = """
SELECT (SELECT count(*) FROM ratings_ratingchange),
       (SELECT sum(post_rating) FROM ratings_ratingchange),
       (SELECT count(*) FROM common_auditentry),
       (SELECT sum(length(content)) FROM ratings_officiallistfile)
"""


@pytest.fixture
def programs(insist):
    if not (shutil.which("pg_dump") and shutil.which("pg_restore")):
        (pytest.fail if insist else pytest.skip)("needs pg_dump and pg_restore")


def test_restored_dump_has_the_same_books_and_passes_the_audit(
    production, servers, tmp_path, programs
):
    production.python(MONTH)
    dump, address = tmp_path / "office.dump", production.environment["DATABASE_URL"]
    run("pg_dump", "--format=custom", f"--file={dump}", address)
    name = f"{address.rsplit('/', 1)[1]}_restored"
    with scratch_database(servers[0], name, "template0") as elsewhere:
        run("pg_restore", "--clean", "--if-exists", f"--dbname={elsewhere}", dump)
        restored = Office(**production.environment | {"DATABASE_URL": elsewhere})
        assert restored.rows(CONTENT) == production.rows(CONTENT)
        with pytest.raises(psycopg.errors.RestrictViolation):
            restored.rows("DELETE FROM ratings_ratingchange RETURNING id")
        assert restored.python(AUDIT).count(" yes (") == 5


def run(*command) -> None:
    subprocess.run([*map(str, command)], check=True, capture_output=True)
