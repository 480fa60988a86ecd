"""The result of the readers of foreign events. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

MAX_NAME_LENGTH = 80
MAX_ROUNDS = 99
MAX_RATING = 3500

_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_FEDERATION = re.compile(r"[A-Z]{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem in the file: where it is, what is wrong, and how to fix it.

    With a fatal remark nothing was read; with others, only the named item is skipped.

    >>> print(Remark("Row 7", "The result is 'x'.", "Write 1, 0 or ½."))
    Row 7: The result is 'x'. Write 1, 0 or ½.
    """

    place: str
    sentence: str
    hint: str = ""
    fatal: bool = False

    def __str__(self) -> str:
        start = f"{self.place}: " if self.place else ""
        return f"{start}{self.sentence} {self.hint}".rstrip()


@dataclass(frozen=True, slots=True)
class ReportedForeignGame:
    """One game that was played. *half_points* are the member's.

    *stated_rating* is the opponent's as stated in the file, None if it is not.
    """

    round_number: int
    opponent_name: str
    opponent_fide_id: str
    opponent_federation: str
    stated_rating: int | None
    color: str
    half_points: int


@dataclass(frozen=True, slots=True)
class ReportedUnplayedRound:
    """A round without a game that counts, and why: a bye, a forfeit."""

    round_number: int
    what: str


@dataclass(frozen=True, slots=True)
class ReportedForeignPlayer:
    """One player of the file with their rounds; either ID may be blank.

    *remarks* are about this player's games only.
    """

    place: str
    member_id: str = ""
    fide_id: str = ""
    name: str = ""
    games: tuple[ReportedForeignGame, ...] = ()
    rounds_off: tuple[ReportedUnplayedRound, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignEventHeader:
    """The data of the event itself."""

    name: str = ""
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class ReportedForeignEvent:
    """The players that could be read, and remarks about the rest."""

    layout: str
    event: ForeignEventHeader | None = None
    players: tuple[ReportedForeignPlayer, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())


def rejected_report(
    layout: str, sentence: str, hint: str, place: str = ""
) -> ReportedForeignEvent:
    """Return an empty report with the reason why nothing was read."""
    return ReportedForeignEvent(
        layout, remarks=(Remark(place, sentence, hint, fatal=True),)
    )


_OUR_MEMBER_ID = re.compile(r"(?!309)[1-3][0-9]{7}", re.ASCII)
_QUOTATION_MARKS = "'\"`´‘’“”"


def clean_text(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return *text* on one line without control characters, cut to a length.

    >>> clean_text("  Carlsen,\\x00 Magnus\\n ")
    'Carlsen, Magnus'
    """
    kept = "".join(filter(str.isprintable, " ".join(text.split())))
    return " ".join(kept.split())[:longest].rstrip()


def normalize_number(text: str) -> str:
    """Return a number without spaces, quotation marks and a spreadsheet's additions.

    >>> [normalize_number(text) for text in ('"12 345 678"', "12345678.0", "CM1")]
    ['12345678', '12345678', 'CM1']
    """
    number = "".join(text.split()).strip(_QUOTATION_MARKS)
    digits, _, rest = number.partition(".")
    return digits if digits.isdecimal() and not rest.strip("0") else number


def parse_fide_id(text: str) -> str:
    """Return the FIDE ID in *text*, blank if it has none; raise ValueError if invalid.

    >>> parse_fide_id("1503014"), parse_fide_id("01 503 014"), parse_fide_id("0")
    ('1503014', '1503014', '')
    >>> parse_fide_id("'1503014'"), parse_fide_id("1503014.0")
    ('1503014', '1503014')
    """
    number = normalize_number(text)
    if number.strip("0") == "":
        return ""
    if not _FIDE_ID.fullmatch(number.lstrip("0")):
        raise ValueError(f"The FIDE ID is {number!r}.")
    return number.lstrip("0")


def are_member_ids(numbers: Iterable[str]) -> bool:
    """Return whether numbers given as FIDE IDs can only be US Chess member IDs.

    US players have FIDE IDs of seven digits, or of eight that begin with 309.

    >>> are_member_ids(["12000001", "30012345"])
    True
    >>> are_member_ids(["12000001", "2099101"])
    False
    >>> are_member_ids(["30912345"]), are_member_ids([])
    (False, False)
    """
    several = set(numbers)
    return bool(several) and all(map(_OUR_MEMBER_ID.fullmatch, several))


def parse_member_id(text: str) -> str:
    number = text.strip()
    if number and not _MEMBER_ID.fullmatch(number):
        raise ValueError(f"The member ID is {number!r}.")
    return number


def parse_federation(text: str) -> str:
    """Return a federation's three letters, blank for anything else."""
    letters = text.strip().upper()
    return letters if _FEDERATION.fullmatch(letters) else ""


def parse_rating(text: str) -> int | None:
    """Return a rating, None for blank or 0, or raise ValueError.

    >>> parse_rating("2210"), parse_rating("0"), parse_rating("2210.0")
    (2210, None, 2210)
    """
    number = text.strip().removesuffix(".0")
    if number.strip("0") == "":
        return None
    if not (number.isascii() and number.isdecimal() and int(number[:9]) <= MAX_RATING):
        raise ValueError(f"The rating is {number[:20]!r}.")
    return int(number)
