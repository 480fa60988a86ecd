"""Original Life Masters: whom the ledger shows, and the office's decision."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import for_office
from players.access import member_or_404
from ratings.floors.forms import LifeMasterForm
from ratings.floors.queries.life_masters import (
    READINGS,
    candidate_of,
    candidates,
    confirmed,
    evidence_of,
    other_readings,
    set_aside,
    title_rules,
)
from ratings.floors.services.floors import LIFE_MASTER
from ratings.floors.services.life_masters import (
    propose_life_master,
    set_aside_life_master,
)
from ratings.floors.services.shared import GRANT
from ratings_site.common.acts.effects import (
    Effect,
    of_second_person,
    what_happens_if_at_all,
)
from ratings_site.common.acts.pages import act_page, posted


@for_office
def life_masters(request: HttpRequest) -> HttpResponse:
    context = {
        "candidates": candidates(),
        "confirmed": list(confirmed()),
        "set_aside": list(set_aside()),
        "reading": READINGS[title_rules().olm_reading],
        "other_readings": other_readings(),
    }
    return render(request, "ratings/floors/life_masters.html", context)


@for_office
def life_master(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show the games that count for one candidate, and take the decision."""
    player = member_or_404(member_id)
    candidate = candidate_of(player)
    if candidate is None:
        raise Http404(_("This member has not played the games for the title."))

    def do(said: dict[str, Any]) -> str:
        facts = {"player_id": player.pk, "reason": said["reason"]}
        if said["decision"] == "confirm":
            propose_life_master(**facts, actor=request.user)
            return _("The floor waits for a second person.")
        set_aside_life_master(**facts, actor=request.user)
        return _("The decision is noted.")

    floor = confirmed().filter(player=player).first()

    def effects() -> list[Effect]:
        if floor is not None:
            return []
        facts = {"player_id": player.pk}
        foreseen = what_happens_if_at_all(LIFE_MASTER, facts, request.user)
        return [*foreseen, of_second_person(GRANT, request.user)]

    return act_page(
        request,
        LifeMasterForm(posted(request)),
        do,
        permission=GRANT,
        effects=effects,
        done=str,
        to=reverse("ratings:life_masters"),
        template="ratings/floors/life_master.html",
        player=player,
        candidate=candidate,
        sections=evidence_of(player),
        floor=floor,
        earlier=set_aside().filter(player=player).first(),
    )
