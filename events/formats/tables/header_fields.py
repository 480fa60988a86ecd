"""Fields of the event and its sections in lines above the players' rows.

Such lines have a label and a value: First day, 2024-05-04. Our own download has all of
them; all are optional.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from events.formats.dates import parse_date
from events.formats.dbf.layout_2c import SECTION_TYPES
from events.formats.schedule_text import parse_schedule
from events.formats.tables.dates import split_date_range
from events.formats.tables.headings import normalize_text
from players.formats.member_ids import MEMBER_ID
from players.formats.places import state_code

# The lengths of the database fields; longer text would be cut later.
_SHORT, _NAME, _SECTION_NAME = 10, 80, 60
_ID = r"(?<![A-Z0-9])(?:[A-Z][0-9]{{7}}|{})(?![0-9])"
_NUMBERED_SECTION = re.compile(r"Section [0-9]{1,2}\s?[-–:]\s?(\S.{0,80})", re.ASCII)
_SECTION_WITHIN = re.compile(r"[\w .,]{1,60}[ .]Section: {0,3}(\S.{0,80})")
_KIND_WORDS = {
    **{normalize_text(kind): letter for letter, kind in SECTION_TYPES.items()},
    **{letter.lower(): letter for letter in SECTION_TYPES},
    "quad": "R",
    "quads": "R",
    "double swiss": "2",
}


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A known label: the record's field, and the parser of its value.

    ``read`` raises ValueError for an invalid value; ``label`` is our own spelling. A
    field that *repeats* has a line for each of several values. A *dated* field is read
    again when all dates of the event are known, which decide the order of day and
    month.
    """

    label: str
    field: str
    read: Callable[[str], Any]
    repeats: bool = False
    dated: bool = False


def _text(longest: int) -> Callable[[str], str]:
    return lambda text: text[:longest].rstrip()


def _upper(longest: int) -> Callable[[str], str]:
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
    if text and normalize_text(text) not in _KIND_WORDS:
        raise ValueError
    return _KIND_WORDS.get(normalize_text(text), "")


def _flag(text: str) -> bool:
    return text.upper()[:1] in ("Y", "T", "1", "X")


def _ids(text: str) -> tuple[str, ...]:
    return tuple(
        MEMBER_ID.restore(part[:8]) for part in re.split(r"[\s,;]+", text) if part
    )


def _id(text: str) -> str:
    """Return an ID, without a name before it.

    >>> _id("12345678"), _id("Ann Lee (12345678)"), _id("Chess Club (A5000408)")
    ('12345678', '12345678', 'A5000408')
    """
    text = text.upper()
    match = re.search(_ID.format(MEMBER_ID.whole.pattern), text, re.ASCII)
    return match[0] if match else MEMBER_ID.restore(text.removesuffix(".0"))[:8]


EVENT_HEADER_FIELDS = (
    HeaderField("Event", "name", _text(_NAME)),
    HeaderField("First day", "starts", parse_date, dated=True),
    HeaderField("Last day", "ends", parse_date, dated=True),
    HeaderField("Affiliate ID", "affiliate_id", _id),
    HeaderField("City", "city", _text(40)),
    HeaderField("State", "state", lambda text: state_code(text) or _upper(2)(text)),
    HeaderField("ZIP code", "zip_code", _text(_SHORT)),
    HeaderField("Country", "country", _text(21)),
    HeaderField("Chief TD", "chief_td_id", _id),
    HeaderField("Assistant TD", "assistant_td_id", _id),
    HeaderField("Other TDs", "other_td_ids", _ids),
    HeaderField("Send crosstable", "send_crosstable", _upper(1)),
    HeaderField("Program", "program", _text(_SHORT)),
    HeaderField("Event ID", "event_id", _text(12)),
)
# Two files that differ in one of these are two events.
IDENTIFYING_FIELDS = frozenset({"name", "starts", "ends"})
SECTION_HEADER_FIELDS = (
    HeaderField("Section", "name", _text(_SECTION_NAME)),
    HeaderField("Section number", "number", _number(99)),
    HeaderField("Time control", "time_control", _text(60)),
    HeaderField("Type", "kind_letter", _kind),
    HeaderField("Rounds", "rounds", _number(99)),
    HeaderField("Played online", "online", _flag),
    HeaderField("Section first day", "starts", parse_date, dated=True),
    HeaderField("Section last day", "ends", parse_date, dated=True),
    HeaderField("Section chief TD", "chief_td_id", _id),
    HeaderField("Section assistant TD", "assistant_td_id", _id),
    HeaderField("Rating system", "system_letter", _upper(1)),
    HeaderField("Scholastic level", "scholastic_level", _upper(1)),
    HeaderField("Grand Prix", "grand_prix", _flag),
    HeaderField("Grand Prix points", "grand_prix_points", _number(999)),
    HeaderField("FIDE rated", "fide", _flag),
    HeaderField("Schedule", "schedules", parse_schedule, repeats=True, dated=True),
)
_ALIASES = {
    "Event": "event name, tournament, tournament name",
    "First day": "start date, starts, begins, from",
    "Last day": "end date, ends, to",
    "Affiliate ID": "affiliate, club id, sponsoring affiliate",
    "ZIP code": "zip",
    "Chief TD": "chief td id, director",
    "Assistant TD": "asst chief td",
    "Section": "section name",
    "Time control": "control, tc",
    "Type": "kind",
    "Played online": "online",
    "Rounds": "no of rounds, number of rounds",
}
_LABELS = {
    alias: normalize_text(label)
    for label, aliases in _ALIASES.items()
    for alias in aliases.split(", ")
}
# Labels of two days in one, as the federation's site has them.
_SPANS = {
    **dict.fromkeys(
        ("event date s", "event dates", "event date", "dates", "date"),
        ("First day", "Last day"),
    ),
    "section date s": ("Section first day", "Section last day"),
}
_EVENT = {normalize_text(fact.label): fact for fact in EVENT_HEADER_FIELDS}
_SECTION = {normalize_text(fact.label): fact for fact in SECTION_HEADER_FIELDS}


def section_name_in(cells: Sequence[str]) -> str:
    """Return the section name in a line, "" if there is none.

    >>> section_name_in(["Section", "Under 1200"])
    'Under 1200'
    >>> section_name_in(["Section 2 - Open"])
    'Open'
    """
    label, value = label_and_value(cells)
    fact = find_header_field(label)
    return value if fact is not None and fact[0] is _SECTION["section"] else ""


def label_and_value(cells: Sequence[str]) -> tuple[str, str]:
    """Return the texts before and after a colon, or of two cells.

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


def parse_header_line(label: str, value: str) -> list[tuple[HeaderField, bool, str]]:
    """Return each field of a line, whether it is a section's, and its value."""
    if labels := _SPANS.get(normalize_text(label)):
        named = zip(labels, split_date_range(value), strict=True)
    else:
        named = zip([label], [value], strict=True)
    return [(*fact, text) for name, text in named if (fact := find_header_field(name))]


def find_header_field(label: str) -> tuple[HeaderField, bool] | None:
    """Return the field with this *label*, and whether it is a section's."""
    words = normalize_text(label)
    words = _LABELS.get(words, words)
    if words in _SECTION:
        return _SECTION[words], True
    return (_EVENT[words], False) if words in _EVENT else None
