"""Where a report stands in the queue that its reader works through."""

from dataclasses import dataclass

from django import template
from django.http import HttpRequest
from django.urls import reverse

from events.models import Submission
from events.office.pages import Queue
from events.office.queries.directors import who_may_decide

register = template.Library()


@dataclass(frozen=True, slots=True)
class PlaceInQueue:
    """What hands the queue on, and the address of the report that comes next."""

    query: str
    next_url: str


@register.simple_tag
def place_in_queue(request: HttpRequest, submission: Submission) -> PlaceInQueue:
    queue = Queue.handed_on(request)
    following = queue.after(submission.pk, request.user)
    if following is None:
        return PlaceInQueue(queue.query, "")
    url = reverse("events:report", args=[following])
    return PlaceInQueue(queue.query, url + queue.query)


@register.simple_tag
def who_may_accept(submission: Submission) -> list[str]:
    """Name a few who may accept a report that its reader may not."""
    return who_may_decide(submission)
