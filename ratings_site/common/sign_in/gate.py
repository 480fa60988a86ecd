"""The gate before the office: nobody works there with a password alone."""

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import SimpleLazyObject

from ratings_site.common.sign_in.queries import lacks_second_factor

# Where a second factor is set up, and what shows nobody more than the public sees.
OPEN: Final = ("/accounts/", "/language/", "/logo/", "/api/v1/", "/health/")


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


def _lacks(request: HttpRequest) -> bool:
    return request.user.is_authenticated and lacks_second_factor(request.user)
