"""Sentences of the engine that can be translated.

The engine has no translations. It keeps the pattern and the values of a sentence, so
that a page can translate the pattern and insert the same values.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date


class EngineMessage(str):
    """English text, with its *pattern* and *values*."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: Mapping[str, object]


def engine_message(pattern: str, /, **values: object) -> EngineMessage:
    """Return *pattern* with *values* inserted; marks the pattern for translation.

    >>> engine_message("No ratings before {day}.", day=date(2013, 1, 1))
    'No ratings before January 1, 2013.'
    """
    text = EngineMessage(pattern.format(**{k: _shown(v) for k, v in values.items()}))
    text.pattern, text.values = pattern, values
    return text


def _shown(value: object) -> object:
    return f"{value:%B} {value.day}, {value:%Y}" if isinstance(value, date) else value
