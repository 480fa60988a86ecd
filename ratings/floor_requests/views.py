"""Requests to lower a floor: the list, and the decision with its effect before it."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.access import for_office
from players.access import member_or_404
from players.models import Player
from ratings.access import may_ask_to_lower
from ratings.engine.systems import System
from ratings.floor_requests.services import (
    LOWER_ONE,
    decide_floor_request,
    effect_of_granting,
    lowering_of,
    request_lower_floor,
)
from ratings.floors.forms import (
    DecisionForm,
    LoweringForm,
)
from ratings.floors.queries.floors import floors_now
from ratings.floors.queries.records import requests_decided, requests_to_decide
from ratings.floors.services.shared import LOWER, FloorRefused
from ratings.models import FloorLowering, FloorRequest
from ratings_site.common.acts.effects import (
    Effect,
    of_nobody_else,
    what_happens_if_at_all,
)
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

    def effects() -> list[Effect]:
        if lowering is None:
            return []
        facts = {"request_id": pk}
        foreseen = what_happens_if_at_all(LOWER_ONE, facts, request.user)
        return [*foreseen, of_nobody_else()]

    return act_page(
        request,
        DecisionForm(posted(request)),
        do,
        permission=LOWER,
        effects=effects,
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
    return render(request, "ratings/floors/effect.html", context)


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


@never_cache
@login_required
def ask(request: HttpRequest, member_id: str) -> HttpResponse:
    """Ask for one's own floor to be lowered."""
    player = member_or_404(member_id)
    if not may_ask_to_lower(request.user, player):
        raise PermissionDenied(_("Only the member and the ratings office may ask."))
    systems = list(floors_now(player))
    form = LoweringForm(
        posted(request), initial={"system": request.GET.get("system")}, systems=systems
    )

    def do(said: dict[str, Any]) -> None:
        request_lower_floor(
            player_id=player.pk,
            system=said["system"],
            reason=said["reason"],
            actor=request.user,
        )

    return act_page(
        request,
        form,
        do,
        done=_("The office has your request. The decision will appear on this page."),
        to=reverse("ratings:floors", args=[player.member_id]),
        title=_("Ask for a lower floor"),
        intro=_(
            "A floor that is lowered goes down by 100 points, for good: it does not "
            "come back when the rating rises, until a new peak earns it."
        ),
        submit=_("Ask the office"),
        player=player,
    )
