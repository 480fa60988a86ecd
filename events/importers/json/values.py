"""Tolerant reading of JSON that somebody else wrote.

Nothing is raised: what is not as it should be leaves a finding, placed by JSON pointer
(RFC 6901) in the finding's field, and what is good is kept.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from events.importers.archive import printable
from events.importers.dbf.layout_2c import parse_date, parse_number
from events.importers.findings import Collector, Place
from events.importers.records import parse_cell

LONGEST_TEXT = 500
# No number of a report has more digits; a longer one would take long to read.
LONGEST_NUMBER = 15
BOM = b"\xef\xbb\xbf"

# What cannot be read at all; null can.
NOTHING = object()

# No spelling of a result is longer.
_LONGEST_RESULT = 12
_YES = frozenset(("y", "yes", "true", "1"))
_NO = frozenset(("n", "no", "false", "0", ""))

Object = dict[str, Any]


def parsed(
    name: str, text: str, findings: Collector, *, twice: str = "json.name_twice"
) -> Any:
    """Return what *text*, the content of the file *name*, spells; or NOTHING.

    *twice* names the finding for a name that one object has several times.

    >>> parsed("r.json", '{"rating": 1500, "id": 123456789012345678}', Collector())
    {'rating': 1500, 'id': '123456789012345678'}
    """
    repeated: set[str] = set()
    lost: dict[str, str] = {}

    def taken(pairs: list[tuple[str, Any]]) -> Object:
        seen = dict(pairs)
        if len(seen) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.update(key for key, count in counts.items() if count > 1)
            gone = {key: result_in(one) for key, one in pairs if one is not seen[key]}
            lost.update({key: result for key, result in gone.items() if result})
        return seen

    try:
        document = json.loads(
            text, parse_int=_number, parse_constant=str, object_pairs_hook=taken
        )
    except json.JSONDecodeError as bad:
        findings.add(
            "json.unreadable",
            Place(file=name),
            name=name,
            lineno=bad.lineno,
            colno=bad.colno,
        )
        return NOTHING
    except RecursionError:
        findings.add("json.unreadable/nested", Place(file=name), name=name)
        return NOTHING
    for one in sorted(repeated)[:10]:
        findings.add(twice, Place(file=name), printable=printable(one))
    for one, result in sorted(lost.items())[:10]:
        found = {"pointer": printable(one), "shown": shown(result)}
        findings.add("json.results_left_out", Place(file=name), **found)
    return document


def result_in(value: Any) -> str:
    """Return a result of a game that stands in *value*, however deep; or nothing.

    >>> result_in({"cels": ["H0", "W12"]}), result_in("W12 of them")
    ('W12', '')
    """
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (dict, list)):
            waiting += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str) and _is_game(one):
            return one
    return ""


def _is_game(text: str) -> bool:
    return len(text) <= _LONGEST_RESULT and parse_cell(text).opponent is not None


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_NUMBER else digits


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the document, and what of the report it is."""

    pointer: str = ""
    place: Place = field(default_factory=Place)

    def at(self, step: str | int) -> Spot:
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return Spot(f"{self.pointer}/{escaped}", self.place)

    @property
    def found(self) -> Place:
        return replace(self.place, field=self.pointer)


class Document:
    """What one document holds; what cannot be read leaves a finding."""

    # The findings for what is no list, and no object.
    no_list = "value.unreadable"
    no_object = "value.unreadable/object"

    def __init__(self, findings: Collector) -> None:
        self.findings = findings

    def items(self, items: Any, at: Spot, most: int, too_large: str) -> list[Any]:
        """Return what a list holds, up to *most*; nothing is an empty list.

        *too_large* names the finding for a longer one.
        """
        if items is None:
            return []
        if not isinstance(items, list):
            self.unreadable(self.no_list, at, items)
            return []
        if len(items) > most:
            self.findings.add(too_large, at.found, items=len(items), most=most)
        return items[:most]

    def is_object(self, item: Any, at: Spot) -> bool:
        if isinstance(item, dict):
            return True
        self.unreadable(self.no_object, at, item)
        return False

    def unreadable(self, name: str, at: Spot, value: Any, highest: int = 0) -> None:
        self.left_out(at, value)
        self.findings.add(
            name, at.found, pointer=at.pointer, shown=shown(value), highest=highest
        )

    def left_out(self, at: Spot, value: Any) -> bool:
        """Tell of results in what is left aside: nothing may lose them unseen."""
        result = result_in(value)
        if result:
            self.findings.add(
                "json.results_left_out",
                at.found,
                pointer=at.pointer,
                shown=shown(result),
            )
        return bool(result)

    def cleaned(self, text: str, at: Spot, longest: int) -> str:
        """Return *text* without what no report holds, and not without end."""
        kept = text
        if not text.isprintable():
            kept = "".join(one for one in text if one == "\t" or not _is_control(one))
            if kept != text:
                self.findings.add("json.characters", at.found, pointer=at.pointer)
        if len(kept) > longest:
            self.findings.add(
                "text.too_long",
                at.found,
                pointer=at.pointer,
                kept=len(kept),
                longest=longest,
            )
        return kept[:longest]


