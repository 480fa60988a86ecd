"""Original Life Masters: candidates from the ledger, and the office's decisions."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import office_required
from players.access import get_member_or_404
from ratings.decisions.floors.forms import LifeMasterForm
from ratings.decisions.floors.queries.life_masters import (
    READINGS,
    candidates,
    confirmed,
    get_candidate,
    other_readings,
    qualifying_sections,
    set_aside,
    title_rules,
)
from ratings.decisions.floors.services.floors import LIFE_MASTER
from ratings.decisions.floors.services.life_masters import (
    propose_life_master,
    set_aside_life_master,
)
from ratings.decisions.floors.services.validation import GRANT
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.approvals.preview import (
    PreviewLine,
    preview_or_refusal,
    second_approval_line,
)
from ratings_site.common.web.requests import SignedInRequest


@office_required
def life_masters(request: SignedInRequest) -> HttpResponse:
    context = {
        "candidates": candidates(),
        "confirmed": list(confirmed()),
        "set_aside": list(set_aside()),
        "reading": READINGS[title_rules().olm_reading],
        "other_readings": other_readings(),
    }
    return render(request, "ratings/decisions/floors/life_masters.html", context)


@office_required
def life_master(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show the games that count for one candidate, and save the decision."""
    player = get_member_or_404(member_id)
    candidate = get_candidate(player)
    if candidate is None:
        raise Http404(
            _("This member does not have enough qualifying games for the title.")
        )

    def do(cleaned: dict[str, Any]) -> str:
        facts = {"player_id": player.pk, "reason": cleaned["reason"]}
        if cleaned["decision"] == "confirm":
            propose_life_master(**facts, actor=request.user)
            return _("The floor is awaiting a second approval.")
        set_aside_life_master(**facts, actor=request.user)
        return _("Decision saved.")

    floor = confirmed().filter(player=player).first()

    def effects() -> list[PreviewLine]:
        if floor is not None:
            return []
        facts = {"player_id": player.pk}
        foreseen = preview_or_refusal(LIFE_MASTER, facts, request.user)
        return [*foreseen, second_approval_line(GRANT, request.user)]

    return action_page(
        request,
        LifeMasterForm(post_data(request)),
        do,
        permission=GRANT,
        effects=effects,
        done=str,
        to=reverse("ratings:life_masters"),
        template="ratings/decisions/floors/life_master.html",
        player=player,
        candidate=candidate,
        sections=qualifying_sections(player),
        floor=floor,
        earlier=set_aside().filter(player=player).first(),
    )
