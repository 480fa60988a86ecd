"""Tolerant reading of JSON from other programs.

Nothing is raised: an invalid value adds a finding with its JSON pointer (RFC 6901) as
the field, and valid values are kept.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any, TypeVar

from events.formats.archive import printable
from events.formats.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS, parse_number
from events.formats.findings import Collector, Place
from events.formats.report import MAX_PAIRING_NUMBER, parse_cell

MAX_TEXT_LENGTH = 500
# No number of a report has more digits; a longer one would take long to read.
MAX_NUMBER_LENGTH = 15
BOM = b"\xef\xbb\xbf"

# The value of an unreadable document; null is a readable one.
UNREADABLE = object()

# No spelling of a result is longer.
_MAX_RESULT_LENGTH = 12
_YES = frozenset(("y", "yes", "true", "1"))
_NO = frozenset(("n", "no", "false", "0", ""))

# The highest numbers of a report's fields.
HIGHEST = {
    **dict.fromkeys(("total_sections", "number"), MAX_SECTIONS),
    **dict.fromkeys(("rounds", "first_round", "last_round"), MAX_ROUNDS),
    **dict.fromkeys(("pairing_number", "last_pairing_number"), MAX_PAIRING_NUMBER),
    "grand_prix_points": 999,
}

Object = dict[str, Any]
Record = TypeVar("Record")


def parse_json(
    name: str, text: str, findings: Collector, *, twice: str = "json.name_twice"
) -> Any:
    """Return the value of *text*, the content of the file *name*, or UNREADABLE.

    *twice* names the finding for a repeated name in one object.

    >>> parse_json("r.json", '{"rating": 1500, "id": 123456789012345678}', Collector())
    {'rating': 1500, 'id': '123456789012345678'}
    """
    add = findings.at(Place(file=name))
    repeated: set[str] = set()
    lost: dict[str, str] = {}

    def object_from_pairs(pairs: list[tuple[str, Any]]) -> Object:
        seen = dict(pairs)
        if len(seen) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.update(key for key, count in counts.items() if count > 1)
            gone = {key: find_result(one) for key, one in pairs if one is not seen[key]}
            lost.update({key: result for key, result in gone.items() if result})
        return seen

    try:
        hooks: dict[str, Any] = {"parse_int": _number, "parse_constant": str}
        document = json.loads(text, object_pairs_hook=object_from_pairs, **hooks)
    except json.JSONDecodeError as bad:
        add("json.unreadable", name=name, lineno=bad.lineno, colno=bad.colno)
        return UNREADABLE
    except RecursionError:
        add("json.unreadable/nested", name=name)
        return UNREADABLE
    for one in sorted(repeated)[:10]:
        add(twice, printable=printable(one))
    for one, result in sorted(lost.items())[:10]:
        add("json.results_left_out", pointer=printable(one), shown=shown(result))
    return document


def find_result(value: Any) -> str:
    """Return a game result from any level of *value*, "" if there is none.

    >>> find_result({"cels": ["H0", "W12"]}), find_result("W12 of them")
    ('W12', '')
    """
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, (dict, list)):
            stack += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str) and _is_game_result(one):
            return one
    return ""


def _is_game_result(text: str) -> bool:
    return len(text) <= _MAX_RESULT_LENGTH and parse_cell(text).opponent is not None


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_NUMBER_LENGTH else digits


@dataclass(frozen=True, slots=True)
class JsonLocation:
    """A place in the document, and its place in the report."""

    pointer: str = ""
    place: Place = field(default_factory=Place)

    def at(self, step: str | int) -> JsonLocation:
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return JsonLocation(f"{self.pointer}/{escaped}", self.place)

    @property
    def finding_place(self) -> Place:
        return replace(self.place, field=self.pointer)


class Document:
    """One document; adds findings for values that cannot be read."""

    # The findings for a value that is not a list, or not an object.
    no_list = "value.unreadable"
    no_object = "value.unreadable/object"

    def __init__(self, findings: Collector) -> None:
        self.findings = findings

    def add(self, name: str, at: JsonLocation, /, **values: Any) -> None:
        self.findings.add(name, at.finding_place, **values)

    def items(
        self, items: Any, at: JsonLocation, most: int, too_large: str
    ) -> list[Any]:
        """Return up to *most* items of a list; null is an empty list.

        *too_large* names the finding for a longer one.
        """
        if items is None:
            return []
        if not isinstance(items, list):
            self.unreadable(self.no_list, at, items)
            return []
        if len(items) > most:
            self.add(too_large, at, items=len(items), most=most)
        return items[:most]

    def objects(
        self,
        values: Values,
        name: str,
        most: int,
        read: Callable[[Object, JsonLocation, int], Record],
        too_large: str = "",
    ) -> tuple[Record, ...]:
        """Return what *read* makes of the objects of a list, by place and index."""
        at = values.at.at(name)
        too_large = too_large or f"json.too_large/{name}"
        items = self.items(values.data.get(name), at, most, too_large)
        return tuple(
            read(item, at.at(index), index)
            for index, item in enumerate(items)
            if self.is_object(item, at.at(index))
        )

    def is_object(self, item: Any, at: JsonLocation) -> bool:
        if isinstance(item, dict):
            return True
        self.unreadable(self.no_object, at, item)
        return False

    def unreadable(
        self, name: str, at: JsonLocation, value: Any, highest: int = 0
    ) -> None:
        self.report_lost_results(at, value)
        self.add(name, at, pointer=at.pointer, shown=shown(value), highest=highest)

    def report_lost_results(self, at: JsonLocation, value: Any) -> bool:
        """Report a result in a skipped value, and return whether it has one."""
        result = find_result(value)
        if result:
            self.add(
                "json.results_left_out", at, pointer=at.pointer, shown=shown(result)
            )
        return bool(result)

    def clean_text(self, text: str, at: JsonLocation, longest: int) -> str:
        """Return *text* without control characters, cut to the *longest* length."""
        kept = text
        if not text.isprintable():
            kept = "".join(
                one for one in text if one == "\t" or not _is_control_character(one)
            )
            if kept != text:
                self.add("json.characters", at, pointer=at.pointer)
        if len(kept) > longest:
            self.add(
                "text.too_long", at, pointer=at.pointer, kept=len(kept), longest=longest
            )
        return kept[:longest]


def shown(value: Any) -> str:
    """Return a value as text for a message.

    >>> shown("won"), shown([1, 2])
    ('“won”', '[…]')
    """
    if isinstance(value, (dict, list)):
        return "{…}" if isinstance(value, dict) else "[…]"
    return f"“{printable(str(value)[:60])}”"


def _is_control_character(character: str) -> bool:
    """Return whether a character is a control code, or a surrogate."""
    return unicodedata.category(character) in ("Cc", "Cs")


@dataclass(eq=False, slots=True)
class Values:
    """The plain values of one object, by name; *known* are the names it may have."""

    document: Document
    data: Object
    at: JsonLocation
    known: set[str] = field(default_factory=set)

    def record(self, kind: type[Record], **made: Callable[[], object]) -> Record:
        """Return the record of the object; report names that it does not have.

        *made* are the readers of fields with other values than their type says.
        """
        read: dict[str, Callable[[str], object]] = {
            "str": self.text,
            "bool": self.flag,
            "date | None": self.day,
            "int | None": self.number,
        }
        types = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
        self.known.update(types)
        values = {
            name: made[name]() if name in made else read[type_](name)
            for name, type_ in types.items()
        }
        self.report_unknown()
        return kind(**values)

    def _get_value(self, name: str) -> Any:
        self.known.add(name)
        return self.data.get(name)

    def text(self, name: str) -> str:
        return self._text(self._get_value(name), self.at.at(name), MAX_TEXT_LENGTH)

    def _text(self, value: Any, at: JsonLocation, longest: int) -> str:
        if value is None:
            return ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            self.document.unreadable("value.unreadable/text", at, value)
            return ""
        return self.document.clean_text(value, at, longest)

    def texts(
        self, name: str, most: int, longest: int = MAX_TEXT_LENGTH
    ) -> tuple[str, ...]:
        value, at = self._get_value(name), self.at.at(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.document.unreadable("value.unreadable/texts", at, value)
            return ()
        return tuple(
            self._text(item, at.at(index), longest)
            for index, item in enumerate(value[:most])
        )

    def number(self, name: str, highest: int | None = None) -> int | None:
        highest = HIGHEST[name] if highest is None else highest
        value, at = self._get_value(name), self.at.at(name)
        number = _parse_whole_number(value)
        if number is not None and 0 <= number <= highest:
            return number
        if value not in (None, ""):
            name = "value.unreadable/whole_number"
            self.document.unreadable(name, at, value, highest)
        return None

    def numbers(self, name: str, highest: int) -> tuple[int, ...]:
        value, at = self._get_value(name), self.at.at(name)
        parsed = (
            [_parse_whole_number(item) for item in value]
            if isinstance(value, list)
            else []
        )
        known = {number for number in parsed if number and 0 < number <= highest}
        if value is not None and (not isinstance(value, list) or {*parsed} - known):
            name = "value.unreadable/whole_numbers"
            self.document.unreadable(name, at, value, highest)
        return tuple(sorted(known))

    def day(self, name: str) -> date | None:
        value, at = self._get_value(name), self.at.at(name)
        if value in (None, ""):
            return None
        try:
            # As documented: the order of day and month must not be a guess.
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            self.document.unreadable("value.unreadable/day", at, value)
            return None

    def flag(self, name: str) -> bool:
        value, at = self._get_value(name), self.at.at(name)
        if isinstance(value, bool):
            return value
        lowered = "" if value is None else str(value).lower()
        if lowered not in _YES | _NO:
            self.document.unreadable("value.unreadable/flag", at, value)
        return lowered in _YES

    def report_unknown(self) -> None:
        """Report unknown names, which may be mistyped."""
        unknown = {one: printable(one) for one in self.data if one not in self.known}
        harmless = [
            shown_name
            for name, shown_name in unknown.items()
            if not self.document.report_lost_results(
                self.at.at(shown_name), self.data[name]
            )
        ]
        for name in harmless[:10]:
            self.document.add("json.unknown_name", self.at.at(name), printable=name)


def _parse_whole_number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value, re.ASCII):
        return parse_number(value.strip())
    return None
