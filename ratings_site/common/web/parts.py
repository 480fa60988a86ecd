"""Pages of which a part can be asked for alone."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


def wants_part(request: HttpRequest) -> bool:
    """Tell whether a page asks for a part of itself, to be shown in place.

    When htmx asks for a page of the browser's history again, it needs the whole page.
    """
    # Not request.htmx: the page cache asks before the middleware that sets it.
    htmx = HtmxDetails(request)
    return bool(htmx) and not htmx.history_restore_request
