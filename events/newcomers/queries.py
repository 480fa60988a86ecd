"""Who of the members may be meant, before somebody is entered as new."""

from collections.abc import Sequence

from events.checks.queries.likely import LikelyMember, likely_at
from events.importers.records import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.sounds import searchable

MOST_SHOWN = 6


def likely_for(
    reported: ReportedEvent, section_number: int, entry: ReportedEntry
) -> Sequence[LikelyMember]:
    spot = (section_number, entry.pairing_number)
    return likely_at(reported, [spot]).get(spot, ())


def namesakes(given_name: str, family_name: str) -> list[Player]:
    """Return members of exactly this name, whenever they were born.

    The desk asks by the name alone: if it said whose birth date agrees as well, anyone
    who may send reports could find a member's by trying days.
    """
    same = Player.objects.filter(search_name=searchable(f"{family_name} {given_name}"))
    return list(same.exclude(status=Player.Status.DUPLICATE)[:MOST_SHOWN])


def names_in(reported_name: str) -> tuple[str, str]:
    """Return the given and the family name, as far as a reported name tells them.

    >>> names_in("O'NEIL, MARY ANN"), names_in("Ben Okri"), names_in("Pele")
    (('Mary Ann', "O'Neil"), ('Ben', 'Okri'), ('', 'Pele'))
    """
    if "," in reported_name:
        family, _comma, given = reported_name.partition(",")
    else:
        given, _space, family = reported_name.strip().rpartition(" ")
    return _spelled(given), _spelled(family)


def _spelled(name: str) -> str:
    """Files shout; people do not. What is in small letters already stays as it is."""
    name = " ".join(name.split())
    return name.title() if name.isupper() else name
