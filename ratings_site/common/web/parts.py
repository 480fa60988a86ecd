"""Pages of which a part can be asked for alone."""

from django.http import HttpRequest


def wants_part(request: HttpRequest) -> bool:
    """Tell whether a page asks for a part of itself, to be shown in place.

    When htmx asks for a page of the browser's history again, it needs the whole page.
    """
    return bool(request.htmx) and not request.htmx.history_restore_request
