"""What pages of reports say of messages, of the day a report is due, of its plan."""

from typing import Any

from django import template
from django.db.models import Model
from django.utils import timezone

from events.books.deadlines import (
    Deadline,
    deadline,
    deadline_of,
    due_day_of_registered,
)
from events.calendar.queries.registrations import (
    Expected,
    expected,
    of_td,
    registration_of,
    suggested_for,
    unreported,
)
from events.models import EventRegistration, Submission
from events.reports.forms.messages import MessageForm
from events.reports.queries.messages import Thread, thread_of
from ratings_site.common.models import User

register = template.Library()


@register.simple_tag
def report_thread(submission: Submission, user: User) -> Thread:
    """What the TD and the office have said on a report, as this one of them sees it."""
    return thread_of(submission, user)


@register.simple_tag
def blank_message() -> MessageForm:
    return MessageForm()


@register.inclusion_tag("events/desk/_deadline.html")
def due(thing: Model) -> dict[str, Deadline | None]:
    """When the report of a submission or a registered event is due. No query."""
    today = timezone.localdate()
    if isinstance(thing, EventRegistration):
        return {"deadline": deadline(due_day_of_registered(thing), today)}
    return {"deadline": deadline_of(thing, today)}


@register.simple_tag
def expected_of(user: User) -> list[Expected]:
    """The events that are over and whose reports the office awaits of this TD."""
    today = timezone.localdate()
    return expected(of_td(unreported(today), user), today)


@register.simple_tag
def plan_of(submission: Submission) -> dict[str, Any]:
    """The registered event a report is tied to, or those it may be of."""
    tied = registration_of(submission)
    may_tie = submission.state != Submission.State.WITHDRAWN
    suggested = suggested_for(submission) if tied is None and may_tie else []
    return {"tied": tied, "suggested": suggested}
