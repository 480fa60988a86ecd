"""Notices to TDs about their reports."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import ReportMessage, Submission
from ratings_site.common.models import Webhook
from ratings_site.common.notices.services import NoticeDraft, notify, register
from ratings_site.common.webhooks.services import absolute_url, announce

REPORT = register(
    "events.report",
    gettext_lazy("Your reports"),
    gettext_lazy(
        "The office received, changed, returned, accepted, or rated your report."
    ),
)
MESSAGE = register(
    "events.message",
    gettext_lazy("Messages on reports"),
    gettext_lazy("The office sent you a message about your report."),
)

# The most changes in a notice; the report's page lists all of them.
MAX_CHANGES = 30

State = Submission.State
Words = Callable[[], tuple[str, str]]


def notify_report_status(submission: Submission) -> None:
    """Notify the sender that the report was submitted, returned or accepted.

    There is no notice of a withdrawal, which is the sender's own action.
    """
    key = f"report:{submission.pk}:{uuid4().hex}"  # a report may be returned again
    notify_sender(submission, lambda: _status_words(submission), key=key)
    announce_state(submission)


def announce_state(submission: Submission) -> None:
    """Tell the sender's webhooks the new state."""

    def state() -> dict[str, Any]:
        event = getattr(submission, "event", None)
        return {
            "report": submission.pk,
            "state": submission.state,
            "event_name": submission.event_name,
            "event_id": event.event_id if event else None,
            "office_note": submission.office_note,
            "url": absolute_url(f"/api/v1/reports/{submission.pk}"),
        }

    announce(Webhook.Kind.REPORT, state, owner=submission.uploaded_by_id)


def notify_office_change(submission: Submission, changes: Sequence[str]) -> None:
    """Tell the sender what the office changed in the report's entries."""

    def write() -> tuple[str, str]:
        title = _("The office changed your report: {event}")
        more = ["…"] if len(changes) > MAX_CHANGES else []
        lines = [*changes[:MAX_CHANGES], *more]
        return title.format(event=submission), "\n".join(lines)

    key = f"report-changed:{submission.pk}:{uuid4().hex}"
    notify_sender(submission, write, key=key)


def notify_sender(submission: Submission, write: Words, *, key: str) -> None:
    notify([news_for_sender(submission, write, key=key)])


def news_for_sender(submission: Submission, write: Words, *, key: str) -> NoticeDraft:
    return NoticeDraft(
        kind=REPORT,
        account=submission.uploaded_by_id,
        key=key,
        url=submission.get_absolute_url(),
        write=write,
    )


def _status_words(submission: Submission) -> tuple[str, str]:
    if submission.state == State.SUBMITTED:
        title = _("We received your report: {event}")
        text = _("We’ll notify you when it is accepted or if we have a question.")
    elif submission.state == State.RETURNED:
        title = _("Your report needs changes: {event}")
        text = _("Message from the ratings office: {note}")
    else:
        title = _("Your report is accepted: {event}")
        text = _("The event is being rated. We’ll notify you when it is done.")
    return title.format(event=submission), text.format(note=submission.office_note)


def notify_new_message(message: ReportMessage) -> None:
    """Notify the TD, or the last clerk who wrote about this report."""
    submission = message.submission
    reader: int | None = submission.uploaded_by_id
    if not message.from_office:
        answered = submission.messages.filter(from_office=True)
        reader = answered.order_by("-pk").values_list("by", flat=True).first()
    if reader is None:
        return
    notify(
        [
            NoticeDraft(
                kind=MESSAGE,
                account=reader,
                key=f"message:{message.pk}",
                url=submission.get_absolute_url(),
                write=lambda: _message(message),
            )
        ]
    )


def _message(message: ReportMessage) -> tuple[str, str]:
    values = {"event": message.submission}
    if message.from_office:
        return _("New message from the ratings office: {event}").format(
            **values
        ), message.text
    return _("New message from the TD: {event}").format(**values), message.text
