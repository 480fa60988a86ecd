"""What a page tells."""

import re

from django.http import HttpResponse

RANDOM = re.compile(r'(?:nonce|value|content)="[A-Za-z0-9+/=_-]{20,}"')


def tells(text: str, number: object) -> bool:
    """Tell whether a number stands in the text by itself.

    Member IDs hold any digits, and which ones depends on the tests before; tokens and
    nonces are drawn at random.
    """
    text = RANDOM.sub("", text)
    return re.search(rf"(?<![0-9]){number}(?![0-9])", text) is not None


def is_missing(response: HttpResponse) -> bool:
    """Tell whether the visitor reads that nothing is at this address."""
    said = "<h1>There is no page here</h1>" in response.content.decode()
    return response.status_code == 404 and said


def is_closed(response: HttpResponse) -> bool:
    """Tell whether the visitor reads that this is for others."""
    said = "<h1>This page is not open to you</h1>" in response.content.decode()
    return response.status_code == 403 and said
