"""What a page tells."""

import re


def tells(text: str, number: object) -> bool:
    """Tell whether a number stands in the text by itself.

    Member IDs hold any digits, and which ones depends on the tests before.
    """
    return re.search(rf"(?<![0-9]){number}(?![0-9])", text) is not None
