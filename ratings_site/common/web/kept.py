"""Answers that are the same for all visitors: made once, kept until the office acts.

A cached answer depends on two things only, and its key holds both. One is the request:
a public page is made from a request that carries nothing but what the key holds, so no
header, cookie or encoding that the key leaves out can change what other visitors get.
The other is the database: the key holds its current version, which is read before
anything else (`ratings_site.common.database.generation`). So a cached answer never has
to be deleted, and no action has to say which pages it changes.
"""

import gzip
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from time import monotonic
from typing import Any, Final, Self

from django.conf import settings
from django.core.cache import caches
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from redis.exceptions import RedisError

from ratings_site.common.database.generation import current_generation
from ratings_site.common.models import Office
from ratings_site.common.web.parts import wants_part

logger = logging.getLogger(__name__)

READING: Final = ("GET", "HEAD")
FOR_EVERYBODY: Final = "public, max-age=0, must-revalidate"
VARIES_BY: Final = (
    "Accept-Encoding",
    "Accept-Language",
    "Cookie",
    "HX-Request",
    "HX-History-Restore-Request",
)
# There is no end of addresses with a query: they are not kept for long.
WITH_QUERY_SECONDS: Final = 60
LONGEST_ADDRESS: Final = 500
LARGEST: Final = 100_000
# A page is compressed once and sent often; the largest one takes 10 ms instead of 3.
COMPRESSION: Final = 8
# Nobody waits again and again for a Redis that is away.
AWAY_SECONDS: Final = 5.0

Make = Callable[[HttpRequest], HttpResponseBase]


class AsItIs:
    """What is kept consists of bytes; nothing that Redis holds is ever run."""

    def dumps(self, content: bytes) -> bytes:
        return content

    def loads(self, content: bytes) -> bytes:
        return content


def answered(request: HttpRequest, make: Make, *, language: str) -> HttpResponseBase:
    """Answer a visitor from what is kept, or let *make* answer and keep that.

    *make* gets the shared form of the request, see `_shared_environ`. What it gives a
    cookie or a Cache-Control of its own is not for everybody.
    """
    if request.method not in READING:
        return make(request)
    environ = _shared_environ(request, language)
    mark = _mark(environ)
    tags = _tags_of(request)
    if mark and (same := next((tag for tag in tags if tag.startswith(mark)), "")):
        return _unchanged(same)
    kept = _taken(mark)
    if kept is None:
        response = make(WSGIRequest({**environ, "wsgi.input": BytesIO()}))
        if not _is_for_everybody(response):
            return response
        kept = Kept.of(response)
        _keep(environ, mark, kept)
    return kept.answer(request, mark, tags)


def _shared_environ(request: HttpRequest, language: str) -> dict[str, str]:
    """Return everything that a public page may know of its request, and no more.

    Its values are worked out from the headers: the headers themselves say more, such as
    a Content-Type whose charset changes how Django reads the query.
    """
    environ = {
        "REQUEST_METHOD": "GET",  # HEAD gets the same headers
        "wsgi.url_scheme": request.scheme or "",
        "HTTP_HOST": request.get_host(),
        "SCRIPT_NAME": _as_wsgi(request.META.get("SCRIPT_NAME", "")),
        "PATH_INFO": _as_wsgi(request.path_info),
        "QUERY_STRING": request.META.get("QUERY_STRING", ""),
        "HTTP_ACCEPT_LANGUAGE": language,
    }
    if wants_part(request):
        environ["HTTP_HX_REQUEST"] = "true"
    return environ


def _as_wsgi(text: str) -> str:
    return text.encode().decode("latin-1")


def _mark(environ: dict[str, str]) -> str:
    """Return what tells an answer from all others, nothing where that is not sure."""
    generation = current_generation()
    if generation is None:
        return ""
    Office.show_as_of(generation)
    today = timezone.localdate(timezone=Office.time()).isoformat()
    key = json.dumps((generation, program(), today, environ))
    return hashlib.sha256(key.encode()).hexdigest()[:32]


