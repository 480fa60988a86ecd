"""CFC ratings, which staff enter with their dates."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from players.external.forms import CfcForm
from players.external.services import (
    ENTER,
    PERMISSION,
    TAKE_BACK,
    enter_rating,
    take_rating_back,
)
from players.members.queries import external_ratings
from players.members.services import CANADA
from players.models import ExternalRating
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.effects import (
    Effect,
    of_nobody_else,
    what_happens,
    what_happens_if_at_all,
)
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE

CFC = ExternalRating.Body.CFC


@for_staff(PERMISSION)
def cfc(request: HttpRequest) -> HttpResponse:
    """Show the ratings entered so far, and take another one."""
    text = request.GET.get("q", "").strip()
    rows = external_ratings(CFC, text)

    def look(said: dict[str, Any]) -> list[Effect]:
        facts = _facts_of(said) | {"list_date": said["list_date"].isoformat()}
        return [*what_happens(ENTER, facts, request.user), of_nobody_else()]

    def do(said: dict[str, Any]) -> ExternalRating:
        facts = _facts_of(said)
        return enter_rating(**facts, actor=request.user, reason=said["reason"])

    return act_page(
        request,
        CfcForm(posted(request)),
        do,
        done=_said_of,
        to=reverse("players_office:cfc"),
        template="players/office/cfc.html",
        look=look,
        text=text,
        page_obj=Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page")),
        canada=CANADA,
    )


def _facts_of(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "player_id": said["member"].pk,
        "body": CFC,
        "rating": said["rating"],
        "games": said["games"],
        "list_date": said["list_date"],
    }


def _said_of(entered: ExternalRating) -> str:
    player = entered.player
    sentence = _("CFC {said} of {name} is entered.")
    if player.residence != CANADA:
        sentence = _(
            "CFC {said} of {name} is entered. {name} lives in {residence}, by our "
            "records: the rating counts only for those who live in Canada."
        )
    return sentence.format(
        said=entered.rating, name=player.name, residence=player.residence
    )


@for_staff(PERMISSION)
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take away a rating that was entered for the wrong member, body or day."""
    rows = ExternalRating.objects.filter(fide_list=None).select_related("player")
    entered = get_object_or_404(rows, pk=pk)
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda said: take_rating_back(entered_id=pk, actor=request.user, **said),
        done=_("The rating is taken back."),
        to=reverse("players_office:cfc"),
        template="players/office/take_rating_back.html",
        effects=lambda: [
            *what_happens_if_at_all(TAKE_BACK, {"entered_id": pk}, request.user),
            of_nobody_else(),
        ],
        entered=entered,
    )
