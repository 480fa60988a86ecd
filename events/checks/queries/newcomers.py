"""The new members of a report, by the temporary numbers in its entries."""

from collections.abc import Collection, Iterable

from events.formats.report import ReportedEvent, ReportedSection
from events.models import PendingMember, Submission


def newcomers_of(submission: Submission | None) -> dict[str, PendingMember]:
    """Return all new members of a report, with or without a member ID."""
    if submission is None or submission.pk is None:
        return {}
    rows = submission.newcomers.select_related("resolved_to")
    return {newcomer.number: newcomer for newcomer in rows}


def assigned_member_ids(newcomers: Iterable[PendingMember]) -> set[str]:
    """Return the member IDs that were assigned to, or found for, new members."""
    return {one.resolved_to.member_id for one in newcomers if one.resolved_to}


def has_pending_newcomers(submission_id: int) -> bool:
    """Return whether a new member in a report has no member ID yet."""
    return bool(reports_with_pending_newcomers([submission_id]))


def reports_with_pending_newcomers(submission_ids: Collection[int]) -> set[int]:
    """Return the reports with a new member who has no member ID yet."""
    waiting = PendingMember.objects.filter(
        submission__in=submission_ids, resolved_to=None
    )
    return set(waiting.order_by().values_list("submission", flat=True))


def sections_awaiting_newcomers(submission: Submission) -> list[ReportedSection]:
    """Return the sections with a new member without a member ID (one query)."""
    if not has_pending_newcomers(submission.pk):
        return []
    reported = ReportedEvent.from_json(submission.content or {})
    return [each for each in reported.sections if each.has_temporary_ids]
