"""Who the entries of a report are, by the records."""

from collections.abc import Iterable

from events.importers.records import ReportedEvent
from events.models import Affiliate
from players.models import Player


def member_ids_of(reported: ReportedEvent) -> set[str]:
    return {
        entry.member_id
        for section in reported.sections
        for entry in section.entries
        if entry.member_id
    }


def players_by_member_id(member_ids: Iterable[str]) -> dict[str, Player]:
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {
        player.member_id: player
        for player in players.prefetch_related("memberships__type")
    }


def members_of(reported: ReportedEvent) -> dict[str, Player]:
    """Return the members a report names, by member ID; unknown IDs are absent."""
    return players_by_member_id(member_ids_of(reported))


def affiliate_of(affiliate_id: str) -> Affiliate | None:
    return Affiliate.objects.filter(affiliate_id=affiliate_id).first()
