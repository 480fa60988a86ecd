"""Members with known ratings, for the conformance kit (docs/conformance).

Its files name them, so IDs, names and ratings never change. The first ten play nowhere;
the others play in the kit's samples, which can be accepted.
"""

from datetime import date

from ratings.models import OpeningEntry
from ratings_site.demo.members import RECORD, Register, opening

AS_OF = date(2025, 1, 4)
SOURCE = "Ratings of the conformance kit"
FIRST_ID = 11_000_001
# Name, rating (none: unrated), games, highest rating.
MEMBERS = (
    ("Alden", "Kittredge", 2105.0, 120, 2150.0),
    ("Brisa", "Kitson", 1900.0, 80, 1950.0),
    ("Corin", "Kitchell", 1800.0, 60, 1850.0),
    ("Delia", "Kittel", 1700.0, 40, 1750.0),
    ("Evan", "Kitaro", 1602.0, 50, 1820.0),
    ("Flora", "Kitamura", 1500.0, 30, 1540.0),
    ("Gil", "Kitzmiller", 1350.0, 6, None),
    ("Hedda", "Kittleson", None, 0, None),
    ("Ingo", "Kitover", 1400.0, 45, 1450.0),
    ("Jora", "Kitsos", 1650.0, 45, 1690.0),
    ("Anton", "Samplonius", 1720.0, 40, 1760.0),
    ("Berit", "Sample-Ruiz", 1640.0, 40, 1680.0),
    ("Clyde", "Samperton", 1555.0, 40, 1600.0),
    ("Dunja", "Sampaio", 1480.0, 40, 1530.0),
)
LAPSED = 9  # the place of the member whose membership ended
EXPIRED = date(2024, 12, 31)


def add_kit_members(register: Register) -> list[OpeningEntry]:
    """Add the members, and return their opening ratings."""
    openings = []
    for place, (given, family, rating, games, peak) in enumerate(MEMBERS, start=1):
        player = register.new(birth_date=date(1970, 1, place), state="IL")
        player.member_id = str(FIRST_ID + place - 1)
        player.given_name, player.family_name = given, family
        player.set_search_names()
        if place == LAPSED:
            register.expires[player.member_id] = EXPIRED
        if rating is not None:
            facts = RECORD | {"as_of": AS_OF, "peak": peak, "source": SOURCE}
            openings.append(opening(player, rating, games, **facts))
    return openings
