"""Years with two digits, as people and programs shorten them."""

from __future__ import annotations

_CENTURY_TURNS_AT = 70


def full_year(text: str) -> int:
    """Return a year of four digits, or of two from 1970 to 2069.

    >>> full_year("2024"), full_year("69"), full_year("70")
    (2024, 2069, 1970)
    """
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < _CENTURY_TURNS_AT else 1900)
