"""What the office's workers do, did, and could not do."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.jobs.queries import (
    LATEST_JOBS,
    WORKERS_PATIENCE,
    job_counts,
    jobs_in_order,
    listed_jobs,
    longest_wait,
)
from ratings_site.common.jobs.services import MAX_ATTEMPTS, NotFailed, retry_failed
from ratings_site.common.models import Job

# A job is as high as a hand on a phone.
JOBS_ON_A_PAGE = 25


class JobFilter(forms.Form):
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        choices=[("", gettext_lazy("All")), *Job.State.choices],
        required=False,
    )


@for_staff("common.view_job")
def jobs(request: HttpRequest) -> HttpResponse:
    form = JobFilter(request.GET)
    is_valid = form.is_valid()
    state = form.cleaned_data.get("state", "")
    numbers = Paginator(listed_jobs(state=state), JOBS_ON_A_PAGE)
    page = numbers.get_page(request.GET.get("page"))
    context = {
        "form": form,
        "jobs": jobs_in_order(page.object_list),
        "page_obj": page,
        "counts": job_counts(),
        "is_filtered": bool(state),
        "most": LATEST_JOBS,
        "max_attempts": MAX_ATTEMPTS,
    }
    return render(request, "common/jobs.html", context, status=200 if is_valid else 422)


@for_staff("common.view_job")
def retry_job(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a failed job again."""
    if request.method != "POST":
        return redirect("office:jobs")
    job = get_object_or_404(Job, pk=pk)
    try:
        retry_failed(job_id=job.pk, actor=request.user)
    except NotFailed as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, gettext("The work is queued again."))
    return redirect("office:jobs")


def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers and no job waits too long, else 503."""
    waiting = longest_wait(timezone.now())
    healthy = waiting < WORKERS_PATIENCE
    return JsonResponse(
        {
            "healthy": healthy,
            "database": connection.vendor,
            "worker": "embedded" if settings.EMBEDDED_WORKER else "separate",
            "oldest_waiting_job_seconds": round(waiting.total_seconds()),
        },
        status=200 if healthy else 503,
    )
