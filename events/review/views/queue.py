"""The office dashboard, and decisions on reports and office tasks."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from events.checks.queries.newcomers import sections_awaiting_newcomers
from events.models import OfficeTask, Section, Submission
from events.records.exceptions import NotPossible
from events.records.jobs import RATE_SECTION
from events.reports.filters import ReportFilter
from events.reports.pages.report import report_page
from events.reports.queries.reports import decided_reports, denial_reason, open_tasks
from events.reports.services.submissions import return_report as return_to_td
from events.reports.views.reports import SubmissionView, not_possible
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
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.dashboard.queries import (
    PendingItem,
    age,
    pending_items,
    status_lines,
)
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.jobs.queries import open_jobs_of
from ratings_site.common.jobs.services import NotRetryable, retry_failed
from ratings_site.common.models import Job
from ratings_site.common.ui.pagination import paginate, sort_and_paginate
from ratings_site.common.web.partials import is_partial_request
from ratings_site.common.web.requests import SignedInRequest

LATEST_DECISIONS = 15


@office_required
def queue(
    request: SignedInRequest, member_work: Sequence[PendingItem] = ()
) -> HttpResponse:
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
    tasks = paginate(request, open_tasks(), MAX_LISTED, name="tasks")
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
        "member_work": member_work,
        "most": MAX_COUNTED,
        "jobs": [job_progress(job, now) for job in open_jobs_of(request.user)],
        "standing": status_lines(now),
        "table": table,
        "clean": len(to_decide) - len(out),
        "here": here,
        "extra_keys": queue_keys(),
        "task_page": tasks,
        "tasks": [(task, age(task.opened_at, now)) for task in tasks],
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
    waiting = pending_member_work()
    if not is_partial_request(request):
        return queue(request, member_work=waiting)
    context = {
        "member_work": waiting,
        "most": MAX_COUNTED,
        "is_late": "late" in request.GET,
    }
    return render(request, "events/review/people_waiting.html", context)


@office_required
class Decision(SubmissionView):
    """A decision on a submitted report."""

    refusals = (NotPossible,)
    typed_field = "reason"

    def unavailable_response(self) -> HttpResponse | None:
        submission = self.object
        if submission.state == Submission.State.SUBMITTED:
            return None
        problem = _("This report can’t be decided now. Its status is: {state}.")
        state = submission.get_state_display().lower()
        return not_possible(
            self.request,
            submission,
            problem.format(state=state),
            typed=self.request.POST.get(self.typed_field, ""),
        )

    @property
    def queue(self) -> Queue:
        return Queue.from_request(self.request)

    def next_url(self, otherwise: str) -> str:
        """Return the next page: the next report of the queue, if requested.

        It is looked up before the decision, which removes this report from the queue.
        """
        if self.request.POST.get("then") != "next":
            return otherwise
        following = self.queue.after(self.object.pk, self.request.user)
        if following is None:
            return self.queue.url
        return reverse("events:report", args=[following]) + self.queue.query


class Accept(Decision):
    form_class = AcceptForm
    template_name = "events/review/accept.html"

    def do(self, data: dict[str, Any]) -> str:
        then = self.next_url(self.object.get_absolute_url())
        self.event = accept_report(**self.where, **data)
        return then

    def get_success_message(self, result: str) -> str:
        return _("{report} was accepted as event {event_id}. It’s being rated.").format(
            report=self.object, event_id=self.event.event_id
        )

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        self.object.found = getattr(refusal, "findings", None)
        return super().refuse(refusal)

    def context(self) -> dict[str, Any]:
        submission, user = self.object, self.request.user
        page = report_page(submission)
        context: dict[str, Any] = {"page": page, "queue": self.queue}
        if not page.blocking:
            context |= {
                "waiting": sections_awaiting_newcomers(submission),
                "effects": acceptance_previews([submission], user)[0],
                "after": acceptance_notes(),
                "not_mine": denial_reason(submission, user),
            }
        return context


class Return(Decision):
    form_class = NoteForm
    template_name = "events/review/return.html"
    typed_field = "note"

    def do(self, data: dict[str, Any]) -> str:
        then = self.next_url(self.queue.url)
        return_to_td(**self.where, **data)
        return then

    def get_success_message(self, result: str) -> str:
        sentence = _("{report} was returned. The TD will see your note.")
        return sentence.format(report=self.object)

    def refuse(self, refusal: Exception, **now: object) -> HttpResponse:
        note = self.form.cleaned_data["note"]
        return not_possible(self.request, self.object, str(refusal), typed=note)

    def context(self) -> dict[str, Any]:
        preview = return_preview(self.object, self.request.user)
        return {"effects": preview, "queue": self.queue}


@office_required
class Task(EditView[OfficeTask]):
    """Enter the foreign rating of a task, or decline."""

    form_class = TaskForm
    template_name = "events/review/task.html"
    context_object_name = "task"
    success_message = gettext_lazy("Decision saved.")
    queryset = OfficeTask.objects.select_related("player", "submission", "decided_by")

    def get_form_kwargs(self) -> dict[str, Any]:
        more = {"task": self.object, "today": timezone.localdate()}
        return super().get_form_kwargs() | more

    def get_initial(self) -> dict[str, Any]:
        return {"rating": self.object.rating, "body_id": self.object.body_id}

    def do(self, data: dict[str, Any]) -> Submission:
        enters = data["decision"] == "enter"
        decide_office_task(
            task_id=self.object.pk,
            actor=self.request.user,
            rating=data["rating"] if enters else None,
            list_date=data["list_date"] if enters else None,
            body_id=data["body_id"] if enters else "",
            reason=data["reason"],
        )
        return self.object.submission


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
