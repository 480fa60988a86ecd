"""Text of files as programs write it: encodings, numbers, HTML entities."""

from __future__ import annotations

import codecs
import html
import re
import unicodedata

CP1252_FALLBACK = "utf8_or_cp1252"
# The byte order marks of UTF-16.
UTF_16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_QUOTATION_MARKS = "'\"`´‘’“”"
_ENTITY = re.compile(r"&(?:[a-z]{2,8}[0-9]{0,2}|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.I)


def normalize_number(text: str) -> str:
    """Return a number without spaces, quotation marks and a spreadsheet's additions.

    >>> [normalize_number(text) for text in ('"12 345 678"', "12345678.0", "CM1")]
    ['12345678', '12345678', 'CM1']
    """
    number = "".join(text.split()).strip(_QUOTATION_MARKS)
    digits, _, rest = number.partition(".")
    return digits if digits.isdecimal() and not rest.strip("0") else number


def unescape_entities(text: str) -> str:
    """Return *text* with HTML entities replaced by their characters.

    >>> unescape_entities("R: 1794 -&gt;1817 &frac12; &c")
    'R: 1794 ->1817 ½ &c'
    """
    return _ENTITY.sub(lambda name: html.unescape(name[0]), text).replace("\xa0", " ")


def without_accents(text: str) -> str:
    """Return *text* with the plain forms of its letters.

    >>> without_accents("Žižkov, ﬁn ½")
    'Zizkov, fin 1⁄2'
    """
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def decode_file(data: bytes) -> str:
    """Return the text of a file: UTF-16 if it has its mark, else by decode_text."""
    if data.startswith(UTF_16_BOMS):
        return data.decode("utf-16", errors="replace")
    return decode_text(data)


def decode_text(data: bytes) -> str:
    """Return the text of a file: UTF-8, and all other bytes as Windows-1252.

    So other letters keep their columns. Byte order marks of joined files are removed.

    >>> decode_text("Bürch ".encode() + b"B\\xfcrch")
    'Bürch Bürch'
    """
    return data.decode("utf-8", CP1252_FALLBACK).replace("\ufeff", "")


def _decode_cp1252_byte(error: UnicodeError) -> tuple[str, int]:
    """Decode one byte that is not UTF-8 as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    return byte.decode("cp1252", errors="replace"), error.start + 1


codecs.register_error(CP1252_FALLBACK, _decode_cp1252_byte)
