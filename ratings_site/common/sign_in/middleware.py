"""Middleware that requires second factors and saves forms of ended sessions."""

from typing import Final
from urllib.parse import urldefrag, urljoin, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_htmx.http import HttpResponseClientRedirect

from ratings_site.common.approvals.pages import submitted_text
from ratings_site.common.sign_in.pending_form import (
    KEY,
    PendingForm,
    current_page_url,
    restore_form,
    save_pending_form,
)
from ratings_site.common.sign_in.queries import lacks_second_factor
from ratings_site.common.web.requests import Middleware, Request

# Where a second factor is set up, and pages that are the same for all users.
EXEMPT_PATHS: Final = ("/accounts/", "/language/", "/logo/", "/api/v1/", "/health/")

FORM_SAVED_MESSAGE: Final = _(
    "You were signed out and nothing was saved. Sign in with the same account within "
    "an hour, and we’ll bring back the form as you filled it in."
)


class SecondFactorMiddleware(Middleware):
    """Redirect office accounts without a second factor to the page that sets one up.

    All other pages are closed to them, because even public pages show them more than
    others. They can sign out to read public pages.
    """

    def __call__(self, request: Request) -> HttpResponse:
        request.second_factor_is_required = settings.REQUIRE_SECOND_FACTOR
        request.lacks_second_factor = SimpleLazyObject(
            lambda: _lacks_second_factor(request)
        )
        if settings.REQUIRE_SECOND_FACTOR and not request.path_info.startswith(
            EXEMPT_PATHS
        ):
            # Without the cookie the request is anonymous.
            is_known = settings.SESSION_COOKIE_NAME in request.COOKIES
            if is_known and request.lacks_second_factor:
                return redirect("mfa_index")
        return self.get_response(request)


class PendingFormMiddleware(Middleware):
    """Save a form that arrives after its session has ended, and restore it later.

    If it cannot be saved, the response shows the text, so that it can be copied.
    """

    def __call__(self, request: Request) -> HttpResponse:
        response = self.get_response(request)
        if _is_login_redirect(request, response):
            return _signed_out(request, response)
        # A page that did not access the session is the same for all users.
        if request.method == "GET" and not request.htmx and request.session.accessed:
            return _with_pending_form(request, response)
        return response


def _is_login_redirect(request: Request, response: HttpResponse) -> bool:
    if response.status_code != 302 or request.path_info.startswith(EXEMPT_PATHS):
        return False
    login_urls = (resolve_url(settings.LOGIN_URL), reverse("admin:login"))
    is_login = urlsplit(response["Location"]).path in login_urls
    return is_login and request.path_info not in login_urls


def _signed_out(request: Request, response: HttpResponse) -> HttpResponse:
    """Return the response to a request after its session has ended.

    A form that a person submitted is saved. A background request of a script is not,
    because its page is still open. An htmx request redirects the whole page.
    """
    is_form = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    if request.method == "POST" and (is_form or request.htmx):
        kept = save_pending_form(request)
        if kept is None and (typed := submitted_text(request)):
            said = [gettext("You were signed out and nothing was saved.")]
            context = {"sentences": said, "typed": typed}
            return render(request, "403.html", context, status=403)
        response = redirect_to_login(
            kept.places[0] if kept else current_page_url(request)
        )
        if kept:
            messages.warning(request, FORM_SAVED_MESSAGE)
    if request.htmx:
        to = response["Location"]
        if request.method == "GET":
            to = redirect_to_login(current_page_url(request))["Location"]
        return HttpResponseClientRedirect(to)
    return response


def _with_pending_form(request: Request, response: HttpResponse) -> HttpResponse:
    kept = PendingForm.of(request) if request.user.is_authenticated else None
    if kept is None or request.get_full_path() != kept.places[0]:
        return response
    if response.status_code in (301, 302):
        kept.places[0] = urljoin(kept.places[0], urldefrag(response["Location"]).url)
        kept.keep(request)
        return response
    is_page = response.get("Content-Type", "").startswith("text/html")
    page, is_there = "", False
    if is_page and not response.streaming:
        page, is_there = restore_form(response.content.decode(), request, kept)
    if not is_there and len(kept.places) > 1:
        del kept.places[0]
        kept.keep(request)
        return redirect(kept.places[0])
    if page:
        del request.session[KEY]
        response.content = page
        add_never_cache_headers(response)
    return response


def _lacks_second_factor(request: Request) -> bool:
    return request.user.is_authenticated and lacks_second_factor(request.user)
