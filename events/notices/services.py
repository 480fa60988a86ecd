"""What TDs and members are told of reports and corrections."""

from collections.abc import Callable, Collection, Iterable
from uuid import uuid4

from django.dispatch import receiver
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.corrections.queries import member_accounts, td_accounts
from events.models import CorrectionRequest, ReportMessage, Submission
from events.signals import (
    correction_changed,
    report_changed,
    report_message_written,
)
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
CORRECTION = register(
    Kind(
        "events.correction",
        gettext_lazy("Corrections"),
        gettext_lazy(
            "How a correction stands that you asked for or direct the event of, and "
            "that a game of yours was corrected."
        ),
    )
)

State = Submission.State
Words = Callable[[], tuple[str, str]]


def _once(about: str) -> str:
    """Name one step of something that may take the same step again."""
    return f"{about}:{uuid4().hex}"


# Reports


@receiver(report_changed)
def tell_of_report(submission: Submission, **_: object) -> None:
    """Tell the sender where the report stands. Who withdraws it knows."""
    write = _REPORT_WORDS.get(submission.state)
    if write is not None:
        tell_sender(
            submission,
            lambda: write(submission),
            key=_once(f"report:{submission.pk}"),
        )


def tell_sender(submission: Submission, write: Words, *, key: str) -> None:
    notify(
        [
            News(
                kind=REPORT,
                account=submission.uploaded_by_id,
                key=key,
                url=submission.get_absolute_url(),
                write=write,
            )
        ]
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


@receiver(report_message_written)
def tell_of_message(message: ReportMessage, **_: object) -> None:
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


# Corrections


@receiver(correction_changed)
def tell_of_correction(
    request: CorrectionRequest, concerned: Collection[int] = (), **_: object
) -> None:
    """Tell who asked and the TDs; once it is made, the players whose game it is.

    The players see the public page, not the request.
    """
    parties = [request.asked_by, *td_accounts(request.section)]
    told = {user.pk for user in parties}
    players = [user.pk for user in member_accounts(concerned)] if concerned else []
    key = _once(f"correction:{request.pk}")
    notify(
        [*_to_parties(request, told, key), *_to_players(request, players, told, key)]
    )


def _to_parties(
    request: CorrectionRequest, accounts: Iterable[int], key: str
) -> list[News]:
    return [
        News(
            CORRECTION,
            account,
            key,
            request.get_absolute_url(),
            lambda: _correction(request),
        )
        for account in accounts
    ]


def _to_players(
    request: CorrectionRequest, accounts: Iterable[int], told: set[int], key: str
) -> list[News]:
    event = request.section.event
    return [
        News(
            CORRECTION,
            account,
            key,
            event.get_absolute_url(),
            lambda: _corrected(request),
        )
        for account in accounts
        if account not in told
    ]


def _correction(request: CorrectionRequest) -> tuple[str, str]:
    title = _("Correction of {event}: {state}").format(
        event=request.section.event.name, state=request.state_in_words
    )
    return title, _text("notice", request)


def _corrected(request: CorrectionRequest) -> tuple[str, str]:
    title = _("{event} has been corrected").format(event=request.section.event.name)
    return title, _text("member_notice", request)


def _text(template: str, request: CorrectionRequest) -> str:
    section = request.section
    return render_to_string(
        f"events/corrections/{template}.txt",
        {"request": request, "event": section.event, "section": section},
    )
