"""Ratings set by the office: the list, a new one, and the withdrawal of one."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import office_required
from players.access import get_member_or_404
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
from ratings.models import Adjustment
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.approvals.preview import (
    PreviewLine,
    preview_action,
    preview_or_refusal,
    second_approval_line,
)
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@office_required
def adjustments(request: SignedInRequest) -> HttpResponse:
    page = Paginator(records.adjustments(), ROWS_PER_PAGE)
    context = {
        "waiting": list(records.pending_adjustments()),
        "page_obj": page.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/decisions/floors/adjustments.html", context)


@office_required
def propose(request: SignedInRequest, member_id: str) -> HttpResponse:
    player = get_member_or_404(member_id)

    def do(cleaned: dict[str, Any]) -> None:
        cleaned = cleaned | {"rating": float(cleaned["rating"])}
        propose_adjustment(player_id=player.pk, actor=request.user, **cleaned)

    def look(cleaned: dict[str, Any]) -> list[PreviewLine]:
        given = {name: cleaned[name] for name in ("system", "kind", "day", "games")}
        facts = adjustment_facts(player, rating=float(cleaned["rating"]), **given)
        foreseen = preview_action(KIND, facts, request.user)
        return [*foreseen, second_approval_line(ADJUST, request.user)]

    return action_page(
        request,
        AdjustmentForm(post_data(request)),
        do,
        permission=ADJUST,
        look=look,
        done=_("The adjustment is awaiting a second approval."),
        to=reverse("ratings:office_floors", args=[player.member_id]),
        title=_("Adjust a rating"),
        intro=_(
            "Sets the rating and number of games from the effective date, before "
            "any sections on that date. Wins, draws, losses, and the peak don’t "
            "change. The rating can’t be below the floor on that date. "
            "{floors_today}A second person must approve it."
        ).format(floors_today=_floors_today(player)),
        submit=_("Propose the adjustment"),
        player=player,
        is_for_office=True,
    )


def _floors_today(player: Player) -> str:
    """Return the current floors as a sentence and a space; empty for the unrated."""
    floors = [
        f"{system.label} {standing.level}"
        for system, standing in current_floors(player).items()
    ]
    if not floors:
        return ""
    return _("Current floors: {floors}.").format(floors=", ".join(floors)) + " "


@office_required
def withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    adjustment = get_object_or_404(Adjustment.objects.select_related("player"), pk=pk)

    def do(cleaned: dict[str, Any]) -> None:
        propose_withdrawal(adjustment_id=pk, actor=request.user, **cleaned)

    def effects() -> list[PreviewLine]:
        facts = withdrawal_facts(adjustment)
        foreseen = preview_or_refusal(WITHDRAW, facts, request.user)
        return [*foreseen, second_approval_line(ADJUST, request.user)]

    return action_page(
        request,
        ReasonForm(post_data(request)),
        do,
        permission=ADJUST,
        effects=effects,
        done=_("The withdrawal is awaiting a second approval."),
        to=reverse("ratings:adjustments"),
        title=_("Withdraw an adjustment"),
        intro=_(
            "{adjustment}. A second person must approve the withdrawal. The "
            "adjustment stays in the history, and the next rerate ignores it."
        ).format(adjustment=adjustment),
        submit=_("Propose withdrawal"),
        kind="danger",
        player=adjustment.player,
        is_for_office=True,
    )
