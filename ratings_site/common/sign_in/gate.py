"""The gate before the office: nobody works there with a password alone, and a form that
comes when nobody is signed in waits there for its owner."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urldefrag, urljoin, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from ratings_site.common.acts.pages import typed_in
from ratings_site.common.sign_in.kept import (
    KEY,
    KeptForm,
    given_back,
    keep_form,
    page_of,
)
from ratings_site.common.sign_in.queries import lacks_second_factor

# Where a second factor is set up, and what shows nobody more than the public sees.
OPEN: Final = ("/accounts/", "/language/", "/logo/", "/api/v1/", "/health/")

WILL_COME_BACK: Final = gettext_lazy(
    "You were signed out, and nothing was changed. Sign in with the same account "
    "within an hour, and the form comes back as you filled it in."
)


class SecondFactorMiddleware:
    """Send those of the office who lack a second factor to where they set one up.

    They reach nothing else until then: to them, public pages show more than to others
    too. To read on without one, they sign out.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.second_factor_is_required = settings.REQUIRE_SECOND_FACTOR
        request.lacks_second_factor = SimpleLazyObject(lambda: _lacks(request))
        if settings.REQUIRE_SECOND_FACTOR and not request.path_info.startswith(OPEN):
            # Without the cookie nobody is signed in, and the page is the same for all.
            is_known = settings.SESSION_COOKIE_NAME in request.COOKIES
            if is_known and request.lacks_second_factor:
                return redirect("mfa_index")
        return self.get_response(request)


class KeptFormMiddleware:
    """Keep a form that comes after its session has ended, and show it again.

    What cannot be kept stands on a page, to be copied.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if _asks_to_sign_in(request, response):
            return _signed_out(request, response)
        # A page that has not looked who is there shows the same to everybody.
        if request.method == "GET" and not request.htmx and request.session.accessed:
            return _with_kept_form(request, response)
        return response


def _asks_to_sign_in(request: HttpRequest, response: HttpResponse) -> bool:
    if response.status_code != 302 or request.path_info.startswith(OPEN):
        return False
    doors = (resolve_url(settings.LOGIN_URL), reverse("admin:login"))
    is_asked = urlsplit(response["Location"]).path in doors
    return is_asked and request.path_info not in doors


def _signed_out(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Answer what nobody is signed in for; a part of a page gives way to the sign-in.

    What a script sends by itself is not kept: the form it belongs to is still open.
    """
    is_form = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    if request.method == "POST" and (is_form or request.htmx):
        kept = keep_form(request)
        if kept is None and (typed := typed_in(request)):
            said = [_("You are signed out, and nothing was changed.")]
            context = {"sentences": said, "typed": typed}
            return render(request, "403.html", context, status=403)
        response = redirect_to_login(kept.places[0] if kept else page_of(request))
        if kept:
            messages.warning(request, WILL_COME_BACK)
    if request.htmx:
        to = response["Location"]
        if request.method == "GET":
            to = redirect_to_login(page_of(request))["Location"]
        return HttpResponseClientRedirect(to)
    return response


def _with_kept_form(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    kept = KeptForm.of(request) if request.user.is_authenticated else None
    if kept is None or request.get_full_path() != kept.places[0]:
        return response
    if response.status_code in (301, 302):
        kept.places[0] = urljoin(kept.places[0], urldefrag(response["Location"]).url)
        kept.keep(request)
        return response
    is_page = response.get("Content-Type", "").startswith("text/html")
    page, is_there = "", False
    if is_page and not response.streaming:
        page, is_there = given_back(response.content.decode(), request, kept)
    if not is_there and len(kept.places) > 1:
        del kept.places[0]
        kept.keep(request)
        return redirect(kept.places[0])
    if page:
        del request.session[KEY]
        response.content = page
        add_never_cache_headers(response)
    return response


def _lacks(request: HttpRequest) -> bool:
    return request.user.is_authenticated and lacks_second_factor(request.user)
