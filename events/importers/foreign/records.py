"""What the readers of foreign events hand over. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

LONGEST_NAME = 80
MOST_ROUNDS = 99
BEST_RATING = 3500

_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_FEDERATION = re.compile(r"[A-Z]{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a reader could not make sense of, where, and what to do.

    After a fatal one nothing was read; the others leave out what they name.

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
class GameAbroad:
    """One game that was played. *half_points* are the member's.

    *rating* is the opponent's as the file states it; None means that it does not.
    """

    round_number: int
    opponent_name: str
    opponent_fide_id: str
    opponent_federation: str
    rating: int | None
    color: str
    half_points: int


@dataclass(frozen=True, slots=True)
class RoundOff:
    """A round without a game that counts, and why: a bye, a forfeit."""

    round_number: int
    what: str


@dataclass(frozen=True, slots=True)
class PlayerAbroad:
    """One player of the file with their rounds; either ID may be blank.

    *remarks* are about their games; nobody reads those of a whole tournament.
    """

    place: str
    member_id: str = ""
    fide_id: str = ""
    name: str = ""
    games: tuple[GameAbroad, ...] = ()
    rounds_off: tuple[RoundOff, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class EventAbroad:
    """What the file says of the event itself."""

    name: str = ""
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class ReportedForeignEvent:
    """Everything that could be read, and what could not."""

    layout: str
    event: EventAbroad | None = None
    players: tuple[PlayerAbroad, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())


def refused(
    layout: str, sentence: str, hint: str, place: str = ""
) -> ReportedForeignEvent:
    """Return a report of nothing but the reason why nothing was read."""
    return ReportedForeignEvent(
        layout, remarks=(Remark(place, sentence, hint, fatal=True),)
    )


_OUR_MEMBER_ID = re.compile(r"(?!309)[1-3][0-9]{7}", re.ASCII)
_QUOTATION_MARKS = "'\"`´‘’“”"


def tidy(text: str, longest: int = LONGEST_NAME) -> str:
    """Return *text* on one line without control characters, cut to a length.

    >>> tidy("  Carlsen,\\x00 Magnus\\n ")
    'Carlsen, Magnus'
    """
    kept = "".join(filter(str.isprintable, " ".join(text.split())))
    return " ".join(kept.split())[:longest].rstrip()


def plain_number(text: str) -> str:
    """Return a number without blanks, quotation marks and what a spreadsheet adds.

    >>> plain_number('"12 345 678"'), plain_number("12345678.0"), plain_number("CM1")
    ('12345678', '12345678', 'CM1')
    """
    number = "".join(text.split()).strip(_QUOTATION_MARKS)
    digits, _, rest = number.partition(".")
    return digits if digits.isdecimal() and not rest.strip("0") else number


def fide_id_in(text: str) -> str:
    """Return the FIDE ID that *text* is, or raise ValueError; none is blank.

    >>> fide_id_in("1503014"), fide_id_in("01 503 014"), fide_id_in("0")
    ('1503014', '1503014', '')
    >>> fide_id_in("'1503014'"), fide_id_in("1503014.0")
    ('1503014', '1503014')
    """
    number = plain_number(text)
    if number.strip("0") == "":
        return ""
    if not _FIDE_ID.fullmatch(number.lstrip("0")):
        raise ValueError(f"The FIDE ID is {number!r}.")
    return number.lstrip("0")


def are_member_ids(numbers: Iterable[str]) -> bool:
    """Tell whether numbers given as FIDE IDs can only be US Chess member IDs.

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


def member_id_in(text: str) -> str:
    number = text.strip()
    if number and not _MEMBER_ID.fullmatch(number):
        raise ValueError(f"The member ID is {number!r}.")
    return number


def federation_in(text: str) -> str:
    """Return a federation's three letters, blank if it is anything else."""
    letters = text.strip().upper()
    return letters if _FEDERATION.fullmatch(letters) else ""


def rating_in(text: str) -> int | None:
    """Return a rating, None for blank or 0, or raise ValueError.

    >>> rating_in("2210"), rating_in("0"), rating_in("2210.0")
    (2210, None, 2210)
    """
    number = text.strip().removesuffix(".0")
    if number.strip("0") == "":
        return None
    if not (number.isascii() and number.isdecimal() and int(number[:9]) <= BEST_RATING):
        raise ValueError(f"The rating is {number[:20]!r}.")
    return int(number)
