"""Requests to lower a floor: the list, the request form, and the decision."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from events.access import office_required
from players.access import get_member_or_404
from players.models import Player
from ratings.access import can_request_lower_floor
from ratings.decisions.floors.forms import (
    DecisionForm,
    LoweringForm,
)
from ratings.decisions.floors.queries.floors import current_floors
from ratings.decisions.floors.queries.records import (
    decided_requests,
    pending_requests,
)
from ratings.decisions.floors.services.validation import LOWER, FloorRefused
from ratings.engine.systems import System
from ratings.models import FloorLowering, FloorRequest
from ratings.previews.floor_requests.services import (
    LOWER_ONE,
    decide_floor_request,
    effect_of_granting,
    lowering_of,
    request_lower_floor,
)
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    preview_or_refusal,
)
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest

MAX_MOVES = 20


@office_required
def requests(request: HttpRequest) -> HttpResponse:
    page = Paginator(decided_requests(), ROWS_PER_PAGE)
    context = {
        "waiting": list(pending_requests()),
        "page_obj": page.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/decisions/floors/requests.html", context)


@office_required
def decide(request: SignedInRequest, pk: int) -> HttpResponse:
    """Decide a request; its effect on ratings is loaded into the page."""
    chosen = _request(pk)
    lowering, refusal = _lowering(chosen)

    def do(cleaned: dict[str, Any]) -> None:
        decide_floor_request(
            request_id=pk,
            is_granted=cleaned["decision"] == "grant",
            reason=cleaned["reason"],
            actor=request.user,
        )

    def effects() -> list[PreviewLine]:
        if lowering is None:
            return []
        facts = {"request_id": pk}
        preview = preview_or_refusal(LOWER_ONE, facts, request.user)
        return [*preview, no_approval_line()]

    return action_page(
        request,
        DecisionForm(post_data(request)),
        do,
        permission=LOWER,
        effects=effects,
        done=_("Decision saved."),
        to=reverse("ratings:floor_requests"),
        template="ratings/decisions/floors/decide.html",
        chosen=chosen,
        lowering=lowering,
        refusal=refusal,
    )


@office_required
def effect(request: HttpRequest, pk: int) -> HttpResponse:
    """Replay history with the lower floor, and show the rating changes."""
    chosen = _request(pk)
    lowering, refusal = _lowering(chosen)
    differences = effect_of_granting(lowering) if lowering else None
    moves = differences.ratings if differences else []
    players = Player.objects.in_bulk({move.player for move in moves[:MAX_MOVES]})
    context = {
        "chosen": chosen,
        "refusal": refusal,
        "differences": differences,
        "moves": [
            (players[move.player], System(move.system), move)
            for move in moves[:MAX_MOVES]
        ],
        "more": max(0, len(moves) - MAX_MOVES),
    }
    return render(request, "ratings/decisions/floors/effect.html", context)


def _request(pk: int) -> FloorRequest:
    requests = FloorRequest.objects.select_related(
        "player", "section__event", "asked_by", "decided_by"
    )
    return get_object_or_404(requests, pk=pk)


def _lowering(chosen: FloorRequest) -> tuple[FloorLowering | None, str]:
    """Return the lowering that granting would create, or the reason why it cannot."""
    if chosen.status != FloorRequest.Status.ASKED:
        return None, ""
    try:
        return lowering_of(chosen), ""
    except FloorRefused as refusal:
        return None, str(refusal)


@never_cache
@login_required
def ask(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Request a lower floor for oneself."""
    player = get_member_or_404(member_id)
    if not can_request_lower_floor(request.user, player):
        raise PermissionDenied(
            _("Only the member and clerks of the ratings office can ask for this.")
        )
    systems = list(current_floors(player))
    form = LoweringForm(
        post_data(request),
        initial={"system": request.GET.get("system")},
        systems=systems,
    )

    def do(cleaned: dict[str, Any]) -> None:
        request_lower_floor(
            player_id=player.pk,
            system=cleaned["system"],
            reason=cleaned["reason"],
            actor=request.user,
        )

    return action_page(
        request,
        form,
        do,
        done=_(
            "Request sent to the ratings office. You’ll see the decision on this page."
        ),
        to=reverse("ratings:floors", args=[player.member_id]),
        title=_("Request a lower floor"),
        intro=_(
            "Lowering a floor takes it down by 100 points for good. It goes up "
            "again only with a new peak rating."
        ),
        submit=_("Send request"),
        player=player,
    )
