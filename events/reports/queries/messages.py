"""The thread of a report: messages, notes of the office, and overrides."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.models import MessageMark, ReportMessage, Submission
from ratings_site.common.audit.services import entries_about
from ratings_site.common.dashboard.queries import register_count
from ratings_site.common.models import User

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class UnreadCount(TypedDict):
    unread: int


ReportWithUnread: TypeAlias = "WithAnnotations[Submission, UnreadCount]"


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """An entry of a thread; *what* is its kind, unless it is a plain message."""

    who: str
    at: datetime
    text: str
    what: str = ""
    place: str = ""
    is_own: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """All entries of a report's thread, oldest first."""

    entries: list[ThreadEntry]
    new: int


def unread(*, for_office: bool) -> QuerySet[ReportMessage]:
    """Return the messages that one party has not answered or marked as read."""
    read = MessageMark.objects.filter(
        submission=OuterRef("submission"),
        for_office=for_office,
        up_to__gte=OuterRef("pk"),
    )
    return ReportMessage.objects.filter(~Exists(read), from_office=not for_office)


def with_unread(
    reports: QuerySet[Submission], *, for_office: bool
) -> QuerySet[ReportWithUnread]:
    """Annotate reports with the number of unread messages, as ``unread``."""
    rows = unread(for_office=for_office).filter(submission=OuterRef("pk"))
    counts = rows.order_by().values("submission").annotate(number=Count("pk"))
    return reports.annotate(unread=Coalesce(Subquery(counts.values("number")), 0))


def reports_with_unread() -> QuerySet[Submission]:
    """Return the reports with unread messages for the office, oldest first."""
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
    """Return the thread for the user, who is the TD or staff, in four queries."""
    for_office = user.pk != submission.uploaded_by_id
    new = set(
        unread(for_office=for_office)
        .filter(submission=submission)
        .values_list("pk", flat=True)
    )
    entries = [
        *_messages(submission, user, new),
        *_returns(submission),
        *_overrides(submission),
    ]
    return Thread(sorted(entries, key=lambda one: one.at), len(new))


def _author_label(name: str, *, is_office: bool) -> str:
    words = _("{name} (office)") if is_office else _("{name} (TD)")
    return words.format(name=name)


def _messages(
    submission: Submission, user: User, new: set[int]
) -> Iterable[ThreadEntry]:
    for message in submission.messages.select_related("by"):
        yield ThreadEntry(
            who=_author_label(str(message.by), is_office=message.from_office),
            at=message.at,
            text=message.text,
            place=message.place,
            is_own=message.by_id == user.pk,
            is_new=message.pk in new,
        )


def _returns(submission: Submission) -> Iterable[ThreadEntry]:
    """Return all notes with which the report was returned."""
    for entry in entries_about(submission).filter(action="submission.returned"):
        yield ThreadEntry(
            who=_author_label(str(entry.actor or ""), is_office=True),
            at=entry.at,
            text=entry.reason,
            what=_("returned the report for changes"),
        )


def _overrides(submission: Submission) -> Iterable[ThreadEntry]:
    for override in submission.overrides.select_related("by"):
        yield ThreadEntry(
            who=_author_label(
                str(override.by), is_office=override.by_id != submission.uploaded_by_id
            ),
            at=override.at,
            text=override.reason,
            what=_("confirmed an issue"),
            place=override.shown_message,
        )


register_count(
    reports_with_unread,
    order=20,
    what=ngettext_lazy("report with unread messages", "reports with unread messages"),
    page="events:unread",
    since="since",
)
