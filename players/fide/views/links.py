"""Suggested FIDE IDs, and the office's decisions on them."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.fide.forms import KnownLinkForm, LinkDecisionForm
from players.fide.pages import LIST
from players.fide.queries import (
    fide_history,
    fide_player,
    linked_members,
    members_to_link,
    newest_list,
    suggestions_for,
)
from players.fide.services.links import (
    LINK,
    PERMISSION,
    UNLINK,
    decline_link,
    link_fide_id,
    unlink_fide_id,
)
from players.members.queries import get_member
from players.models import Player
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import (
    ActionView,
    ListState,
    bulk_action_page,
    list_shortcuts,
)
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@staff_permission_required(PERMISSION)
def links(request: SignedInRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    known = KnownLinkForm(
        request.GET if "fide_id" in request.GET else None,
        initial={"member": request.GET.get("member", "")},
    )
    if known.is_valid():
        data = known.cleaned_data
        return redirect(
            "players_office:link", data["member"].member_id, data["fide_id"]
        )
    members = paginate(request, members_to_link(text))
    context = {
        "current": newest_list(),
        "text": text,
        "known": known,
        "page_obj": members,
        "suggestions": suggestions_for(members),
        "linked": linked_members(text) if text else (),
        "here": ListState(request.GET, LIST),
        "extra_keys": list_shortcuts(
            tick=_("Select the row"),
            act=_("Link"),
            other=_("Not a match"),
            all_ticked=_("Link selected"),
        ),
    }
    return render(request, "players/office/links.html", context)


@staff_permission_required(PERMISSION)
def several_links(request: SignedInRequest) -> HttpResponse:
    """Link several members, or decline their suggestions."""
    return bulk_action_page(request, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
class LinkAction(ActionView[Player]):
    """An action on the FIDE ID of a member."""

    context_object_name = "player"

    def get_success_url(self) -> str:
        return ListState.from_request(self.request, LIST).url


class Link(LinkAction):
    """Show a member next to a FIDE ID, and accept the decision."""

    form_class = LinkDecisionForm
    template_name = "players/office/link.html"
    refusable_decision = LinkDecisionForm.ACCEPT

    def get_object(self) -> Player:
        player = get_member(self.kwargs["member_id"])
        self.listed = fide_player(self.kwargs["fide_id"])
        if player is None or self.listed is None:
            raise Http404(
                _("This member doesn’t exist, or the FIDE ID isn’t on the list.")
            )
        return player

    @property
    def facts(self) -> dict[str, Any]:
        return {"player_id": self.object.pk, "fide_id": self.kwargs["fide_id"]}

    def do(self, data: dict[str, str]) -> str:
        """Link or decline, and return the success message."""
        accepts = data["decision"] == LinkDecisionForm.ACCEPT
        act = link_fide_id if accepts else decline_link
        act(**self.facts, actor=self.request.user, reason=data["reason"])
        if accepts:
            message = _("{name} is now linked to FIDE ID {fide_id}.")
        else:
            message = _("FIDE ID {fide_id} won’t be suggested for {name} again.")
        return message.format(name=self.object.name, fide_id=self.facts["fide_id"])

    def effects(self) -> list[PreviewLine]:
        return self.preview_lines(LINK, self.facts)

    def context(self) -> dict[str, Any]:
        fide_id, suggestions = self.facts["fide_id"], suggestions_for([self.object])
        return {
            "fide": self.listed,
            "history": fide_history(fide_id)[:12],
            "suggestion": next(
                (one for one in suggestions if one.fide.fide_id == fide_id), None
            ),
            "choices": [
                (LinkDecisionForm.ACCEPT, _("Link"), "primary", "a"),
                (LinkDecisionForm.DECLINE, _("Not a match"), "", "b"),
            ],
        }


class Unlink(LinkAction):
    """Remove a wrong FIDE ID, with a reason."""

    template_name = "players/office/unlink.html"

    def get_object(self) -> Player:
        player = get_member(self.kwargs["member_id"])
        if player is None or not player.fide_id:
            raise Http404(_("No member with this ID has a FIDE ID."))
        return player

    def do(self, data: dict[str, str]) -> str:
        player = self.object
        message = _("FIDE ID {fide_id} removed from {name}.").format(
            fide_id=player.fide_id, name=player.name
        )
        unlink_fide_id(player_id=player.pk, actor=self.request.user, **data)
        return message

    def effects(self) -> list[PreviewLine]:
        return self.preview_lines(UNLINK, {"player_id": self.object.pk})

    def context(self) -> dict[str, Any]:
        return {"fide": fide_player(int(self.object.fide_id or 0))}
