"""New members without a member ID, and matching members."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date

from django.db.models import QuerySet

from events.models import PendingMember, Submission
from players.models import Player

OFFICE_STATES = (Submission.State.SUBMITTED, Submission.State.ACCEPTED)


def pending_newcomers(*, include_drafts: bool = False) -> QuerySet[PendingMember]:
    """Return the new members without a member ID in submitted reports.

    With *include_drafts*, also those in reports that TDs still edit.
    """
    states = [*OFFICE_STATES, *(Submission.EDITABLE if include_drafts else ())]
    return PendingMember.objects.filter(
        resolved_to=None, submission__state__in=states
    ).select_related("submission")


def identity_key(newcomer: PendingMember) -> tuple[str, date] | None:
    """Return the name and birth date, or None: a birth year is not enough."""
    if newcomer.birth_date is None:
        return None
    return newcomer.search_name, newcomer.birth_date


def same_identity_members(
    newcomers: Collection[PendingMember],
) -> dict[int, list[Player]]:
    """Return the members of the same name and birth date (one query)."""
    members = Player.objects.filter(
        search_name__in={one.search_name for one in newcomers},
        birth_date__in={one.birth_date for one in newcomers} - {None},
        merged_into=None,
    )
    found: defaultdict[tuple[str, date | None], list[Player]] = defaultdict(list)
    for player in members.order_by("pk"):
        found[player.search_name, player.birth_date].append(player)
    return {
        one.pk: found.get(key, []) if (key := identity_key(one)) else []
        for one in newcomers
    }


def newcomer_fingerprint(newcomer: PendingMember, same: Iterable[Player]) -> str:
    """Return a digest of the known facts, to detect changes."""
    known = (
        newcomer.search_name,
        str(newcomer.birth_date or newcomer.birth_year),
        *(player.member_id for player in same),
    )
    return hashlib.sha256("|".join(known).encode()).hexdigest()[:12]
