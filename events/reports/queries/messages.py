"""What is said on a report: messages, notes of the office, and what was confirmed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.models import MessageMark, ReportMessage, Submission
from ratings_site.common.audit.services import entries_about
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a thread. *what* says what kind it is, if it is no plain message."""

    who: str
    at: datetime
    text: str
    what: str = ""
    place: str = ""
    is_own: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """Everything said on a report, the oldest first."""

    said: list[Said]
    new: int


def unread(*, for_office: bool) -> QuerySet[ReportMessage]:
    """Return the messages that wait for a side: neither answered nor marked as read."""
    read = MessageMark.objects.filter(
        submission=OuterRef("submission"),
        for_office=for_office,
        up_to__gte=OuterRef("pk"),
    )
    return ReportMessage.objects.filter(~Exists(read), from_office=not for_office)


def with_unread(
    reports: QuerySet[Submission], *, for_office: bool
) -> QuerySet[Submission]:
    """Give each report the number of messages that wait for a side, as ``unread``."""
    rows = unread(for_office=for_office).filter(submission=OuterRef("pk"))
    counts = rows.order_by().values("submission").annotate(number=Count("pk"))
    return reports.annotate(unread=Coalesce(Subquery(counts.values("number")), 0))


def reports_with_unread() -> QuerySet[Submission]:
    """Return the reports on which a TD waits for the office, the longest wait first."""
    since = unread(for_office=True).filter(submission=OuterRef("pk")).order_by("pk")
    waiting = with_unread(Submission.objects.all(), for_office=True).filter(
        unread__gt=0
    )
    return (
        waiting.annotate(since=Subquery(since.values("at")[:1]))
        .select_related("uploaded_by")
        .defer("content", "reader_findings")
        .order_by("since")
    )


def thread_of(submission: Submission, user: User) -> Thread:
    """Return the thread as one of its two sides sees it, in four queries."""
    for_office = user.pk != submission.uploaded_by_id
    new = set(
        unread(for_office=for_office)
        .filter(submission=submission)
        .values_list("pk", flat=True)
    )
    said = [
        *_messages(submission, user, new),
        *_returns(submission),
        *_overrides(submission),
    ]
    return Thread(sorted(said, key=lambda one: one.at), len(new))


def _who(name: str, *, is_office: bool) -> str:
    words = _("{name}, for the office") if is_office else _("{name}, for the TD")
    return words.format(name=name)


def _messages(submission: Submission, user: User, new: set[int]) -> Iterable[Said]:
    for message in submission.messages.select_related("by"):
        yield Said(
            who=_who(str(message.by), is_office=message.from_office),
            at=message.at,
            text=message.text,
            place=message.place,
            is_own=message.by_id == user.pk,
            is_new=message.pk in new,
        )


def _returns(submission: Submission) -> Iterable[Said]:
    """Return the notes with which the report was returned, every one of them."""
    for entry in entries_about(submission).filter(action="submission.returned"):
        yield Said(
            who=_who(str(entry.actor or ""), is_office=True),
            at=entry.at,
            text=entry.reason,
            what=_("returned the report"),
        )


def _overrides(submission: Submission) -> Iterable[Said]:
    for override in submission.overrides.select_related("by"):
        yield Said(
            who=_who(
                str(override.by),
                is_office=override.by_id != submission.uploaded_by_id,
            ),
            at=override.at,
            text=override.reason,
            what=_("confirmed a finding"),
            place=override.message,
        )


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            unread(for_office=True),
            since="at",
            what=ngettext_lazy("message of a TD", "messages of TDs"),
            url=reverse("events:unread"),
            now=now,
        )
    ]
