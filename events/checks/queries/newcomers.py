"""The new members of a report, by the temporary numbers in its entries."""

from collections.abc import Collection, Iterable

from events.importers.records import ReportedEvent, ReportedSection
from events.models import PendingMember, Submission


def newcomers_of(submission: Submission | None) -> dict[str, PendingMember]:
    """Return everybody who was entered as new in a report, numbered since or not."""
    if submission is None or submission.pk is None:
        return {}
    rows = submission.newcomers.select_related("resolved_to")
    return {newcomer.number: newcomer for newcomer in rows}


def numbered(newcomers: Iterable[PendingMember]) -> set[str]:
    """Return the member IDs that the office has given, or found, for newcomers."""
    return {one.resolved_to.member_id for one in newcomers if one.resolved_to}


def somebody_waits(submission_id: int) -> bool:
    """Tell whether anybody in a report has no number yet."""
    return bool(reports_with_somebody_waiting([submission_id]))


def reports_with_somebody_waiting(submission_ids: Collection[int]) -> set[int]:
    """Return those of these reports in which somebody has no number yet."""
    waiting = PendingMember.objects.filter(
        submission__in=submission_ids, resolved_to=None
    )
    return set(waiting.order_by().values_list("submission", flat=True))


def waiting_sections(submission: Submission) -> list[ReportedSection]:
    """Return the sections in which somebody waits for a number (one query)."""
    if not somebody_waits(submission.pk):
        return []
    reported = ReportedEvent.from_json(submission.content)
    return [each for each in reported.sections if each.waits_for_newcomers]
