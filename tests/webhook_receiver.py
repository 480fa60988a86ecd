"""A local receiver of webhooks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class WebhookReceiver:
    """Answers with *status* and *answer*, and keeps what it was sent.

    A slow one answers once it *release*.
    """

    status: int = 204
    answer: bytes = b""
    location: str = ""
    url: str = ""
    release: threading.Event | None = None
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def running_receiver(receiver: WebhookReceiver) -> Iterator[WebhookReceiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append((dict(self.headers), body))
            if receiver.release is not None:
                receiver.release.wait(timeout=4)
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", str(len(receiver.answer)))
            self.end_headers()
            self.wfile.write(receiver.answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook?from=office"
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
