"""Requests to lower a floor: the list, the request form, and the decision."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from players.access import get_member_or_404
from players.models import Player
from ratings.access import can_request_lower_floor
from ratings.decisions.floors.forms import DecisionForm, LoweringForm
from ratings.decisions.floors.queries.floors import current_floors
from ratings.decisions.floors.queries.records import decided_requests, pending_requests
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
from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.ui.pagination import paginate

MAX_MOVES = 20


@office_required
def requests(request: HttpRequest) -> HttpResponse:
    context = {
        "waiting": list(pending_requests()),
        "page_obj": paginate(request, decided_requests()),
    }
    return render(request, "ratings/decisions/floors/requests.html", context)


@office_required
class Decide(ActionView[FloorRequest]):
    """Decide a request; its effect on ratings is loaded into the page."""

    form_class = DecisionForm
    template_name = "ratings/decisions/floors/decide.html"
    context_object_name = "chosen"
    permission = LOWER
    success_message = gettext_lazy("Decision saved.")
    success_url = reverse_lazy("ratings:floor_requests")

    def get_object(self) -> FloorRequest:
        found = _request(self.kwargs["pk"])
        self.lowering, self.refusal = _lowering(found)
        return found

    def do(self, data: dict[str, Any]) -> object:
        return decide_floor_request(
            request_id=self.object.pk,
            is_granted=data["decision"] == "grant",
            reason=data["reason"],
            actor=self.request.user,
        )

    def effects(self) -> list[PreviewLine]:
        if self.lowering is None:
            return []
        return self.preview_lines(LOWER_ONE, {"request_id": self.object.pk})

    def context(self) -> dict[str, Any]:
        return {"lowering": self.lowering, "refusal": self.refusal}


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


@account_required
class Ask(ActionView[Player]):
    """Request a lower floor for oneself."""

    form_class = LoweringForm
    context_object_name = "player"
    success_message = gettext_lazy(
        "Request sent to the ratings office. You’ll see the decision on this page."
    )
    extra_context = {
        "title": gettext_lazy("Request a lower floor"),
        "intro": gettext_lazy(
            "Lowering a floor takes it down by 100 points for good. It goes up "
            "again only with a new peak rating."
        ),
        "submit": gettext_lazy("Send request"),
    }

    def get_object(self) -> Player:
        player = get_member_or_404(self.kwargs["member_id"])
        if not can_request_lower_floor(self.request.user, player):
            raise PermissionDenied(
                _("Only the member and clerks of the ratings office can ask for this.")
            )
        return player

    def get_form_kwargs(self) -> dict[str, Any]:
        systems = list(current_floors(self.object))
        return super().get_form_kwargs() | {"systems": systems}

    def get_initial(self) -> dict[str, Any]:
        return {"system": self.request.GET.get("system")}

    def get_success_url(self) -> str:
        return reverse("ratings:floors", args=[self.object.member_id])

    def do(self, data: dict[str, Any]) -> object:
        player_id, actor = self.object.pk, self.request.user
        return request_lower_floor(player_id=player_id, actor=actor, **data)
