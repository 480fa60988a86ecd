"""Reports that can be accepted in bulk, and reasons why others cannot."""

from collections.abc import Collection, Iterable, Iterator, Sequence
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
    return {
        one.pk: IneligibleReport(one.pk, *found, one)
        for one in reports
        if (found := next(_obstacles(one, actor, own, looked_up), None))
    }


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


def _obstacles(
    report: ReportWithUnread, actor: User, own: dict[int, str], looked_up: set[int]
) -> Iterator[tuple[IneligibleReason, str]]:
    """Yield why a report needs an individual review; the first reason is shown."""
    if report.state != Submission.State.SUBMITTED:
        yield IneligibleReason.DECIDED, _decided(report)
    if report.pk in own:
        yield IneligibleReason.OWN, own[report.pk]
    if report.claimed_by_id not in (None, actor.pk):
        sentence = _("Assigned to {name}.").format(name=report.claimed_by)
        yield IneligibleReason.TAKEN, sentence
    if any(report.finding_counts.get(kind) for kind in BLOCKING_SEVERITIES):
        yield IneligibleReason.FINDINGS, _("It has open issues to review.")
    if report.pk in looked_up:
        sentence = _("A foreign rating still needs to be looked up.")
        yield IneligibleReason.LOOK_UP, sentence
    if report.unread:
        sentence = _("A message from the TD hasn’t been answered.")
        yield IneligibleReason.UNREAD, sentence


def _decided(report: Submission) -> str:
    sentences = {
        Submission.State.ACCEPTED: _("{name} already accepted it."),
        Submission.State.RETURNED: _("{name} already returned it to the TD."),
    }
    state = Submission.State(report.state)
    sentence = sentences.get(state, _("It’s not in the office’s queue."))
    return sentence.format(name=report.decided_by)
