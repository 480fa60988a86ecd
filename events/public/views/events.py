"""Public pages of events."""

from itertools import accumulate
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import is_office, show_names_to_td, td_field
from events.calendar.queries.calendar import upcoming
from events.checks.queries.newcomers import has_pending_newcomers
from events.corrections.queries import corrections_of, requests_about
from events.models import CorrectionRequest, Event, Section
from events.models.event import EVENT_ID
from events.public.filters import EventFilter
from events.public.queries import events_by_day, sections_of, standings_of
from events.public.tables import EventTable
from events.records.exports import (
    export_crosstables,
    export_event,
    export_json,
    export_tournament,
)
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import attachment, csv_download
from ratings_site.common.web.partials import is_partial_request

# Rows of each section on the event's page, and players of sections with standings.
FIRST = 10
MAX_PLAYERS = 2_000
TRF_TYPES = {"trf": "text/plain; charset=utf-8", "zip": "application/zip"}


@require_safe
def event_list(request: HttpRequest) -> HttpResponseBase:
    """Search the events; htmx requests get only the results."""
    wanted = EventFilter(_query_params(request), queryset=events_by_day())
    table = EventTable(wanted.qs)
    if file := csv_download(request, table, "events"):
        return file
    sort_and_paginate(request, table)
    context = {
        "form": wanted.form,
        "table": table,
        "is_filtered": wanted.has_query,
        "is_narrowed": wanted.has_filters,
        "upcoming": upcoming(timezone.localdate()),
    }
    template = (
        "event_results.html" if is_partial_request(request) else "event_list.html"
    )
    status = 422 if wanted.form.errors else 200
    return render(request, f"events/{template}", context, status=status)


def _query_params(request: HttpRequest) -> QueryDict:
    """Return the query; older links have the text in ``name``."""
    if "name" not in request.GET or "q" in request.GET:
        return request.GET
    asked = request.GET.copy()
    asked["q"] = str(asked["name"])
    return asked


@require_safe
def event(request: HttpRequest, event_id: str) -> HttpResponse:
    found = _event(event_id)
    sections: list[Any] = _with_event(found)
    counted = accumulate(section.player_count for section in sections)
    ranked = [
        section
        for section, players in zip(sections, counted, strict=True)
        if players <= MAX_PLAYERS
    ]
    standings = standings_of(ranked)
    officials = found.officials.select_related("player")
    return render(
        request,
        "events/event.html",
        {
            "event": found,
            "sections": sections,
            "standings": [(one, standings[one.pk][:FIRST]) for one in ranked],
            "has_tiebreaks": any(
                rows and rows[0].tiebreaks for rows in standings.values()
            ),
            "officials": list(officials.annotate(td=td_field("pk", "player__"))),
            "waits": has_pending_newcomers(found.submission_id),
            "corrections": corrections_of(sections),
            "requests": _requests(request, found),
        },
    )


def _requests(request: HttpRequest, event: Event) -> list[CorrectionRequest]:
    """Return the open correction requests that involve the reader."""
    if not request.user.is_authenticated:
        return []
    return requests_about(event, request.user, is_office=is_office(request.user))


def _with_event(event: Event) -> list[Section]:
    """Set the loaded event on each section, so that its URL costs no query."""
    sections = list(sections_of(event))
    for section in sections:
        section.event = event
    return sections


@require_safe
def export(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event as the three DBF files of a rating report."""
    content = export_event(_event_of(request, event_id))
    return attachment(content, f"{event_id}.zip", "application/zip")


@require_safe
def export_trf(request: HttpRequest, event_id: str, layout: str) -> HttpResponse:
    """Send the event as FIDE report files, one for each section."""
    ending, content = export_tournament(_event_of(request, event_id), layout)
    return attachment(content, f"{event_id}-{layout}.{ending}", TRF_TYPES[ending])


@require_safe
def export_csv(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event's crosstables as a table that can be uploaded again."""
    return attachment(
        export_crosstables(_event_of(request, event_id)), f"{event_id}.csv"
    )


@require_safe
def export_document(request: HttpRequest, event_id: str) -> HttpResponse:
    """Send the event as JSON, which the API and upload page accept as a report."""
    content = export_json(_event_of(request, event_id))
    return attachment(content, f"{event_id}.json", "application/json")


def _event_of(request: HttpRequest, event_id: str) -> Event:
    """Return an event to download, with all names for the TD who reported it."""
    event = _event(event_id)
    user = request.user
    if user.is_authenticated and event.submission.uploaded_by_id == user.pk:
        show_names_to_td(user)
    return event


def _event(event_id: str) -> Event:
    found = None
    if EVENT_ID.fullmatch(event_id):
        found = (
            Event.objects.select_related("affiliate").filter(event_id=event_id).first()
        )
    if found is None:
        raise Http404(
            _("There is no event with this ID. Find the event in the list of events.")
        )
    return found
