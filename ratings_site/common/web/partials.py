"""Requests for a part of a page (htmx)."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


def is_partial_request(request: HttpRequest) -> bool:
    """Return whether htmx requests a part of a page.

    When htmx restores a page of the browser's history, it needs the whole page.
    """
    # Not request.htmx: the page cache runs before the middleware that sets it.
    htmx = HtmxDetails(request)
    return bool(htmx) and not htmx.history_restore_request
