"""The new members who wait for a number, and who of the members they are."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import QuerySet

from events.models import PendingMember, Submission
from players.models import Player

WITH_OFFICE = (Submission.State.SUBMITTED, Submission.State.ACCEPTED)


def newcomers_who_wait(*, open_too: bool = False) -> QuerySet[PendingMember]:
    """Return the new members without a number, of reports that are with the office.

    With *open_too* also those of reports that TDs still work on.
    """
    states = [*WITH_OFFICE, *(Submission.EDITABLE if open_too else ())]
    return PendingMember.objects.filter(
        resolved_to=None, submission__state__in=states
    ).select_related("submission")


def person(newcomer: PendingMember) -> tuple | None:
    """Return by what two rows are one person; a year is too little."""
    if newcomer.birth_date is None:
        return None
    return newcomer.search_name, newcomer.birth_date


def very_same(newcomers: Collection[PendingMember]) -> dict[int, list[Player]]:
    """Return by newcomer the members of the same name and birth date (one query)."""
    members = Player.objects.filter(
        search_name__in={one.search_name for one in newcomers},
        birth_date__in={one.birth_date for one in newcomers} - {None},
        merged_into=None,
    )
    found: defaultdict[tuple, list[Player]] = defaultdict(list)
    for player in members.order_by("pk"):
        found[player.search_name, player.birth_date].append(player)
    return {
        one.pk: found.get(key, []) if (key := person(one)) else [] for one in newcomers
    }


def as_seen(newcomer: PendingMember, same: Iterable[Player]) -> str:
    """Return a mark of what is known: another one says that it is no longer so."""
    known = (
        newcomer.search_name,
        str(newcomer.birth_date or newcomer.birth_year),
        *(player.member_id for player in same),
    )
    return hashlib.sha256("|".join(known).encode()).hexdigest()[:12]
