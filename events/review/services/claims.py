"""Assignment of reports to clerks, so that two do not review one at once."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import REVIEW
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


def claim_report(*, submission_id: int, actor: User, holder_id: int | None) -> bool:
    """Assign a report to the actor; return whether the assignment changed.

    *holder_id* is the clerk whom the actor saw, so that a report is not taken from
    another clerk by accident.
    """
    require_permission(actor, REVIEW)
    with transaction.atomic():
        submission = _lock_in_review(submission_id)
        if submission.claimed_by_id == actor.pk:
            return False
        if submission.claimed_by_id != holder_id:
            raise NotPossible(_assignee_message(submission))
        _assign_to(submission, actor)
        facts = {"from": str(submission.claimed_by)} if holder_id else {}
        record("submission.taken", subject=submission, actor=actor, facts=facts)
    return True


def release_report(*, submission_id: int, actor: User) -> bool:
    """Unassign a report; return whether it was assigned to the actor."""
    require_permission(actor, REVIEW)
    with transaction.atomic():
        submission = _lock_in_review(submission_id)
        if submission.claimed_by_id != actor.pk:
            return False
        _assign_to(submission, None)
        record("submission.given_back", subject=submission, actor=actor)
    return True


def _lock_in_review(submission_id: int) -> Submission:
    # An outer join with the clerk could not be locked.
    submission = Submission.objects.select_for_update().get(pk=submission_id)
    if submission.state != Submission.State.SUBMITTED:
        raise NotPossible(_("Only a submitted report can be assigned."))
    return submission


def _assign_to(submission: Submission, holder: User | None) -> None:
    Submission.objects.filter(pk=submission.pk).update(
        claimed_by=holder, claimed_at=timezone.now() if holder else None
    )


def _assignee_message(submission: Submission) -> str:
    if submission.claimed_by is None:
        return _(
            "The report was unassigned in the meantime. Check it again, then assign it."
        )
    return _("The report has been assigned to {name}.").format(
        name=submission.claimed_by
    )
