"""Typos in names and member IDs."""

import re
from string import ascii_lowercase

ID_LENGTH = 8


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


def ids_one_typo_away(typed: str) -> set[str]:
    """Return every member ID that is one typo away from *typed*.

    >>> {"12345687", "12345679", "82345671"} <= ids_one_typo_away("12345678")
    True
    """
    if not re.fullmatch(r"[0-9]{7,9}", typed, re.ASCII):
        return set()
    if len(typed) > ID_LENGTH:
        found = deletions(typed)
    elif len(typed) < ID_LENGTH:
        found = {
            typed[:place] + digit + typed[place:]
            for place in range(ID_LENGTH)
            for digit in "0123456789"
        }
    else:
        found = _transpositions(typed) | _substitutions(typed, "0123456789")
    return {member_id for member_id in found if member_id[0] != "0"} - {typed}


def deletions(text: str) -> set[str]:
    """Return all texts with one character of *text* deleted."""
    return {text[:place] + text[place + 1 :] for place in range(len(text))}


def _transpositions(typed: str) -> set[str]:
    found = set()
    for left in range(ID_LENGTH):
        for right in range(left + 1, ID_LENGTH):
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
