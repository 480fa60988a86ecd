"""API errors as RFC 9457 documents (problem+json)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import JsonResponse

CONTENT_TYPE: Final = "application/problem+json"
# The documentation of each type, which the status identifies.
TYPE: Final = "/api/v1/docs/#problem-{status}"

# Statuses after which the same request may succeed later.
RETRYABLE: Final = (429, 500, 503)
# Default titles and details.
KNOWN: Final[Mapping[int, tuple[str, str]]] = {
    400: ("The request can't be read.", "Check the URL, headers, and body."),
    401: (
        "The API key is not valid.",
        "Send a valid key as “Authorization: Bearer …”, or no key.",
    ),
    403: ("This is not allowed.", "Your key or account does not have permission."),
    404: (
        "Nothing was found at this URL.",
        "Check the ID, or start at /api/v1/.",
    ),
    405: (
        "This URL does not accept this method.",
        "See the Allow header for accepted methods.",
    ),
    409: ("The current status does not allow this.", "Read it again, then decide."),
    413: ("The request body is too large.", "Send less data per request."),
    422: ("The request is not valid.", "See the list of errors."),
    429: (
        "You have used up today's quota.",
        "Wait until it resets, or use an API key.",
    ),
    500: (
        "Something went wrong on the server.",
        "The error has been logged. Try again later. Contact us if it continues.",
    ),
    503: (
        "The service is temporarily unavailable.",
        "The request was either completed or not started. Retry after Retry-After.",
    ),
}


def problem(
    status: int,
    title: str = "",
    *,
    detail: str = "",
    errors: Sequence[Any] = (),
    headers: Mapping[str, str] | None = None,
    **members: Any,
) -> JsonResponse:
    """Return the response for an error.

    *members* are extension members of the document, as the RFC allows. `retryable` says
    whether the same request may succeed later.
    """
    known = KNOWN.get(status, KNOWN[400 if status < 500 else 500])
    document: dict[str, Any] = {
        "type": TYPE.format(status=status),
        "title": title or known[0],
        "status": status,
        "detail": detail or known[1],
        "retryable": status in RETRYABLE,
    }
    if errors:
        document["errors"] = list(errors)
    document |= members
    return JsonResponse(
        document, status=status, content_type=CONTENT_TYPE, headers=headers
    )
