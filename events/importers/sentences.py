"""Sentences that keep what they were made of, so that they can be said again.

A finding is stored, compared and sent in English; the page can say it in the reader's
language, because the sentence still knows its pattern and what it put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any


class Sentence(str):
    """English text, with the *pattern* and the *values* it came from."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: Mapping[str, object]

    def again(self, translate: Callable[[str], str]) -> str:
        """Return the sentence with its pattern, and sentences within, translated.

        >>> spanish = {"{name}, {round}": "{round}: {name}", "round 3": "ronda 3"}
        >>> say("{name}, {round}", name="Ann", round=say("round 3")).again(spanish.get)
        'ronda 3: Ann'
        """
        values = {
            name: value.again(translate) if isinstance(value, Sentence) else value
            for name, value in self.values.items()
        }
        return translate(self.pattern).format(**values)


def say(pattern: str, /, **values: object) -> Sentence:
    """Return *pattern* with *values* put in; marks the pattern for translation.

    >>> say("Won against {opponent}.", opponent=9)
    'Won against 9.'
    """
    sentence = Sentence(pattern.format(**values))
    sentence.pattern, sentence.values = pattern, values
    return sentence


def said_by(error: Exception) -> str:
    """Return the sentence *error* was raised with; ``str`` would forget its pattern.

    >>> said_by(ValueError(say("Round {number}.", number=3))).pattern
    'Round {number}.'
    """
    sentence: str = error.args[0]
    return sentence


def say_day(day: date) -> Sentence:
    """Return *day* in words; the name of the month is translated with it.

    >>> say_day(date(2024, 5, 4))
    '4 May 2024'
    """
    month = say(f"{day:%B}")
    return say("{day} {month} {year}", day=day.day, month=month, year=day.year)


def say_list(names: Iterable[str]) -> str:
    """Return *names* as people list them; labels among them are translated.

    >>> say_list(["White", "Black", "Result"])
    'White, Black and Result'
    """
    *others, last = names
    if not others:
        return last
    return say("{others} and {last}", others=_joined(", ", others), last=last)


def say_in_turn(sentences: Iterable[str]) -> Sentence:
    """Return whole sentences one after the other, each translated by itself.

    >>> say_in_turn([say("No result."), say("No round {number}.", number=3)])
    'No result. No round 3.'
    """
    return _joined(" ", sentences)


def _joined(mark: str, texts: Iterable[str]) -> Sentence:
    parts = {f"part_{place}": text for place, text in enumerate(texts)}
    return say(mark.join(f"{{{name}}}" for name in parts), **parts)


def to_json(value: object) -> Any:
    """Return a value of a sentence, or a sentence itself, as JSON can hold it.

    >>> to_json(say("round {number}", number=3))
    {'pattern': 'round {number}', 'values': {'number': 3}}
    """
    if isinstance(value, Sentence):
        values = {name: to_json(one) for name, one in value.values.items()}
        return {"pattern": value.pattern, "values": values}
    return value if isinstance(value, int | float) else str(value)


def from_json(data: Any) -> Any:
    """Return what ``to_json`` wrote down.

    >>> sentence = say("Round {number}.", number=say("{n} of 5", n=3))
    >>> from_json(to_json(sentence)) == sentence == "Round 3 of 5."
    True
    """
    if not isinstance(data, dict):
        return data
    pattern: str = data["pattern"]
    return say(
        pattern, **{name: from_json(one) for name, one in data["values"].items()}
    )
