"""Small parsers that the readers share: texts, numbers, IDs, ratings, federations."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

MAX_NAME_LENGTH = 80
MAX_RATING = 3500
MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
RATING = re.compile(r"[1-9][0-9]{2,3}", re.ASCII)
# Shorter numbers are FIDE IDs only where nothing else can be meant.
LONG_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_FIDE_ID = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_FEDERATION = re.compile(r"[A-Z]{3}", re.ASCII)
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
    if number and not MEMBER_ID.fullmatch(number):
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


def match_or_blank(shape: re.Pattern[str], text: str) -> str:
    return text if shape.fullmatch(text) else ""


def decode_text(data: bytes) -> str:
    """Return the text of a file: UTF-8, or else Windows-1252.

    If only some bytes are not UTF-8, only those are decoded as Windows-1252, so that
    other letters keep their columns. Byte order marks of joined files are removed.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        mixed = bool(non_utf8_lines(data))
        encoding = ("utf-8", _CP1252_FALLBACK) if mixed else ("cp1252", "replace")
        text = data.decode(*encoding)
    return text.replace("\ufeff", "")


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


def _decode_cp1252_byte(error: UnicodeError) -> tuple[str, int]:
    """Decode one byte that is not UTF-8 as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    return byte.decode("cp1252", errors="replace"), error.start + 1


_CP1252_FALLBACK = "windows_letters"
codecs.register_error(_CP1252_FALLBACK, _decode_cp1252_byte)
