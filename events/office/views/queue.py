"""The office's first page, and its decisions on reports and ratings to look up."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import for_office, submission_for
from events.books.jobs import RATE_SECTION
from events.books.refusals import NotPossible
from events.checks.queries.newcomers import waiting_sections
from events.models import OfficeTask, Section, Submission
from events.office.forms import AcceptForm, NoteForm, TaskForm
from events.office.pages import (
    MOST_COUNTED,
    MOST_LISTED,
    Queue,
    failed_ratings,
    people_that_wait,
)
from events.office.queries.clean import left_out
from events.office.queries.effects import (
    after_accepting,
    of_accepting,
    of_returning,
)
from events.office.services.acceptance import accept_report
from events.office.services.tasks import decide_office_task
from events.office.tables import QueueTable
from events.reports.filters import ReportFilter
from events.reports.pages.report import report_page
from events.reports.queries.reports import (
    decided_reports,
    open_tasks,
    why_not_decide,
)
from events.reports.services.submissions import return_report as return_to_td
from events.reports.views.desk import not_possible
from ratings_site.common.desk.queries import age, how_it_stands, what_waits
from ratings_site.common.jobs.services import NotFailed, retry_failed
from ratings_site.common.looks.paging import sort_and_turn
from ratings_site.common.models import Job

LATEST_DECISIONS = 15

View = Callable[..., HttpResponse]


@for_office
def queue(request: HttpRequest) -> HttpResponse:
    """Say what waits for the office, how the books stand, and list the reports."""
    now = timezone.now()
    form = ReportFilter(request.GET, user=request.user)
    is_valid = form.is_valid()
    which = form.cleaned_data.get("report", "")
    here = Queue(request.GET)
    to_decide = list(here.reports(request.user))
    out = left_out(to_decide, request.user)
    table = QueueTable(form.reports(), now=now, out=out, back=here.query)
    sort_and_turn(request, table)
    tasks = list(open_tasks()[: MOST_LISTED + 1])
    waiting = what_waits(now)
    context = {
        "form": form,
        "which": which,
        "is_filtered": any(
            value not in (None, "") for value in form.cleaned_data.values()
        ),
        "waiting": [line for line in waiting if line.number],
        "is_late": any(line.overdue for line in waiting),
        "nothing_waits": [line for line in waiting if not line.number],
        "standing": how_it_stands(now),
        "table": table,
        "clean": len(to_decide) - len(out),
        "here": here,
        "extra_keys": queue_keys(),
        "tasks": [(task, age(task.opened_at, now)) for task in tasks[:MOST_LISTED]],
        "has_more_tasks": len(tasks) > MOST_LISTED,
        "failed": failed_ratings(),
        "decided": decided_reports()[:LATEST_DECISIONS],
    }
    status = 200 if is_valid else 422
    return render(request, "events/office/queue.html", context, status=status)


def queue_keys() -> list[tuple[str, str]]:
    """Return the keys of the queue, besides those of every page."""
    return [
        ("x", _("Tick the report, to accept it with others")),
        ("a", _("Accept the report")),
        ("b", _("Send the report back to the TD")),
        ("t", _("Take the report")),
        ("Shift+A", _("Accept those ticked")),
    ]


@for_office
def people_waiting(request: HttpRequest) -> HttpResponse:
    """Count suspected duplicates and FIDE IDs to link.

    It compares every member with all others, so the first page asks for it when the
    rest has been shown.
    """
    context = {"waiting": people_that_wait(), "most": MOST_COUNTED}
    return render(request, "events/office/people_waiting.html", context)


def _decidable(request: HttpRequest, pk: int) -> tuple[Submission, str]:
    """Return the report, and why it cannot be decided now (or nothing)."""
    submission = submission_for(request.user, pk)
    if submission.state == Submission.State.SUBMITTED:
        return submission, ""
    state = submission.get_state_display().lower()
    return submission, _(
        "The report is not waiting for a decision: it is {state}."
    ).format(state=state)


@for_office
def accept(request: HttpRequest, pk: int) -> HttpResponse:
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
                        "{report} is accepted as event {event_id}. It is being rated."
                    ).format(report=submission, event_id=event.event_id),
                )
                return redirect(then)
    page = report_page(submission)
    context = {
        "submission": submission,
        "form": form,
        "page": page,
        "queue": Queue.handed_on(request),
    }
    if not page.blocking:
        context |= {
            "waiting": waiting_sections(submission),
            "effects": of_accepting([submission], request.user)[0].effects,
            "after": after_accepting(),
            "not_mine": why_not_decide(submission, request.user),
        }
    return render(request, "events/office/accept.html", context, status=status)


@for_office
def return_report(request: HttpRequest, pk: int) -> HttpResponse:
    submission, problem = _decidable(request, pk)
    if problem:
        typed = request.POST.get("note", "")
        return not_possible(request, submission, problem, typed=typed)
    form = NoteForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        context = {
            "submission": submission,
            "form": form,
            "effects": of_returning(submission, request.user).effects,
            "queue": Queue.handed_on(request),
        }
        status = 422 if request.method == "POST" else 200
        return render(request, "events/office/return.html", context, status=status)
    note = form.cleaned_data["note"]
    then = _after_deciding(request, pk, Queue.handed_on(request).url)
    try:
        return_to_td(submission_id=pk, actor=request.user, note=note)
    except NotPossible as refusal:
        return not_possible(request, submission, str(refusal), typed=note)
    messages.success(
        request,
        _("{report} is returned. The TD reads your note above it.").format(
            report=submission
        ),
    )
    return redirect(then)


def _after_deciding(request: HttpRequest, pk: int, otherwise: str) -> str:
    """Return where to go on: to the next report of the queue, if that is wished.

    It is looked up before the decision, which takes this one out of the queue.
    """
    if request.POST.get("then") != "next":
        return otherwise
    queue = Queue.handed_on(request)
    following = queue.after(pk, request.user)
    if following is None:
        return queue.url
    return reverse("events:report", args=[following]) + queue.query


@for_office
def task(request: HttpRequest, pk: int) -> HttpResponse:
    """Enter the foreign rating that a TD pointed to, or decline."""
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
                messages.success(request, _("The decision is noted with the report."))
                return redirect(chosen.submission)
    context = {"task": chosen, "form": form}
    return render(request, "events/office/task.html", context, status=status)


def _decide(request: HttpRequest, chosen: OfficeTask, said: dict[str, Any]) -> None:
    enters = said["decision"] == "enter"
    decide_office_task(
        task_id=chosen.pk,
        actor=request.user,
        rating=said["rating"] if enters else None,
        list_date=said["list_date"] if enters else None,
        body_id=said["body_id"] if enters else "",
        reason=said["reason"],
    )


@for_office
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a failed rating again."""
    job = get_object_or_404(Job, pk=pk, kind=RATE_SECTION)
    if request.method != "POST":
        return redirect("events:queue")
    try:
        retry_failed(job_id=pk, actor=request.user)
    except NotFailed:
        messages.warning(request, _("This rating has not failed; nothing was done."))
        return redirect("events:queue")
    messages.success(request, _("The rating is queued again."))
    section = Section.objects.select_related("event__submission").filter(
        pk=job.args.get("section_id")
    )
    if found := section.first():
        return redirect(found.event.submission)
    return redirect("events:queue")
