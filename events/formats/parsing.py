"""Small parsers that the readers share: texts, numbers, IDs, ratings, federations."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from events.formats.translatable_text import translatable as _
from players.formats.member_ids import MEMBER_ID
from players.formats.text import normalize_number

MAX_NAME_LENGTH = 80
MAX_RATING = 3500
RATING = re.compile(r"[1-9][0-9]{2,3}", re.ASCII)
# Shorter numbers are FIDE IDs only where nothing else can be meant.
LONG_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_FEDERATION = re.compile(r"[A-Z]{3}", re.ASCII)
_OUR_MEMBER_ID = re.compile(r"(?!309)[1-3][0-9]{7}", re.ASCII)


def clean_text(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """Return *text* on one line without control characters, cut to a length.

    >>> clean_text("  Carlsen,\\x00 Magnus\\n ")
    'Carlsen, Magnus'
    """
    kept = "".join(filter(str.isprintable, " ".join(text.split())))
    return " ".join(kept.split())[:longest].rstrip()


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
        raise ValueError(
            _("The FIDE ID “{written}” isn’t a number that FIDE uses.", written=number)
        )
    return number.lstrip("0")


def are_member_ids(numbers: Iterable[str]) -> bool:
    """Return whether numbers given as FIDE IDs can only be US Chess member IDs.

    US players have FIDE IDs of seven digits, or of eight that begin with 309. Those
    of another office may be FIDE IDs too: there the names of members decide.

    >>> are_member_ids(["12000001", "30012345"])
    True
    >>> are_member_ids(["12000001", "2099101"])
    False
    >>> are_member_ids(["30912345"]), are_member_ids([])
    (False, False)
    """
    several = set(numbers) if MEMBER_ID.is_eight_digits else set()
    return bool(several) and all(map(_OUR_MEMBER_ID.fullmatch, several))


def parse_member_id(text: str) -> str:
    number = MEMBER_ID.restore(text.strip())
    if number and not MEMBER_ID.whole.fullmatch(number):
        if MEMBER_ID.is_eight_digits:
            raise ValueError(
                _(
                    "The member ID “{written}” doesn’t have eight digits.",
                    written=number,
                )
            )
        raise ValueError(_("“{written}” isn’t a member ID.", written=number))
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
        raise ValueError(
            _("The rating “{written}” isn’t a FIDE rating.", written=number[:20])
        )
    return int(number)


def match_or_blank(shape: re.Pattern[str], text: str) -> str:
    """Return *text* if all of it has the *shape*, else "".

    >>> [match_or_blank(MEMBER_ID.whole, text) for text in ("12345678", "10692")]
    ['12345678', '']
    """
    return text if shape.fullmatch(text) else ""


def non_utf8_lines(data: bytes) -> list[int]:
    """Return the lines of a UTF-8 file that hold letters in another encoding.

    >>> non_utf8_lines("Bürch\\nMüller".encode() + b"\\nB\\xfcrch")
    [3]
    >>> non_utf8_lines(b"B\\xfcrch"), non_utf8_lines("Bürch".encode())
    ([], [])
    """
    odd, holds_utf_8 = [], False
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", data), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            odd.append(number)
        else:
            holds_utf_8 |= not line.removeprefix(codecs.BOM_UTF8).isascii()
    return odd if holds_utf_8 or data.startswith(codecs.BOM_UTF8) else []
