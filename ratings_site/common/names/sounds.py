"""Names as people search for them."""

import re
import unicodedata
from functools import lru_cache

# The desk asks for the same names again and again, with each page of a report.
MOST_KEPT = 20_000

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
# Letters that do not come apart into a base letter and an accent.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)

# How letters sound, in the order in which they are looked at: what is silent goes, and
# what sounds alike in one of the languages of our members becomes one letter.
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


@lru_cache(maxsize=MOST_KEPT)
def searchable(name: str) -> str:
    """Return *name* without case, accents and punctuation.

    >>> searchable("Ångström-O’Neil, Żółć")
    'angstrom o neil zolc'
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold()).translate(_LETTERS)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _NOT_A_LETTER.sub(" ", plain).strip()


@lru_cache(maxsize=MOST_KEPT)
def sound_of(word: str) -> str:
    """Return how a *searchable* word sounds: words that sound alike have one key.

    It is a short relative of Metaphone: consonants by their sound, vowels only as a
    beginning. Two spellings of one name agree, and a few other names agree with them,
    so it serves for looking, never for deciding.

    >>> sound_of("smyth") == sound_of("schmidt") == "SMT"
    True
    >>> [sound_of(word) for word in ("catherine", "kathryn", "kowalski", "kovalsky")]
    ['KTRN', 'KTRN', 'KFLSK', 'KFLSK']
    """
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word.upper()