def shown(value: Any) -> str:
    """Return a value as a sentence can show it.

    >>> shown("won"), shown([1, 2])
    ('“won”', '[…]')
    """
    if isinstance(value, (dict, list)):
        return "{…}" if isinstance(value, dict) else "[…]"
    return f"“{printable(str(value)[:60])}”"


def _is_control(character: str) -> bool:
    """Tell whether a character is a control code, or half of one (PostgreSQL)."""
    return unicodedata.category(character) in ("Cc", "Cs")


class Values:
    """The plain values of one object, by name."""

    def __init__(
        self,
        document: Document,
        data: Object,
        at: Spot,
        known: Sequence[str] | set[str] = (),
    ) -> None:
        self.document = document
        self.data = data
        self.at = at
        self.known = set(known)

    def _taken(self, name: str) -> Any:
        self.known.add(name)
        return self.data.get(name)

    def text(self, name: str) -> str:
        return self._text(self._taken(name), self.at.at(name), LONGEST_TEXT)

    def _text(self, value: Any, at: Spot, longest: int) -> str:
        if value is None:
            return ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            self.document.unreadable("value.unreadable/text", at, value)
            return ""
        return self.document.cleaned(value, at, longest)

    def texts(
        self, name: str, most: int, longest: int = LONGEST_TEXT
    ) -> tuple[str, ...]:
        value, at = self._taken(name), self.at.at(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.document.unreadable("value.unreadable/texts", at, value)
            return ()
        return tuple(
            self._text(item, at.at(index), longest)
            for index, item in enumerate(value[:most])
        )

    def number(self, name: str, highest: int) -> int | None:
        value, at = self._taken(name), self.at.at(name)
        number = _whole(value)
        if number is not None and 0 <= number <= highest:
            return number
        if value not in (None, ""):
            name = "value.unreadable/whole_number"
            self.document.unreadable(name, at, value, highest)
        return None

    def numbers(self, name: str, highest: int) -> tuple[int, ...]:
        value, at = self._taken(name), self.at.at(name)
        found = [_whole(item) for item in value] if isinstance(value, list) else []
        known = {number for number in found if number and 0 < number <= highest}
        if value is not None and (not isinstance(value, list) or None in found):
            name = "value.unreadable/whole_numbers"
            self.document.unreadable(name, at, value, highest)
        return tuple(sorted(known))

    def day(self, name: str) -> date | None:
        value, at = self._taken(name), self.at.at(name)
        if value is None:
            return None
        try:
            return parse_date(value) if isinstance(value, str) else _no_date()
        except ValueError:
            self.document.unreadable("value.unreadable/day", at, value)
            return None

    def flag(self, name: str) -> bool:
        value, at = self._taken(name), self.at.at(name)
        if isinstance(value, bool):
            return value
        said = "" if value is None else str(value).lower()
        if said not in _YES | _NO:
            self.document.unreadable("value.unreadable/flag", at, value)
        return said in _YES

    def report_unknown(self) -> None:
        """Name what means nothing here; a mistyped name would be lost unseen."""
        unknown = [one for one in self.data if one not in self.known]
        harmless = [
            name
            for name in unknown
            if not self.document.left_out(self.at.at(printable(name)), self.data[name])
        ]
        for name in harmless[:10]:
            self.document.findings.add(
                "json.unknown_name",
                self.at.at(printable(name)).found,
                printable=printable(name),
            )


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value, re.ASCII):
        return parse_number(value.strip())
    return None


def _no_date() -> date:
    raise ValueError("not a text")
