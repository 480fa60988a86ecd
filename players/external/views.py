"""CFC ratings, entered by staff with their dates."""

from typing import Any

from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
from ratings_site.common.approvals.pages import ActionView, PreviewedActionView
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.ui.pagination import paginate

CFC = ExternalRating.Body.CFC


@staff_permission_required(PERMISSION)
class CfcRatings(PreviewedActionView[None]):
    """List the ratings entered so far, and accept a new one."""

    form_class = CfcForm
    template_name = "players/office/cfc.html"
    success_url = reverse_lazy("players_office:cfc")

    def form_preview(self, data: dict[str, Any]) -> list[PreviewLine]:
        facts = _rating_facts(data) | {"list_date": data["list_date"].isoformat()}
        return self.preview_lines(ENTER, facts)

    def do(self, data: dict[str, Any]) -> str:
        entered = enter_rating(
            **_rating_facts(data), actor=self.request.user, reason=data["reason"]
        )
        player = entered.player
        sentence = _("CFC {said} added for {name}.")
        if player.residence != CANADA:
            sentence = _(
                "CFC {said} added for {name}. Our records show residence {residence}, "
                "and CFC ratings are used only for members who live in Canada."
            )
        return sentence.format(
            said=entered.rating, name=player.name, residence=player.residence
        )

    def context(self) -> dict[str, Any]:
        text = self.request.GET.get("q", "").strip()
        page = paginate(self.request, external_ratings(CFC, text))
        return {"text": text, "page_obj": page, "canada": CANADA}


def _rating_facts(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "player_id": data["member"].pk,
        "body": CFC,
        "rating": data["rating"],
        "games": data["games"],
        "list_date": data["list_date"],
    }


@staff_permission_required(PERMISSION)
class RemoveRating(ActionView[ExternalRating]):
    """Remove a rating that was entered for the wrong member, federation or day."""

    template_name = "players/office/take_rating_back.html"
    context_object_name = "entered"
    success_message = gettext_lazy("Rating removed.")
    success_url = reverse_lazy("players_office:cfc")
    queryset = ExternalRating.objects.filter(fide_list=None).select_related("player")

    def do(self, data: dict[str, str]) -> object:
        return remove_rating(entered_id=self.object.pk, actor=self.request.user, **data)

    def effects(self) -> list[PreviewLine]:
        return self.preview_lines(TAKE_BACK, {"entered_id": self.object.pk})
