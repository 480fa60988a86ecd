"""Requests to lower a floor: the list, and the decision with its effect before it."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import for_office
from players.models import Player
from ratings.engine.systems import System
from ratings.forms_office import DecisionForm
from ratings.models import FloorLowering, FloorRequest
from ratings.queries.floors import requests_decided, requests_to_decide
from ratings.services.floor_requests import (
    decide_floor_request,
    effect_of_granting,
    lowering_of,
)
from ratings.services.floors import FloorRefused
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE

MOST_MOVES = 20


@for_office
def requests(request: HttpRequest) -> HttpResponse:
    page = Paginator(requests_decided(), ROWS_ON_A_PAGE)
    context = {
        "waiting": list(requests_to_decide()),
        "page_obj": page.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/floors/requests.html", context)


@for_office
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the decision; its effect on ratings is loaded beside it."""
    chosen = _request(pk)
    lowering, refusal = _lowering(chosen)

    def do(said: dict[str, Any]) -> None:
        decide_floor_request(
            request_id=pk,
            is_granted=said["decision"] == "grant",
            reason=said["reason"],
            actor=request.user,
        )

    return act_page(
        request,
        DecisionForm(posted(request)),
        do,
        done=_("The decision is noted."),
        to=reverse("ratings:floor_requests"),
        template="ratings/floors/decide.html",
        chosen=chosen,
        lowering=lowering,
        refusal=refusal,
    )


@for_office
def effect(request: HttpRequest, pk: int) -> HttpResponse:
    """Replay history with the lower floor, and say which ratings would change."""
    chosen = _request(pk)
    lowering, refusal = _lowering(chosen)
    differences = effect_of_granting(lowering) if lowering else None
    moves = differences.ratings if differences else []
    players = Player.objects.in_bulk({move.player for move in moves[:MOST_MOVES]})
    context = {
        "chosen": chosen,
        "refusal": refusal,
        "differences": differences,
        "moves": [
            (players[move.player], System(move.system), move)
            for move in moves[:MOST_MOVES]
        ],
        "more": max(0, len(moves) - MOST_MOVES),
    }
    whole = "ratings/floors/effect_page.html"
    template = "ratings/floors/effect.html" if request.htmx else whole
    return render(request, template, context)


def _request(pk: int) -> FloorRequest:
    requests = FloorRequest.objects.select_related(
        "player", "section__event", "asked_by", "decided_by"
    )
    return get_object_or_404(requests, pk=pk)


def _lowering(chosen: FloorRequest) -> tuple[FloorLowering | None, str]:
    """Return what granting would make, or why it cannot be granted now."""
    if chosen.status != FloorRequest.Status.ASKED:
        return None, ""
    try:
        return lowering_of(chosen), ""
    except FloorRefused as refusal:
        return None, str(refusal)
