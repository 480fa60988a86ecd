"""Where a report stands in the queue that its reader works through."""

from dataclasses import dataclass

from django import template
from django.http import HttpRequest

from events.models import Submission
from events.office.pages import Queue
from events.office.queries.directors import who_may_decide
from events.office.tables import worst_of
from events.reports.pages.findings import CountChip

register = template.Library()


# How much of a long queue stands beside a report: some before it, more after it.
BEFORE, AFTER = 8, 40


@dataclass(frozen=True, slots=True)
class ReportBeside:
    """A line of the queue beside the report that is open."""

    report: Submission
    worst: CountChip | None
    is_open: bool


@dataclass(frozen=True, slots=True)
class PlaceInQueue:
    """The queue around a report: what hands it on, its lines, and what comes next."""

    queue: Queue
    number: int
    lines: list[ReportBeside]
    next_url: str


@register.simple_tag
def place_in_queue(request: HttpRequest, submission: Submission) -> PlaceInQueue:
    """Return where a report stands, in one query."""
    queue = Queue.handed_on(request)
    reports = list(queue.reports(request.user))
    numbers = [report.pk for report in reports]
    here = numbers.index(submission.pk) if submission.pk in numbers else -1
    following = reports[here + 1 : here + 2]
    return PlaceInQueue(
        queue,
        len(reports),
        [
            ReportBeside(report, worst_of(report), report.pk == submission.pk)
            for report in reports[max(here - BEFORE, 0) : here + AFTER]
        ],
        f"{following[0].get_absolute_url()}{queue.query}" if following else "",
    )


@register.simple_tag
def who_may_accept(submission: Submission) -> list[str]:
    """Name a few who may accept a report that its reader may not."""
    return who_may_decide(submission)
