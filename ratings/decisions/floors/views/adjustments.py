"""Ratings set by the office: the list, a new one, and the withdrawal of one."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from players.models import Player
from ratings.decisions.floors.forms import AdjustmentForm
from ratings.decisions.floors.queries import records
from ratings.decisions.floors.queries.floors import current_floors
from ratings.decisions.floors.services.adjustments import (
    ADJUST,
    KIND,
    WITHDRAW,
    adjustment_facts,
    propose_adjustment,
    propose_withdrawal,
    withdrawal_facts,
)
from ratings.decisions.floors.views.floors import FloorAction
from ratings.models import Adjustment
from ratings_site.common.approvals.pages import PreviewedActionView
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@office_required
def adjustments(request: SignedInRequest) -> HttpResponse:
    context = {
        "waiting": list(records.pending_adjustments()),
        "page_obj": paginate(request, records.adjustments()),
    }
    return render(request, "ratings/decisions/floors/adjustments.html", context)


class Adjust(PreviewedActionView[Player], FloorAction[Player]):
    form_class = AdjustmentForm
    permission = ADJUST
    success_message = gettext_lazy("The adjustment is awaiting a second approval.")
    extra_context = {
        "title": gettext_lazy("Adjust a rating"),
        "submit": gettext_lazy("Propose the adjustment"),
    }

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        given = {name: data[name] for name in ("system", "kind", "day", "games")}
        facts = adjustment_facts(self.player, rating=float(data["rating"]), **given)
        return self.preview_lines(KIND, facts, approvers=ADJUST)

    def do(self, data: dict[str, Any]) -> object:
        data = data | {"rating": float(data["rating"]), "actor": self.request.user}
        return propose_adjustment(player_id=self.player.pk, **data)

    def context(self) -> dict[str, Any]:
        intro = _(
            "Sets the rating and number of games from the effective date, before "
            "any sections on that date. Wins, draws, losses, and the peak don’t "
            "change. The rating can’t be below the floor on that date. "
            "{floors_today}A second person must approve it."
        ).format(floors_today=_floors_today(self.player))
        return super().context() | {"intro": intro}


def _floors_today(player: Player) -> str:
    """Return the current floors as a sentence and a space; empty for the unrated."""
    floors = [
        f"{system.label} {standing.level}"
        for system, standing in current_floors(player).items()
    ]
    if not floors:
        return ""
    return _("Current floors: {floors}.").format(floors=", ".join(floors)) + " "


class WithdrawAdjustment(FloorAction[Adjustment]):
    permission = ADJUST
    success_message = gettext_lazy("The withdrawal is awaiting a second approval.")
    success_url = reverse_lazy("ratings:adjustments")
    queryset = Adjustment.objects.select_related("player")
    extra_context = {
        "title": gettext_lazy("Withdraw an adjustment"),
        "submit": gettext_lazy("Propose withdrawal"),
        "kind": "danger",
    }

    def effects(self) -> list[PreviewLine]:
        facts = withdrawal_facts(self.object)
        return self.preview_lines(WITHDRAW, facts, approvers=ADJUST)

    def do(self, data: dict[str, Any]) -> object:
        pk, actor = self.object.pk, self.request.user
        return propose_withdrawal(adjustment_id=pk, actor=actor, **data)

    def context(self) -> dict[str, Any]:
        intro = _(
            "{adjustment}. A second person must approve the withdrawal. The "
            "adjustment stays in the history, and the next rerate ignores it."
        ).format(adjustment=self.object)
        return super().context() | {"intro": intro}
