"""The office dashboard, and decisions on reports and office tasks."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import get_submission_or_404, office_required
from events.checks.queries.newcomers import sections_awaiting_newcomers
from events.models import OfficeTask, Section, Submission
from events.records.exceptions import NotPossible
from events.records.jobs import RATE_SECTION
from events.reports.filters import ReportFilter
from events.reports.pages.report import report_page
from events.reports.queries.reports import (
    decided_reports,
    denial_reason,
    open_tasks,
)
from events.reports.services.submissions import return_report as return_to_td
from events.reports.views.reports import not_possible
from events.review.forms import AcceptForm, NoteForm, TaskForm
from events.review.pages import (
    MAX_COUNTED,
    MAX_LISTED,
    Queue,
    failed_ratings,
    pending_member_work,
)
from events.review.queries.bulk_eligibility import ineligible_reports
from events.review.queries.previews import (
    acceptance_notes,
    acceptance_previews,
    return_preview,
)
from events.review.services.acceptance import accept_report
from events.review.services.office_tasks import decide_office_task
from events.review.tables import QueueTable
from ratings_site.common.dashboard.queries import age, pending_items, status_lines
from ratings_site.common.jobs.services import NotRetryable, retry_failed
from ratings_site.common.models import Job
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.requests import SignedInRequest

LATEST_DECISIONS = 15

View = Callable[..., HttpResponse]


@office_required
def queue(request: SignedInRequest) -> HttpResponse:
    """Show pending work, the system status, and the queue."""
    now = timezone.now()
    form = ReportFilter(request.GET, user=request.user)
    is_valid = form.is_valid()
    which = form.cleaned_data.get("report", "")
    here = Queue(request.GET)
    to_decide = list(here.reports(request.user))
    out = ineligible_reports(to_decide, request.user)
    table = QueueTable(form.reports(), now=now, out=out, back=here.query)
    sort_and_paginate(request, table)
    tasks = list(open_tasks()[: MAX_LISTED + 1])
    waiting = pending_items(now)
    context = {
        "form": form,
        "which": which,
        "is_filtered": any(
            value not in (None, "") for value in form.cleaned_data.values()
        ),
        "waiting": [line for line in waiting if line.number],
        "is_late": any(line.overdue for line in waiting),
        "nothing_waits": [line for line in waiting if not line.number],
        "standing": status_lines(now),
        "table": table,
        "clean": len(to_decide) - len(out),
        "here": here,
        "extra_keys": queue_keys(),
        "tasks": [(task, age(task.opened_at, now)) for task in tasks[:MAX_LISTED]],
        "has_more_tasks": len(tasks) > MAX_LISTED,
        "failed": failed_ratings(),
        "decided": decided_reports()[:LATEST_DECISIONS],
    }
    status = 200 if is_valid else 422
    return render(request, "events/review/queue.html", context, status=status)


def queue_keys() -> list[tuple[str, str]]:
    """Return the keyboard shortcuts of the queue."""
    return [
        ("x", _("Select the report")),
        ("a", _("Accept report")),
        ("b", _("Return report to the TD")),
        ("t", _("Assign report to me")),
        ("Shift+A", _("Accept selected")),
    ]


@office_required
def people_waiting(request: SignedInRequest) -> HttpResponse:
    """Count suspected duplicates and FIDE IDs to link.

    All members are compared, so the dashboard loads this after the rest.
    """
    context = {"waiting": pending_member_work(), "most": MAX_COUNTED}
    return render(request, "events/review/people_waiting.html", context)


def _decidable(request: SignedInRequest, pk: int) -> tuple[Submission, str]:
    """Return the report, and why it cannot be decided now, or ""."""
    submission = get_submission_or_404(request.user, pk)
    if submission.state == Submission.State.SUBMITTED:
        return submission, ""
    state = submission.get_state_display().lower()
    return submission, _(
        "This report can’t be decided now. Its status is: {state}."
    ).format(state=state)


@office_required
def accept(request: SignedInRequest, pk: int) -> HttpResponse:
    submission, problem = _decidable(request, pk)
    if problem:
        typed = request.POST.get("reason", "")
        return not_possible(request, submission, problem, typed=typed)
    form = AcceptForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            then = _after_deciding(request, pk, submission.get_absolute_url())
            try:
                event = accept_report(
                    submission_id=pk,
                    actor=request.user,
                    reason=form.cleaned_data["reason"],
                )
            except NotPossible as refusal:
                form.add_error(None, str(refusal))
                submission.found = refusal.findings
            else:
                messages.success(
                    request,
                    _(
                        "{report} was accepted as event {event_id}. It’s being rated."
                    ).format(report=submission, event_id=event.event_id),
                )
                return redirect(then)
    page = report_page(submission)
    context = {
        "submission": submission,
        "form": form,
        "page": page,
        "queue": Queue.from_request(request),
    }
    if not page.blocking:
        context |= {
            "waiting": sections_awaiting_newcomers(submission),
            "effects": acceptance_previews([submission], request.user)[0],
            "after": acceptance_notes(),
            "not_mine": denial_reason(submission, request.user),
        }
    return render(request, "events/review/accept.html", context, status=status)


@office_required
def return_report(request: SignedInRequest, pk: int) -> HttpResponse:
    submission, problem = _decidable(request, pk)
    if problem:
        typed = request.POST.get("note", "")
        return not_possible(request, submission, problem, typed=typed)
    form = NoteForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        context = {
            "submission": submission,
            "form": form,
            "effects": return_preview(submission, request.user),
            "queue": Queue.from_request(request),
        }
        status = 422 if request.method == "POST" else 200
        return render(request, "events/review/return.html", context, status=status)
    note = form.cleaned_data["note"]
    then = _after_deciding(request, pk, Queue.from_request(request).url)
    try:
        return_to_td(submission_id=pk, actor=request.user, note=note)
    except NotPossible as refusal:
        return not_possible(request, submission, str(refusal), typed=note)
    messages.success(
        request,
        _("{report} was returned. The TD will see your note.").format(
            report=submission
        ),
    )
    return redirect(then)


def _after_deciding(request: SignedInRequest, pk: int, otherwise: str) -> str:
    """Return the next page: the next report of the queue, if requested.

    It is looked up before the decision, which removes this report from the queue.
    """
    if request.POST.get("then") != "next":
        return otherwise
    queue = Queue.from_request(request)
    following = queue.after(pk, request.user)
    if following is None:
        return queue.url
    return reverse("events:report", args=[following]) + queue.query


@office_required
def task(request: SignedInRequest, pk: int) -> HttpResponse:
    """Enter the foreign rating of a task, or decline."""
    chosen = get_object_or_404(
        OfficeTask.objects.select_related("player", "submission", "decided_by"), pk=pk
    )
    form = TaskForm(
        request.POST if request.method == "POST" else None,
        initial={"rating": chosen.rating, "body_id": chosen.body_id},
        task=chosen,
        today=timezone.localdate(),
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                _decide(request, chosen, form.cleaned_data)
            except NotPossible as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(request, _("Decision saved."))
                return redirect(chosen.submission)
    context = {"task": chosen, "form": form}
    return render(request, "events/review/task.html", context, status=status)


def _decide(request: SignedInRequest, chosen: OfficeTask, said: dict[str, Any]) -> None:
    enters = said["decision"] == "enter"
    decide_office_task(
        task_id=chosen.pk,
        actor=request.user,
        rating=said["rating"] if enters else None,
        list_date=said["list_date"] if enters else None,
        body_id=said["body_id"] if enters else "",
        reason=said["reason"],
    )


@office_required
def retry(request: SignedInRequest, pk: int) -> HttpResponse:
    """Retry a failed rating."""
    job = get_object_or_404(Job, pk=pk, kind=RATE_SECTION)
    if request.method != "POST":
        return redirect("events:queue")
    try:
        retry_failed(job_id=pk, actor=request.user)
    except NotRetryable:
        messages.warning(
            request, _("This rating hasn’t failed, so nothing was changed.")
        )
        return redirect("events:queue")
    messages.success(request, _("The section is queued for rating again."))
    section = Section.objects.select_related("event__submission").filter(
        pk=job.args.get("section_id")
    )
    if found := section.first():
        return redirect(found.event.submission)
    return redirect("events:queue")
