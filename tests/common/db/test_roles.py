"""The web role reads and writes rows but cannot bypass append-only tables."""

from __future__ import annotations

import subprocess
import sys
from urllib.error import URLError
from urllib.request import urlopen

import psycopg
import pytest
from django.core.management import CommandError, call_command

from tests.database_roles import WEB_ROLE, make_web_role
from tests.live_office import ROOT, Office, wait_for

pytestmark = pytest.mark.xdist_group("real workers")

LEDGER = "ratings_ratingchange"
AUDIT = "common_auditentry"
DENIED = psycopg.errors.InsufficientPrivilege


def grant(office: Office) -> None:
    make_web_role(office.environment["DATABASE_URL"])
    office.python(
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        f"call_command('grant_web_role', '{WEB_ROLE}')"
    )


def web_address(office: Office) -> str:
    return office.environment["DATABASE_URL"].replace("postgres@", f"{WEB_ROLE}@")


@pytest.fixture
def web(production_office):
    """An office with a rated section, and a connection of the web role."""
    production_office.prepare(players=4, rounds=2)
    production_office.start("worker", "--processes", "1")
    production_office.wait_until_rated()
    grant(production_office)
    with psycopg.connect(web_address(production_office), autocommit=True) as connection:
        yield connection


def answers(address: str) -> bool:
    try:
        with urlopen(address) as page:  # noqa: S310 (our own server)
            return b"</html>" in page.read()
    except URLError:
        return False


WAYS_ROUND = [
    f"ALTER TABLE {AUDIT} DISABLE TRIGGER ALL",
    f"ALTER TABLE {LEDGER} DISABLE TRIGGER USER",
    f"DROP TRIGGER {AUDIT}_no_change ON {AUDIT}",
    f"CREATE OR REPLACE FUNCTION {AUDIT}_is_history() RETURNS trigger AS "
    "$$ BEGIN RETURN NEW; END $$ LANGUAGE plpgsql",
    f"ALTER FUNCTION {AUDIT}_is_history() RENAME TO gone",
    f"TRUNCATE {AUDIT}",
    f"TRUNCATE {LEDGER} CASCADE",
    f"DROP TABLE {AUDIT}",
    f"ALTER TABLE {AUDIT} RENAME TO gone",
    f"ALTER TABLE {AUDIT} OWNER TO {WEB_ROLE}",
    f"CREATE RULE quiet AS ON INSERT TO {AUDIT} DO INSTEAD NOTHING",
    f"CREATE TRIGGER quiet BEFORE INSERT ON {AUDIT} "
    f"FOR EACH ROW EXECUTE FUNCTION {AUDIT}_is_history()",
    "SET session_replication_role = replica",
    "SET ROLE postgres",
    f"GRANT postgres TO {WEB_ROLE}",
    f"ALTER ROLE {WEB_ROLE} SUPERUSER",
    "CREATE TABLE public.shadow (id integer)",
    "CREATE FUNCTION public.now() RETURNS integer AS 'SELECT 1' LANGUAGE sql",
    "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'y', now())",
    f"COPY {AUDIT} TO PROGRAM 'cat'",
]
CHANGES = [
    f"UPDATE {LEDGER} SET post_rating = 2800",  # noqa: S608 (our own tables)
    f"DELETE FROM {LEDGER}",  # noqa: S608
    f"UPDATE {AUDIT} SET reason = ''",  # noqa: S608
    f"DELETE FROM {AUDIT}",  # noqa: S608
]


def test_web_role_cannot_get_around_history(web):
    for statement in WAYS_ROUND:
        with pytest.raises(DENIED):
            web.execute(statement)
    for statement in CHANGES:
        with pytest.raises(psycopg.errors.RestrictViolation):
            web.execute(statement)


def test_web_role_reads_tables_that_are_made_later(web, production_office):
    owner = psycopg.connect(
        production_office.environment["DATABASE_URL"], autocommit=True
    )
    with owner:
        owner.execute(f"CREATE TABLE part (LIKE {LEDGER})")
    assert web.execute("SELECT count(*) FROM part").fetchone() == (0,)
    with pytest.raises(DENIED):
        web.execute("DROP TABLE part")


def test_office_serves_reports_as_the_web_role(production_office):
    grant(production_office)
    web = {"DATABASE_URL": web_address(production_office)}
    production_office.prepare(players=6, **web)
    served = Office(**production_office.environment | web)
    try:
        serving = served.start("serve", "--bind", "127.0.0.1:8934", "--workers", "1")
        production_office.start("worker", "--processes", "1")
        assert production_office.wait_until_rated()["section"] == "rated"
        wait_for(lambda: answers("http://127.0.0.1:8934/events/"))
        assert serving.poll() is None
    finally:
        served.stop()


def test_web_role_does_not_start_before_the_owner_has_migrated(production_office):
    grant(production_office)
    with psycopg.connect(production_office.environment["DATABASE_URL"]) as owner:
        owner.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--bind", "127.0.0.1:8934"],
        cwd=ROOT,
        env=production_office.environment
        | {"DATABASE_URL": web_address(production_office)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Run it with the owner's DATABASE_URL" in done.stderr


@pytest.mark.postgresql
@pytest.mark.django_db
@pytest.mark.parametrize("role", ["postgres", "no_such_role"])
def test_owner_and_unknown_roles_are_refused(service_urls, role):
    with pytest.raises(CommandError, match=role):
        call_command("grant_web_role", role)
