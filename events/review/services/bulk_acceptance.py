"""Bulk acceptance of reports, each in its own transaction."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from events.checks.services import save_finding_counts
from events.models import Event, Submission
from events.records.exceptions import NotPossible, VersionConflict
from events.reports.services.submissions import REVIEW
from events.review.queries.bulk_eligibility import (
    IneligibleReason,
    IneligibleReport,
    ineligible_reports,
    missing_reports,
    with_open_items,
)
from events.review.services.acceptance import accept_report
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.bulk_actions import apply_each
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.models import User


@dataclass(slots=True)
class BulkAcceptance:
    """The result of a bulk acceptance: events, and reports left out."""

    events: list[Event] = field(default_factory=list)
    ineligible_reports: list[IneligibleReport] = field(default_factory=list)


def bulk_accept(
    *,
    versions: Mapping[int, int],
    actor: User,
    reason: str = "",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> BulkAcceptance:
    """Accept clean reports, each in its own transaction, by ``accept_report``.

    *versions* are the reports as shown, by number. They are accepted in the order in
    which the events ended, so that none makes another one late. Reports that have
    changed since are left out.
    """
    require_permission(actor, REVIEW)
    in_order = list(
        Submission.objects.filter(pk__in=versions)
        .order_by("ends", "submitted_at", "pk")
        .values_list("pk", flat=True)
    )
    done = BulkAcceptance(ineligible_reports=missing_reports(versions, in_order))
    accepted = apply_each(
        in_order, lambda pk: _accept(pk, versions[pk], actor, reason), longest=math.inf
    )
    for number, (pk, one) in enumerate(accepted, start=1):
        on_progress(number, len(in_order))
        if isinstance(one, Event):
            done.events.append(one)
        else:
            done.ineligible_reports.append(_refused(pk, one))
    return done


def _accept(
    pk: int, version: int, actor: User, reason: str
) -> Event | IneligibleReport:
    # Lock the row first: an outer join cannot be locked.
    Submission.objects.select_for_update().only("pk").get(pk=pk)
    submission = with_open_items(Submission.objects.all()).get(pk=pk)
    if why := ineligible_reports([submission], actor).get(pk):
        return why
    try:
        return accept_report(
            submission_id=pk, actor=actor, reason=reason, version=version
        )
    except VersionConflict:
        sentence = _("It has changed since you opened the list. Check it again.")
        return IneligibleReport(pk, IneligibleReason.CHANGED, sentence, submission)


def _refused(pk: int, one: IneligibleReport | Refusal) -> IneligibleReport:
    if isinstance(one, IneligibleReport):
        return one
    submission = Submission.objects.get(pk=pk)
    if isinstance(one, NotPossible) and one.findings is not None:
        save_finding_counts(submission, one.findings)
    return IneligibleReport(pk, IneligibleReason.REFUSED, str(one), submission)
