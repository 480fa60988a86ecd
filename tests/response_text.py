"""The text of responses."""

import re

from django.http import HttpResponse

RANDOM = re.compile(
    r'(?:nonce|value|content)="[A-Za-z0-9+/=_-]{20,}"'
    r"|\buser[0-9]+\b"  # a username of tests.factories
    r'|/[0-9]+(?=[/?#"])|\s(?:id|for|name)="[^"]*"'  # primary keys, from a sequence
)


def contains_number(text: str, number: object) -> bool:
    """Return whether the text contains a number that is not part of a longer one.

    Member IDs and primary keys hold any digits, and which ones depends on the tests
    before; tokens and nonces are drawn at random.
    """
    text = RANDOM.sub("", text)
    return re.search(rf"(?<![0-9]){number}(?![0-9])", text) is not None


def is_not_found(response: HttpResponse) -> bool:
    """Return whether the response says that the page does not exist."""
    said = "<h1>Page not found</h1>" in response.content.decode()
    return response.status_code == 404 and said


def is_closed(response: HttpResponse) -> bool:
    """Return whether the response says that access is denied."""
    said = "<h1>You can’t open this page</h1>" in response.content.decode()
    return response.status_code == 403 and said
