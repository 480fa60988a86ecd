"""What the office says when it cannot start: one sentence, no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DEAD_DATABASE = "postgresql://nobody@127.0.0.1:1/office"
DEAD_REDIS = "redis://127.0.0.1:1/0"
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


def manage(tmp_path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
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
            ["worker"],
            {"REDIS_URL": DEAD_REDIS},
            f"Redis at {DEAD_REDIS} cannot be used: ",
        ),
        (
            ["worker"],
            {},
            "REDIS_URL is not set, so the worker lives inside the web process: "
            "`make run` is all you need.",
        ),
        (
            ["serve", "--workers", "2"],
            {},
            "With the worker inside the web process there can be one web process only.",
        ),
        (["serve"], {"HTTPS": "true", "SECRET_KEY": "short"}, WEAK_KEY),
        (["serve"], {"HTTPS": "true", "SECRET_KEY": "abcdefghi" * 9}, WEAK_KEY),
        (
            ["serve"],
            {"HTTPS": "true", "SECRET_KEY": f"django-insecure-{GOOD_KEY}"},
            WEAK_KEY,
        ),
        (
            ["worker"],
            {"DATABASE_URL": DEAD_DATABASE, "REDIS_URL": DEAD_REDIS},
            WEAK_KEY,
        ),
        (
            ["serve"],
            {"HTTPS": "true", "SECRET_KEY": GOOD_KEY, "REQUIRE_SECOND_FACTOR": "false"},
            NO_SECOND_FACTOR,
        ),
        (["serve", "--demo"], {"HTTPS": "true", "SECRET_KEY": GOOD_KEY}, NO_DEMO),
        (["load_demo"], {"DATABASE_URL": DEAD_DATABASE}, NO_DEMO),
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


def test_embedded_office_keeps_a_secret_key_of_its_own(tmp_path):
    code, _, err = manage(tmp_path, "check", SECRET_KEY="")
    assert code == 0, err
    key = (tmp_path / "secret_key").read_text()
    assert len(key) > 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    manage(tmp_path, "check", SECRET_KEY="")
    assert (tmp_path / "secret_key").read_text() == key


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


def test_production_does_not_start_with_an_account_of_the_demo(tmp_path):
    manage(tmp_path, "migrate")
    made = manage(
        tmp_path,
        "shell",
        "-c",
        "from ratings_site.demo.accounts import make_accounts; make_accounts()",
    )
    assert made[0] == 0, made
    code, _, err = manage(tmp_path, "serve", HTTPS="true", SECRET_KEY=GOOD_KEY)
    assert code != 0
    assert "These accounts have the password of the demo: admin, director, " in err


def test_another_web_server_is_refused_a_weak_key_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import ratings_site.wsgi"],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
            "DATA_DIR": str(tmp_path),
            "DATABASE_URL": "",
            "SECRET_KEY": "short",
            "HTTPS": "true",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "SECRET_KEY can be guessed" in done.stderr.splitlines()[-1]
