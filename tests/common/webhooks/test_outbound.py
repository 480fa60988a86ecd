"""Requests to URLs of users reach the public internet only."""

import socket
import threading
from ipaddress import ip_address

import pytest

from ratings_site.common.webhooks import outbound
from ratings_site.common.webhooks.outbound import (
    Answer,
    Unreachable,
    is_public_address,
    post,
    url_problem,
)
from tests.webhook_receiver import WebhookReceiver, running_receiver


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104
        "255.255.255.255",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "::127.0.0.1",
        "::ffff:0:7f00:1",
        "192.0.0.8",
        "5f00::1",
        "3fff::1",
        "2001:db8::1",
    ],
)
def test_private_addresses_are_not_reached_however_they_are_written(address):
    assert not is_public_address(ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111"])
def test_public_addresses_are_reached(address):
    assert is_public_address(ip_address(address))


HTTPS = "The URL must start with https:// and include a host."
PLAIN = "Enter the URL without spaces or special characters."
PUBLIC = "This URL is not on the public internet."
PORT = "The URL must use port 443 or 8443."


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://example.org/hook", ""),
        ("https://example.org:8443/hook?a=b", ""),
        ("http://example.org/hook", HTTPS),
        ("ftp://example.org/", HTTPS),
        ("https:///hook", HTTPS),
        ("nonsense", HTTPS),
        ("", HTTPS),
        ("https://example.org/a b", PLAIN),
        ("https://example.org/\r\nHost: x", PLAIN),
        ("https://exämple.org/", PLAIN),
        ("https://example.org/#part", "Remove the # and everything after it."),
        (
            "https://name:word@example.org/",
            "Remove the username and password from the URL. "
            "Messages are signed instead.",
        ),
        ("https://example.org:22/", PORT),
        ("https://example.org:0/", PORT),
        ("https://example.org:99999/", "This is not a valid URL."),
        ("https://[::1", "This is not a valid URL."),
        ("https://127.0.0.1/", PUBLIC),
        ("https://[::1]/", PUBLIC),
        ("https://169.254.169.254/latest/meta-data/", PUBLIC),
    ],
)
def test_what_is_wrong_with_an_address_is_said(url, problem):
    assert url_problem(url) == problem


def resolving_to(monkeypatch, *addresses: str) -> list[tuple]:
    """Resolve every name to these addresses; return the connections made."""
    connected: list[tuple] = []

    def getaddrinfo(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
                for one in addresses]  # fmt: skip

    def create_connection(address, timeout):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(outbound.socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(outbound.socket, "create_connection", create_connection)
    return connected


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "169.254.169.254"])
def test_name_that_leads_inside_is_refused_before_anything_is_sent(
    monkeypatch, address
):
    connected = resolving_to(monkeypatch, address)
    with pytest.raises(Unreachable, match="The host name has no public IP address"):
        post("https://rebound.example.org/", body=b"{}", headers={})
    assert connected == []


def test_connection_goes_to_the_address_that_was_looked_at(monkeypatch):
    connected = resolving_to(monkeypatch, "10.0.0.7", "93.184.216.34")
    with pytest.raises(Unreachable, match="Could not connect to the receiver"):
        post("https://both.example.org/", body=b"{}", headers={})
    assert connected == [("93.184.216.34", 443)]


@pytest.mark.parametrize("host", ["a..b", "x" * 70 + ".org", ".org"])
def test_host_without_a_form_is_unreachable_like_any_other(host):
    with pytest.raises(Unreachable):
        post(f"https://{host}/", body=b"{}", headers={})


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "http://localhost/"])
def test_addresses_are_looked_at_again_when_something_is_sent(url):
    with pytest.raises(Unreachable):
        post(url, body=b"{}", headers={})


class TestOnThisMachine:
    @pytest.fixture(autouse=True)
    def _private(self, settings):
        settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True

    def test_body_headers_and_query_arrive_as_they_are(self):
        with running_receiver(
            WebhookReceiver(status=200, answer=b"thanks")
        ) as receiver:
            answer = post(receiver.url, body="½".encode(), headers={"X-One": "1"})
        assert answer == Answer(200, "thanks")
        [(headers, body)] = receiver.requests
        assert body == "½".encode()
        assert headers["X-One"] == "1"
        assert headers["Host"] == receiver.url.split("/")[2]

    def test_redirect_is_not_followed(self):
        with (
            running_receiver(WebhookReceiver()) as inside,
            running_receiver(
                WebhookReceiver(status=307, location=inside.url)
            ) as receiver,
        ):
            answer = post(receiver.url, body=b"{}", headers={})
        assert (answer.status, answer.is_good) == (307, False)
        assert inside.requests == []

    def test_of_a_long_answer_the_beginning_is_read(self):
        with running_receiver(
            WebhookReceiver(status=500, answer=b"x" * 1_000_000)
        ) as receiver:
            answer = post(receiver.url, body=b"{}", headers={})
        assert answer == Answer(500, "x" * outbound.MAX_BYTES)

    @pytest.mark.parametrize(
        "beginning",
        [b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.0 200 OK\r\n\r\nbody: "],
        ids=["headers", "body"],
    )
    def test_receiver_that_answers_byte_by_byte_times_out(self, monkeypatch, beginning):
        monkeypatch.setattr(outbound, "TOTAL_SECONDS", 0.3)
        is_over = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as server:

            def drip() -> None:
                one, _ = server.accept()
                with one:
                    one.sendall(beginning)
                    while not is_over.wait(0.05):
                        try:
                            one.sendall(b"x")
                        except OSError:
                            return

            thread = threading.Thread(target=drip)
            thread.start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            with pytest.raises(
                Unreachable, match="The receiver did not respond in time"
            ):
                post(url, body=b"{}", headers={})
            is_over.set()
            thread.join()

    def test_refused_connection_is_reported(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with pytest.raises(Unreachable, match=r"^Could not connect to the receiver\.$"):
            post(f"http://127.0.0.1:{port}/", body=b"{}", headers={})

    def test_answer_that_is_not_http_is_said(self):
        with socket.create_server(("127.0.0.1", 0)) as server:

            def chatter() -> None:
                one, _ = server.accept()
                with one:
                    one.recv(1000)
                    one.sendall(b"220 mail ready\r\n")

            thread = threading.Thread(target=chatter)
            thread.start()
            with pytest.raises(Unreachable, match="Could not connect to the receiver"):
                post(
                    f"http://127.0.0.1:{server.getsockname()[1]}/", body=b"", headers={}
                )
            thread.join()
