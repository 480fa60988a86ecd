"""Sentences that keep their pattern and values, so that they can be translated.

A finding is stored, compared and sent in English; the page can show it in the reader's
language, because the sentence keeps its pattern and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any


class TranslatableText(str):
    """English text, with the *pattern* and the *values* it came from."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: Mapping[str, object]

    def translated(self, translate: Callable[[str], str]) -> str:
        """Return the sentence with its pattern, and sentences within, translated.

        >>> spanish = {"{name}, {round}": "{round}: {name}", "round 3": "ronda 3"}
        >>> round_ = translatable("round 3")
        >>> sentence = translatable("{name}, {round}", name="Ann", round=round_)
        >>> sentence.translated(spanish.get)
        'ronda 3: Ann'
        """
        values = {
            name: value.translated(translate)
            if isinstance(value, TranslatableText)
            else value
            for name, value in self.values.items()
        }
        return translate(self.pattern).format(**values)


def translatable(pattern: str, /, **values: object) -> TranslatableText:
    """Return *pattern* with *values* filled in; marks the pattern for translation.

    >>> translatable("Won against {opponent}.", opponent=9)
    'Won against 9.'
    """
    sentence = TranslatableText(pattern.format(**values))
    sentence.pattern, sentence.values = pattern, values
    return sentence


def error_text(error: Exception) -> str:
    """Return the sentence of *error*; ``str`` would lose its pattern.

    >>> error_text(ValueError(translatable("Round {number}.", number=3))).pattern
    'Round {number}.'
    """
    sentence: str = error.args[0]
    return sentence


def translatable_date(day: date) -> TranslatableText:
    """Return *day* in words; the name of the month is translated with it.

    >>> translatable_date(date(2024, 5, 4))
    'May 4, 2024'
    """
    month = translatable(f"{day:%B}")
    return translatable(
        "{month} {day}, {year}", day=day.day, month=month, year=day.year
    )


def translatable_list(names: Iterable[str]) -> str:
    """Return *names* as people list them; labels among them are translated.

    >>> translatable_list(["White", "Black", "Result"])
    'White, Black and Result'
    """
    *others, last = names
    if not others:
        return last
    return translatable("{others} and {last}", others=_joined(", ", others), last=last)


def join_translatable(sentences: Iterable[str]) -> TranslatableText:
    """Return several whole sentences as one, each translated separately.

    >>> sentences = [translatable("No result."), translatable("No round {n}.", n=3)]
    >>> join_translatable(sentences)
    'No result. No round 3.'
    """
    return _joined(" ", sentences)


def _joined(mark: str, texts: Iterable[str]) -> TranslatableText:
    parts = {f"part_{place}": text for place, text in enumerate(texts)}
    return translatable(mark.join(f"{{{name}}}" for name in parts), **parts)


def to_json(value: object) -> Any:
    """Return a sentence, or a value of one, as JSON-compatible data.

    >>> to_json(translatable("round {number}", number=3))
    {'pattern': 'round {number}', 'values': {'number': 3}}
    """
    if isinstance(value, TranslatableText):
        values = {name: to_json(one) for name, one in value.values.items()}
        return {"pattern": value.pattern, "values": values}
    # PostgreSQL stores no NUL.
    return value if isinstance(value, int | float) else str(value).replace("\0", "")


def from_json(data: Any) -> Any:
    """Return the sentence or value from the data of ``to_json``.

    >>> sentence = translatable("Round {number}.", number=translatable("{n} of 5", n=3))
    >>> from_json(to_json(sentence)) == sentence == "Round 3 of 5."
    True
    """
    if not isinstance(data, dict):
        return data
    pattern: str = data["pattern"]
    return translatable(
        pattern, **{name: from_json(one) for name, one in data["values"].items()}
    )
