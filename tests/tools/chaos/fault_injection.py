"""The office that is beaten: its processes, what strikes them, who reads its pages."""

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

import psycopg
import redis

from tests.live_office import ROOT, Office, wait_for
from tests.tools.chaos.actions import ACTIONS

WORKERS = ("worker 1", "worker 2")
WEB = "web"
LINK = re.compile(r'href="(/[^"#]*)"')
# URLs that are not public or do not show ratings.
NOT_READ = ("/static/", "/accounts/", "/i18n/", "/office", "/admin")


class OfficeUnderTest(Office):
    """Workers, a web server and people; whatever is struck down starts again."""

    def __init__(self, folder: Path, **environment: str) -> None:
        super().__init__(DATA_DIR=str(folder), **environment)
        self.folder = folder
        self.named: dict[str, subprocess.Popen] = {}
        self.starts: Counter[str] = Counter()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def command(self, name: str) -> list[str]:
        if name in WORKERS:
            return ["manage.py", "worker", "--processes", "2"]
        if name == WEB:
            return [
                "manage.py",
                "serve",
                f"--bind=127.0.0.1:{self.port}",
                "--workers=2",
            ]
        return ["-m", "tests.tools.chaos", "--act", name, str(self.starts[name])]

    def open(self, name: str) -> None:
        """Start a process of the office, or start it again."""
        self.starts[name] += 1
        with (self.folder / f"{name}.log").open("ab") as log:
            self.named[name] = subprocess.Popen(
                [sys.executable, *self.command(name)],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(self.named[name])

    def open_all(self) -> None:
        for name in (*WORKERS, WEB, *ACTIONS):
            self.open(name)
        wait_for(lambda: page(self.port, "/") is not None)

    def stop_actors(self) -> None:
        """Let all processes finish their current action."""
        for name in ACTIONS:
            self.named[name].terminate()
        for name in ACTIONS:
            self.named[name].wait(60)


class FaultInjector:
    """The injected faults, all of which happen in production."""

    def __init__(self, office: OfficeUnderTest, seed: int) -> None:
        self.office, self.chance = office, random.Random(seed)
        self.injected: Counter[str] = Counter()
        self.all: dict[str, Callable[[], None]] = {
            "a worker with all its processes killed": self.kill_worker,
            "one process of a worker killed": self.kill_child,
            "somebody's process killed in the middle of an act": self.kill_actor,
            "the web server killed": self.kill_web,
            "a connection to the database cut": self.cut_connection,
            "Redis flushed": self.flush_redis,
        }

    def inject(self) -> None:
        name = self.chance.choice(list(self.all))
        self.all[name]()
        self.injected[name] += 1

    def _restart(self, name: str) -> None:
        self.office.kill(self.office.named[name])
        self.office.open(name)

    def kill_worker(self) -> None:
        self._restart(self.chance.choice(WORKERS))

    def kill_actor(self) -> None:
        self._restart(self.chance.choice(list(ACTIONS)))

    def kill_web(self) -> None:
        self._restart(WEB)

    def kill_child(self) -> None:
        worker = self.office.named[self.chance.choice(WORKERS)]
        asked = ["pgrep", "-P", str(worker.pid)]
        children = subprocess.run(asked, capture_output=True, check=False).stdout
        if children:
            os.kill(int(self.chance.choice(children.split())), signal.SIGKILL)

    def cut_connection(self) -> None:
        address = self.office.environment["DATABASE_URL"]
        with psycopg.connect(address, autocommit=True) as ours:
            ours.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid() "
                "ORDER BY (state = 'active') DESC, random() LIMIT 1"
            )

    def flush_redis(self) -> None:
        redis.Redis.from_url(self.office.environment["REDIS_URL"]).flushdb()


class Readers:
    """Visitors who follow links until they are stopped."""

    def __init__(self, port: int, count: int = 2) -> None:
        self.port = port
        self.seen: Counter[str] = Counter()
        self.faults: list[tuple[str, str]] = []  # address, name of the request
        self._is_over = threading.Event()
        self._threads = [
            threading.Thread(target=self._browse, args=(seed,)) for seed in range(count)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _browse(self, seed: int) -> None:
        chance = random.Random(seed)
        at = "/"
        found = page(self.port, at)
        while not self._is_over.wait(0.1 if found else 1):
            found = page(self.port, at)
            self.seen["not answered" if found is None else f"{found.status}"] += 1
            if found and found.status == HTTPStatus.INTERNAL_SERVER_ERROR:
                self.faults.append((at, found.request))
            links = LINK.findall(found.text) if found else []
            ways = [one for one in links if not one.startswith(NOT_READ)]
            at = chance.choice(ways).replace("&amp;", "&") if ways else "/"


class Answer(NamedTuple):
    """A visitor's response; *request* is its ID in the log."""

    status: int
    request: str
    text: str = ""


def page(port: int, path: str) -> Answer | None:
    """Return the response of a page, or None if the server is down."""
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}{path}", timeout=60
        ) as got:
            text = got.read().decode(errors="replace")
            return Answer(got.status, got.headers["X-Request-Id"], text)
    except urllib.error.HTTPError as refusal:
        return Answer(refusal.code, refusal.headers["X-Request-Id"])
    except (OSError, http.client.HTTPException):  # struck down just now
        return None


def inject_until(end: float, injector: FaultInjector, every: float) -> None:
    while time.monotonic() < end:
        time.sleep(
            min(every * (0.5 + injector.chance.random()), end - time.monotonic())
        )
        injector.inject()
