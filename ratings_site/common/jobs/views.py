"""The page of background jobs."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.jobs.queries import (
    LATEST_JOBS,
    job_counts,
    jobs_by_id,
    recent_job_ids,
)
from ratings_site.common.jobs.services import MAX_ATTEMPTS, NotRetryable, retry_failed
from ratings_site.common.models import Job
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest

# A job takes much space on a phone.
JOBS_PER_PAGE = 25


class JobFilter(forms.Form):
    state = forms.ChoiceField(
        label=_("State"),
        choices=[("", _("All")), *Job.State.choices],
        required=False,
    )


@staff_permission_required("common.view_job")
def jobs(request: SignedInRequest) -> HttpResponse:
    form = JobFilter(request.GET)
    is_valid = form.is_valid()
    state = form.cleaned_data.get("state", "")
    page = paginate(request, recent_job_ids(state=state), JOBS_PER_PAGE)
    context = {
        "form": form,
        "jobs": [(job, job_progress(job)) for job in jobs_by_id(list(page))],
        "page_obj": page,
        "counts": job_counts(),
        "is_filtered": bool(state),
        "most": LATEST_JOBS,
        "max_attempts": MAX_ATTEMPTS,
    }
    return render(request, "common/jobs.html", context, status=200 if is_valid else 422)


@staff_permission_required("common.view_job")
@require_safe
def progress(request: SignedInRequest, pk: int) -> HttpResponse:
    """The part of the to-do list that shows an open job."""
    job = get_object_or_404(Job, pk=pk)
    if job.state not in Job.OPEN_STATES:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "common/job_line.html", {"progress": job_progress(job)})


@staff_permission_required("common.view_job")
def retry_job(request: SignedInRequest, pk: int) -> HttpResponse:
    """Queue a failed job again."""
    if request.method != "POST":
        return redirect("office:jobs")
    job = get_object_or_404(Job, pk=pk)
    try:
        retry_failed(job_id=job.pk, actor=request.user)
    except NotRetryable as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, gettext("Job queued again."))
    return redirect("office:jobs")
