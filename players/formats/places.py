"""States as files spell them."""

from __future__ import annotations

import re

USA = "USA"

_NAMES = """
AL Alabama, Ala | AK Alaska | AZ Arizona, Ariz | AR Arkansas, Ark
CA California, Calif, Cal | CO Colorado, Colo | CT Connecticut, Conn | DE Delaware, Del
DC District of Columbia | FL Florida, Fla | GA Georgia | HI Hawaii | ID Idaho
IL Illinois, Ill | IN Indiana, Ind | IA Iowa | KS Kansas, Kan, Kans | KY Kentucky
LA Louisiana | ME Maine | MD Maryland | MA Massachusetts, Mass | MI Michigan, Mich
MN Minnesota, Minn | MS Mississippi, Miss | MO Missouri | MT Montana, Mont
NE Nebraska, Neb, Nebr | NV Nevada, Nev | NH New Hampshire | NJ New Jersey
NM New Mexico | NY New York | NC North Carolina, N Carolina | ND North Dakota, N Dakota
OH Ohio | OK Oklahoma, Okla | OR Oregon, Ore | PA Pennsylvania, Penn, Penna
RI Rhode Island | SC South Carolina, S Carolina | SD South Dakota, S Dakota
TN Tennessee, Tenn | TX Texas, Tex | UT Utah | VT Vermont | VA Virginia
WA Washington, Wash | WV West Virginia, W Virginia, W Va | WI Wisconsin, Wis, Wisc
WY Wyoming, Wyo | PR Puerto Rico | GU Guam | VI Virgin Islands, US Virgin Islands
AS American Samoa | MP Northern Mariana Islands
"""
# Military addresses, and associated states in the Pacific, which have US ZIP codes.
_OTHER_CODES = ("AA", "AE", "AP", "FM", "MH", "PW")
PROVINCES = frozenset(
    ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"]
)
# The letters of each state, and its names.
_STATES = [
    (one[:2], one[3:].split(", ")) for one in re.split(r" \| |\n", _NAMES.strip())
]
STATES = frozenset([*(code for code, _ in _STATES), *_OTHER_CODES])
_BY_NAME = {name.casefold(): code for code, names in _STATES for name in names}
_BY_WORDS = {**_BY_NAME, **{code.casefold(): code for code in STATES}}
# The first name of a state may follow a city without a comma.
FULL_STATE_NAMES = {names[0].casefold(): code for code, names in _STATES}


def state_code(text: str) -> str:
    """Return the two letters of a state by code, name or abbreviation, else "".

    >>> [state_code(text) for text in ("il", "Illinois", "Ill.", "N. Y.", "D.C.", "xx")]
    ['IL', 'IL', 'IL', 'NY', 'DC', '']
    """
    words = " ".join(text.replace(".", " ").split()).casefold()
    letters = words.replace(" ", "")
    return _BY_WORDS.get(words) or _BY_WORDS.get(
        letters if len(letters) == 2 else "", ""
    )
