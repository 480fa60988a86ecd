"""Heading lines of a tournament report file, for both reader and writer.

The writer returns a heading line unchanged as long as it agrees with the report, so
both must parse it in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from events.formats.time_controls import normalize_time_control
from events.formats.trf.time_codes import parse_seconds_code
from players.formats.member_ids import MEMBER_ID

# Our federation; the national lines of our own members begin with it.
HOME_FEDERATION = "USA"

NAME, CITY, FEDERATION, STARTS, ENDS = "012", "022", "032", "042", "052"
PLAYERS, RATED_PLAYERS = "062", "072"
KIND, KIND_CODE = "092", "192"
CHIEF, DEPUTY = "102", "112"
CONTROL, CONTROL_CODE = "122", "222"
ROUND_DAYS, ROUNDS, OTHER_ROUNDS, PROGRAM = "132", "142", "XXR", "182"
RANKING = "172"
# Lines that may have a server instead of a place.
PLACES = (CITY, FEDERATION, KIND, CHIEF, DEPUTY)
# Points that differ from one, a half and none, or extra and deducted points.
POINT_LINES = frozenset({"162", "XXS", "299"})

# Lines whose data is completely in the report.
FULLY_STORED = frozenset(
    {NAME, CITY, FEDERATION, STARTS, ENDS, PLAYERS, RATED_PLAYERS, ROUNDS}
    | {OTHER_ROUNDS, PROGRAM}
)
# Lines whose data is partly in the report: they are also kept.
PARTLY_STORED = frozenset(
    {KIND, KIND_CODE, CHIEF, DEPUTY, CONTROL, CONTROL_CODE, RANKING}
)
# Lines of teams: their players, order, matches and match points.
TEAM_TAGS = frozenset({"013", "300", "310", "320", "330", "352", "362", "801", "802"})
# Lines that are new in the edition of 2026.
TAGS_2026 = frozenset(
    {f"{number}2" for number in (*range(14, 23), 35, 36)}
    | {"240", "250", "260", "299", "300", "310", "320", "330", "801", "802", "###"}
)

Headers = Mapping[str, Sequence[str]]

# Data without a line in the format is in our own comments, in the edition of 2026.
_COMMENT = re.compile(
    r"###\s*(Event|Section|Affiliate|Online)\s*([0-9]{0,2})\s*:\s*(.*)"
)
_MEMBER = r"\b(?:US\s?Chess|USCF|USA|Member)\s*(?:ID|No\.?)?\s*[:#]?\s*({})(?![0-9])"
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
    # Each game of a double round has its own round in the file.
    "2": "Individual: Swiss-System",
}
_KIND_CODES = {"S": "CUSTOM_SWISS", "R": "CUSTOM_ROUNDROBIN", "2": "CUSTOM_SWISS"}


def parse_comment(comment: str) -> tuple[str, str, str] | None:
    """Return the name, number and text of one of our own comments, or None.

    >>> parse_comment("### Section 2: Under 1200")
    ('Section', '2', 'Under 1200')
    """
    match = _COMMENT.fullmatch(comment.strip())
    return (match[1], match[2], match[3].strip()) if match else None


def place_text(city: str, state: str, zip_code: str) -> str:
    tail = f"{state} {zip_code}".strip()
    return ", ".join(part for part in (city, tail) if part)


def find_member_id(text: str) -> str:
    """Return the member ID of a director, blank if there are only other numbers.

    Eight digits in brackets are as likely a FIDE ID, so a member ID must be marked.

    >>> find_member_id("Smith, John (USA 12345678)")
    '12345678'
    >>> find_member_id("IA Smith (13400304)")
    ''
    """
    shape = MEMBER_ID.shape
    if shape.fullmatch(text):
        return text
    match = re.search(_MEMBER.format(shape.pattern), text, re.IGNORECASE)
    return match[1] if match else ""


def member_id_line(member_id: str) -> str:
    return f"{HOME_FEDERATION} {member_id}"


def find_kind(headers: Headers) -> str:
    """Return the section's type letter from the words or the code, blank if neither.

    >>> find_kind({"092": ["Individual: Round-Robin"]})
    'R'
    >>> find_kind({"192": ["FIDE_DUTCH"]})
    'S'
    """
    for tag in (KIND, KIND_CODE):
        for text in headers.get(tag, ()):
            for letter, words in _KINDS:
                if words.search(text):
                    return letter
    return ""


def kind_lines(letter: str) -> list[tuple[str, str]]:
    """Return the lines with the words and the code of a type letter, if it has them."""
    lines = [
        (KIND, _KIND_WORDS.get(letter, "")),
        (KIND_CODE, _KIND_CODES.get(letter, "")),
    ]
    return [(tag, text) for tag, text in lines if text]


def find_time_control(headers: Headers) -> str:
    """Return the time control; only the words can have a delay, so they decide.

    >>> find_time_control({"122": ["90 minutes, then 30"], "222": ["5400+30"]})
    'G/90;+30'
    >>> find_time_control({"122": ["G/90;d5"], "222": ["5400"]})
    'G/90;d5'
    """
    words = next(iter(headers.get(CONTROL, ())), "")
    code = next(iter(headers.get(CONTROL_CODE, ())), "")
    if re.match(r"(G|SD|[0-9]+)\s*/", words, re.IGNORECASE):
        return normalize_time_control(words)
    return parse_seconds_code(code) or normalize_time_control(words) or code
