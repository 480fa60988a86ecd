"""Who somebody in a report may be: names, member IDs and states compared.

Nothing here reads the books; checks and queries bring the members.
"""

from collections.abc import Iterable
from enum import Enum
from itertools import pairwise

from events.importers.sentences import say
from players.models import Player
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.slips import shortened
from ratings_site.common.names.sounds import searchable, sound_of

# So much of a name's beginning is taken for the name: files cut long names.
RECOGNISABLE_LETTERS = 4
# Shorter words sound like half the federation.
SHORTEST_HEARD = 4
# What stands beside names and is none.
_NOT_NAMES = frozenset(
    [
        *("jr", "sr", "ii", "iii", "iv", "mr", "mrs", "ms", "dr"),
        *("gm", "im", "fm", "cm", "nm", "lm", "wgm", "wim", "wfm", "wcm"),
    ]
)

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


class Likeness(Enum):
    """How a reported name and a member's name agree, the best first."""

    SAME = say("same name")
    SOUND = say("name of the same sound")
    NICKNAME = say("nickname")
    GIVEN_ONLY = say("same given name")
    FAMILY_ONLY = say("same family name")
    OTHER = say("other name")

    @property
    def is_one_person(self) -> bool:
        """Whether the two names may well be one person's."""
        return self in (Likeness.SAME, Likeness.SOUND, Likeness.NICKNAME)


def likeness(reported: str, player: Player) -> Likeness:
    """Tell how a reported name, in either order, agrees with a member's.

    Directors shorten given names and drop second surnames, and files cut long names,
    so one word of each is enough.
    """
    words = words_of(reported)
    family_words = words_of(player.family_name)
    family_words.append("".join(family_words))  # files leave apostrophes out
    given_words = words_of(player.given_name)
    joined = ["".join(pair) for pair in pairwise(words)]
    family = _best([*words, *joined], family_words)
    if family is not None and len(words) > 1:
        return _with_given_name(words, family_words, given_words, family)
    if not words or family is not None:
        return Likeness.SOUND if family == _HEARD else Likeness.SAME
    if _best(words, given_words) != _SPELLED:
        return Likeness.OTHER
    return Likeness.GIVEN_ONLY if len(words) > 1 else Likeness.SAME


# How well two words agree, the lower the better.
_SPELLED, _HEARD = 0, 1


def _with_given_name(
    words: list[str], family_words: list[str], given_words: list[str], family: int
) -> Likeness:
    """Say how the given names agree, where the family names do."""
    others = [word for word in words if _best([word], family_words) is None]
    if not others or not given_words:
        return Likeness.SAME if family == _SPELLED else Likeness.SOUND
    given = _best(others, given_words, initials=True)
    if given is not None:
        return Likeness.SAME if family == given == _SPELLED else Likeness.SOUND
    if any(other_forms(word).intersection(given_words) for word in others):
        return Likeness.NICKNAME
    return Likeness.FAMILY_ONLY


def words_of(name: str) -> list[str]:
    """Return the words of a name without titles and without what it is followed by.

    >>> words_of("O'NEIL, GM José Jr.")
    ['o', 'neil', 'jose']
    """
    return [word for word in searchable(name).split() if word not in _NOT_NAMES]


def _best(
    words: Iterable[str], known: Iterable[str], *, initials: bool = False
) -> int | None:
    """Return how well any of the words agrees with any known one, None for not."""
    known = list(known)
    found = [
        how
        for word in words
        for name in known
        if (how := _agree(word, name, initials=initials)) is not None
    ]
    return min(found, default=None)


def _agree(word: str, name: str, *, initials: bool) -> int | None:
    if word == name:
        return _SPELLED
    enough = 1 if initials else RECOGNISABLE_LETTERS
    shorter, longer = sorted((word, name), key=len)
    if len(shorter) >= enough and longer.startswith(shorter):
        return _SPELLED
    heard = len(shorter) >= SHORTEST_HEARD and sound_of(word) == sound_of(name)
    return _HEARD if heard else None


def slip(typed: str, member_id: str) -> str:
    """Say which slip of the fingers makes *typed* out of a member ID, if one does.

    >>> slip("12345687", "12345678"), slip("1234567", "12345678")
    ('two digits exchanged', 'a digit left out')
    >>> slip("12345679", "12345678"), slip("12345678", "12345678")
    ('one digit differs', '')
    """
    if typed == member_id or not typed.isdecimal():
        return ""
    if len(typed) == len(member_id):
        pairs = zip(typed, member_id, strict=True)
        places = [place for place, (one, other) in enumerate(pairs) if one != other]
        if len(places) == 1:
            return say("one digit differs")
        first, last = places[0], places[-1]
        crossed = typed[first] == member_id[last] and typed[last] == member_id[first]
        return say("two digits exchanged") if len(places) == 2 and crossed else ""
    if len(typed) == len(member_id) - 1 and typed in shortened(member_id):
        return say("a digit left out")
    if len(typed) == len(member_id) + 1 and member_id in shortened(typed):
        return say("a digit too many")
    return ""


def are_neighbors(one: str, other: str) -> bool:
    """Tell whether two states of the USA have a border in common.

    >>> are_neighbors("IL", "WI"), are_neighbors("IL", "NY")
    (True, False)
    """
    return frozenset((one, other)) in _NEIGHBORING
