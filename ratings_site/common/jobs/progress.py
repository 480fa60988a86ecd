"""The progress bar of a job, on the page of its subject."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from ratings_site.common.models import Job


def progress_context(
    job: Job | None, *, poll_url: str, label: str
) -> dict[str, object]:
    """Return the context of the progress bar, which is hidden without an open job."""
    if job is None or job.state not in Job.OPEN_STATES:
        return {"sentence": ""}
    return {
        "id": "progress",
        "sentence": job.message or _("Waiting to start"),
        "percent": job.percent,
        "poll_url": poll_url,
        "every": "2s",
        "label": label,
    }


def progress_page(
    request: HttpRequest, shown: Any, *, is_done: bool, progress: dict[str, object]
) -> HttpResponse:
    """Return the progress bar, or a redirect to the page once the job is done."""
    if is_done:
        response = HttpResponse()
        response["HX-Redirect"] = shown.get_absolute_url()
        return response
    return render(request, "partials/progress.html", progress)
