"""Middleware for the page cache and the office's time zone."""

from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.translation import get_language_from_request

from ratings_site.common.models import Office
from ratings_site.common.web.page_cache import cached_response

# A request with one of these is signed in or has a pending message.
SESSION_COOKIES = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}


class PublicPagesMiddleware:
    """Serve public pages from the page cache; keep all others out of shared caches.

    It runs before the middleware for sessions, languages and CSRF, so a cached response
    skips them. GZipMiddleware leaves compressed responses alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_session = not SESSION_COOKIES.isdisjoint(request.COOKIES)
        if not has_session and _is_public(request.path_info):
            language = get_language_from_request(request)
            response = cached_response(request, self.get_response, language=language)
        else:
            response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            only_here = "no-store" if has_session else "no-cache"
            response["Cache-Control"] = f"private, {only_here}"
        return response


@lru_cache(maxsize=2_000)
def _is_public(path: str) -> bool:
    """Return whether a path is public; cached, because resolving it is slow."""
    try:
        return resolve(path).view_name in settings.PUBLIC_PAGES
    except Resolver404:
        return False


class OfficeMiddleware:
    """Refresh the office if needed and activate its time zone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        Office.refresh_if_stale()
        with timezone.override(Office.time()):
            return self.get_response(request)
