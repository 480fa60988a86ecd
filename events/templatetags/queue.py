"""The position of a report in its reader's queue."""

from typing import Any

from django import template

from events.models import Submission
from events.review.pages import Queue
from events.review.queries.directors import eligible_reviewers
from events.review.tables import most_severe_chip
from ratings_site.common.web.requests import SignedInRequest

register = template.Library()


# How many lines of the queue are shown before and after the report.
BEFORE, AFTER = 8, 40


@register.simple_tag
def place_in_queue(request: SignedInRequest, submission: Submission) -> dict[str, Any]:
    """Return the lines of the queue around a report, and the next one (one query)."""
    queue = Queue.from_request(request)
    reports = list(queue.reports(request.user))
    numbers = [report.pk for report in reports]
    here = numbers.index(submission.pk) if submission.pk in numbers else -1
    following = reports[here + 1 : here + 2]
    next_url = f"{following[0].get_absolute_url()}{queue.query}" if following else ""
    lines = [
        (report, most_severe_chip(report))
        for report in reports[max(here - BEFORE, 0) : here + AFTER]
    ]
    return {
        "queue": queue,
        "number": len(reports),
        "lines": lines,
        "next_url": next_url,
    }


@register.simple_tag
def who_may_accept(submission: Submission) -> list[str]:
    """Return some clerks who may accept a report that the reader may not."""
    return eligible_reviewers(submission)
