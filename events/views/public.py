"""What everybody may see of the events."""

from datetime import date

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from events.access import is_office
from events.listings import events_with_counts, sections_of
from events.models import Event
from events.models.event import EVENT_ID
from events.queries_corrections import corrections_of, requests_about
from events.services.export import (
    export_crosstables,
    export_event,
    export_tournament,
)
from events.tables import EventTable
from ratings_site.common.paging import sort_and_turn

TRF_TYPES = {"trf": "text/plain; charset=utf-8", "zip": "application/zip"}


class EventFilter(forms.Form):
    """Which events to list. Everything may stay blank."""

    name = forms.CharField(label="Name", required=False, max_length=80)
    state = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label="State",
        required=False,
        error_messages={"invalid": "A state has two letters, such as OH."},
        widget=forms.TextInput(attrs={"size": 4, "maxlength": 2}),
    )
    year = forms.IntegerField(
        label="Year",
        required=False,
        min_value=1900,
        max_value=2999,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"),
            "A year has four digits, such as 2024.",
        ),
        widget=forms.TextInput(
            attrs={"size": 6, "maxlength": 4, "inputmode": "numeric"}
        ),
    )

    def applied_to(self, events: QuerySet[Event]) -> QuerySet[Event]:
        """Return the events that fit; a field with a fault is passed over."""
        wanted = self.cleaned_data
        if wanted.get("name"):
            events = events.filter(name__icontains=wanted["name"])
        if wanted.get("state"):
            events = events.filter(state=wanted["state"].upper())
        if wanted.get("year"):
            year = wanted["year"]
            events = events.filter(
                ends__gte=date(year, 1, 1), ends__lte=date(year, 12, 31)
            )
        return events


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    form = EventFilter(request.GET)
    is_valid = form.is_valid()
    events = form.applied_to(events_with_counts()).order_by("-ends", "-event_id")
    table = EventTable(events)
    sort_and_turn(request, table)
    return render(
        request,
        "events/event_list.html",
        {"form": form, "table": table, "is_filtered": any(form.cleaned_data.values())},
        status=200 if is_valid else 422,
    )


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
            "officials": list(found.officials.select_related("player")),
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


def _event(event_id: str) -> Event:
    found = None
    if EVENT_ID.fullmatch(event_id):
        found = (
            Event.objects.select_related("affiliate").filter(event_id=event_id).first()
        )
    if found is None:
        raise Http404("No event has this ID. Look for it in the list of events.")
    return found
