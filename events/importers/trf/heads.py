"""What the heading lines of a tournament report file say, to reader and writer alike.

The writer gives a heading line back as it came, as long as it still says what the
report says; so both must read it in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from events.importers.time_controls import office_control
from events.importers.trf.times import from_seconds_code

# The national lines of our own members begin with it, and it is our federation.
HOME = "USA"

NAME, CITY, FEDERATION, STARTS, ENDS = "012", "022", "032", "042", "052"
PLAYERS, RATED_PLAYERS = "062", "072"
KIND, KIND_CODE = "092", "192"
CHIEF, DEPUTY = "102", "112"
CONTROL, CONTROL_CODE = "122", "222"
ROUND_DAYS, ROUNDS, OTHER_ROUNDS, PROGRAM = "132", "142", "XXR", "182"
RANKING = "172"
# Lines that may name a server instead of a place.
ABOUT = (NAME, CITY, FEDERATION, KIND, CHIEF, DEPUTY)
# Points that differ from one, a half and none, or are given and taken by the way.
POINT_LINES = frozenset({"162", "XXS", "299"})

# Lines of which the report holds everything.
HELD = frozenset(
    {NAME, CITY, FEDERATION, STARTS, ENDS, PLAYERS, RATED_PLAYERS, ROUNDS}
    | {OTHER_ROUNDS, PROGRAM}
)
# Lines of which the report holds the gist: they are kept beside it.
HELD_IN_PART = frozenset(
    {KIND, KIND_CODE, CHIEF, DEPUTY, CONTROL, CONTROL_CODE, RANKING}
)
# Lines of teams: their players, their order, their matches and what those count.
OF_TEAMS = frozenset({"013", "300", "310", "320", "330", "352", "362", "801", "802"})
# Lines that came with the edition of 2026.
OF_2026 = frozenset(
    {f"{number}2" for number in (*range(14, 23), 35, 36)}
    | {"240", "250", "260", "299", "300", "310", "320", "330", "801", "802", "###"}
)

Heads = Mapping[str, Sequence[str]]

# What the format has no line for stands in comments of ours, in the edition of 2026.
_FACT = re.compile(r"###\s*(Event|Section|Affiliate|Online)\s*([0-9]{0,2})\s*:\s*(.*)")
_PLACE = re.compile(r"(.+?),\s*([A-Za-z]{2})\.?(?:\s+([0-9]{5}(?:-[0-9]{4})?))?")
_MEMBER = re.compile(
    r"\b(?:US\s?Chess|USCF|USA|Member)\s*(?:ID|No\.?)?\s*[:#]?\s*([0-9]{8})(?![0-9])",
    re.IGNORECASE,
)
_KINDS = (
    ("D", re.compile(r"double[\s_-]*round", re.IGNORECASE)),
    ("R", re.compile(r"round[\s_-]*robin|berger|all[\s-]*play[\s-]*all", re.I)),
    ("S", re.compile(r"swiss|dutch|burstein|dubov|\blim\b|monrad|fide[_-]team", re.I)),
    ("M", re.compile(r"\bmatch\b", re.IGNORECASE)),
)
_KIND_WORDS = {
    "S": "Individual: Swiss-System",
    "R": "Individual: Round-Robin",
    "D": "Individual: Double Round-Robin",
    "M": "Individual: Match",
    # Each game of a double round has a round of its own in the file.
    "2": "Individual: Swiss-System",
}
_KIND_CODES = {"S": "CUSTOM_SWISS", "R": "CUSTOM_ROUNDROBIN", "2": "CUSTOM_SWISS"}


def fact_in(comment: str) -> tuple[str, str, str] | None:
    """Return the name, number and text of a comment of ours, or None.

    >>> fact_in("### Section 2: Under 1200")
    ('Section', '2', 'Under 1200')
    """
    match = _FACT.fullmatch(comment.strip())
    return (match[1], match[2], match[3].strip()) if match else None


def place_in(text: str) -> tuple[str, str, str]:
    """Return city, state and ZIP code.

    >>> place_in("Oakland, CA 94601"), place_in("Paris")
    (('Oakland', 'CA', '94601'), ('Paris', '', ''))
    """
    match = _PLACE.fullmatch(text)
    return (match[1], match[2].upper(), match[3] or "") if match else (text, "", "")


def place_text(city: str, state: str, zip_code: str) -> str:
    tail = f"{state} {zip_code}".strip()
    return ", ".join(part for part in (city, tail) if part)


def member_id_in(text: str) -> str:
    """Return the member ID of a director, blank if only others' numbers stand there.

    Eight digits in brackets are as likely a FIDE ID; so ours must be called ours.

    >>> member_id_in("Smith, John (USA 12345678)"), member_id_in("IA Smith (13400304)")
    ('12345678', '')
    """
    if re.fullmatch(r"[0-9]{8}", text):
        return text
    match = _MEMBER.search(text)
    return match[1] if match else ""


def member_id_line(member_id: str) -> str:
    return f"{HOME} {member_id}"


def kind_in(heads: Heads) -> str:
    """Return the section's type letter from the words or the code, blank if neither.

    >>> kind_in({"092": ["Individual: Round-Robin"]}), kind_in({"192": ["FIDE_DUTCH"]})
    ('R', 'S')
    """
    for tag in (KIND, KIND_CODE):
        for text in heads.get(tag, ()):
            for letter, words in _KINDS:
                if words.search(text):
                    return letter
    return ""


def kind_lines(letter: str) -> list[tuple[str, str]]:
    """Return the words and the code of a type letter, without those it lacks."""
    lines = [
        (KIND, _KIND_WORDS.get(letter, "")),
        (KIND_CODE, _KIND_CODES.get(letter, "")),
    ]
    return [(tag, text) for tag, text in lines if text]


def control_in(heads: Heads) -> str:
    """Return the time control; a delay can stand in the words only, so they decide.

    >>> control_in({"122": ["90 minutes, then 30"], "222": ["5400+30"]})
    'G/90;+30'
    >>> control_in({"122": ["G/90;d5"], "222": ["5400"]})
    'G/90;d5'
    """
    words = next(iter(heads.get(CONTROL, ())), "")
    code = next(iter(heads.get(CONTROL_CODE, ())), "")
    if re.match(r"(G|SD|[0-9]+)\s*/", words, re.IGNORECASE):
        return office_control(words)
    return from_seconds_code(code) or office_control(words) or code
