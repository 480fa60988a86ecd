"""Search keys and phonetic keys of names."""

import re
import unicodedata
from functools import lru_cache

# Each page of a report looks up the same names.
CACHE_SIZE = 20_000

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
# Letters that Unicode does not decompose into a base letter and an accent.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)

# Rules in the order of their application: silent letters are dropped, and letters that
# sound alike in a language of our members become one.
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^(?:kn|gn|pn)", "n"),
        (r"^wr", "r"),
        (r"^(?:ps|x)", "s"),
        (r"^(?:wh|w)(?=[aeiouy])", "v"),
        (r"^(?:y(?=[aeiou])|i(?=[aou]))", "j"),
        (r"mb$", "m"),
        (r"sch|sh", "s"),
        (r"tch|ch|cz", "C"),
        (r"ph|v", "f"),
        (r"ght", "t"),
        (r"(?<=.)gh", ""),
        (r"ck|q|c(?![eiyC])", "k"),
        (r"t?z|c", "s"),
        (r"x", "ks"),
        (r"dg(?=[eiy])", "j"),
        (r"d|th", "t"),
        (r"b", "p"),
        (r"g", "k"),
        (r"w(?=[aeiouy])", "f"),
        (r"^[aeiouy]", "A"),
        (r"[aeiouyhw]", ""),
        (r"(.)\1+", r"\1"),
    )
)


@lru_cache(maxsize=CACHE_SIZE)
def searchable(name: str) -> str:
    """Return *name* without case, accents and punctuation.

    >>> searchable("Ångström-O’Neil, Żółć")
    'angstrom o neil zolc'
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold()).translate(_LETTERS)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _NOT_A_LETTER.sub(" ", plain).strip()


@lru_cache(maxsize=CACHE_SIZE)
def phonetic_key(word: str) -> str:
    """Return a phonetic key of a *searchable* word, equal for words that sound alike.

    It is a simplified Metaphone: consonants by their sound, vowels only at the start.
    Some different names share a key, so it is for searching only.

    >>> phonetic_key("smyth") == phonetic_key("schmidt") == "SMT"
    True
    >>> [phonetic_key(word) for word in ("catherine", "kathryn", "kowalski")]
    ['KTRN', 'KTRN', 'KFLSK']
    """
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word.upper()
