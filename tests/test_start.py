"""Startup errors are one sentence without a traceback."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

import manage as command_line
from ratings_site.common.models import User
from ratings_site.demo.accounts import make_accounts
from tests.databases import migrated_file
from tests.live_office import database_of_office

pytestmark = pytest.mark.gate

ROOT = Path(__file__).resolve().parent.parent
DEAD_DATABASE = "postgresql://nobody@127.0.0.1:1/office"
DEAD_REDIS = "redis://127.0.0.1:1/0"
BOTH_KINDS_OF_TLS = (
    "The office cannot start: EMAIL_USE_TLS and EMAIL_USE_SSL exclude each other."
)
GOOD_KEY = "x" * 30 + "y!z?0123456789abcdefghijklmnopqrstuvw"
WEAK_KEY = (
    "The office cannot start: SECRET_KEY can be guessed, and with it every session: "
    "with PostgreSQL or HTTPS it needs 50 characters at random. Make one with: "
)
NO_SECOND_FACTOR = (
    "The office cannot start: REQUIRE_SECOND_FACTOR is off: with PostgreSQL or HTTPS, "
    "accounts of the office need a second factor."
)
NO_DEMO = (
    "The office cannot start: The demo makes a superuser whose password everybody can "
    "read: it is not for PostgreSQL or HTTPS."
)


def python(tmp_path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
            "DATA_DIR": str(tmp_path),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "SECRET_KEY": "only for tests",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def manage(tmp_path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    return python(tmp_path, "manage.py", *arguments, **environment)


@pytest.mark.parametrize(
    ("arguments", "environment", "sentence"),
    [
        (
            ["migrate"],
            {"DATABASE_URL": DEAD_DATABASE},
            "The database office on 127.0.0.1:1 cannot be used: ",
        ),
        (
            ["migrate"],
            {"DATABASE_URL": "mysql://office"},
            "The office cannot start: DATABASE_URL must look like "
            "postgresql://user:password@host:5432/name (leave it empty for SQLite).",
        ),
        (
            ["migrate"],
            {"DATABASE_URL": "postgresql://office@db.example.org"},
            "The office cannot start: DATABASE_URL names no database: "
            "add /name at its end.",
        ),
        (
            ["migrate"],
            {"DATABASE_URL": DEAD_DATABASE, "SECRET_KEY": ""},
            "The office cannot start: SECRET_KEY is missing: set it to a long random "
            "text, the same on every machine of the office.",
        ),
        (
            ["worker"],
            {"REDIS_URL": "localhost:6379"},
            "The office cannot start: REDIS_URL must look like redis://host:6379/0 "
            "(leave it empty for the worker inside the web process).",
        ),
        (
            ["migrate"],
            {"EMAIL_USE_TLS": "true", "EMAIL_USE_SSL": "true"},
            BOTH_KINDS_OF_TLS,
        ),
        (
            ["worker"],
            {"DATABASE_URL": DEAD_DATABASE, "REDIS_URL": DEAD_REDIS},
            WEAK_KEY,
        ),
    ],
)
def test_office_says_in_one_sentence_why_it_cannot_start(
    tmp_path, arguments, environment, sentence
):
    code, out, err = manage(tmp_path, *arguments, **environment)
    assert code != 0
    assert err.startswith(sentence)
    assert "Traceback" not in out + err
    assert err.count("\n") == 1


SAFE = {
    "HTTPS": True,
    "SECRET_KEY": GOOD_KEY,
    "REQUIRE_SECOND_FACTOR": True,
    "ALLOWED_HOSTS": ["ratings.example.org"],
}
# Earlier versions of docs/production/ratings-office.env had it as an example.
TEMPLATE_KEY_OF_BEFORE = (
    "make-one-with-the-command-that-the-office-names-when-this-is-too-weak"
)


@pytest.mark.parametrize(
    ("arguments", "changes", "sentence"),
    [
        (
            ["worker"],
            {},
            "REDIS_URL is not set, so the worker runs inside the web process. "
            "Just use `make run`.",
        ),
        (
            ["serve", "--workers", "2"],
            {},
            "The worker runs inside the web process, so only one web process is "
            "possible.",
        ),
        (
            ["worker"],
            SAFE | {"REDIS_URL": DEAD_REDIS, "EMBEDDED_WORKER": False},
            f"Can’t connect to Redis at {DEAD_REDIS}: ",
        ),
        (["serve"], SAFE | {"SECRET_KEY": "short"}, WEAK_KEY),
        (["serve"], SAFE | {"SECRET_KEY": "abcdefghi" * 9}, WEAK_KEY),
        (["serve"], SAFE | {"SECRET_KEY": f"django-insecure-{GOOD_KEY}"}, WEAK_KEY),
        (["serve"], SAFE | {"SECRET_KEY": f"Change me! {GOOD_KEY}"}, WEAK_KEY),
        (["serve"], SAFE | {"SECRET_KEY": TEMPLATE_KEY_OF_BEFORE}, WEAK_KEY),
        (["serve"], SAFE | {"DEBUG": True}, "The office cannot start: DEBUG is on: "),
        (
            ["serve"],
            SAFE | {"ALLOWED_HOSTS": ["ratings.example.org", "*"]},
            "The office cannot start: ALLOWED_HOSTS is *: ",
        ),
        (
            ["serve"],
            SAFE | {"WEBHOOKS_TO_PRIVATE_ADDRESSES": True},
            "The office cannot start: WEBHOOKS_TO_PRIVATE_ADDRESSES is on: ",
        ),
        (
            ["serve"],
            SAFE | {"SECRET_KEY_FALLBACKS": [GOOD_KEY, "short"]},
            "The office cannot start: SECRET_KEY_FALLBACKS holds a key that can be",
        ),
        (["serve"], SAFE | {"REQUIRE_SECOND_FACTOR": False}, NO_SECOND_FACTOR),
        (["serve", "--demo"], SAFE, NO_DEMO),
        (["load_demo"], SAFE, NO_DEMO),
    ],
)
def test_command_says_why_it_does_not_begin(
    monkeypatch, settings, arguments, changes, sentence
):
    """As above, without a process: none of these comes to the database."""
    settings.EMBEDDED_WORKER = True
    for name, value in changes.items():
        setattr(settings, name, value)
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    with pytest.raises(SystemExit) as exit_:
        command_line.main()
    assert str(exit_.value.code).startswith(sentence)
    assert "\n" not in exit_.value.code


def test_a_comma_too_many_is_no_key(tmp_path):
    """An empty key would let anyone forge signatures."""
    read = "from ratings_site.settings import SECRET_KEY_FALLBACKS as keys; print(keys)"
    out = python(tmp_path, "-c", read, SECRET_KEY_FALLBACKS=f"{GOOD_KEY}, ,")[1]
    assert out.strip() == repr([GOOD_KEY])


def test_embedded_office_keeps_a_secret_key_of_its_own(tmp_path):
    read = ("-c", "from ratings_site.settings import SECRET_KEY; print(SECRET_KEY)")
    code, key, err = python(tmp_path, *read, SECRET_KEY="")
    assert code == 0, err
    assert (tmp_path / "secret_key").read_text() == key.strip()
    assert len(key) > 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    assert python(tmp_path, *read, SECRET_KEY="")[1] == key


def test_production_settings_pass_the_deployment_check(tmp_path):
    code, _, err = manage(
        tmp_path,
        "check",
        "--deploy",
        "--fail-level=WARNING",
        SECRET_KEY=GOOD_KEY,
        HTTPS="true",
    )
    assert code == 0, err


class QuickHasher(PBKDF2PasswordHasher):
    """As production's, but done in no time."""

    iterations = 1


def test_production_does_not_start_with_an_account_of_the_demo(
    tmp_path, settings, django_db_blocker
):
    shutil.copy(migrated_file(), tmp_path / "office.sqlite3")
    settings.PASSWORD_HASHERS = [f"{__name__}.{QuickHasher.__name__}"]
    with django_db_blocker.unblock(), database_of_office(tmp_path / "office.sqlite3"):
        make_accounts()
        User.objects.exclude(username__in=["admin", "td"]).update(is_active=False)
    code, _, err = manage(tmp_path, "serve", HTTPS="true", SECRET_KEY=GOOD_KEY)
    assert code != 0
    assert "These accounts have the password of the demo: admin, td. " in err


def test_another_web_server_is_refused_a_weak_key_too(tmp_path):
    starts = ("-c", "import ratings_site.wsgi")
    _, _, err = python(tmp_path, *starts, SECRET_KEY="short", HTTPS="true")
    assert "SECRET_KEY can be guessed" in err.splitlines()[-1]
