"""Reports that can be accepted in bulk, and reasons why others cannot."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from events.checks.services import BLOCKING_SEVERITIES
from events.models import Submission
from events.reports.queries.messages import ReportWithUnread, with_unread
from events.reports.queries.reports import denial_reasons, open_tasks
from ratings_site.common.models import User


class IneligibleReason(StrEnum):
    """Why a report is left out of bulk acceptance."""

    NOT_THERE = "not_there"
    DECIDED = "decided"
    CHANGED = "changed"
    OWN = "own"
    TAKEN = "taken"
    FINDINGS = "findings"
    LOOK_UP = "look_up"
    UNREAD = "unread"
    REFUSED = "refused"
    NO_TIME = "no_time"


@dataclass(frozen=True, slots=True)
class IneligibleReport:
    """A report that is left out of bulk acceptance, and why."""

    pk: int
    why: IneligibleReason
    sentence: str
    submission: Submission | None = None


def with_open_items(reports: QuerySet[Submission]) -> QuerySet[ReportWithUnread]:
    """Annotate reports for ``ineligible_reports``, without large columns."""
    return (
        with_unread(reports, for_office=True)
        .select_related("claimed_by", "decided_by")
        .defer("content", "reader_findings")
    )


def ineligible_reports(
    reports: Sequence[ReportWithUnread], actor: User
) -> dict[int, IneligibleReport]:
    """Return the reports that *actor* must review individually (two queries).

    The others are clean: submitted, not the actor's own, not assigned to another clerk,
    and without open issues, lookups or messages. The findings are those counted at the
    last check; acceptance checks again.
    """
    own = denial_reasons(reports, actor)
    looked_up = set(
        open_tasks()
        .filter(submission__in=[report.pk for report in reports])
        .order_by()
        .values_list("submission", flat=True)
    )
    found = (_check_eligibility(one, actor, own, looked_up) for one in reports)
    return {one.pk: one for one in found if one}


def eligible_reports(
    reports: Sequence[ReportWithUnread], actor: User
) -> list[ReportWithUnread]:
    """Return the reports that can be accepted in bulk, in their order."""
    out = ineligible_reports(reports, actor)
    return [report for report in reports if report.pk not in out]


def missing_reports(
    pks: Iterable[int], found: Collection[int]
) -> list[IneligibleReport]:
    """Return an ineligible report for each unknown number."""
    sentence = _("There’s no report {number} in the queue.")
    return [
        IneligibleReport(pk, IneligibleReason.NOT_THERE, sentence.format(number=pk))
        for pk in pks
        if pk not in found
    ]


def _check_eligibility(
    report: ReportWithUnread, actor: User, own: dict[int, str], looked_up: set[int]
) -> IneligibleReport | None:
    counts = report.finding_counts
    if report.state != Submission.State.SUBMITTED:
        why, sentence = IneligibleReason.DECIDED, _decided(report)
    elif report.pk in own:
        why, sentence = IneligibleReason.OWN, own[report.pk]
    elif report.claimed_by_id not in (None, actor.pk):
        why, sentence = (
            IneligibleReason.TAKEN,
            _("Assigned to {name}.").format(name=report.claimed_by),
        )
    elif any(counts.get(kind) for kind in BLOCKING_SEVERITIES):
        why, sentence = IneligibleReason.FINDINGS, _("It has open issues to review.")
    elif report.pk in looked_up:
        why, sentence = (
            IneligibleReason.LOOK_UP,
            _("A foreign rating still needs to be looked up."),
        )
    elif report.unread:
        why, sentence = (
            IneligibleReason.UNREAD,
            _("A message from the TD hasn’t been answered."),
        )
    else:
        return None
    return IneligibleReport(report.pk, why, sentence, report)


def _decided(report: Submission) -> str:
    if report.state == Submission.State.ACCEPTED:
        sentence = _("{name} already accepted it.")
    elif report.state == Submission.State.RETURNED:
        sentence = _("{name} already returned it to the TD.")
    else:
        sentence = _("It’s not in the office’s queue.")
    return sentence.format(name=report.decided_by)
