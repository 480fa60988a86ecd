"""Names as people search for them."""

import re
import unicodedata

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
# Letters that do not come apart into a base letter and an accent.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)


def searchable(name: str) -> str:
    """Return *name* without case, accents and punctuation.

    >>> searchable("Ångström-O’Neil, Żółć")
    'angstrom o neil zolc'
    """
    decomposed = unicodedata.normalize("NFKD", name.casefold()).translate(_LETTERS)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _NOT_A_LETTER.sub(" ", plain).strip()
