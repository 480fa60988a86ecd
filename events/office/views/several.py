"""Accepting several reports of the queue: what it will do, then the act."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from events.access import for_office
from events.models import Submission
from events.office.forms import AcceptForm, ReportsChosen
from events.office.pages import Queue
from events.office.queries.clean import (
    clean_in,
    left_out,
    not_there,
    with_what_is_open,
)
from events.office.queries.effects import after_accepting, of_accepting
from events.office.services.several import accept_several

# Nobody reads a longer list before pressing the button.
MOST_AT_ONCE = 100


@for_office
def list_several(request: HttpRequest) -> HttpResponse:
    """List what accepting the chosen reports will do, and which are left out."""
    if request.method != "POST":
        return redirect(Queue.handed_on(request).url)
    numbers = _chosen(request)
    form = AcceptForm(initial={"reason": request.POST.get("reason", "")})
    return _list(request, numbers, form, status=200 if numbers else 422)


def _chosen(request: HttpRequest) -> list[int]:
    which = request.POST.get("which")
    if which == "all":
        waiting = list(Queue.handed_on(request).reports(request.user))
        return [report.pk for report in clean_in(waiting, request.user)]
    return ReportsChosen.numbers(
        request.POST, "on_page" if which == "page" else "report"
    )


def _list(
    request: HttpRequest, numbers: Sequence[int], form: AcceptForm, *, status: int
) -> HttpResponse:
    found = Submission.objects.filter(pk__in=numbers)
    reports = list(with_what_is_open(found).order_by("ends", "submitted_at", "pk"))
    out = left_out(reports, request.user)
    clean = [report for report in reports if report.pk not in out]
    whole = found.select_related("claimed_by").in_bulk(
        [report.pk for report in clean[:MOST_AT_ONCE]]
    )
    shown = [whole[report.pk] for report in clean[:MOST_AT_ONCE]]
    listed = of_accepting(shown, request.user)
    context = {
        "queue": Queue.handed_on(request),
        "form": form,
        "listed": listed,
        "to_look_at": sum(one.needs_a_look for one in listed),
        "beyond": len(clean[MOST_AT_ONCE:]),
        "left_out": [
            *out.values(),
            *not_there(numbers, {report.pk for report in reports}),
        ],
        "after": after_accepting(),
    }
    return render(request, "events/office/accept_several.html", context, status=status)


@for_office
def accept_listed(request: HttpRequest) -> HttpResponse:
    """Accept the reports that were listed, and say of each what became of it."""
    queue = Queue.handed_on(request)
    if request.method != "POST":
        return redirect(queue.url)
    versions = ReportsChosen.versions(request.POST)
    form = AcceptForm(request.POST)
    if not versions or not form.is_valid() or len(versions) > MOST_AT_ONCE:
        return _list(request, list(versions), form, status=422)
    done = accept_several(
        versions=versions, actor=request.user, reason=form.cleaned_data["reason"]
    )
    context = {"done": done, "queue": queue}
    return render(request, "events/office/accepted_several.html", context)
