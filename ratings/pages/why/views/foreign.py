"""Public pages of foreign events, and the derivations of their ratings."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.models import ForeignEvent
from players.access import get_member_or_404
from ratings.access import RatingViewer
from ratings.foreign.queries import (
    current_calculation,
    rated_events,
    rated_inputs,
    results_of,
)
from ratings.ledger.services.foreign_facts import foreign_facts
from ratings.pages.why.queries.foreign import foreign_why
from ratings.pages.why.tables import ForeignEventTable
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import csv_download


@require_safe
def event_list(request: HttpRequest) -> HttpResponseBase:
    table = ForeignEventTable(rated_events())
    if file := csv_download(request, table, "foreign-events"):
        return file
    sort_and_paginate(request, table)
    return render(request, "ratings/foreign/list.html", {"table": table})


@require_safe
def event(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an event with each rated member's games."""
    found = get_object_or_404(ForeignEvent, pk=pk)
    results = results_of(found)
    if not results:
        raise Http404(_("No player has been rated for this event."))
    return render(
        request, "ratings/foreign/event.html", {"event": found, "results": results}
    )


@require_safe
def why(request: HttpRequest, pk: int, member_id: str) -> HttpResponse:
    """Recompute a rating, and show whether the ledger has the same."""
    player = get_member_or_404(member_id)
    calculation = current_calculation(pk, player)
    result = calculation.foreign if calculation else None
    if calculation is None or result is None:
        raise Http404(_("This member was not rated for this event."))
    played = rated_inputs(calculation, result)
    reader = RatingViewer(request.user)
    is_own = reader.own_pk == player.pk
    shown = foreign_why(
        calculation,
        calculation.changes.all()[0],
        played,
        foreign_facts(played.games).meetings,
        reader,
        "" if is_own else player.short_name,
    )
    context = {
        "calculation": calculation,
        "event": result.event,
        "player": player,
        "why": shown,
        "is_office": reader.is_office,
    }
    return render(request, "ratings/foreign/why.html", context)
