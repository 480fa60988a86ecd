"""Middleware for the page cache and the office's time zone."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language_from_request

from ratings_site.common.models import Office
from ratings_site.common.web.page_cache import SAFE_METHODS, cached_response
from ratings_site.common.web.problems import problem
from ratings_site.common.web.requests import Middleware, view_name

READ_ONLY_RETRY_SECONDS = 300
# A request with one of these is signed in or has a pending message.
SESSION_COOKIES = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}


class PublicPagesMiddleware(Middleware):
    """Serve public pages from the page cache; keep all others out of shared caches.

    It runs before the middleware for sessions, languages and CSRF, so a cached response
    skips them. GZipMiddleware leaves compressed responses alone.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_session = not SESSION_COOKIES.isdisjoint(request.COOKIES)
        path = request.path_info
        if not has_session and view_name(path) in settings.PUBLIC_PAGES:
            language = get_language_from_request(request)
            response = cached_response(request, self.get_response, language=language)
        else:
            response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            only_here = "no-store" if has_session else "no-cache"
            response["Cache-Control"] = f"private, {only_here}"
        return response


class ReadOnlyMiddleware(Middleware):
    """In maintenance mode, refuse what would change something with a sentence and 503.

    Signing in and out and choosing a language stay possible, and calculations.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if Office.is_read_only() and request.method not in (
            *SAFE_METHODS,
            "OPTIONS",
        ):
            path = request.path_info
            if view_name(path) not in settings.READ_ONLY_VIEWS:
                return self._refusal(path)
        return self.get_response(request)

    def _refusal(self, path: str) -> HttpResponse:
        reason = Office.maintenance_reason()
        headers = {"Retry-After": str(READ_ONLY_RETRY_SECONDS)}
        if path.startswith(("/api/", "/identity/o/api/")):
            title = "The site is read-only for maintenance."
            return problem(503, title, detail=reason, headers=headers)
        page = render_to_string("read_only.html", {"reason": reason})
        return HttpResponse(page, status=503, headers=headers)


class OfficeMiddleware(Middleware):
    """Refresh the office if needed and activate its time zone."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        Office.refresh_if_stale()
        with timezone.override(Office.time()):
            return self.get_response(request)
