"""Files of the office are for its own account only, whatever the umask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gate

ROOT = Path(__file__).resolve().parent.parent
# Opened with its log, as a web process has it.
WORK = """
import django; django.setup()
from pathlib import Path
from django.db import connection
connection.cursor().execute("CREATE TABLE members (birth_date)")
for path in [Path(DATA), *Path(DATA).rglob("*")]:
    print(oct(path.stat().st_mode & 0o777), path.relative_to(DATA))
"""


def modes(data_dir: Path) -> dict[str, str]:
    """Work as a process with an open umask; return the modes of the files it left."""
    done = subprocess.run(
        [sys.executable, "-c", WORK.replace("DATA", repr(str(data_dir)))],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
            "DATA_DIR": str(data_dir),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "SECRET_KEY": "",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        umask=0o000,
    )
    assert done.returncode == 0, done.stderr
    return {name: mode for mode, name in map(str.split, done.stdout.splitlines())}


PRIVATE = {
    "secret_key": "0o600",
    "office.sqlite3": "0o600",
    "office.sqlite3-wal": "0o600",
    "office.sqlite3-shm": "0o600",
}


def test_a_new_office_is_private(tmp_path):
    assert modes(tmp_path / "office") == {".": "0o700", **PRIVATE}


def test_a_world_readable_office_becomes_private(tmp_path):
    for name in PRIVATE.keys() - {"secret_key"}:
        (tmp_path / name).touch(mode=0o644)
    tmp_path.chmod(0o755)
    found = modes(tmp_path)
    del found["."]  # another account's folder is not changed
    assert found == PRIVATE


@pytest.mark.parametrize("unit", sorted(ROOT.glob("docs/production/*.service")))
def test_the_units_of_systemd_write_private_files(unit):
    lines = unit.read_text().splitlines()
    assert {"UMask=0077", "StateDirectoryMode=0700"} <= set(lines)