@cache
def program() -> str:
    """Return a digest of the program and its settings, the same on each machine."""
    digest = hashlib.sha256()
    for folder in ("ratings_site", "players", "events", "ratings", "templates"):
        for path in sorted((settings.BASE_DIR / folder).rglob("*")):
            if path.suffix in (".py", ".html", ".mo", ".css", ".js"):
                digest.update(path.read_bytes())
    for name in filter(str.isupper, dir(settings)):
        value = getattr(settings, name)
        if isinstance(value, str | int | float | list | None):
            digest.update(f"{name}={value!r}\n".encode())
    return digest.hexdigest()


# An answer and its tag


@dataclass(frozen=True, slots=True)
class Kept:
    headers: list[tuple[str, str]]
    digest: str
    content: bytes  # compressed

    @classmethod
    def of(cls, response: Any) -> Self:
        patch_vary_headers(response, VARIES_BY)
        headers = [item for item in response.items() if item[0] != "Content-Length"]
        digest = hashlib.sha256(response.content).hexdigest()[:32]
        content = gzip.compress(response.content, COMPRESSION, mtime=0)
        return cls(headers, digest, content)

    @classmethod
    def read(cls, stored: bytes) -> Self:
        head, _, content = stored.partition(b"\n")
        headers, digest = json.loads(head)
        return cls(headers, digest, content)

    def written(self) -> bytes:
        return json.dumps((self.headers, self.digest)).encode() + b"\n" + self.content

    def answer(self, request: HttpRequest, mark: str, tags: list[str]) -> HttpResponse:
        # Other acts may have left this very page as it was.
        if same := next((tag for tag in tags if tag.endswith(self.digest)), ""):
            return _unchanged(same)
        response = HttpResponse(headers=dict(self.headers))
        if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
            response.content = self.content
            response["Content-Encoding"] = "gzip"
        else:
            response.content = gzip.decompress(self.content)
        response["Content-Length"] = str(len(response.content))
        return _tagged(response, f"{mark}.{self.digest}")


def _is_for_everybody(response: HttpResponseBase) -> bool:
    return (
        response.status_code == 200
        and not response.streaming
        and not response.cookies
        and not response.has_header("Cache-Control")
    )


def _tags_of(request: HttpRequest) -> list[str]:
    """Return the tags of what the reader has: the mark, a point, the digest."""
    tags = parse_etags(request.headers.get("If-None-Match", ""))
    return [tag.removeprefix("W/").strip('"') for tag in tags]


def _unchanged(tag: str) -> HttpResponse:
    response = HttpResponseNotModified()
    patch_vary_headers(response, VARIES_BY)
    return _tagged(response, tag)


def _tagged(response: HttpResponse, tag: str) -> HttpResponse:
    # Weak: the same page compressed and not has one tag.
    response["ETag"] = f'W/"{tag}"'
    response["Cache-Control"] = FOR_EVERYBODY
    return response


# The cache, which may be away

_away_until = 0.0


def _taken(mark: str) -> Kept | None:
    stored = _asked(lambda: caches["pages"].get(mark)) if mark else None
    return Kept.read(stored) if stored else None


def _keep(environ: dict[str, str], mark: str, kept: Kept) -> None:
    query = environ["QUERY_STRING"]
    is_short = len(environ["PATH_INFO"]) + len(query) <= LONGEST_ADDRESS
    if mark and is_short and len(kept.content) <= LARGEST:
        seconds = settings.PAGE_CACHE_SECONDS
        if query:
            seconds = min(seconds, WITH_QUERY_SECONDS)
        _asked(lambda: caches["pages"].set(mark, kept.written(), seconds))


def _asked(act: Callable[[], Any]) -> Any:
    """Ask the cache for something; for a while it is not asked again if it is away."""
    global _away_until
    if monotonic() < _away_until:
        return None
    try:
        return act()
    except (RedisError, OSError) as error:
        _away_until = monotonic() + AWAY_SECONDS
        logger.warning("Pages are not kept for now: %s", error)
        return None
