"""Messages between the TD and the office on a report."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import MessageMark, ReportMessage, Submission
from events.reports.notices import notify_new_message
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import User

LONGEST_MESSAGE = 4_000
# The most messages a day on one report; more would be a loop or a prank.
MAX_MESSAGES_PER_DAY = 50


class MessageRefused(Refusal):
    """The message cannot be sent; the error says why."""


def writes_for_office(actor: User, submission: Submission) -> bool:
    """Return whether the user writes as the office: all but the report's sender."""
    return actor.pk != submission.uploaded_by_id


def write_message(
    *, submission: Submission, actor: User, text: str, place: str = ""
) -> ReportMessage:
    """Add a message to the thread. The author's unread messages count as read."""
    text = text.strip()
    if not text:
        raise MessageRefused(_("Enter a message."))
    with transaction.atomic():
        Submission.objects.select_for_update().only("pk").get(pk=submission.pk)
        _require_below_limit(submission, actor)
        message = ReportMessage.objects.create(
            submission=submission,
            by=actor,
            from_office=writes_for_office(actor, submission),
            text=text,
            place=place,
        )
        _mark(message, for_office=message.from_office, actor=actor)
        record("submission.message_written", subject=submission, actor=actor)
        notify_new_message(message)
    return message


def mark_read(*, submission: Submission, actor: User) -> None:
    """Mark the thread as read without an answer."""
    latest = ReportMessage.objects.filter(submission=submission).last()
    if latest is None:
        return
    for_office = writes_for_office(actor, submission)
    with transaction.atomic():
        if _mark(latest, for_office=for_office, actor=actor):
            record("submission.messages_read", subject=submission, actor=actor)


def _mark(upto: ReportMessage, *, for_office: bool, actor: User) -> bool:
    """Move the read mark up to this message; return whether it moved."""
    mark, created = MessageMark.objects.select_for_update().get_or_create(
        submission_id=upto.submission_id,
        for_office=for_office,
        defaults={"up_to": upto, "by": actor},
    )
    if created or mark.up_to_id >= upto.pk:
        return created
    mark.up_to, mark.by = upto, actor
    mark.save()
    return True


def _require_below_limit(submission: Submission, actor: User) -> None:
    since = timezone.now() - timedelta(days=1)
    written = submission.messages.filter(by=actor, at__gt=since).count()
    if written >= MAX_MESSAGES_PER_DAY:
        raise MessageRefused(
            _(
                "You have sent {number} messages on this report since yesterday. "
                "Send the rest tomorrow, or call the office."
            ).format(number=written)
        )
