"""Requests to lower a floor: the list, the request form, and the decision."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from players.access import get_member_or_404
from players.models import Player
from ratings.access import can_request_lower_floor
from ratings.decisions.floors.forms import DecisionForm, LoweringForm
from ratings.decisions.floors.queries.records import decided_requests, pending_requests
from ratings.decisions.floors.services.validation import LOWER, FloorRefused
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import FloorLowering, FloorRequest, Run
from ratings.previews.floor_requests.services import (
    LOWER_ONE,
    decide_floor_request,
    hypothesis_of,
    lowerable_systems,
    lowering_of,
    request_lower_floor,
)
from ratings.rerates.services.what_if import (
    is_outdated,
    is_quick,
    job_of,
    simulate,
    start_once,
    what_if_of,
)
from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.approvals.preview import PreviewLine, impossible_line
from ratings_site.common.jobs.progress import working_page
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest

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
    refusable_decision = "grant"
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
        if self.refusal:
            return [impossible_line(self.refusal)]
        if self.lowering is None:
            return []
        return self.preview_lines(LOWER_ONE, {"request_id": self.object.pk})

    def context(self) -> dict[str, Any]:
        return {"lowering": self.lowering}


@office_required
def effect(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the rating changes of a lower floor; a long replay is a job."""
    chosen = _request(pk)
    lowering, refusal = _lowering(chosen)
    context: dict[str, Any] = {"chosen": chosen, "refusal": refusal}
    hypothesis = hypothesis_of(lowering) if lowering else None
    if hypothesis and lowering and is_quick(lowering.starts):
        context |= _changes(simulate(hypothesis).as_json())
    elif hypothesis and lowering:
        reason = f"Floor request {pk}: {lowering.level} from {lowering.starts}"
        run = what_if_of(reason)
        if request.method == "POST":
            start_once(hypothesis=hypothesis, actor=request.user, reason=reason)
            return redirect("ratings:floor_request_effect", pk)
        job = job_of(run) if run else None
        title = _("Effect of a lower floor")
        if job and (page := working_page(request, job, title)):
            return page
        if run and run.status == Run.Status.READY:
            context |= _changes(run.summary)
            context |= {"as_of": run.created_at, "may_start": is_outdated(run)}
        else:
            context |= {"may_start": True, "fault": job.message if job else ""}
    return render(request, "ratings/decisions/floors/effect.html", context)


def _changes(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the largest changes by whole points, with the members (one query)."""
    moves = [one for one in summary["movers"][:MAX_MOVES] if _is_whole(one)]
    players = Player.objects.in_bulk({move["player"] for move in moves})
    return {
        "summary": summary,
        "moves": [
            (players[move["player"]], System(move["system"]), move) for move in moves
        ],
        "more": summary["whole_changes"] - len(moves),
    }


def _is_whole(move: dict[str, Any]) -> bool:
    before, after = move["before"], move["after"]
    return None in (before, after) or official(before) != official(after)


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
            "Lowering a floor reduces it by 100 points. It goes up again only with "
            "a new peak rating."
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
        return super().get_form_kwargs() | {"systems": lowerable_systems(self.object)}

    def effects(self) -> list[PreviewLine]:
        if lowerable_systems(self.object):
            return []
        sentence = _("No floor of {name} can be lowered by another 100 points.")
        return [impossible_line(sentence.format(name=self.object.name))]

    def get_initial(self) -> dict[str, Any]:
        return {"system": self.request.GET.get("system")}

    def get_success_url(self) -> str:
        return reverse("ratings:floors", args=[self.object.member_id])

    def do(self, data: dict[str, Any]) -> object:
        player_id, actor = self.object.pk, self.request.user
        return request_lower_floor(player_id=player_id, actor=actor, **data)
