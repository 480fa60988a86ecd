"""The derivation of one player's rating in one section."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.access import get_member_or_404
from ratings.access import RatingViewer
from ratings.engine.systems import System
from ratings.models import Calculation
from ratings.pages.why.queries.why import ExplanationError, calculation_of, why_of
from ratings.pages.why.services import inputs_of


@require_safe
def why(
    request: HttpRequest, event_id: str, number: int, member_id: str, system: str
) -> HttpResponse:
    """Recompute a rating, and show whether the ledger has the same."""
    calculation = _calculation(event_id, number, system)
    player = get_member_or_404(member_id)
    section = calculation.section
    reader = RatingViewer(request.user, section)
    is_own = reader.own_pk == player.pk
    context: dict[str, Any] = {
        "calculation": calculation,
        "section": section,
        "event": section and section.event,
        "system": System(calculation.system),
        "player": player,
        "is_office": reader.is_office,
        "is_own": is_own,
    }
    try:
        shown = why_of(
            calculation,
            inputs_of(calculation),
            player,
            reader,
            "" if is_own else player.short_name,
        )
    except ExplanationError as problem:
        context["problem"] = str(problem)
    else:
        if shown is None:
            raise Http404(_("This member was not in the section."))
        context["why"] = shown
    return render(request, "ratings/why.html", context)


def _calculation(event_id: str, number: int, system: str) -> Calculation:
    calculation = None
    if event_id.isascii() and event_id.isdecimal() and system in list(System):
        calculation = calculation_of(event_id, number, System(system))
    if calculation is None:
        raise Http404(_("This section has no rating in this system."))
    return calculation
