"""What TDs are told of their reports."""

from collections.abc import Callable
from uuid import uuid4

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import ReportMessage, Submission
from ratings_site.common.notices.services import Kind, News, notify, register

REPORT = register(
    Kind(
        "events.report",
        gettext_lazy("Your reports"),
        gettext_lazy("A report you sent has arrived, came back, is accepted or rated."),
    )
)
MESSAGE = register(
    Kind(
        "events.message",
        gettext_lazy("Messages on reports"),
        gettext_lazy("The other side has written on a report of yours."),
    )
)

State = Submission.State
Words = Callable[[], tuple[str, str]]


def tell_of_report(submission: Submission) -> None:
    """Tell the sender that the report is with the office, has come back or is accepted.

    Who withdraws it knows.
    """
    write = _REPORT_WORDS[submission.state]
    key = f"report:{submission.pk}:{uuid4().hex}"  # it may come back once more
    tell_sender(submission, lambda: write(submission), key=key)


def tell_sender(submission: Submission, write: Words, *, key: str) -> None:
    notify([news_for_sender(submission, write, key=key)])


def news_for_sender(submission: Submission, write: Words, *, key: str) -> News:
    return News(
        kind=REPORT,
        account=submission.uploaded_by_id,
        key=key,
        url=submission.get_absolute_url(),
        write=write,
    )


def _submitted(submission: Submission) -> tuple[str, str]:
    return (
        _("The ratings office has your report of {event}").format(event=submission),
        _("You hear of it again when it is accepted, or if something is missing."),
    )


def _returned(submission: Submission) -> tuple[str, str]:
    return (
        _("Your report of {event} has come back").format(event=submission),
        _("The ratings office writes: {note}").format(note=submission.office_note),
    )


def _accepted(submission: Submission) -> tuple[str, str]:
    return (
        _("Your report of {event} is accepted").format(event=submission),
        _("The event is in the books and is being rated."),
    )


_REPORT_WORDS = {
    State.SUBMITTED: _submitted,
    State.RETURNED: _returned,
    State.ACCEPTED: _accepted,
}


def tell_of_message(message: ReportMessage) -> None:
    """Tell the TD; of the office, the one who wrote on this report last."""
    submission = message.submission
    reader = submission.uploaded_by_id
    if not message.from_office:
        answered = submission.messages.filter(from_office=True)
        reader = answered.order_by("-pk").values_list("by", flat=True).first()
    if reader is None:
        return
    notify(
        [
            News(
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
        return _("The ratings office wrote about {event}").format(
            **values
        ), message.text
    return _("The TD wrote about {event}").format(**values), message.text
