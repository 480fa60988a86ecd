"""What everybody may see of the events."""

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import is_office
from events.books.exports import (
    export_crosstables,
    export_event,
    export_json,
    export_tournament,
)
from events.calendar.queries.calendar import upcoming
from events.checks.queries.newcomers import somebody_waits
from events.corrections.queries import corrections_of, requests_about
from events.models import Event
from events.models.event import EVENT_ID
from events.public.filters import EventFilter
from events.public.queries import events_by_day, sections_of
from events.public.tables import EventTable
from ratings_site.common.looks.paging import sort_and_turn, unknown_sort
from ratings_site.common.web.parts import wants_part

TRF_TYPES = {"trf": "text/plain; charset=utf-8", "zip": "application/zip"}


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """Search the events; only the results when htmx asks."""
    wanted = EventFilter(_asked(request), queryset=events_by_day())
    table = EventTable(wanted.qs)
    sort_and_turn(request, table)
    context = {
        "form": wanted.form,
        "table": table,
        "is_filtered": wanted.is_asked,
        "is_narrowed": wanted.is_narrowed,
        "unknown_sort": unknown_sort(request, table),
        "upcoming": upcoming(timezone.localdate()),
    }
    template = "event_results.html" if wants_part(request) else "event_list.html"
    status = 422 if wanted.form.errors else 200
    return render(request, f"events/{template}", context, status=status)


def _asked(request: HttpRequest) -> QueryDict:
    """Return what is asked; the name of an event was once a field of its own."""
    if "name" not in request.GET or "q" in request.GET:
        return request.GET
    asked = request.GET.copy()
    asked["q"] = asked["name"]
    return asked


@require_safe
def event(request: HttpRequest, event_id: str) -> HttpResponse:
    found = _event(event_id)
    sections = _with_event(found)
    return render(
        request,
        "events/event.html",
        {
            "event": found,
            "sections": sections,
            "officials": list(found.officials.select_related("player__official")),
            "waits": somebody_waits(found.submission_id),
            "corrections": corrections_of(sections),
            "requests": _requests(request, found),
        },
    )


def _requests(request: HttpRequest, event: Event) -> list:
    """Return the corrections that wait and concern the reader."""
    if not request.user.is_authenticated:
        return []
    return requests_about(event, request.user, is_office=is_office(request.user))


def _with_event(event: Event) -> list:
    """Give each section the event at hand, so that its address costs no query."""
    sections = list(sections_of(event))
    for section in sections:
        section.event = event
    return sections


@require_safe
def export(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event as the three files of a rating report."""
    found = _event(event_id)
    return HttpResponse(
        export_event(found),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{event_id}.zip"'},
    )


@require_safe
def export_trf(request: HttpRequest, event_id: str, layout: str) -> HttpResponse:
    """Send the event as FIDE's report file, a file for each section."""
    ending, content = export_tournament(_event(event_id), layout)
    name = f"{event_id}-{layout}.{ending}"
    return HttpResponse(
        content,
        content_type=TRF_TYPES[ending],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
def export_csv(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event's crosstables as a table that can be sent in again."""
    return HttpResponse(
        export_crosstables(_event(event_id)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{event_id}.csv"'},
    )


@require_safe
def export_document(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event as JSON, which the API and the desk take as a report."""
    return HttpResponse(
        export_json(_event(event_id)),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{event_id}.json"'},
    )


def _event(event_id: str) -> Event:
    found = None
    if EVENT_ID.fullmatch(event_id):
        found = (
            Event.objects.select_related("affiliate").filter(event_id=event_id).first()
        )
    if found is None:
        raise Http404(_("No event has this ID. Look for it in the list of events."))
    return found
