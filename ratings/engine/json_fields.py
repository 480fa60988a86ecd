"""Read one JSON object: each value by its name, each fault with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

Choice = TypeVar("Choice", bound=StrEnum)
FIRST_DAY: Final = date(1850, 1, 1)
LAST_DAY: Final = date(2199, 12, 31)
_DAY_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Fault(NamedTuple):
    """One error in an input: its place (may be empty), and a sentence."""

    path: str
    sentence: str

    def __str__(self) -> str:
        line = f"{self.path}: {self.sentence}" if self.path else self.sentence
        return escape_control_characters(line)


@dataclass(slots=True)
class Fields:
    """Reader of one JSON object; errors are added to *faults* with their place.

    A null counts as a missing value. Readers return None for a value they refuse.
    """

    values: dict[str, object]
    path: str
    faults: list[Fault] = field(repr=False)

    def fault(self, name: str, sentence: str) -> None:
        path = f"{self.path}.{name}" if self.path else name
        self.faults.append(Fault(path, sentence))

    def check_names(self, known: Sequence[str]) -> None:
        """Refuse a name that looks misspelled; other unknown names are ignored."""
        for name in self.values:
            if name not in known:
                meant = get_close_matches(name, known, n=1, cutoff=0.8)
                if meant and meant[0] not in self.values:
                    self.fault(name, f"There is no such field. Write {meant[0]}.")

    def given(self, name: str, required: bool) -> object:
        value = self.values.get(name)
        if value is None and required:
            self.fault(name, "This is missing and must be given.")
        return value

    def raw_value(self, name: str) -> object:
        value = self.values.get(name)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            self.fault(name, "This must be a JSON value. Give a number or a text.")
            return None
        return value

    def choice(
        self, name: str, kind: type[Choice], default: Choice | None = None
    ) -> Choice | None:
        value = self.given(name, required=default is None)
        if value is None:
            return default
        options = [option.value for option in kind]
        if isinstance(value, str) and value in options:
            return kind(value)
        self.fault(name, f"{shown(value)} is none of {', '.join(options)}.")
        return None

    def number(
        self, name: str, least: float, most: float, *, required: bool = False
    ) -> float | None:
        value = self.given(name, required)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(name, f"{shown(value)} is not a number.")
        elif not least <= value <= most:
            self.fault(name, f"{shown(value)} is not between {least} and {most}.")
        else:
            return float(value)
        return None

    def whole(
        self, name: str, least: int, most: int, *, required: bool = False
    ) -> int | None:
        value = self.number(name, least, most, required=required)
        if value is None or value.is_integer():
            return None if value is None else int(value)
        self.fault(name, f"{shown(value)} is not a whole number.")
        return None

    def day(self, name: str, *, required: bool = False) -> date | None:
        value = self.given(name, required)
        if value is None:
            return None
        day = _day(value)
        if day is None:
            sentence = f"{shown(value)} is not a day. Write it like 2024-05-04."
            self.fault(name, sentence)
        elif not FIRST_DAY <= day <= LAST_DAY:
            years = f"{FIRST_DAY.year} to {LAST_DAY.year}"
            self.fault(name, f"{shown(value)} is not in the years {years}.")
        else:
            return day
        return None

    def flag(self, name: str) -> bool:
        value = self.values.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.fault(name, f"{shown(value)} is neither true nor false.")
        return False

    def objects(self, name: str, *, required: bool = False) -> list[Fields]:
        value = self.given(name, required)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fault(name, f"{shown(value)} is not a list.")
            return []
        found = []
        for number, item in enumerate(value):
            place = f"{name}[{number}]"
            if isinstance(item, dict):
                path = f"{self.path}.{place}" if self.path else place
                found.append(Fields(item, path, self.faults))
            else:
                self.fault(place, f"{shown(item)} is not a JSON object.")
        return found


def _day(value: object) -> date | None:
    if not isinstance(value, str) or not _DAY_PATTERN.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def shown(value: object) -> str:
    """Quote a value as JSON for a sentence, cut to a readable length."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


def escape_control_characters(text: str) -> str:
    """Spell out characters that would break a line or cannot be printed."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
