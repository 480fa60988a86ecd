"""When a report is due, and how late it came.

The office asks for reports within seven days of play, and within three weeks of an
event that was played online. Late reports are taken like all others; how late they
were is noted, so that the office can see where it keeps happening.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.importers.records import ReportedEvent
from events.models import EventRegistration, Submission

OVER_THE_BOARD = timedelta(days=7)
ONLINE = timedelta(days=21)
SOON = 2


def due_day(ends: date, *, online: bool) -> date:
    """Return the last day on which the report of an event is in time.

    >>> due_day(date(2024, 5, 5), online=False), due_day(date(2024, 5, 5), online=True)
    (datetime.date(2024, 5, 12), datetime.date(2024, 5, 26))
    """
    return ends + (ONLINE if online else OVER_THE_BOARD)


def due_day_of(reported: ReportedEvent) -> date | None:
    """Return when a report is due; one section over the board makes it the week."""
    if reported.ends is None:
        return None
    online = bool(reported.sections) and all(part.online for part in reported.sections)
    try:
        return due_day(reported.ends, online=online)
    except OverflowError:  # a year of 9999 is a finding of the report
        return None


def due_day_of_registered(registered: EventRegistration) -> date:
    return due_day(registered.ends, online=registered.is_online)


def note_due_day(submission: Submission, reported: ReportedEvent) -> None:
    """Set when the report is due, and how late it was if it was handed in before.

    The dates of an event may be put right after the report was handed in.
    """
    submission.due = due_day_of(reported)
    submission.days_late = None
    if submission.due and submission.handed_in:
        submission.days_late = max((submission.handed_in - submission.due).days, 0)


def note_hand_in(
    submission: Submission, reported: ReportedEvent, now: datetime
) -> None:
    """Set how late the report is. The first time counts: a return is no delay."""
    if submission.handed_in is None:
        submission.handed_in = timezone.localdate(now)
    note_due_day(submission, reported)


@dataclass(frozen=True, slots=True)
class Deadline:
    """How a report or a registered event stands to the day it is due, in words."""

    level: str
    text: str


def deadline(due: date | None, today: date) -> Deadline | None:
    """Say how long there is until a report is due, or since when it has been.

    Within two days of it, it is worth a warning.
    """
    if due is None:
        return None
    days = (due - today).days
    if days < 0:
        text = ngettext("{days} day late", "{days} days late", -days)
        return Deadline("error", text.format(days=-days))
    if days == 0:
        return Deadline("warning", _("due today"))
    text = ngettext("due in {days} day", "due in {days} days", days)
    return Deadline("warning" if days <= SOON else "note", text.format(days=days))


def deadline_of(submission: Submission, today: date) -> Deadline | None:
    """Say when a report is due; once handed in, how late it came, if it did."""
    if submission.state == Submission.State.WITHDRAWN:
        return None
    if submission.handed_in is None:
        return deadline(submission.due, today)
    if not submission.days_late:
        return None
    days = submission.days_late
    text = ngettext("came {days} day late", "came {days} days late", days)
    return Deadline("note", text.format(days=days))
