"""Typos in names and member IDs."""

from collections.abc import Sequence
from string import ascii_lowercase

EIGHT_DIGITS = ("123456789", *["0123456789"] * 7)


def words_one_typo_away(word: str) -> set[str]:
    """Return every *searchable* word that is one typo away from *word*.

    >>> {"obrien", "orbian", "obian", "obriann"} <= words_one_typo_away("obrian")
    True
    """
    neighbors = {
        word[:place] + word[place : place + 2][::-1] + word[place + 2 :]
        for place in range(len(word) - 1)
    }
    left_out = {
        word[:place] + letter + word[place:]
        for place in range(len(word) + 1)
        for letter in ascii_lowercase
    }
    other = _substitutions(word, ascii_lowercase)
    return (neighbors | left_out | other | deletions(word)) - {word}


def ids_one_typo_away(typed: str, places: Sequence[str] = EIGHT_DIGITS) -> set[str]:
    """Return every member ID that is one typo away from *typed*.

    *places* are the characters that each place of an ID may have.

    >>> {"12345687", "12345679", "82345671"} <= ids_one_typo_away("12345678")
    True
    """
    length, signs = len(places), "".join(sorted({*"".join(places)}))
    if not (length - 2 < len(typed) < length + 2 and {*typed} <= {*signs}):
        return set()
    if len(typed) > length:
        found = deletions(typed)
    elif len(typed) < length:
        found = {
            typed[:place] + sign + typed[place:]
            for place in range(length)
            for sign in signs
        }
    else:
        found = _transpositions(typed) | _substitutions(typed, signs)
    return {
        one
        for one in found - {typed}
        if all(sign in place for sign, place in zip(one, places, strict=True))
    }


def deletions(text: str) -> set[str]:
    """Return all texts with one character of *text* deleted."""
    return {text[:place] + text[place + 1 :] for place in range(len(text))}


def _transpositions(typed: str) -> set[str]:
    found = set()
    for left in range(len(typed)):
        for right in range(left + 1, len(typed)):
            digits = list(typed)
            digits[left], digits[right] = digits[right], digits[left]
            found.add("".join(digits))
    return found


def _substitutions(text: str, signs: str) -> set[str]:
    return {
        text[:place] + sign + text[place + 1 :]
        for place in range(len(text))
        for sign in signs
    }
