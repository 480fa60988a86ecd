"""Matching of names, member IDs and states in a report with members.

This module runs no queries; its callers provide the members.
"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from enum import Enum
from itertools import pairwise

from events.formats.translatable_text import translatable
from players.formats.member_ids import MEMBER_ID
from players.models import Player
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.phonetics import phonetic_key, searchable
from ratings_site.common.names.typos import deletions

# A prefix of this length counts as the name: files cut long names.
MIN_PREFIX_LENGTH = 4
# The phonetic keys of shorter words match too many names.
MIN_PHONETIC_LENGTH = 4
# Similar spelling required of given names that sound alike (Jane, John).
MIN_SPELLING_RATIO = 0.6
# Titles and suffixes that are not part of a name.
_NOT_NAMES = frozenset(
    [
        *("jr", "sr", "ii", "iii", "iv", "mr", "mrs", "ms", "dr"),
        *("gm", "im", "fm", "cm", "nm", "lm", "wgm", "wim", "wfm", "wcm"),
    ]
)

_LETTERS = re.compile(r"[^\W\d_]+")

_NEIGHBORS = """
AL FL GA MS TN
AR LA MO MS OK TN TX
AZ CA CO NM NV UT
CA NV OR
CO KS NE NM OK UT WY
CT MA NJ NY RI
DC MD VA
DE MD NJ PA
FL GA
GA NC SC TN
IA IL MN MO NE SD WI
ID MT NV OR UT WA WY
IL IN KY MI MO WI
IN KY MI OH
KS MO NE OK
KY MO OH TN VA WV
LA MS TX
MA NH NY RI VT
MD PA VA WV
ME NH
MI OH WI
MN ND SD WI
MO NE OK TN
MS TN
MT ND SD WY
NC SC TN VA
ND SD
NE SD WY
NH VT
NJ NY PA
NM OK TX UT
NV OR UT
NY PA VT
OH PA WV
OK TX
OR WA
PA WV
SD WY
TN VA
UT WY
VA WV
"""
_NEIGHBORING = {
    frozenset((line[:2], other))
    for line in _NEIGHBORS.split("\n")
    for other in line[3:].split()
}


class NameMatch(Enum):
    """How well a reported name and a member's name match, best first."""

    SAME = translatable("same name")
    PART = translatable("part of the name")
    SOUND = translatable("name sounds the same")
    NICKNAME = translatable("nickname")
    GIVEN_ONLY = translatable("same first name")
    FAMILY_ONLY = translatable("same last name")
    OTHER = translatable("different name")

    @property
    def is_one_person(self) -> bool:
        """Return whether the two names may belong to one person."""
        return self in (
            NameMatch.SAME,
            NameMatch.PART,
            NameMatch.SOUND,
            NameMatch.NICKNAME,
        )


def name_match(reported: str, player: Player) -> NameMatch:
    """Return how a reported name, in either order, matches a member's name.

    Directors shorten given names and drop second surnames, and files cut long names, so
    one matching word of each is enough. A report with a single word names part of the
    name; one without any word, or with titles only, contradicts no name.
    """
    words = words_of(reported)
    if not words:
        return _without_words(reported, player)
    family_words = words_of(player.family_name)
    family_words.append("".join(family_words))  # files omit apostrophes
    given_words = words_of(player.given_name)
    joined = ["".join(pair) for pair in pairwise(words)]
    family = _best([*words, *joined], family_words)
    if family is not None and len(words) > 1:
        return _with_given_name(words, family_words, given_words, family)
    if family is not None:
        return NameMatch.SOUND if family == _PHONETIC else NameMatch.PART
    if _best(words, given_words) != _SPELLED:
        return NameMatch.OTHER
    return NameMatch.GIVEN_ONLY if len(words) > 1 else NameMatch.PART


