"""What the desk, the office and the public pages read."""

from collections.abc import Iterable

from django.db.models import Count, QuerySet

from events.importers.records import EventReport
from events.models import Affiliate, Event, OfficeTask, Submission
from players.models import Player


def member_ids_of(report: EventReport) -> set[str]:
    return {
        entry.member_id
        for section in report.sections
        for entry in section.entries
        if entry.member_id
    }


def players_by_member_id(member_ids: Iterable[str]) -> dict[str, Player]:
    players = Player.objects.filter(member_id__in=set(member_ids))
    return {
        player.member_id: player
        for player in players.prefetch_related("memberships__type")
    }


def members_of(report: EventReport) -> dict[str, Player]:
    """Return the members a report names, by member ID; unknown IDs are absent."""
    return players_by_member_id(member_ids_of(report))


def affiliate_of(affiliate_id: str) -> Affiliate | None:
    return Affiliate.objects.filter(affiliate_id=affiliate_id).first()


def reports_of(user) -> QuerySet[Submission]:
    return Submission.objects.filter(uploaded_by=user).defer(
        "report", "reader_findings"
    )


def reports_for_office() -> QuerySet[Submission]:
    """Return the queue: oldest first, without the bulky working copies."""
    return (
        Submission.objects.filter(state=Submission.State.SUBMITTED)
        .select_related("uploaded_by", "affiliate")
        .defer("report", "reader_findings")
        .order_by("submitted_at", "pk")
    )


def open_tasks() -> QuerySet[OfficeTask]:
    return OfficeTask.objects.filter(state=OfficeTask.State.OPEN).select_related(
        "player", "submission"
    )


def events_with_counts() -> QuerySet[Event]:
    return Event.objects.select_related("affiliate").annotate(
        section_count=Count("sections", distinct=True),
        entry_count=Count("sections__entries", distinct=True),
    )
