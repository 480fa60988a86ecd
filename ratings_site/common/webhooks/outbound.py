"""A request to an address that somebody else has typed in.

Such an address must not lead into the office's own network. So the host's name is
looked up here, only public addresses count, and the connection goes to the very
address that was looked at: a name that resolves otherwise a moment later gains
nothing. Redirects are not followed, and of the answer only the beginning is read.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

# For one step, such as connecting, and for everything together.
STEP_SECONDS, ALL_SECONDS = 5.0, 10.0
MOST_BYTES = 2_000
PORTS = (443, 8443)
# All that IANA has given out for the public internet; below it lie the ways to write
# an IPv4 address into an IPv6 one, above it private and local networks.
_PUBLIC_V6 = IPv6Network("2000::/3")
# Reserved later than this Python's tables know: for examples, and for protocols.
_SPECIAL = (IPv6Network("3fff::/20"), IPv4Network("192.0.0.0/24"))


class Unreachable(Exception):
    """There is no answer; the message says why, for the person whose address it is."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    beginning: str

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def why_not_address(url: str) -> str:
    """Say what is wrong with an address before anything is looked up; "" if nothing."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return _("This is not an address of the web.")
    if parts.scheme not in _schemes() or not parts.hostname:
        return _("The address has to begin with https:// and name a host.")
    if not url.isascii() or any(letter <= " " for letter in url):
        return _("Write the address without blanks and in plain letters.")
    if parts.username is not None or parts.password is not None:
        return _("Leave name and password out of the address; messages are signed.")
    if parts.fragment:
        return _("Leave out what follows the #.")
    if not settings.WEBHOOKS_TO_PRIVATE_ADDRESSES and port not in (None, *PORTS):
        return _("The receiver has to listen on port 443 or 8443.")
    with suppress(ValueError):
        if not may_reach(ip_address(parts.hostname)):
            return _("This address is not on the public internet.")
    return ""


def _schemes() -> tuple[str, ...]:
    return ("https", "http") if settings.WEBHOOKS_TO_PRIVATE_ADDRESSES else ("https",)


def may_reach(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is on the public internet, however it is written."""
    if settings.WEBHOOKS_TO_PRIVATE_ADDRESSES:
        return True
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return may_reach(inner)
        if address not in _PUBLIC_V6 or address.teredo is not None:
            return False
    is_special = any(address in network for network in _SPECIAL)
    return address.is_global and not address.is_multicast and not is_special


def post(url: str, *, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send *body* to *url* and return how the answer begins, or raise Unreachable."""
    if problem := why_not_address(url):
        raise Unreachable(problem)
    parts = urlsplit(url)
    connection = _connection(parts)
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    try:
        with _ended_in_time(connection):
            connection.request("POST", path, body=body, headers=dict(headers))
            response = connection.getresponse()
            beginning = response.read(MOST_BYTES)
    # Of a host whose name has no form, such as a..b, getaddrinfo says ValueError.
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_in_words(error)) from error
    finally:
        connection.close()
    return Answer(response.status, beginning.decode("utf-8", "replace"))


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return _("The receiver did not answer in time.")
    if isinstance(error, ssl.SSLError):
        return _("The receiver’s certificate or encryption was refused.")
    return _("The receiver could not be reached.")


class _Connection(http.client.HTTPConnection):
    """A connection to a public address of the host, and to no other.

    It keeps the socket in hand: once the answer has begun, http.client lets go of it.
    """

    in_hand: socket.socket | None = None
    is_late = False

    def connect(self) -> None:
        self.sock = self.in_hand = socket.create_connection(
            (_public_address(self.host, self.port), self.port), STEP_SECONDS
        )
        if self.is_late:  # looking the name up took all the time
            raise TimeoutError


class _SecureConnection(_Connection):
    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        context = ssl.create_default_context()
        self.sock = self.in_hand = context.wrap_socket(
            self.sock, server_hostname=self.host, do_handshake_on_connect=False
        )
        self.sock.do_handshake()


def _connection(parts: SplitResult) -> _Connection:
    kind = _SecureConnection if parts.scheme == "https" else _Connection
    return kind(parts.hostname or "", parts.port, timeout=STEP_SECONDS)


def _public_address(host: str, port: int) -> str:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(address[0]) for *_others, address in found]
    for address in addresses:
        if may_reach(ip_address(address.partition("%")[0])):
            return address
    raise Unreachable(_("The host’s name leads to no public address."))


@contextmanager
def _ended_in_time(connection: _Connection) -> Iterator[None]:
    """End a connection whose other side sends a letter now and then for ever."""
    is_ended = threading.Event()
    timer = threading.Timer(ALL_SECONDS, _end, [connection, is_ended])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if is_ended.is_set():
            raise TimeoutError


def _end(connection: _Connection, is_ended: threading.Event) -> None:
    is_ended.set()
    connection.is_late = True
    if connection.in_hand is not None:
        with suppress(OSError):
            connection.in_hand.shutdown(socket.SHUT_RDWR)
