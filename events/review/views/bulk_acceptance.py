"""Bulk acceptance: preview and action."""

from collections.abc import Iterable, Sequence

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.access import office_required
from events.models import Submission
from events.review.forms import AcceptForm, selected_reports, selected_versions
from events.review.pages import Queue
from events.review.queries.bulk_eligibility import (
    IneligibleReason,
    IneligibleReport,
    eligible_reports,
    ineligible_reports,
    missing_reports,
    with_open_items,
)
from events.review.queries.previews import acceptance_notes, acceptance_previews
from events.review.tasks import ACCEPT_REPORTS, enqueue_acceptance
from ratings_site.common.approvals.bulk_actions import (
    MAX_ROWS,
    BulkResult,
    ChosenRow,
    DoneRow,
    RefusedRow,
)
from ratings_site.common.approvals.pages import bulk_preview_page, bulk_result_page
from ratings_site.common.jobs.progress import working_page
from ratings_site.common.jobs.services import page_of
from ratings_site.common.models import Job
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.web.requests import SignedInRequest

ASKS = ngettext_lazy("Accept {number} report?", "Accept {number} reports?", "number")
ACCEPT = ngettext_lazy("Accept {number} report", "Accept {number} reports", "number")
ACCEPTED = ngettext_lazy(
    "{number} report is accepted", "{number} reports are accepted", "number"
)


@office_required
def list_several(request: SignedInRequest) -> HttpResponse:
    """Preview the acceptance of the chosen reports; list those left out."""
    if request.method != "POST":
        return redirect(Queue.from_request(request).url)
    numbers = _chosen(request)
    form = AcceptForm(initial={"reason": request.POST.get("reason", "")})
    return _list(request, numbers, form, status=200 if numbers else 422)


def _chosen(request: SignedInRequest) -> list[int]:
    which = request.POST.get("which")
    if which == "all":
        waiting = list(Queue.from_request(request).reports(request.user))
        return [report.pk for report in eligible_reports(waiting, request.user)]
    return selected_reports(request.POST, "on_page" if which == "page" else "report")


def _list(
    request: SignedInRequest, numbers: Sequence[int], form: AcceptForm, *, status: int
) -> HttpResponse:
    queue = Queue.from_request(request)
    found = Submission.objects.filter(pk__in=numbers)
    reports = list(with_open_items(found).order_by("ends", "submitted_at", "pk"))
    out = ineligible_reports(reports, request.user)
    clean = [report for report in reports if report.pk not in out]
    whole = found.select_related("claimed_by").in_bulk(
        [report.pk for report in clean[:MAX_ROWS]]
    )
    shown = [whole[report.pk] for report in clean[:MAX_ROWS]]
    gone = missing_reports(numbers, {report.pk for report in reports})
    context = {
        "asks": ASKS,
        "button": ACCEPT,
        "listed": [
            ChosenRow(
                key=f"{one.pk}:{one.version}",
                name=str(one),
                effects=effects,
                about=_("ended {day}").format(day=format_day(one.ends))
                if one.ends
                else "",
                url=one.get_absolute_url() + queue.query,
            )
            for one, effects in zip(
                shown, acceptance_previews(shown, request.user), strict=True
            )
        ],
        "field": "report",
        "has_more": len(clean) > MAX_ROWS,
        "left_out": _not_done([*out.values(), *gone], queue),
        "after": acceptance_notes(),
        "form": form,
        "shown": queue,
        "list_url": reverse("events:list_several"),
        "do_url": reverse("events:accept_listed"),
    }
    return bulk_preview_page(request, context, status=status)


def _not_done(left: Iterable[IneligibleReport], queue: Queue) -> list[RefusedRow]:
    return [
        RefusedRow(
            str(one.submission or _("Report {number}").format(number=one.pk)),
            one.sentence,
            one.submission.get_absolute_url() + queue.query if one.submission else "",
        )
        for one in left
    ]


@office_required
def accept_listed(request: SignedInRequest) -> HttpResponse:
    """Start accepting the previewed reports."""
    queue = Queue.from_request(request)
    if request.method != "POST":
        return redirect(queue.url)
    versions = selected_versions(request.POST)
    form = AcceptForm(request.POST)
    if not versions or not form.is_valid() or len(versions) > MAX_ROWS:
        return _list(request, list(versions), form, status=422)
    job = enqueue_acceptance(versions, form.cleaned_data["reason"], request.user)
    return redirect(page_of(job) + queue.query)


@office_required
def accepted_listed(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the progress of a bulk acceptance, then the result of each report."""
    job = get_object_or_404(Job, pk=pk, kind=ACCEPT_REPORTS)
    queue = Queue.from_request(request)
    if page := working_page(request, job, _("Accepting reports")):
        return page
    numbers = [int(one) for one in job.args["versions"]]
    found = Submission.objects.select_related("event").in_bulk(numbers)
    left_out = job.args.get("left_out", {})
    outcome = BulkResult()
    for number in numbers:
        report, sentence = found.get(number), left_out.get(str(number))
        event = getattr(report, "event", None)
        if report is None or event is None or sentence:
            words = sentence or job.message
            one = IneligibleReport(number, IneligibleReason.REFUSED, words, report)
            outcome.left_out += _not_done([one], queue)
        else:
            note = _("event {event_id}").format(event_id=event.event_id)
            outcome.done.append(DoneRow(event.name, note, report.get_absolute_url()))
    follows = _("The events are being rated.")
    return bulk_result_page(request, ACCEPTED, outcome, queue, follows=follows)
