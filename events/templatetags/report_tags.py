"""Tags for pages of reports: messages, due dates, registered events."""

from typing import Any

from django import template
from django.utils import timezone

from events.calendar.queries.registrations import (
    MAX_LISTED,
    filter_by_td,
    suggested_registrations,
    unreported,
)
from events.models import EventRegistration, Submission
from events.records.deadlines import (
    Deadline,
    deadline,
    deadline_of,
    registration_due_date,
)
from events.reports.forms.messages import MessageForm
from events.reports.queries.messages import Thread, thread_of
from ratings_site.common.models import User

register = template.Library()


@register.simple_tag
def report_thread(submission: Submission, user: User) -> Thread:
    """Return the thread of a report for the user, who is the TD or staff."""
    return thread_of(submission, user)


@register.simple_tag
def blank_message() -> MessageForm:
    return MessageForm()


@register.inclusion_tag("events/reports/_deadline.html")
def due(thing: Submission | EventRegistration) -> dict[str, Deadline | None]:
    """Show the due date of a report or a registered event. No query."""
    today = timezone.localdate()
    if isinstance(thing, EventRegistration):
        return {"deadline": deadline(registration_due_date(thing), today)}
    return {"deadline": deadline_of(thing, today)}


@register.simple_tag
def expected_of(user: User) -> list[EventRegistration]:
    """Return the ended events of a TD that still need a report."""
    ended = unreported(timezone.localdate())
    return list(filter_by_td(ended, user)[:MAX_LISTED])


@register.simple_tag
def plan_of(submission: Submission) -> dict[str, Any]:
    """Return the registered event of a report, and candidates.

    Candidates are offered if no event is linked, or one that does not match.
    """
    tied = getattr(submission, "registration", None)
    fits = tied is not None and (
        tied.is_planned_for(submission.days)
        and tied.affiliate_id == submission.affiliate_id
    )
    is_over = submission.state == Submission.State.WITHDRAWN or (
        tied is not None and submission.state == Submission.State.ACCEPTED
    )
    suggested = [] if fits or is_over else suggested_registrations(submission)
    return {"tied": tied, "fits": fits, "suggested": suggested}
