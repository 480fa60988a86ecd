"""Suggested FIDE IDs, and the office's decisions on them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.fide.forms import KnownLinkForm, LinkDecisionForm
from players.fide.pages import ACTIONS
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
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.approvals.pages import (
    ListState,
    action_page,
    bulk_action_page,
    list_shortcuts,
    post_data,
)
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    preview_or_refusal,
)
from ratings_site.common.models import User
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest

LIST = "players_office:links"


@staff_permission_required(PERMISSION)
def links(request: SignedInRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    known = KnownLinkForm(request.GET if "fide_id" in request.GET else None)
    if known.is_valid():
        data = known.cleaned_data
        return redirect(
            "players_office:link", data["member"].member_id, data["fide_id"]
        )
    members = Paginator(members_to_link(text), ROWS_PER_PAGE).get_page(
        request.GET.get("page")
    )
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
    return bulk_action_page(request, ACTIONS, ListState.from_request(request, LIST))


@staff_permission_required(PERMISSION)
def link(request: SignedInRequest, member_id: str, fide_id: int) -> HttpResponse:
    """Show a member next to a FIDE ID, and accept the decision."""
    player = get_member(member_id)
    listed = fide_player(fide_id)
    if player is None or listed is None:
        raise Http404(_("This member doesn’t exist, or the FIDE ID isn’t on the list."))

    def do(data: dict[str, str]) -> str:
        return _decide(request.user, player, fide_id, **data)

    def effects() -> list[PreviewLine]:
        facts = {"player_id": player.pk, "fide_id": fide_id}
        foreseen = preview_or_refusal(LINK, facts, request.user)
        return [*foreseen, no_approval_line()]

    return action_page(
        request,
        LinkDecisionForm(post_data(request)),
        do,
        done=str,
        to=ListState.from_request(request, LIST).url,
        template="players/office/link.html",
        effects=effects,
        player=player,
        fide=listed,
        history=fide_history(fide_id)[:12],
        suggestion=next(
            (one for one in suggestions_for([player]) if one.fide.fide_id == fide_id),
            None,
        ),
        choices=[
            (LinkDecisionForm.ACCEPT, _("Link"), "primary", "a"),
            (LinkDecisionForm.DECLINE, _("Not a match"), "", "b"),
        ],
    )


def _decide(
    actor: User, player: Player, fide_id: int, *, decision: str, reason: str
) -> str:
    """Link or decline, and return the success message."""
    accepts = decision == LinkDecisionForm.ACCEPT
    act = link_fide_id if accepts else decline_link
    act(player_id=player.pk, fide_id=fide_id, actor=actor, reason=reason)
    if accepts:
        message = _("{name} is now linked to FIDE ID {fide_id}.")
    else:
        message = _("FIDE ID {fide_id} won’t be suggested for {name} again.")
    return message.format(name=player.name, fide_id=fide_id)


@staff_permission_required(PERMISSION)
def unlink(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Remove a wrong FIDE ID, with a reason."""
    player = get_member(member_id)
    if player is None or not player.fide_id:
        raise Http404(_("No member with this ID has a FIDE ID."))
    return action_page(
        request,
        ReasonForm(post_data(request)),
        lambda data: unlink_fide_id(player_id=player.pk, actor=request.user, **data),
        done=_("FIDE ID {fide_id} removed from {name}.").format(
            fide_id=player.fide_id, name=player.name
        ),
        to=ListState.from_request(request, LIST).url,
        template="players/office/unlink.html",
        effects=lambda: [
            *preview_or_refusal(UNLINK, {"player_id": player.pk}, request.user),
            no_approval_line(),
        ],
        player=player,
        fide=fide_player(int(player.fide_id)),
    )
