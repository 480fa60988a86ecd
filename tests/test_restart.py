"""The web processes restart behind a socket that stays open, as under systemd."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

import pytest
from django.contrib.staticfiles.finders import find
from django.core.management import call_command

from ratings_site.management.commands.serve import static_is_current
from tests.databases import migrated_file
from tests.live_office import PATIENCE, ROOT, Office, wait_for

pytestmark = pytest.mark.gate

# What `systemd-socket-activate` does, where it is not installed.
ACTIVATE = """
import os, socket, sys
host, port = sys.argv[2].split(":")
listener = socket.create_server((host, int(port)), backlog=128)
os.dup2(listener.fileno(), 3)
os.environ["LISTEN_FDS"] = "1"
os.execvp(sys.argv[3], sys.argv[3:])
"""
# Keeps the socket, and starts what serves it again when it has ended.
KEEPER = """
while [ -d "$DATA_DIR" ]; do
    ( echo $BASHPID >"$PID_FILE"; export LISTEN_PID=$BASHPID; exec "$@" )
    sleep 0.1
done
"""

TOKEN = b"a" * 32
FORM = b"login=nobody&password=wrong&csrfmiddlewaretoken=" + TOKEN
SIGN_IN = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: %d\r\nCookie: csrftoken=%s\r\nConnection: close\r\n\r\n"
) % (len(FORM), TOKEN)


class ServedOffice(Office):
    """An office on SQLite behind a socket; no Redis, so that nothing is embedded."""

    def open(self, folder) -> None:
        self.pid_file = folder / "pid"
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(str(folder / "notify"))
        self.notices.settimeout(PATIENCE)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        opener = ["systemd-socket-activate"]
        if not shutil.which(opener[0]):
            opener = [sys.executable, "-c", ACTIVATE]
        # systemd-socket-activate passes on little of its own environment.
        environment = self.environment | {
            "PID_FILE": str(self.pid_file),
            "NOTIFY_SOCKET": str(folder / "notify"),
        }
        serve = [sys.executable, "manage.py", "serve", "--bind", "127.0.0.1:1"]
        keeper = subprocess.Popen(
            [
                *opener,
                *("--listen", f"127.0.0.1:{self.port}"),
                *("env", *(f"{name}={value}" for name, value in environment.items())),
                *("bash", "-c", KEEPER, "keeper", *serve, "--workers", "2"),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(keeper)
        wait_for(lambda: self.answers() == 200)

    def answers(self) -> int | None:
        """Return the status of a page, or None if there was no whole answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/health/")
            response = connection.getresponse()
            assert b'"healthy"' in response.read()
        except OSError:
            return None
        else:
            return response.status
        finally:
            connection.close()

    def is_ready(self) -> bool:
        """Wait for the notification to systemd that the address is served."""
        return self.notices.recv(1000).startswith(b"READY=1")


@pytest.fixture
def served(tmp_path, real_date):
    shutil.copy(migrated_file(), tmp_path / "office.sqlite3")
    office = ServedOffice(
        DATA_DIR=str(tmp_path),
        DATABASE_URL="",
        REDIS_URL="redis://127.0.0.1:1/0",
        HASHED_STATIC="true",
    )
    try:
        office.open(tmp_path)
        assert office.is_ready()
        yield office
    finally:
        office.stop()
    office.notices.close()


def test_no_request_fails_while_the_web_processes_restart(served, tmp_path):
    manifest = tmp_path / "static" / "staticfiles.json"
    collected = manifest.stat().st_mtime_ns
    first = served.pid_file.read_text()
    statuses, is_over = [], threading.Event()

    def visit():
        while not is_over.is_set():
            statuses.append(served.answers())

    visitors = [threading.Thread(target=visit) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    with socket.create_connection(("127.0.0.1", served.port)) as slow:
        slow.sendall(SIGN_IN)
        time.sleep(0.5)
        os.kill(int(first), signal.SIGTERM)
        # Longer than gunicorn was given to end.
        time.sleep(7)
        slow.sendall(FORM)
        slow.settimeout(PATIENCE)
        answer = slow.makefile("rb").read()
    assert served.is_ready()
    seen = len(statuses)
    wait_for(lambda: len(statuses) > seen + 20)
    is_over.set()
    for visitor in visitors:
        visitor.join()
    assert set(statuses) == {200}
    # The page that says that name or password is wrong.
    assert answer.startswith(b"HTTP/1.1 422 ")
    assert answer.rstrip().endswith(b"</html>")
    assert served.pid_file.read_text() != first
    assert manifest.stat().st_mtime_ns == collected, "static files were collected again"


@pytest.fixture
def hashed_static(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {
            "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        }
    }


def test_static_files_are_current_until_one_is_changed_lost_or_new(
    hashed_static, settings, tmp_path
):
    assert not static_is_current()
    call_command("collectstatic", verbosity=0, interactive=False)
    assert static_is_current()

    [style] = (tmp_path / "office").glob("*/office.css")
    text = style.read_text()
    style.write_text(text.replace("{", "{ ", 1))
    assert not static_is_current()
    style.write_text(text)
    assert static_is_current()

    hashed = next(style.parent.glob("office.*.css"))
    hashed.rename(tmp_path / "lost")
    assert not static_is_current()
    (tmp_path / "lost").rename(hashed)
    assert static_is_current()

    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "new.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [tmp_path / "more"]
    assert find("new.css")
    assert not static_is_current()
