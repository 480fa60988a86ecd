"""The position of a report in its reader's queue."""

from dataclasses import dataclass

from django import template

from events.models import Submission
from events.reports.pages.findings import CountChip
from events.review.pages import Queue
from events.review.queries.directors import eligible_reviewers
from events.review.tables import most_severe_chip
from ratings_site.common.web.requests import SignedInRequest

register = template.Library()


# How many lines of the queue are shown before and after the report.
BEFORE, AFTER = 8, 40


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A line of the queue next to the open report."""

    report: Submission
    worst: CountChip | None
    is_open: bool


@dataclass(frozen=True, slots=True)
class PlaceInQueue:
    """The lines of the queue around a report, and the next one."""

    queue: Queue
    number: int
    lines: list[QueueLine]
    next_url: str


@register.simple_tag
def place_in_queue(request: SignedInRequest, submission: Submission) -> PlaceInQueue:
    """Return the position of a report in the queue, in one query."""
    queue = Queue.from_request(request)
    reports = list(queue.reports(request.user))
    numbers = [report.pk for report in reports]
    here = numbers.index(submission.pk) if submission.pk in numbers else -1
    following = reports[here + 1 : here + 2]
    return PlaceInQueue(
        queue,
        len(reports),
        [
            QueueLine(report, most_severe_chip(report), report.pk == submission.pk)
            for report in reports[max(here - BEFORE, 0) : here + AFTER]
        ],
        f"{following[0].get_absolute_url()}{queue.query}" if following else "",
    )


@register.simple_tag
def who_may_accept(submission: Submission) -> list[str]:
    """Return some clerks who may accept a report that the reader may not."""
    return eligible_reviewers(submission)
