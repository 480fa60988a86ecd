"""Foreign events as everybody may see them, and why a rating abroad is what it is."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.models import ForeignEvent
from players.access import member_or_404
from ratings.access import RatingReader
from ratings.foreign.queries.results import (
    current_calculation,
    played_for,
    rated_events,
    results_of,
)
from ratings.ledger.services.foreign_facts import foreign_facts
from ratings.why.queries.foreign import foreign_why
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(rated_events(), ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "ratings/foreign/list.html", {"page": page})


@require_safe
def event(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an event with each rated member's games."""
    found = get_object_or_404(ForeignEvent, pk=pk)
    results = results_of(found)
    if not results:
        raise Http404(_("Nobody has been rated for this event."))
    return render(
        request, "ratings/foreign/event.html", {"event": found, "results": results}
    )


@require_safe
def why(request: HttpRequest, pk: int, member_id: str) -> HttpResponse:
    """Derive a rating again and say whether the ledger has the same."""
    player = member_or_404(member_id)
    calculation = current_calculation(pk, player)
    if calculation is None:
        raise Http404(_("This member was not rated for this event."))
    result = calculation.foreign
    played = played_for(calculation, result)
    reader = RatingReader(request.user)
    is_own = reader.own_pk == player.pk
    shown = foreign_why(
        calculation,
        calculation.changes.all()[0],
        played,
        foreign_facts(played.games).meetings,
        reader,
        "" if is_own else player.given_name,
    )
    context = {
        "calculation": calculation,
        "event": result.event,
        "player": player,
        "why": shown,
        "is_office": reader.is_office,
    }
    return render(request, "ratings/foreign/why.html", context)
