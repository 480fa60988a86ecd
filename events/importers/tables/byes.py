"""The words for a round without an opponent, where a list names one."""

from __future__ import annotations

import re

from events.importers.tables.headings import plain

_HALF = "half point bye, bye half point, half bye, bye half, 1 2 bye, bye 1 2, hpb"
_FULL = (
    "full point bye, bye full point, full bye, bye full, 1 point bye, bye 1 point, "
    "pairing allocated bye, fpb, pab"
)
_ZERO = (
    "zero point bye, bye zero point, zero bye, 0 point bye, bye 0 point, unpaired, "
    "not paired, no pairing, zpb"
)
_ANY = (
    "bye, byes, bye bye, none, nobody, no one, no player, no opponent, odd man out, "
    "spielfrei, freilos, exempt, libre, descansa, descanso, riposo, vacant, tbd, 0"
)
_CODES = {
    words.strip(): code
    for code, listed in (("H", _HALF), ("B", _FULL), ("U", _ZERO), ("", _ANY))
    for words in listed.split(",")
}
_NUMBERED = re.compile(r"(.*[a-z]) ?#? ?[0-9]{1,3}")


def is_nobody(name: str) -> bool:
    """Tell a blank and a word for a bye from a player's name.

    >>> [is_nobody(name) for name in ("Bye #1", "(bye)", "Spielfrei", "--", "Bye, Ann")]
    [True, True, True, True, False]
    """
    words = plain(name)
    return not words or _known(words) in _CODES


def bye_code(name: str) -> str:
    """Return the result code that a word for a bye says, blank if it says none.

    >>> bye_code("BYE (full point)"), bye_code("Half-point bye"), bye_code("Bye 2")
    ('B', 'H', '')
    """
    return _CODES.get(_known(plain(name)), "")


def _known(words: str) -> str:
    match = None if words in _CODES else _NUMBERED.fullmatch(words)
    return match[1].rstrip(" #") if match else words
