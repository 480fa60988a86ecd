"""Original Life Masters: candidates from the ledger, and the office's decisions."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from events.access import office_required
from players.models import Player
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
from ratings.decisions.floors.views.floors import FloorAction
from ratings_site.common.approvals.preview import PreviewLine
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


class DecideLifeMaster(FloorAction[Player]):
    """Show the games that count for one candidate, and save the decision."""

    form_class = LifeMasterForm
    template_name = "ratings/decisions/floors/life_master.html"
    permission = GRANT
    refusable_decision = "confirm"
    success_url = reverse_lazy("ratings:life_masters")

    def unavailable_response(self) -> None:
        """Look up the games; raise Http404 if they are too few."""
        self.candidate = get_candidate(self.player)
        if self.candidate is None:
            raise Http404(
                _("This member does not have enough qualifying games for the title.")
            )
        self.floor = confirmed().filter(player=self.player).first()

    def do(self, data: dict[str, Any]) -> str:
        facts = {"player_id": self.player.pk, "reason": data["reason"]}
        if data["decision"] == "confirm":
            propose_life_master(**facts, actor=self.request.user)
            return _("The floor is awaiting a second approval.")
        set_aside_life_master(**facts, actor=self.request.user)
        return _("Decision saved.")

    def effects(self) -> list[PreviewLine]:
        if self.floor is not None:
            return []
        return self.preview_lines(
            LIFE_MASTER, {"player_id": self.player.pk}, approvers=GRANT
        )

    def context(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "candidate": self.candidate,
            "sections": qualifying_sections(self.player),
            "floor": self.floor,
            "earlier": set_aside().filter(player=self.player).first(),
        }
