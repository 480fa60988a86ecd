"""docs/production/nginx.conf in a real nginx, before a web server that counts."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from events.reports.views.reports import MAX_REQUEST_BYTES
from players.imports.services.actions import LARGEST_FILE
from ratings.research.experiments.forms.experiments import MAX_FILE_BYTES
from tests.live_office import wait_for

pytestmark = pytest.mark.gate

SITE = "ratings.example.org"
MAIN = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class BackendHandler(BaseHTTPRequestHandler):
    """Answers as the office would: strangers have to sign in for its pages."""

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_office = self.path.startswith("/office/")
        signed_in = "sessionid=clerk" in (self.headers.get("Cookie") or "")
        self.send_response(200 if signed_in or not is_office else 302)
        if is_office and not signed_in:
            self.send_header("Location", f"/accounts/login/?next={self.path}")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"page")

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


class Proxy:
    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self.behind = ThreadingHTTPServer(("127.0.0.1", 0), BackendHandler)
        self.behind.asked = []
        thread = threading.Thread(target=self.behind.serve_forever)
        thread.start()
        opened.callback(thread.join)
        opened.callback(self.behind.server_close)
        opened.callback(self.behind.shutdown)
        with (
            socket.create_server(("127.0.0.1", 0)) as plain,
            socket.create_server(("127.0.0.1", 0)) as secure,
        ):
            ports = [one.getsockname()[1] for one in (plain, secure)]
        self.port = ports[1]
        site = Path("docs/production/nginx.conf").read_text()
        for written, here in (
            ("listen 80;", f"listen 127.0.0.1:{ports[0]};"),
            ("listen 443 ", f"listen 127.0.0.1:{ports[1]} "),
            ("127.0.0.1:8001", f"127.0.0.1:{self.behind.server_port}"),
            ("/etc/ssl/ratings-office", f"{folder}/site"),
        ):
            assert written in site
            site = site.replace(written, here)
        (folder / "site.conf").write_text(site)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
                *("-subj", f"/CN={SITE}", "-addext", f"subjectAltName=DNS:{SITE}"),
                *("-keyout", folder / "site.key", "-out", folder / "site.crt"),
            ],
            check=True,
            capture_output=True,
        )
        self.trusted = ssl.create_default_context(cafile=str(folder / "site.crt"))
        command = ["nginx", "-p", folder, "-c", folder / "nginx.conf"]
        tested = subprocess.run(
            [*command, "-t"], check=False, capture_output=True, text=True
        )
        assert (tested.returncode, "[warn]" in tested.stderr) == (0, False), tested
        running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        opened.callback(running.wait)
        opened.callback(running.terminate)
        wait_for(self._listens)

    def _listens(self) -> bool:
        with socket.socket() as visitor:
            return visitor.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self, method: str, path: str, *headers: str) -> tuple[int, str]:
        """Return the status and the whole answer of a request without a body."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=60) as plain,
            self.trusted.wrap_socket(plain, server_hostname=SITE) as visitor,
        ):
            lines = [f"{method} {path} HTTP/1.1", f"Host: {SITE}", *headers, "", ""]
            visitor.sendall("\r\n".join(lines).encode())
            answer = visitor.recv(4000).decode()
        return int(answer.split()[1]), answer

    def send_headers(self, size: int, path: str, *headers: str) -> int:
        """Offer a body; 100 says that nginx would take it."""
        length = f"Content-Length: {size}"
        return self.ask("POST", path, length, "Expect: 100-continue", *headers)[0]


@pytest.fixture
def proxy(tmp_path, require_services):
    if not (shutil.which("nginx") and shutil.which("openssl")):
        (pytest.fail if require_services else pytest.skip)("needs nginx and openssl")
    with ExitStack() as opened:
        yield Proxy(tmp_path, opened)


CLERK = "Cookie: sessionid=clerk"


def test_sizes_follow_what_the_office_takes_at_each_address(proxy):
    report = max(MAX_REQUEST_BYTES, MAX_FILE_BYTES)
    for path in (
        "/desk/upload/",
        "/laboratory/experiments/new/",
        "/office/foreign/upload/",
        "/office/foreign/events/7/upload/",
        "/office/claims/invite/list/",
    ):
        assert [
            proxy.send_headers(report, path),
            proxy.send_headers(30_000_000, path),
        ] == [100, 413]
    for path in ("/", "/accounts/login/", "/api/v1/estimate/section", "/admin/"):
        assert [
            proxy.send_headers(5_000_000, path),
            proxy.send_headers(report, path),
        ] == [100, 413]
    for path in ("/office/intake/", "/office/fide/"):
        assert proxy.send_headers(LARGEST_FILE, path, CLERK) == 100
        assert proxy.send_headers(600_000_000, path, CLERK) == 413


@pytest.mark.parametrize("path", ["/office/intake/", "/office/fide/"])
def test_a_stranger_is_sent_to_sign_in_before_a_large_file_is_received(proxy, path):
    status, answer = proxy.ask("POST", path, f"Content-Length: {LARGEST_FILE}")
    assert status == 303
    [location] = re.findall(r"^Location: (.*)\r$", answer, re.M)
    assert location.endswith(f"/accounts/login/?next={path}")
    assert proxy.behind.asked == [("GET", path)]
    assert proxy.ask("POST", path, "Content-Length: 0", CLERK)[0] == 200
    assert proxy.behind.asked[1:] == [("GET", path), ("POST", path)]


@pytest.mark.parametrize(
    ("path", "allowed"), [("/accounts/login/", 31), ("/desk/upload/", 21)]
)
def test_reading_is_free_where_sending_is_limited(proxy, path, allowed):
    read = [proxy.ask("GET", path)[0] for _ in range(allowed + 5)]
    assert set(read) == {200}
    sent = [proxy.ask("POST", path, "Content-Length: 0") for _ in range(allowed + 25)]
    statuses = [status for status, _ in sent]
    assert set(statuses[:allowed]) == {200}
    assert statuses[-1] == 429
    refused = sent[-1][1]
    assert re.search(r"Retry-After: \d+", refused)
    assert "Wait a minute, then try again." in refused


def test_web_processes_that_are_away_give_a_page_that_says_when_to_come_back(proxy):
    proxy.behind.shutdown()
    proxy.behind.server_close()
    for path in ("/", "/desk/upload/", "/office/intake/"):
        status, answer = proxy.ask("GET", path)
        assert status == 503
        assert "Retry-After: 30" in answer
        assert "The site is briefly unavailable" in answer
