"""Who of the office works on a report, so that two people do not decide it at once."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.books.refusals import NotPossible
from events.models import Submission
from events.reports.services.submissions import REVIEW
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.models import User


def claim_report(*, submission_id: int, actor: User, holder_id: int | None) -> bool:
    """Take a report to decide it; tell whether it has a new holder.

    *holder_id* is who had it when the actor looked, so that nobody takes it from
    somebody without having seen the name.
    """
    require(actor, REVIEW)
    with transaction.atomic():
        submission = _with_the_office(submission_id)
        if submission.claimed_by_id == actor.pk:
            return False
        if submission.claimed_by_id != holder_id:
            raise NotPossible(_holder_in_words(submission))
        _hand_to(submission, actor)
        facts = {"from": str(submission.claimed_by)} if holder_id else {}
        record("submission.taken", subject=submission, actor=actor, facts=facts)
    return True


def release_report(*, submission_id: int, actor: User) -> bool:
    """Give a report back to everybody; tell whether the actor had it."""
    require(actor, REVIEW)
    with transaction.atomic():
        submission = _with_the_office(submission_id)
        if submission.claimed_by_id != actor.pk:
            return False
        _hand_to(submission, None)
        record("submission.given_back", subject=submission, actor=actor)
    return True


def _with_the_office(submission_id: int) -> Submission:
    # A join with its holder would be an outer one, which cannot be locked.
    submission = Submission.objects.select_for_update().get(pk=submission_id)
    if submission.state != Submission.State.SUBMITTED:
        raise NotPossible(_("Only a report that is with the office can be taken."))
    return submission


def _hand_to(submission: Submission, holder: User | None) -> None:
    Submission.objects.filter(pk=submission.pk).update(
        claimed_by=holder, claimed_at=timezone.now() if holder else None
    )


def _holder_in_words(submission: Submission) -> str:
    if submission.claimed_by is None:
        return _("The report has been given back meanwhile. Look again, then take it.")
    return _("{name} has taken the report meanwhile.").format(
        name=submission.claimed_by
    )
