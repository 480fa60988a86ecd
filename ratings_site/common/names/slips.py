"""Slips of the fingers in names and member IDs."""

import re
from string import ascii_lowercase

ID_LENGTH = 8


def words_a_slip_away(word: str) -> set[str]:
    """Return every *searchable* word that one slip of the fingers turns into *word*.

    >>> {"obrien", "orbian", "obian", "obriann"} <= words_a_slip_away("obrian")
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
    other = _one_other(word, ascii_lowercase)
    return (neighbors | left_out | other | shortened(word)) - {word}


def ids_a_slip_away(typed: str) -> set[str]:
    """Return every member ID that one slip of the fingers turns into *typed*.

    >>> {"12345687", "12345679", "82345671"} <= ids_a_slip_away("12345678")
    True
    """
    if not re.fullmatch(r"[0-9]{7,9}", typed, re.ASCII):
        return set()
    if len(typed) > ID_LENGTH:
        found = shortened(typed)
    elif len(typed) < ID_LENGTH:
        found = {
            typed[:place] + digit + typed[place:]
            for place in range(ID_LENGTH)
            for digit in "0123456789"
        }
    else:
        found = _exchanged(typed) | _one_other(typed, "0123456789")
    return {member_id for member_id in found if member_id[0] != "0"} - {typed}


def shortened(text: str) -> set[str]:
    """Return *text* without one of its signs, for each of them."""
    return {text[:place] + text[place + 1 :] for place in range(len(text))}


def _exchanged(typed: str) -> set[str]:
    found = set()
    for left in range(ID_LENGTH):
        for right in range(left + 1, ID_LENGTH):
            digits = list(typed)
            digits[left], digits[right] = digits[right], digits[left]
            found.add("".join(digits))
    return found


def _one_other(text: str, signs: str) -> set[str]:
    return {
        text[:place] + sign + text[place + 1 :]
        for place in range(len(text))
        for sign in signs
    }
