"""The page cache: responses that are the same for all visitors.

A cached response depends on two things only, and its key holds both. One is the
request: a public page is made from a request that carries nothing but what the key
holds, so no header, cookie or encoding that the key leaves out can change what other
visitors get. The other is the database: the key holds its current version, which is
read before anything else (`ratings_site.common.db.cache_version`). So a cached response
never has to be deleted, and no action has to say which pages it changes.
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

from ratings_site.common.db.cache_version import current_cache_version
from ratings_site.common.models import Office
from ratings_site.common.web.partials import is_partial_request

logger = logging.getLogger(__name__)

SAFE_METHODS: Final = ("GET", "HEAD")
PUBLIC_CACHE_CONTROL: Final = "public, max-age=0, must-revalidate"
VARY_HEADERS: Final = (
    "Accept-Encoding",
    "Accept-Language",
    "Cookie",
    "HX-Request",
    "HX-History-Restore-Request",
)
# URLs with a query are unlimited in number, so they are cached briefly.
WITH_QUERY_SECONDS: Final = 60
MAX_URL_LENGTH: Final = 500
MAX_BYTES: Final = 100_000
# A page is compressed once and sent often. The largest takes 10 ms instead of 3.
COMPRESSION: Final = 8
# After a failure Redis is not tried again for this long.
RETRY_SECONDS: Final = 5.0

Make = Callable[[HttpRequest], HttpResponseBase]


class BytesSerializer:
    """Stores bytes as they are, so nothing from Redis is unpickled."""

    def dumps(self, content: bytes) -> bytes:
        return content

    def loads(self, content: bytes) -> bytes:
        return content


def cached_response(
    request: HttpRequest, make: Make, *, language: str
) -> HttpResponseBase:
    """Return the cached response, or call *make* and cache its response.

    *make* gets the shared form of the request, see `_shared_environ`. A response with a
    cookie or a Cache-Control header is not cached.
    """
    if request.method not in SAFE_METHODS:
        return make(request)
    environ = _shared_environ(request, language)
    key = _cache_key(environ)
    tags = _tags_of(request)
    if key and (same := next((tag for tag in tags if tag.startswith(key)), "")):
        return _unchanged(same)
    page = _load(key)
    if page is None:
        response = make(WSGIRequest({**environ, "wsgi.input": BytesIO()}))
        if not _is_cacheable(response):
            return response
        page = CachedPage.of(response)
        _store(environ, key, page)
    return page.answer(request, key, tags)


def _shared_environ(request: HttpRequest, language: str) -> dict[str, str]:
    """Return everything that a public page may know of its request, and no more.

    Values are derived from the headers. The headers themselves hold more, such as a
    Content-Type whose charset changes how Django decodes the query.
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
    if is_partial_request(request):
        environ["HTTP_HX_REQUEST"] = "true"
    return environ


def _as_wsgi(text: str) -> str:
    return text.encode().decode("latin-1")


def _cache_key(environ: dict[str, str]) -> str:
    """Return the cache key of a response, or "" if the version is not known."""
    cache_version = current_cache_version()
    if cache_version is None:
        return ""
    Office.refresh_for_version(cache_version)
    today = timezone.localdate(timezone=Office.time()).isoformat()
    key = json.dumps((cache_version, code_digest(), today, environ))
    return hashlib.sha256(key.encode()).hexdigest()[:32]


@cache
def code_digest() -> str:
    """Return a digest of the code and its settings, the same on each machine."""
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


# Responses and their ETags


@dataclass(frozen=True, slots=True)
class CachedPage:
    headers: list[tuple[str, str]]
    digest: str
    content: bytes  # compressed

    @classmethod
    def of(cls, response: Any) -> Self:
        patch_vary_headers(response, VARY_HEADERS)
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

    def answer(self, request: HttpRequest, key: str, tags: list[str]) -> HttpResponse:
        # The version has changed, but not necessarily this page.
        if same := next((tag for tag in tags if tag.endswith(self.digest)), ""):
            return _unchanged(same)
        response = HttpResponse(headers=dict(self.headers))
        if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
            response.content = self.content
            response["Content-Encoding"] = "gzip"
        else:
            response.content = gzip.decompress(self.content)
        response["Content-Length"] = str(len(response.content))
        return _tagged(response, f"{key}.{self.digest}")


def _is_cacheable(response: HttpResponseBase) -> bool:
    return (
        response.status_code == 200
        and not response.streaming
        and not response.cookies
        and not response.has_header("Cache-Control")
    )


def _tags_of(request: HttpRequest) -> list[str]:
    """Return the ETags that the client has: the key, a period, the digest."""
    tags = parse_etags(request.headers.get("If-None-Match", ""))
    return [tag.removeprefix("W/").strip('"') for tag in tags]


def _unchanged(tag: str) -> HttpResponse:
    response = HttpResponseNotModified()
    patch_vary_headers(response, VARY_HEADERS)
    return _tagged(response, tag)


def _tagged(response: HttpResponse, tag: str) -> HttpResponse:
    # Weak, because compressed and uncompressed responses share it.
    response["ETag"] = f'W/"{tag}"'
    response["Cache-Control"] = PUBLIC_CACHE_CONTROL
    return response


# The cache backend, which may be down

_unavailable_until = 0.0


def _load(key: str) -> CachedPage | None:
    stored = _call_cache(lambda: caches["pages"].get(key)) if key else None
    return CachedPage.read(stored) if stored else None


def _store(environ: dict[str, str], key: str, page: CachedPage) -> None:
    query = environ["QUERY_STRING"]
    is_short = len(environ["PATH_INFO"]) + len(query) <= MAX_URL_LENGTH
    if key and is_short and len(page.content) <= MAX_BYTES:
        seconds = settings.PAGE_CACHE_SECONDS
        if query:
            seconds = min(seconds, WITH_QUERY_SECONDS)
        _call_cache(lambda: caches["pages"].set(key, page.written(), seconds))


def _call_cache(call: Callable[[], Any]) -> Any:
    """Call the cache; after a failure skip it for a while."""
    global _unavailable_until
    if monotonic() < _unavailable_until:
        return None
    try:
        return call()
    except (RedisError, OSError) as error:
        _unavailable_until = monotonic() + RETRY_SECONDS
        logger.warning("The page cache is unavailable: %s", error)
        return None
