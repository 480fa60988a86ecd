"""Opt-ins to FIDE events abroad: the member's own page, and the office's."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from players.fide.forms import OptInForm, OptOutRequestForm
from players.fide.queries import opt_ins_of, search_opt_ins
from players.fide.services import opt_ins as services
from players.models import FideOptIn, Player
from ratings_site.common.accounts.permissions import (
    account_required,
    staff_permission_required,
)
from ratings_site.common.approvals.pages import ActionView, EditView
from ratings_site.common.ui.pagination import paginate


@account_required
class OwnOptIn(EditView[Player | None]):
    """Let members opt in, and request to opt out."""

    form_class = OptOutRequestForm
    template_name = "players/opt_in.html"
    context_object_name = "player"
    success_url = reverse_lazy("players:fide_opt_in")

    def get_object(self) -> Player | None:
        return getattr(self.request.user, "player", None)

    def unavailable_response(self) -> HttpResponse | None:
        return None if self.object else self.get(self.request)

    def do(self, data: dict[str, str]) -> str:
        player_id = self.object.pk if self.object else 0
        facts: dict[str, Any] = {"player_id": player_id, "actor": self.request.user}
        match self.request.POST.get("act"):
            case "out":
                services.ask_to_opt_out(**facts, wish=data["wish"])
                return _(
                    "Request sent. The Executive Director decides, and the office "
                    "will let you know."
                )
            case "in":
                services.opt_in(**facts)
                return _(
                    "You’ve opted in. This applies to events that start after today."
                )
        raise services.OptInRefused(_("Choose “Opt in” or “Ask to opt out.”"))

    def context(self) -> dict[str, Any]:
        opt_ins = list(opt_ins_of(self.object)) if self.object else []
        return {
            "open": next((one for one in opt_ins if one.opted_out_on is None), None),
            "ended": [one for one in opt_ins if one.opted_out_on is not None],
        }


@staff_permission_required("players.view_fideoptin")
class OptIns(EditView[None]):
    """List the opt-ins, opt-out requests first, and accept one sent by letter."""

    form_class = OptInForm
    template_name = "players/office/opt_ins.html"
    success_url = reverse_lazy("players_office:opt_ins")

    def do(self, data: dict[str, Any]) -> str:
        member = data["member"]
        services.opt_in(
            player_id=member.pk,
            actor=self.request.user,
            note=data["reason"],
            day=data["day"],
        )
        return _("{name} opted in.").format(name=member.name)

    def context(self) -> dict[str, Any]:
        text = self.request.GET.get("q", "").strip()
        only_asked = self.request.GET.get("show") == "asked"
        return {
            "text": text,
            "only_asked": only_asked,
            "page_obj": paginate(
                self.request, search_opt_ins(text, only_asked=only_asked)
            ),
            "may_enter": self.request.user.has_perm(services.ENTER),
            "may_approve": self.request.user.has_perm(services.APPROVE),
        }


@staff_permission_required(services.APPROVE)
class ApproveOptOut(ActionView[FideOptIn]):
    """Let the Executive Director approve an opt-out."""

    template_name = "players/office/opt_out.html"
    context_object_name = "wish"
    success_url = reverse_lazy("players_office:opt_ins")
    queryset = FideOptIn.objects.select_related("player", "entered_by")

    @property
    def already(self) -> str:
        sentence = _("{name} has already opted out.")
        return sentence.format(name=self.object.player.name)

    def unavailable_response(self) -> HttpResponse | None:
        if self.object.opted_out_on is None or self.request.method == "POST":
            return None
        messages.warning(self.request, self.already)
        return redirect(self.get_success_url())

    def do(self, data: dict[str, Any]) -> str:
        player = self.object.player
        if self.object.opted_out_on is not None:
            raise services.OptInRefused(self.already)
        services.opt_out(player_id=player.pk, actor=self.request.user, **data)
        return _("{name} opted out.").format(name=player.name)
