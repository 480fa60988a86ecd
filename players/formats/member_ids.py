"""What the member IDs of this office look like: eight digits, unless a setting differs.

Readers of files read no settings. The apps tell `MEMBER_ID` the office's pattern when
they start, and processes that read one file get it as an argument.
"""

from __future__ import annotations

import re
import string

from players.formats.places import STATES
from players.formats.text import normalize_number

EIGHT_DIGITS = "^[1-9][0-9]{7}$"
# Shorter numbers are ratings or pairing numbers; the columns hold no longer ones.
SHORTEST, LONGEST = 5, 8
# A number of this length is a ZIP code after "Springfield, IL " or before "-1234", and
# an ID after capitals, as in "LEE, AL 12345", or without the comma.
ZIP_LENGTH = 5
_NO_ADDRESS = f"(?<![a-z], (?:{'|'.join(sorted(STATES))}) )"
_NO_ZIP_4 = "(?!-[0-9]{4}(?![0-9]))"
_DIGITS = frozenset(string.digits)
_PLACE = re.compile(
    r"(\\d|\[(?:[A-Z0-9](?:-[A-Z0-9])?)+\]|[A-Z0-9])(?:\{([1-8])\})?", re.ASCII
)
_RULE = (
    "It looks like {example}: ^, a digit, a letter or a class of them for each place, "
    "each with a number of repeats if it has any, and $. It matches {shortest} to "
    "{longest} capital letters and digits, with at least three digits, and no "
    "affiliate ID (a letter and seven digits)."
)


class MemberIdFormat:
    """The characters of each place of a member ID, and the patterns made of them.

    >>> ids = MemberIdFormat(r"^\\d{6}$")
    >>> ids.clean("'1234.0"), ids.clean("12 34 56"), ids.clean("1234567")
    ('001234', '123456', '1234567')
    >>> ids.whole.fullmatch("000000"), ids.find("Lee 123456")
    (None, '123456')
    """

    def __init__(self, pattern: str = EIGHT_DIGITS) -> None:
        self.use(pattern)

    def use(self, pattern: str = EIGHT_DIGITS) -> None:
        """Take the office's pattern. Raise ValueError if it can't be one."""
        self.places = places = _places(pattern)
        inner = pattern[1:-1].replace(r"\d", "[0-9]")
        self.pattern = f"^{inner}$"
        self.is_numeric = all(map(_DIGITS.issuperset, places))
        # Zeros alone mean that there is no ID.
        has_zeros = all("0" in place for place in places)
        inner = f"(?!0{{{len(places)}}}){inner}" if has_zeros else inner
        self.whole = re.compile(inner, re.ASCII)
        # Without its letter, the ID of an affiliate may look like a shorter ID.
        before = "0-9" if self.is_eight_digits else "A-Za-z0-9"
        self.start = f"(?<![{before}])"
        after = "0-9" if self.is_numeric else "A-Za-z0-9"
        found = inner if self.is_numeric else f"(?ai:{inner})"
        found = f"{self.start}({found})(?![{after}])"
        if self.is_numeric and len(places) == ZIP_LENGTH:
            found = f"{_NO_ADDRESS}{found}{_NO_ZIP_4}"
        self.within = re.compile(found, re.ASCII)
        # Files may hold a number of the right length that is no ID.
        shape = f"[0-9]{{{len(places)}}}" if self.is_numeric else inner
        self.shape = re.compile(shape, re.ASCII)

    @property
    def is_eight_digits(self) -> bool:
        return self.pattern == EIGHT_DIGITS

    @property
    def first(self) -> str:
        return "".join(place[0] for place in self.places)

    @property
    def example(self) -> str:
        """Return an ID for texts, such as 12345678."""
        return "".join(
            str(number) if str(number) in place else place[0]
            for number, place in enumerate(self.places, start=1)
        )

    def after(self, member_id: str) -> str:
        """Return the next ID, blank if this one is the last.

        >>> MemberIdFormat().after("10000009"), MemberIdFormat().after("99999999")
        ('10000010', '')
        >>> MemberIdFormat("^[A-C][0-9]{5}$").after("A99999")
        'B00000'
        """
        for at in reversed(range(len(self.places))):
            place = self.places[at]
            following = place.index(member_id[at]) + 1
            if following < len(place):
                rest = self.first[at + 1 :]
                return f"{member_id[:at]}{place[following]}{rest}"
        return ""

    def with_zeros(self, number: str) -> str:
        """Return digits with the leading zeros that a numeric field loses."""
        is_short = self.is_numeric and number.isdecimal()
        return number.zfill(len(self.places)) if is_short else number

    def restore(self, text: str) -> str:
        """Return an ID in capitals and with the zeros it lost, and other texts as is.

        >>> MemberIdFormat("^[A-Z][0-9]{5}$").restore("b12345")
        'B12345'
        >>> MemberIdFormat("^[0-9]{6}$").restore("77"), MemberIdFormat().restore("77")
        ('000077', '77')
        """
        restored = self.with_zeros(text.upper())
        return restored if self.whole.fullmatch(restored) else text

    def find(self, text: str) -> str:
        """Return the first ID within a text, in capitals, or "".

        >>> MemberIdFormat("^[A-Z][0-9]{5}$").find("lee, bo b12345")
        'B12345'
        """
        match = self.within.search(text)
        return self.restore(match[1]) if match else ""

    def clean(self, text: str) -> str:
        """Return a member ID without what programs add to it.

        >>> ids = MemberIdFormat()
        >>> [ids.clean(text) for text in ("12345678.0", "'12345678", "#12 345 678")]
        ['12345678', '12345678', '12345678']
        >>> ids.clean("0012345678")
        '12345678'
        """
        number = normalize_number(text.lstrip("#'’")).replace(",", "")
        stripped = self.restore(number.lstrip("0"))
        if self.whole.fullmatch(stripped):
            return stripped
        return self.restore(number)


def _places(pattern: str) -> tuple[str, ...]:
    """Return the characters that each place of an ID may have."""
    places: list[str] = []
    at, end = 1, len(pattern) - 1
    try:
        while at < end:
            match = _PLACE.match(pattern, at, end)
            place = re.compile(match[1] if match else "[", re.ASCII)
            signs = filter(place.fullmatch, string.digits + string.ascii_uppercase)
            places += ["".join(signs)] * int((match and match[2]) or 1)
            at = match.end() if match else end
    except re.error:
        places = []
    digits = sum(_DIGITS.issuperset(place) for place in places)
    # "A" and seven digits are the ID of an affiliate.
    is_affiliate = len(places) == LONGEST and digits == LONGEST - 1
    is_valid = SHORTEST <= len(places) <= LONGEST and digits > 2 and all(places)
    if not (is_valid and pattern[:1] + pattern[-1:] == "^$") or (
        is_affiliate and not _DIGITS.issuperset(places[0])
    ):
        raise ValueError(
            _RULE.format(example=EIGHT_DIGITS, shortest=SHORTEST, longest=LONGEST)
        )
    return tuple(places)


MEMBER_ID = MemberIdFormat()
