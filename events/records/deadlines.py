"""Due dates of reports, and how late they are.

The office asks for reports within seven days of play, and within three weeks of an
online event. Late reports are accepted like others; the delay is stored for the
office's statistics.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.formats.report import ReportedEvent
from events.models import EventRegistration, Submission

OVER_THE_BOARD = timedelta(days=7)
ONLINE = timedelta(days=21)
SOON = 2


def due_date(ends: date, *, online: bool) -> date:
    """Return the last day on which the report of an event is on time.

    >>> [str(due_date(date(2024, 5, 5), online=online)) for online in (False, True)]
    ['2024-05-12', '2024-05-26']
    """
    return ends + (ONLINE if online else OVER_THE_BOARD)


def report_due_date(reported: ReportedEvent) -> date | None:
    """Return a report's due date; one section over the board makes it a week."""
    if reported.ends is None:
        return None
    online = bool(reported.sections) and all(part.online for part in reported.sections)
    try:
        return due_date(reported.ends, online=online)
    except OverflowError:  # the report's checks find a year of 9999
        return None


def registration_due_date(registered: EventRegistration) -> date:
    return due_date(registered.ends, online=registered.is_online)


def set_due_date(submission: Submission, reported: ReportedEvent) -> None:
    """Set the due date, and the delay of a report that was submitted before.

    The dates of an event may be corrected after submission.
    """
    submission.due = report_due_date(reported)
    submission.days_late = None
    if submission.due and submission.handed_in:
        submission.days_late = max((submission.handed_in - submission.due).days, 0)


def set_submission_date(
    submission: Submission, reported: ReportedEvent, now: datetime
) -> None:
    """Set the delay of the report. Only the first submission counts."""
    if submission.handed_in is None:
        submission.handed_in = timezone.localdate(now)
    set_due_date(submission, reported)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The due date of a report or registered event, in words."""

    level: str
    text: str


def deadline(due: date | None, today: date) -> Deadline | None:
    """Return in words how long it is until the due date, or since.

    The last two days are a warning.
    """
    if due is None:
        return None
    days = (due - today).days
    if days < 0:
        text = ngettext("{days:,} day late", "{days:,} days late", -days)
        return Deadline("error", text.format(days=-days))
    if days == 0:
        return Deadline("warning", _("due today"))
    text = ngettext("due in {days} day", "due in {days} days", days)
    return Deadline("warning" if days <= SOON else "note", text.format(days=days))


def deadline_of(submission: Submission, today: date) -> Deadline | None:
    """Return the due date in words; after submission, the delay if it was late."""
    if submission.state == Submission.State.WITHDRAWN:
        return None
    if submission.handed_in is None:
        return deadline(submission.due, today)
    if not submission.days_late:
        return None
    days = submission.days_late
    text = ngettext("submitted {days:,} day late", "submitted {days:,} days late", days)
    return Deadline("note", text.format(days=days))
