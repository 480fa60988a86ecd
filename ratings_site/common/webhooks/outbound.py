"""HTTP requests to URLs that users enter, protected against SSRF.

A URL must not lead to the office's own network. So the host is resolved here, only
public addresses are allowed, and the connection goes to the address that was checked,
which defeats DNS rebinding. Redirects are not followed, and only the start of the
response is read.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

# Timeouts of one step, such as connecting, and of the whole request.
STEP_SECONDS, TOTAL_SECONDS = 5.0, 10.0
MAX_BYTES = 2_000
PORTS = (443, 8443)
# All that IANA has allocated for the public internet. Below are IPv4 addresses embedded
# in IPv6, above are private and local networks.
_PUBLIC_V6 = IPv6Network("2000::/3")
# Reserved after this Python's tables: documentation and protocol addresses.
_SPECIAL = (IPv6Network("3fff::/20"), IPv4Network("192.0.0.0/24"))


class Unreachable(Exception):
    """There is no response; the message says why, for the owner of the webhook."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    beginning: str

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def url_problem(url: str) -> str:
    """Return what is wrong with a URL, without resolving it, or ""."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return _("This is not a valid URL.")
    schemes = (
        ("https", "http") if settings.WEBHOOKS_TO_PRIVATE_ADDRESSES else ("https",)
    )
    if parts.scheme not in schemes or not parts.hostname:
        return _("The URL must start with https:// and include a host.")
    if not url.isascii() or any(letter <= " " for letter in url):
        return _("Enter the URL without spaces or special characters.")
    if parts.username is not None or parts.password is not None:
        return _(
            "Remove the username and password from the URL. Messages are "
            "signed instead."
        )
    if parts.fragment:
        return _("Remove the # and everything after it.")
    if not settings.WEBHOOKS_TO_PRIVATE_ADDRESSES and port not in (None, *PORTS):
        return _("The URL must use port 443 or 8443.")
    with suppress(ValueError):
        if not is_public_address(ip_address(parts.hostname)):
            return _("This URL is not on the public internet.")
    return ""


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is on the public internet, also if embedded."""
    if settings.WEBHOOKS_TO_PRIVATE_ADDRESSES:
        return True
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public_address(inner)
        if address not in _PUBLIC_V6 or address.teredo is not None:
            return False
    is_special = any(address in network for network in _SPECIAL)
    return address.is_global and not address.is_multicast and not is_special


def post(url: str, *, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send *body* to *url*; return the start of the response or raise Unreachable."""
    if problem := url_problem(url):
        raise Unreachable(problem)
    parts = urlsplit(url)
    connection = _connection(parts)
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    try:
        with _time_limit(connection):
            connection.request("POST", path, body=body, headers=dict(headers))
            response = connection.getresponse()
            beginning = response.read(MAX_BYTES)
    # getaddrinfo raises ValueError for a malformed host such as a..b.
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_in_words(error)) from error
    finally:
        connection.close()
    return Answer(response.status, beginning.decode("utf-8", "replace"))


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return _("The receiver did not respond in time.")
    if isinstance(error, ssl.SSLError):
        return _("The receiver’s TLS certificate or encryption was rejected.")
    return _("Could not connect to the receiver.")


class _Connection(http.client.HTTPConnection):
    """A connection that refuses addresses that are not public.

    It keeps a reference to the socket, because http.client drops it once the response
    has started.
    """

    open_socket: socket.socket | None = None
    is_late = False

    def connect(self) -> None:
        self.sock = self.open_socket = socket.create_connection(
            (_public_address(self.host, self.port), self.port), STEP_SECONDS
        )
        if self.is_late:  # resolving the name took too long
            raise TimeoutError


class _SecureConnection(_Connection):
    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        context = ssl.create_default_context()
        self.sock = self.open_socket = context.wrap_socket(
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
        if is_public_address(ip_address(address.partition("%")[0])):
            return address
    raise Unreachable(_("The host name has no public IP address."))


@contextmanager
def _time_limit(connection: _Connection) -> Iterator[None]:
    """Limit the total time, because a receiver may send data slowly without end."""
    is_ended = threading.Event()
    timer = threading.Timer(TOTAL_SECONDS, _end, [connection, is_ended])
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
    if connection.open_socket is not None:
        with suppress(OSError):
            connection.open_socket.shutdown(socket.SHUT_RDWR)
