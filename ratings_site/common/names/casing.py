"""Title case for names that files have in capitals."""

import re

_SCOTTISH = re.compile(r"\bMc([a-z])")
_NUMERALS = re.compile(r"\b(?:Ii|Iii|Iv)\b")


def in_name_case(name: str) -> str:
    """Return a name typed in capitals in title case, any other as it is.

    >>> in_name_case("MARY ANN O'NEIL"), in_name_case("SEAN MCCOY III")
    ("Mary Ann O'Neil", 'Sean McCoy III')
    >>> in_name_case("Ludwig van Beethoven"), in_name_case("")
    ('Ludwig van Beethoven', '')
    """
    if not name.isupper():
        return name
    titled = _SCOTTISH.sub(lambda found: f"Mc{found[1].upper()}", name.title())
    return _NUMERALS.sub(lambda found: found[0].upper(), titled)
