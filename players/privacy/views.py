"""The office's pages of private members."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.access import get_member_or_404
from players.members.queries import same_person
from players.models import Player
from players.privacy.forms import PrivacyForm
from players.privacy.queries import decided_privacy_requests, open_privacy_requests
from players.privacy.services import PERMISSION, decide_privacy, decline_privacy
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
def privacy_requests(request: SignedInRequest) -> HttpResponse:
    """List open and decided privacy requests."""
    context = {
        "waiting": open_privacy_requests(),
        "page_obj": paginate(request, decided_privacy_requests()),
    }
    return render(request, "players/office/privacy_requests.html", context)


@staff_permission_required(PERMISSION)
class DecidePrivacy(ActionView[Player]):
    form_class = PrivacyForm
    template_name = "players/office/privacy.html"
    context_object_name = "player"
    success_url = reverse_lazy("players_office:privacy_requests")
    success_message = gettext_lazy("Decision saved.")

    def get_object(self) -> Player:
        return get_member_or_404(self.kwargs["member_id"])

    def do(self, data: dict[str, Any]) -> Player:
        who: Any = {"player_id": self.object.pk, "actor": self.request.user}
        if data["decision"] == PrivacyForm.DECLINE:
            return decline_privacy(**who, reason=data["reason"])
        make_private = data["decision"] == PrivacyForm.HIDE
        return decide_privacy(**who, make_private=make_private, reason=data["reason"])

    def context(self) -> dict[str, Any]:
        asked = open_privacy_requests().filter(same_person([self.object.pk])).first()
        choices = [
            (PrivacyForm.SHOW, _("Show the name"), "primary", "a")
            if self.object.is_private
            else (PrivacyForm.HIDE, _("Hide the name"), "primary", "a")
        ]
        if asked is not None:
            choices.append((PrivacyForm.DECLINE, _("Decline"), "", "d"))
        return {"asked": asked, "choices": choices}
