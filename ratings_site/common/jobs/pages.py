"""How a job goes, on the page of what it works on."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from ratings_site.common.models import Job


def progress_of(job: Job | None, *, poll_url: str, label: str) -> dict[str, object]:
    """Return what the bar of progress shows; nothing if no job is under way."""
    if job is None or job.state not in Job.OPEN_STATES:
        return {"sentence": ""}
    return {
        "id": "progress",
        "sentence": job.message or _("Waiting for a worker"),
        "percent": job.percent,
        "poll_url": poll_url,
        "every": "2s",
        "label": label,
    }


def progress_page(
    request: HttpRequest, shown: Any, *, is_done: bool, progress: dict[str, object]
) -> HttpResponse:
    """Answer with the bar of progress; once all is done, with the whole page."""
    if is_done:
        response = HttpResponse()
        response["HX-Redirect"] = shown.get_absolute_url()
        return response
    return render(request, "partials/progress.html", progress)
