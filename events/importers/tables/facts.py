"""What a table may say of the event and its sections above the players' rows.

Such lines hold a label and a value: First day, 2024-05-04. The table that this office
writes has them all; people may give as many as they like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from events.importers.days import parse_day
from events.importers.dbf.layout_2c import KINDS
from events.importers.online_play import is_address
from events.importers.schedule_texts import read_schedule
from events.importers.tables.days import first_and_last
from events.importers.tables.headings import plain

# How long the books' own fields are; what is longer would be lost later.
_SHORT, _NAME, _SECTION_NAME = 10, 80, 60
_AN_ID = re.compile(r"(?<![A-Z0-9])[A-Z1-9][0-9]{7}(?![0-9])", re.ASCII)
_NUMBERED_SECTION = re.compile(r"Section [0-9]{1,2}\s?[-–:]\s?(\S.{0,80})", re.ASCII)
_SECTION_WITHIN = re.compile(r"[\w .,]{1,60}[ .]Section: {0,3}(\S.{0,80})")
_KIND_WORDS = {
    **{plain(kind): letter for letter, kind in KINDS.items()},
    **{letter.lower(): letter for letter in KINDS},
    "quad": "R",
    "quads": "R",
    "double swiss": "2",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A label that is understood: the record's field, and how its value is read.

    ``read`` raises ValueError for what it cannot read; ``label`` is how we write it.
    What *repeats* has a line for each of several values.
    """

    label: str
    field: str
    read: Callable[[str], Any]
    repeats: bool = False


def _text(longest: int) -> Callable[[str], str]:
    return lambda text: text[:longest].rstrip()


def _city(text: str) -> str:
    if is_address(text):
        raise ValueError(text)
    return text[:40].rstrip()


def _capitals(longest: int) -> Callable[[str], str]:
    return lambda text: text.upper()[:longest]


def _number(most: int) -> Callable[[str], int | None]:
    def read(text: str) -> int | None:
        if not text:
            return None
        match = re.fullmatch(r"([0-9]{1,9})(?:\.0*)?", text, re.ASCII)
        if match is None or int(match[1]) > most:
            raise ValueError
        return int(match[1])

    return read


def _kind(text: str) -> str:
    if text and plain(text) not in _KIND_WORDS:
        raise ValueError
    return _KIND_WORDS.get(plain(text), "")


def _yes(text: str) -> bool:
    return text.upper()[:1] in ("Y", "T", "1", "X")


def _ids(text: str) -> tuple[str, ...]:
    return tuple(part[:8] for part in re.split(r"[\s,;]+", text) if part)


def _id(text: str) -> str:
    """Return an ID, without the name that may stand before it.

    >>> _id("12345678"), _id("Ann Lee (12345678)"), _id("Chess Club (A5000408)")
    ('12345678', '12345678', 'A5000408')
    """
    match = _AN_ID.search(text.upper())
    return match[0] if match else text.upper().removesuffix(".0")[:8]


