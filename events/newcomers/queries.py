"""Members who may be meant by a new member's name."""

from collections.abc import Sequence

from events.checks.queries.likely_members import LikelyMember, likely_members_at
from events.formats.report import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.casing import in_name_case
from ratings_site.common.names.phonetics import searchable

MAX_SHOWN = 6


def likely_members_for(
    reported: ReportedEvent, section_number: int, entry: ReportedEntry
) -> Sequence[LikelyMember]:
    entry_key = (section_number, entry.pairing_number)
    return likely_members_at(reported, [entry_key]).get(entry_key, ())


def namesakes(given_name: str, family_name: str) -> list[Player]:
    """Return members of exactly this name, whatever their birth date.

    Matching the birth date too would let anyone who may send reports find a member's
    birth date by trying days.
    """
    same = Player.objects.filter(search_name=searchable(f"{family_name} {given_name}"))
    return list(same.exclude(status=Player.Status.DUPLICATE)[:MAX_SHOWN])


def names_in(reported_name: str) -> tuple[str, str]:
    """Return the given and the family name, as far as a reported name has them.

    >>> names_in("O'NEIL, MARY ANN"), names_in("Ben Okri"), names_in("Pele")
    (('Mary Ann', "O'Neil"), ('Ben', 'Okri'), ('', 'Pele'))
    """
    if "," in reported_name:
        family, _comma, given = reported_name.partition(",")
    else:
        given, _space, family = reported_name.strip().rpartition(" ")
    return _spelled(given), _spelled(family)


def _spelled(name: str) -> str:
    return in_name_case(" ".join(name.split()))
