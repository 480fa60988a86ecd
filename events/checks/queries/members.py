"""The members named in a report."""

from collections.abc import Iterable

from events.formats.report import ReportedEvent
from events.models import Affiliate, EventOfficial
from players.models import Player


def member_ids_of(reported: ReportedEvent) -> set[str]:
    return {
        entry.member_id
        for section in reported.sections
        for entry in section.entries
        if entry.member_id
    }


def players_by_member_id(member_ids: Iterable[str]) -> dict[str, Player]:
    players = Player.objects.prefetch_related("memberships__type")
    return players.in_bulk(set(member_ids), field_name="member_id")


def members_of(reported: ReportedEvent) -> dict[str, Player]:
    """Return the members named in a report by member ID, without unknown IDs."""
    return players_by_member_id(member_ids_of(reported))


def affiliate_of(affiliate_id: str) -> Affiliate | None:
    return Affiliate.objects.filter(affiliate_id=affiliate_id).first()


def officials_of(reported: ReportedEvent) -> list[tuple[int | None, str, str]]:
    """Return section number, role and member ID of each official."""
    named: list[tuple[int | None, str, str]] = [
        (None, EventOfficial.Role.CHIEF, reported.chief_td_id),
        (None, EventOfficial.Role.ASSISTANT, reported.assistant_td_id),
        *((None, EventOfficial.Role.OTHER, other) for other in reported.other_td_ids),
    ]
    for section in reported.sections:
        named += [
            (section.number, EventOfficial.Role.CHIEF, section.chief_td_id),
            (section.number, EventOfficial.Role.ASSISTANT, section.assistant_td_id),
        ]
    return named
