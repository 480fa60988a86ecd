"""Sentences of the engine that can be said in another language.

The engine knows no languages. It keeps what a sentence was made of, so that a page can
translate the pattern and put the same values into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date


class Worded(str):
    """English text, with the *pattern* and the *values* it came from."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: Mapping[str, object]


def worded(pattern: str, /, **values: object) -> Worded:
    """Return *pattern* with *values* put in; marks the pattern for translation.

    >>> worded("No ratings before {day}.", day=date(2013, 1, 1))
    'No ratings before 1 January 2013.'
    """
    text = Worded(pattern.format(**{k: _shown(v) for k, v in values.items()}))
    text.pattern, text.values = pattern, values
    return text


def _shown(value: object) -> object:
    return f"{value.day} {value:%B %Y}" if isinstance(value, date) else value
