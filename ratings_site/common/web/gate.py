"""Whose office a request comes to."""

from django.utils import timezone

from ratings_site.common.models import Office


class OfficeMiddleware:
    """Show the federation as it is by now, and times and days in its time zone."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        Office.keep_shown()
        with timezone.override(Office.time()):
            return self.get_response(request)
