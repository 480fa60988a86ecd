"""The page on which a member enters a guardian's address."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

from players.guardians.forms import GuardianForm
from players.guardians.services import set_guardian_email
from players.models import Guardian, Player
from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.pages import EditView


@account_required
class GuardianAddress(EditView[Player | None]):
    """Show whether an address is on record, and accept one if there is none.

    The address itself is not shown: the user of a child's account need not see it.
    """

    form_class = GuardianForm
    template_name = "players/guardian.html"
    context_object_name = "player"
    success_message = gettext_lazy("Saved. We’ll send notices to this address.")
    success_url = reverse_lazy("players:guardian")
    error_field = "email"

    def get_object(self) -> Player | None:
        return getattr(self.request.user, "player", None)

    def unavailable_response(self) -> HttpResponse | None:
        return None if self.object else self.get(self.request)

    def do(self, data: dict[str, Any]) -> object:
        player_id = self.object.pk if self.object else 0
        return set_guardian_email(player_id=player_id, actor=self.request.user, **data)

    def context(self) -> dict[str, Any]:
        guardians = Guardian.objects.filter(player=self.object)
        return {"is_known": self.object is not None and guardians.exists()}
