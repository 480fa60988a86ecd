"""The API's middleware: keys, quotas, caching and headers.

It converts all errors to problem+json, so that programs never get an HTML page.
"""

from ipaddress import IPv6Network, ip_address
from typing import Final

from allauth.account.adapter import get_adapter
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import (
    get_conditional_response,
    patch_vary_headers,
    set_response_etag,
)

from ratings_site.common.api_keys.services import (
    Quota,
    count_request,
    find_key,
    record_use,
)
from ratings_site.common.models import ApiKey, ProgramAccess
from ratings_site.common.web.page_cache import SAFE_METHODS, cached_response
from ratings_site.common.web.problems import CONTENT_TYPE, problem
from ratings_site.common.web.requests import Middleware, Request

ROOT: Final = "/api/v1/"
# The documentation, which needs no quota.
DOCUMENTATION: Final = (f"{ROOT}docs/", f"{ROOT}openapi.json")
EXPOSED_HEADERS: Final = (
    "Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset"
)


class KeyRefused(Exception):
    """The key of the request is not valid."""


class ApiMiddleware(Middleware):
    def __call__(self, request: Request) -> HttpResponseBase:
        path = request.path_info
        if not path.startswith(ROOT) or path.startswith(DOCUMENTATION):
            return self.get_response(request)
        # Always English, so that responses do not depend on the client's language.
        with translation.override("en"):
            is_preflight = request.method == "OPTIONS"
            answer = _preflight() if is_preflight else self._answer(request)
        answer["Content-Language"] = "en"
        return _with_cors_headers(request, answer)

    def _answer(self, request: Request) -> HttpResponseBase:
        answer: HttpResponseBase
        try:
            key, is_refused = _request_key(request), False
        except KeyRefused:  # counts like a request without a key
            key, is_refused = None, True
        quota = count_request(key, _client_address(request))
        if quota.is_exhausted:
            return _with_quota(_too_many(quota), quota)
        if is_refused:
            return problem(401, headers={"WWW-Authenticate": "Bearer"})
        request.api_key = key
        if key is None:
            answer = cached_response(request, self._get_answer, language="en")
        else:  # its owner may see more than others
            answer = _private_answer(request, self._get_answer(request))
            usage = getattr(request, "api_use", None)
            if isinstance(key, ApiKey) and usage and answer.status_code < 400:
                record_use(key, usage)
        # The operation may have counted more than one request.
        return _with_quota(answer, getattr(request, "quota", quota))

    def _get_answer(self, request: HttpRequest) -> HttpResponse:
        answer = _as_problem(self.get_response(request))
        if getattr(request, "auth", None) is not None:  # only the key's owner sees it
            answer["Cache-Control"] = "private, no-store"
        elif request.method not in SAFE_METHODS or answer.status_code != 200:
            answer["Cache-Control"] = "no-store"
        return answer


def _private_answer(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Keep a response out of shared caches, and answer conditional requests."""
    if answer.has_header("Cache-Control"):
        return answer
    answer["Cache-Control"] = "private, max-age=0, must-revalidate"
    patch_vary_headers(answer, ["Authorization"])
    set_response_etag(answer)
    etag = answer["ETag"]
    return get_conditional_response(request, etag=etag, response=answer) or answer


def _request_key(request: HttpRequest) -> ApiKey | ProgramAccess | None:
    """Return the API key or program of the request; raise KeyRefused if invalid."""
    said = request.headers.get("Authorization", "")
    if not said:
        return None
    scheme, _, text = said.partition(" ")
    key = find_key(text.strip()) if scheme.lower() == "bearer" else None
    if key is None:
        raise KeyRefused
    return key


def _client_address(request: HttpRequest) -> str:
    """Return the client's address, or "" if it is unknown.

    Unknown addresses, also of requests that bypass a trusted proxy, share one quota. So
    do all 2⁶⁴ addresses of an IPv6 network, which has one owner.
    """
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except (ImproperlyConfigured, PermissionDenied, ValueError):
        return ""
    if address.version == 6 and address.ipv4_mapped is None:
        return str(IPv6Network((int(address), 64), strict=False))
    return str(address)


def _too_many(quota: Quota) -> HttpResponse:
    return problem(
        429,
        detail=f"{quota.limit:,} requests per day are allowed. "
        f"The quota resets in {quota.resets_in:,} seconds.",
        headers={"Retry-After": str(quota.resets_in)},
    )


def _with_quota(answer: HttpResponseBase, quota: Quota) -> HttpResponseBase:
    answer["RateLimit-Policy"] = f'"day";q={quota.limit};w=86400'
    answer["RateLimit"] = f'"day";r={quota.remaining};t={quota.resets_in}'
    return answer


def _as_problem(answer: HttpResponse) -> HttpResponse:
    """Replace an HTML error page with a problem document."""
    if answer.status_code < 400 or answer["Content-Type"] == CONTENT_TYPE:
        return answer
    said = ("Allow", "Retry-After")
    kept = {name: answer[name] for name in said if answer.has_header(name)}
    return problem(answer.status_code, headers=kept)


def _preflight() -> HttpResponse:
    return HttpResponse(
        status=204,
        headers={
            "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
            "Access-Control-Allow-Headers": "Authorization, If-None-Match",
            "Access-Control-Max-Age": "86400",
            "Allow": "GET, HEAD, OPTIONS",
        },
    )


def _with_cors_headers(
    request: HttpRequest, answer: HttpResponseBase
) -> HttpResponseBase:
    """Allow other sites to read only."""
    if request.method in (*SAFE_METHODS, "OPTIONS"):
        answer["Access-Control-Allow-Origin"] = "*"
        answer["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return answer