def _without_words(reported: str, player: Player) -> NameMatch:
    """Compare names in non-Latin letters as they are written."""
    letters = set(_LETTERS.findall(reported.casefold()))
    if not letters or searchable(reported):
        return NameMatch.SAME
    recorded = set(_LETTERS.findall(player.full_name.casefold()))
    return NameMatch.SAME if letters & recorded else NameMatch.OTHER


# How well two words match; lower is better.
_SPELLED, _PHONETIC = 0, 1


def _with_given_name(
    words: list[str], family_words: list[str], given_words: list[str], family: int
) -> NameMatch:
    """Return how well the given names match, if the family names do."""
    others = [word for word in words if _best([word], family_words) is None]
    if not others or not given_words:
        return NameMatch.SAME if family == _SPELLED else NameMatch.SOUND
    given = _best(others, given_words, are_given=True)
    if given is not None:
        return NameMatch.SAME if family == given == _SPELLED else NameMatch.SOUND
    if any(other_forms(word).intersection(given_words) for word in others):
        return NameMatch.NICKNAME
    return NameMatch.FAMILY_ONLY


def words_of(name: str) -> list[str]:
    """Return the words of a name without titles and suffixes.

    >>> words_of("O'NEIL, GM José Jr.")
    ['o', 'neil', 'jose']
    """
    return [word for word in searchable(name).split() if word not in _NOT_NAMES]


def _best(
    words: Iterable[str], known: Iterable[str], *, are_given: bool = False
) -> int | None:
    """Return the best match of any of the words with any known one, or None."""
    known = list(known)
    found = [
        how
        for word in words
        for name in known
        if (how := _agree(word, name, are_given=are_given)) is not None
    ]
    return min(found, default=None)


def _agree(word: str, name: str, *, are_given: bool) -> int | None:
    """Compare two words; given names may be initials and must be spelled alike."""
    if word == name:
        return _SPELLED
    enough = 1 if are_given else MIN_PREFIX_LENGTH
    shorter, longer = sorted((word, name), key=len)
    if len(shorter) >= enough and longer.startswith(shorter):
        return _SPELLED
    heard = len(shorter) >= MIN_PHONETIC_LENGTH and phonetic_key(word) == phonetic_key(
        name
    )
    if not heard or (are_given and not _are_spelled_alike(word, name)):
        return None
    return _PHONETIC


def _are_spelled_alike(word: str, name: str) -> bool:
    """Return whether most letters match; phonetic keys ignore vowels.

    >>> _are_spelled_alike("catherine", "kathryn"), _are_spelled_alike("jane", "john")
    (True, False)
    """
    return SequenceMatcher(None, word, name).ratio() >= MIN_SPELLING_RATIO


def slip(typed: str, member_id: str) -> str:
    """Return the kind of typo that turns a member ID into *typed*, or "".

    >>> slip("12345687", "12345678"), slip("1234567", "12345678")
    ('two digits swapped', 'one digit missing')
    >>> slip("12345679", "12345678"), slip("12345678", "12345678")
    ('one digit is different', '')
    """
    if typed == member_id or (MEMBER_ID.is_numeric and not typed.isdecimal()):
        return ""
    if len(typed) == len(member_id):
        pairs = zip(typed, member_id, strict=True)
        places = [place for place, (one, other) in enumerate(pairs) if one != other]
        if len(places) == 1:
            return translatable("one digit is different")
        first, last = places[0], places[-1]
        crossed = typed[first] == member_id[last] and typed[last] == member_id[first]
        return (
            translatable("two digits swapped") if len(places) == 2 and crossed else ""
        )
    if len(typed) == len(member_id) - 1 and typed in deletions(member_id):
        return translatable("one digit missing")
    if len(typed) == len(member_id) + 1 and member_id in deletions(typed):
        return translatable("one digit too many")
    return ""


def are_neighbors(one: str, other: str) -> bool:
    """Return whether two US states share a border.

    >>> are_neighbors("IL", "WI"), are_neighbors("IL", "NY")
    (True, False)
    """
    return frozenset((one, other)) in _NEIGHBORING