EVENT_FACTS = (
    Fact("Event", "name", _text(_NAME)),
    Fact("First day", "starts", parse_day),
    Fact("Last day", "ends", parse_day),
    Fact("Affiliate ID", "affiliate_id", _id),
    Fact("City", "city", _city),
    Fact("State", "state", _capitals(2)),
    Fact("ZIP code", "zip_code", _text(_SHORT)),
    Fact("Country", "country", _text(21)),
    Fact("Chief TD", "chief_td_id", _id),
    Fact("Assistant TD", "assistant_td_id", _id),
    Fact("Other TDs", "other_td_ids", _ids),
    Fact("Send crosstable", "send_crosstable", _capitals(1)),
    Fact("Program", "program", _text(_SHORT)),
    Fact("Event ID", "event_id", _text(12)),
)
# Where two files differ in one of these, they hold two events.
TELLS_EVENTS_APART = frozenset({"name", "starts", "ends"})
SECTION_FACTS = (
    Fact("Section", "name", _text(_SECTION_NAME)),
    Fact("Section number", "number", _number(99)),
    Fact("Time control", "time_control", _text(60)),
    Fact("Type", "kind_letter", _kind),
    Fact("Rounds", "rounds", _number(99)),
    Fact("Played online", "online", _yes),
    Fact("Section first day", "starts", parse_day),
    Fact("Section last day", "ends", parse_day),
    Fact("Section chief TD", "chief_td_id", _id),
    Fact("Section assistant TD", "assistant_td_id", _id),
    Fact("Rating system", "system_letter", _capitals(1)),
    Fact("Scholastic level", "scholastic_level", _capitals(1)),
    Fact("Grand Prix", "grand_prix", _yes),
    Fact("Grand Prix points", "grand_prix_points", _number(999)),
    Fact("FIDE rated", "fide", _yes),
    Fact("Schedule", "schedules", read_schedule, repeats=True),
)
_OTHER_LABELS = {
    "event name": "Event",
    "tournament": "Event",
    "tournament name": "Event",
    "start date": "First day",
    "starts": "First day",
    "begins": "First day",
    "from": "First day",
    "end date": "Last day",
    "ends": "Last day",
    "to": "Last day",
    "affiliate": "Affiliate ID",
    "club id": "Affiliate ID",
    "zip": "ZIP code",
    "chief td id": "Chief TD",
    "director": "Chief TD",
    "section name": "Section",
    "control": "Time control",
    "tc": "Time control",
    "kind": "Type",
    "online": "Played online",
    "no of rounds": "Rounds",
    "number of rounds": "Rounds",
    "sponsoring affiliate": "Affiliate ID",
    "asst chief td": "Assistant TD",
}
# Labels of two days in one, as the federation's site has them.
_SPANS = {
    **dict.fromkeys(
        ("event date s", "event dates", "event date", "dates", "date"),
        ("First day", "Last day"),
    ),
    "section date s": ("Section first day", "Section last day"),
}
_EVENT = {plain(fact.label): fact for fact in EVENT_FACTS}
_SECTION = {plain(fact.label): fact for fact in SECTION_FACTS}


def section_named(cells: Sequence[str]) -> str:
    """Return the section that a line names, "" if it names none.

    >>> section_named(["Section", "Under 1200"]), section_named(["Section 2 - Open"])
    ('Under 1200', 'Open')
    """
    label, value = label_and_value(cells)
    fact = fact_in(label)
    return value if fact is not None and fact[0] is _SECTION["section"] else ""


def label_and_value(cells: Sequence[str]) -> tuple[str, str]:
    """Return what stands before and behind a colon, or in two cells.

    >>> label_and_value(["City: Dayton"]), label_and_value(["City", "", "Dayton"])
    (('City', 'Dayton'), ('City', 'Dayton'))
    """
    filled = [cell for cell in cells if cell]
    if not 1 <= len(filled) <= 2 or not cells[0]:
        return "", ""
    for pattern in (_NUMBERED_SECTION, _SECTION_WITHIN):
        if match := pattern.fullmatch(filled[0]):
            return "Section", match[1].strip()
    label, _, value = filled[0].partition(":")
    return label, (filled[1] if len(filled) == 2 else value).strip()


def facts_in(label: str, value: str) -> list[tuple[Fact, bool, str]]:
    """Return each fact of a line, whether it is one of a section, and its value."""
    if labels := _SPANS.get(plain(label)):
        named = zip(labels, first_and_last(value), strict=True)
    else:
        named = zip([label], [value], strict=True)
    return [(*fact, text) for name, text in named if (fact := fact_in(name))]


def fact_in(label: str) -> tuple[Fact, bool] | None:
    """Return the fact that *label* names, and whether it is one of a section."""
    words = plain(label)
    words = plain(_OTHER_LABELS.get(words, words))
    if words in _SECTION:
        return _SECTION[words], True
    return (_EVENT[words], False) if words in _EVENT else None
