"""Accepting several reports of the queue: what it will do, then the act."""

from collections.abc import Iterable, Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from events.access import for_office
from events.models import Submission
from events.office.forms import AcceptForm, ReportsChosen
from events.office.pages import Queue
from events.office.queries.clean import (
    LeftOut,
    clean_in,
    left_out,
    not_there,
    with_what_is_open,
)
from events.office.queries.effects import after_accepting, of_accepting
from events.office.services.several import accept_several
from ratings_site.common.acts.pages import several_done, several_listed
from ratings_site.common.acts.several import (
    MOST_AT_ONCE,
    ChosenRow,
    DoneRow,
    RefusedRow,
    WhatBecame,
)
from ratings_site.common.looks.figures import day_in_words

ASKS = ngettext_lazy("Accept {number} report?", "Accept {number} reports?", "number")
ACCEPT = ngettext_lazy("Accept {number} report", "Accept {number} reports", "number")
ACCEPTED = ngettext_lazy(
    "{number} report is accepted", "{number} reports are accepted", "number"
)


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
    queue = Queue.handed_on(request)
    found = Submission.objects.filter(pk__in=numbers)
    reports = list(with_what_is_open(found).order_by("ends", "submitted_at", "pk"))
    out = left_out(reports, request.user)
    clean = [report for report in reports if report.pk not in out]
    whole = found.select_related("claimed_by").in_bulk(
        [report.pk for report in clean[:MOST_AT_ONCE]]
    )
    shown = [whole[report.pk] for report in clean[:MOST_AT_ONCE]]
    gone = not_there(numbers, {report.pk for report in reports})
    context = {
        "asks": ASKS,
        "button": ACCEPT,
        "listed": [
            ChosenRow(
                key=f"{one.submission.pk}:{one.submission.version}",
                name=str(one.submission),
                effects=one.effects,
                about=_("ended {day}").format(day=day_in_words(one.submission.ends)),
                url=one.submission.get_absolute_url() + queue.query,
            )
            for one in of_accepting(shown, request.user)
        ],
        "field": "report",
        "has_more": len(clean) > MOST_AT_ONCE,
        "left_out": _not_done([*out.values(), *gone], queue),
        "after": after_accepting(),
        "form": form,
        "shown": queue,
        "list_url": reverse("events:list_several"),
        "do_url": reverse("events:accept_listed"),
    }
    return several_listed(request, context, status=status)


def _not_done(left: Iterable[LeftOut], queue: Queue) -> list[RefusedRow]:
    return [
        RefusedRow(
            str(one.submission or _("Report {number}").format(number=one.pk)),
            one.sentence,
            one.submission.get_absolute_url() + queue.query if one.submission else "",
        )
        for one in left
    ]


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
    outcome = WhatBecame(
        [
            DoneRow(
                event.name,
                _("event {event_id}").format(event_id=event.event_id),
                event.submission.get_absolute_url(),
            )
            for event in done.events
        ],
        _not_done(done.left_out, queue),
    )
    follows = _("They are in the books and are being rated.")
    return several_done(request, ACCEPTED, outcome, queue, follows=follows)
