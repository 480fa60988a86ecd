"""CFC ratings, entered by staff with their dates."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from players.external.forms import CfcForm
from players.external.services import (
    ENTER,
    PERMISSION,
    TAKE_BACK,
    enter_rating,
    remove_rating,
)
from players.members.queries import external_ratings
from players.members.services import CANADA
from players.models import ExternalRating
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import action_page, post_data
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    preview_action,
    preview_or_refusal,
)
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest

CFC = ExternalRating.Body.CFC


@staff_permission_required(PERMISSION)
def cfc(request: SignedInRequest) -> HttpResponse:
    """List the ratings entered so far, and accept a new one."""
    text = request.GET.get("q", "").strip()
    rows = external_ratings(CFC, text)

    def look(data: dict[str, Any]) -> list[PreviewLine]:
        facts = _rating_facts(data) | {"list_date": data["list_date"].isoformat()}
        return [*preview_action(ENTER, facts, request.user), no_approval_line()]

    def do(data: dict[str, Any]) -> ExternalRating:
        facts = _rating_facts(data)
        return enter_rating(**facts, actor=request.user, reason=data["reason"])

    return action_page(
        request,
        CfcForm(post_data(request)),
        do,
        done=_success_message,
        to=reverse("players_office:cfc"),
        template="players/office/cfc.html",
        look=look,
        text=text,
        page_obj=Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page")),
        canada=CANADA,
    )


def _rating_facts(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "player_id": data["member"].pk,
        "body": CFC,
        "rating": data["rating"],
        "games": data["games"],
        "list_date": data["list_date"],
    }


def _success_message(entered: ExternalRating) -> str:
    player = entered.player
    sentence = _("CFC {said} added for {name}.")
    if player.residence != CANADA:
        sentence = _(
            "CFC {said} added for {name}. Our records show residence {residence}, and "
            "CFC ratings are used only for members who live in Canada."
        )
    return sentence.format(
        said=entered.rating, name=player.name, residence=player.residence
    )


@staff_permission_required(PERMISSION)
def remove(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remove a rating that was entered for the wrong member, federation or day."""
    rows = ExternalRating.objects.filter(fide_list=None).select_related("player")
    entered = get_object_or_404(rows, pk=pk)
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: remove_rating(entered_id=pk, actor=request.user, **data),
        done=_("Rating removed."),
        to=reverse("players_office:cfc"),
        template="players/office/take_rating_back.html",
        effects=lambda: [
            *preview_or_refusal(TAKE_BACK, {"entered_id": pk}, request.user),
            no_approval_line(),
        ],
        entered=entered,
    )
