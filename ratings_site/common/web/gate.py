"""Whose office a request comes to, and which pages are the same for everybody."""

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
from ratings_site.common.web.kept import answered

# Who sends one of these is signed in, or is told something on the next page.
PERSONAL = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}


class PublicPagesMiddleware:
    """Answer visitors from what is kept; keep all other pages out of every cache.

    It stands before sessions, languages and tokens, so a page is kept as it leaves
    them, and what comes from there costs nothing. Compression knows what is compressed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_somebody = not PERSONAL.isdisjoint(request.COOKIES)
        if not is_somebody and _is_public(request.path_info):
            language = get_language_from_request(request)
            response = answered(request, self.get_response, language=language)
        else:
            response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            only_here = "no-store" if is_somebody else "no-cache"
            response["Cache-Control"] = f"private, {only_here}"
        return response


@lru_cache(maxsize=2_000)
def _is_public(path: str) -> bool:
    """Remembered, because to find an address among all takes longer than the answer."""
    try:
        return resolve(path).view_name in settings.PUBLIC_PAGES
    except Resolver404:
        return False


class OfficeMiddleware:
    """Show the federation as it is by now, and times and days in its time zone."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        Office.keep_shown()
        with timezone.override(Office.time()):
            return self.get_response(request)
