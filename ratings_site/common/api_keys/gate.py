"""The gate of the API: who asks, how much is left, and what every answer carries.

Whatever goes wrong behind it comes out as problem+json, so that a program that reads
the API never meets a page.
"""

from collections.abc import Callable
from ipaddress import IPv6Network, ip_address
from typing import Final

from allauth.account.adapter import get_adapter
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import (
    get_conditional_response,
    patch_vary_headers,
    set_response_etag,
)

from ratings_site.common.api_keys.services import Quota, count_request, key_with
from ratings_site.common.models import ApiKey
from ratings_site.common.web.kept import READING, answered
from ratings_site.common.web.problems import CONTENT_TYPE, problem

ROOT: Final = "/api/v1/"
# For people, and for programs that want to know how to ask.
DOCUMENTATION: Final = (f"{ROOT}docs/", f"{ROOT}openapi.json")
SHOWN_TO_OTHER_SITES: Final = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After"


class KeyRefused(Exception):
    """The request names a key that opens nothing."""


class ApiMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if not path.startswith(ROOT) or path.startswith(DOCUMENTATION):
            return self.get_response(request)
        # One language, so that programs and caches need not care whose answer it is.
        with translation.override("en"):
            answer = self._outcome(request)
        answer["Content-Language"] = "en"
        return _open_to_other_sites(request, answer)

    def _outcome(self, request: HttpRequest) -> HttpResponse:
        return _preflight() if request.method == "OPTIONS" else self._answer(request)

    def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            key, is_refused = _key_of(request), False
        except KeyRefused:  # counted like a request without one
            key, is_refused = None, True
        quota = count_request(key, _address_of(request))
        if quota.is_exhausted:
            return _with_quota(_too_many(quota), quota)
        if is_refused:
            return problem(401, headers={"WWW-Authenticate": "Bearer"})
        request.api_key = key
        if key is None:
            answer = answered(request, self._made, language="en")
        else:  # its owner may see more than others
            answer = _for_the_owner(request, self._made(request))
        return _with_quota(answer, quota)

    def _made(self, request: HttpRequest) -> HttpResponse:
        answer = _as_problem(self.get_response(request))
        if getattr(request, "auth", None) is not None:  # what only a key's owner sees
            answer["Cache-Control"] = "private, no-store"
        elif request.method not in READING or answer.status_code != 200:
            answer["Cache-Control"] = "no-store"
        return answer


def _for_the_owner(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Keep an answer out of shared caches; tell whether it is the one asked about."""
    if answer.has_header("Cache-Control"):
        return answer
    answer["Cache-Control"] = "private, max-age=0, must-revalidate"
    patch_vary_headers(answer, ["Authorization"])
    set_response_etag(answer)
    return get_conditional_response(request, etag=answer["ETag"], response=answer)


def _key_of(request: HttpRequest) -> ApiKey | None:
    """Return the key that the request names, None if it names none."""
    said = request.headers.get("Authorization", "")
    if not said:
        return None
    scheme, _, text = said.partition(" ")
    key = key_with(text.strip()) if scheme.lower() == "bearer" else None
    if key is None:
        raise KeyRefused
    return key


def _address_of(request: HttpRequest) -> str:
    """Return where a request comes from; those from nowhere share one quota.

    So do all addresses of an IPv6 network: its holder has 2⁶⁴ of them. From
    nowhere comes also what did not pass through all the proxies that are trusted.
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
        detail=f"{quota.limit:,} requests a day are allowed. "
        f"A new day begins in {quota.resets_in:,} seconds.",
        headers={"Retry-After": str(quota.resets_in)},
    )


def _with_quota(answer: HttpResponse, quota: Quota) -> HttpResponse:
    answer["RateLimit-Policy"] = f'"day";q={quota.limit};w=86400'
    answer["RateLimit"] = f'"day";r={quota.remaining};t={quota.resets_in}'
    return answer


def _as_problem(answer: HttpResponse) -> HttpResponse:
    """Replace a page that says what went wrong by a document that does."""
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


def _open_to_other_sites(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Let pages of other sites read, and nothing else."""
    if request.method in (*READING, "OPTIONS"):
        answer["Access-Control-Allow-Origin"] = "*"
        answer["Access-Control-Expose-Headers"] = SHOWN_TO_OTHER_SITES
    return answer
