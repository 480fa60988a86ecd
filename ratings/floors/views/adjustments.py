"""Ratings set by the office: the list, a new one, and taking one back."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from events.access import for_office
from players.access import member_or_404
from players.models import Player
from ratings.floors.forms import AdjustmentForm
from ratings.floors.queries import records
from ratings.floors.queries.floors import floors_now
from ratings.floors.services.adjustments import (
    ADJUST,
    KIND,
    WITHDRAW,
    facts_of_adjustment,
    facts_of_withdrawal,
    propose_adjustment,
    propose_withdrawal,
)
from ratings.models import Adjustment
from ratings_site.common.acts.effects import (
    Effect,
    of_second_person,
    what_happens,
    what_happens_if_at_all,
)
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE


@for_office
def adjustments(request: HttpRequest) -> HttpResponse:
    page = Paginator(records.adjustments(), ROWS_ON_A_PAGE)
    context = {
        "waiting": list(records.adjustments_waiting()),
        "page_obj": page.get_page(request.GET.get("page")),
    }
    return render(request, "ratings/floors/adjustments.html", context)


@for_office
def propose(request: HttpRequest, member_id: str) -> HttpResponse:
    player = member_or_404(member_id)

    def do(said: dict[str, Any]) -> None:
        said = said | {"rating": float(said["rating"])}
        propose_adjustment(player_id=player.pk, actor=request.user, **said)

    def look(said: dict[str, Any]) -> list[Effect]:
        given = {name: said[name] for name in ("system", "kind", "day", "games")}
        facts = facts_of_adjustment(player, rating=float(said["rating"]), **given)
        foreseen = what_happens(KIND, facts, request.user)
        return [*foreseen, of_second_person(ADJUST, request.user)]

    return act_page(
        request,
        AdjustmentForm(posted(request)),
        do,
        permission=ADJUST,
        look=look,
        done=_("The adjustment waits for a second person."),
        to=reverse("ratings:office_floors", args=[player.member_id]),
        title=_("Adjust a rating"),
        intro=_(
            "The rating and its games are set as of a day, before the sections of "
            "that day. Wins, draws, losses and the peak stay as they are counted. A "
            "rating "
            "below the floor of that day is refused: the next event would lift it. "
            "{floors_today}A second person has to approve it."
        ).format(floors_today=_floors_today(player)),
        submit=_("Propose the adjustment"),
        player=player,
        is_for_office=True,
    )


def _floors_today(player: Player) -> str:
    """Say which floors hold now, as a sentence and a space; empty for the unrated."""
    floors = [
        f"{system.label} {standing.level}"
        for system, standing in floors_now(player).items()
    ]
    if not floors:
        return ""
    return _("Floors today: {floors}.").format(floors=", ".join(floors)) + " "


@for_office
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    adjustment = get_object_or_404(Adjustment.objects.select_related("player"), pk=pk)

    def do(said: dict[str, Any]) -> None:
        propose_withdrawal(adjustment_id=pk, actor=request.user, **said)

    def effects() -> list[Effect]:
        facts = facts_of_withdrawal(adjustment)
        foreseen = what_happens_if_at_all(WITHDRAW, facts, request.user)
        return [*foreseen, of_second_person(ADJUST, request.user)]

    return act_page(
        request,
        ReasonForm(posted(request)),
        do,
        permission=ADJUST,
        effects=effects,
        done=_("The withdrawal waits for a second person."),
        to=reverse("ratings:adjustments"),
        title=_("Withdraw an adjustment"),
        intro=_(
            "{adjustment}. A second person has to approve that it is taken back. It "
            "stays in the history; the next rerate computes the ratings without it."
        ).format(adjustment=adjustment),
        submit=_("Propose to withdraw it"),
        kind="danger",
        player=adjustment.player,
        is_for_office=True,
    )
