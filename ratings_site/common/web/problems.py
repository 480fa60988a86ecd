"""What has gone wrong in the API, as a document of RFC 9457 (problem+json)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import JsonResponse

CONTENT_TYPE: Final = "application/problem+json"
# Where each kind is explained; the status is enough to tell the kinds apart.
TYPE: Final = "/api/v1/docs/#problem-{status}"

# What stands where nothing better is known: title, and what to do.
KNOWN: Final[Mapping[int, tuple[str, str]]] = {
    400: ("The request cannot be read.", "Check the address, headers and body."),
    401: (
        "The key is not known.",
        "Send a valid key as “Authorization: Bearer …”, or none at all.",
    ),
    403: ("This is not allowed.", "The key or the account does not reach so far."),
    404: (
        "There is nothing at this address.",
        "Check the ID, or begin at /api/v1/.",
    ),
    405: (
        "The address does not take this method.",
        "The Allow header names those that it takes.",
    ),
    409: ("The state does not allow this.", "Read it again, then decide."),
    413: ("The body is too large.", "Send less at once."),
    422: ("The request says something impossible.", "See the errors, each by itself."),
    429: (
        "The quota of the day is used up.",
        "Wait until it begins again, or use a key.",
    ),
    500: (
        "The office has made a mistake.",
        "It has been noted. Try again later, and tell us if it goes on.",
    ),
    503: (
        "The office cannot be reached for a moment.",
        "What was asked for is complete or not begun. Try again after Retry-After.",
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
    """Return the answer for what has gone wrong, in sentences a person can use.

    *members* are further names that the document has, as the RFC allows.
    """
    known = KNOWN.get(status, KNOWN[400 if status < 500 else 500])
    document: dict[str, Any] = {
        "type": TYPE.format(status=status),
        "title": title or known[0],
        "status": status,
        "detail": detail or known[1],
    }
    if errors:
        document["errors"] = list(errors)
    document |= members
    return JsonResponse(
        document, status=status, content_type=CONTENT_TYPE, headers=headers
    )
