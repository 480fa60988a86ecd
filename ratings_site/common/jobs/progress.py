"""The progress of a job, on the page of its subject and on the to-do list."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings_site.common.dashboard.queries import age
from ratings_site.common.jobs.services import page_of
from ratings_site.common.models import Job
from ratings_site.common.ui.job_names import job_name
from ratings_site.common.web.requests import Request

# Before this, an estimate of the remaining time says little.
ESTIMATE_AFTER = timedelta(seconds=2)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def job_progress(job: Job, now: datetime | None = None) -> dict[str, Any]:
    """Return the context of the progress partial; percent is None if unknown."""
    now = now or timezone.now()
    sign = getattr(job, "sign_of_life", None)
    if sign is not None and sign.total_steps:
        job.done_steps, job.total_steps = sign.done_steps, sign.total_steps
    is_running = job.state == Job.State.RUNNING
    is_counted = is_running and job.total_steps > 0
    begins = job.get_state_display() if is_running else _("Waiting to start")
    return {
        "pk": job.pk,
        "name": job_name(job.kind),
        "url": page_of(job),
        "sentence": _(job.message) if job.message else begins,
        "percent": job.percent if is_counted else None,
        "details": [*([_steps(job)] if is_counted else ()), *_times(job, now)],
        "every": "2s",
    }


def _steps(job: Job) -> str:
    """Return how much is done: steps of a known total, or percent."""
    if job.total_steps == 100:  # percent
        return f"{job.percent}%"
    steps = _("{done:,} of {total:,} steps")
    return steps.format(done=job.done_steps, total=job.total_steps)


def _times(job: Job, now: datetime) -> list[str]:
    """Return for how long a job has run, and the time that remains at this speed."""
    if job.state == Job.State.QUEUED or job.started_at is None:
        waited = max(now - job.created_at, timedelta(0))
        return [_("waiting for {time}").format(time=duration(waited))]
    ran = max(now - job.started_at, timedelta(0))
    times = [_("running for {time}").format(time=duration(ran))]
    if ran >= ESTIMATE_AFTER and 0 < job.done_steps < job.total_steps:
        left = ran * (job.total_steps - job.done_steps) / job.done_steps
        times.append(_("about {time} left").format(time=duration(left)))
    return times


def duration(time: timedelta) -> str:
    """Return a length of time in the largest fitting unit.

    >>> duration(timedelta(seconds=45)), duration(timedelta(minutes=2, seconds=50))
    ('45 seconds', '2 minutes')
    """
    seconds = math.ceil(time.total_seconds())
    if seconds >= 60:
        return age(EPOCH, EPOCH + timedelta(seconds=seconds))
    return ngettext("{number} second", "{number} seconds", seconds).format(
        number=seconds
    )


def progress_context(
    job: Job | None, *, poll_url: str, label: str
) -> dict[str, object]:
    """Return the context of the progress bar, which is hidden without an open job."""
    if job is None or job.state not in Job.OPEN_STATES:
        return {"sentence": ""}
    place = {"id": "progress", "poll_url": poll_url, "label": label, "url": ""}
    return job_progress(job) | place


def working_page(
    request: Request, job: Job, title: str, sentence: str = ""
) -> HttpResponse | None:
    """Return the page of an open job, which follows it; None once it has ended."""
    if job.state in Job.OPEN_STATES:
        url = request.get_full_path()
        context = progress_context(job, poll_url=url, label=title) | {"title": title}
        context |= {"sentence": sentence} if sentence else {}
        page = "partials/progress" if request.htmx else "common/working"
        status = 409 if request.method == "POST" else 200
        return render(request, f"{page}.html", context, status=status)
    return HttpResponse(headers={"HX-Refresh": "true"}) if request.htmx else None


def progress_page(
    request: HttpRequest, shown: Any, *, is_done: bool, progress: dict[str, object]
) -> HttpResponse:
    """Return the progress bar, or a redirect to the page once the job is done."""
    if is_done:
        response = HttpResponse()
        response["HX-Redirect"] = shown.get_absolute_url()
        return response
    return render(request, "partials/progress.html", progress)
