"""Suggested FIDE IDs, and the office's decisions on them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.fide.forms import KnownLinkForm, LinkDecisionForm
from players.fide.pages import ACTS
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
from players.members.queries import by_member_id
from players.models import Player
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.effects import (
    Effect,
    of_nobody_else,
    what_happens_if_at_all,
)
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import (
    ListShown,
    act_page,
    list_keys,
    posted,
    several_page,
)
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import User

LIST = "players_office:links"


@for_staff(PERMISSION)
def links(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    known = KnownLinkForm(request.GET if "fide_id" in request.GET else None)
    if known.is_valid():
        said = known.cleaned_data
        return redirect(
            "players_office:link", said["member"].member_id, said["fide_id"]
        )
    members = Paginator(members_to_link(text), ROWS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "current": newest_list(),
        "text": text,
        "known": known,
        "page_obj": members,
        "suggestions": suggestions_for(members),
        "linked": linked_members(text) if text else (),
        "here": ListShown(request.GET, LIST),
        "extra_keys": list_keys(
            tick=_("Tick the row"),
            act=_("Link this one"),
            other=_("It is somebody else’s FIDE ID"),
            all_ticked=_("Link those ticked"),
        ),
    }
    return render(request, "players/office/links.html", context)


@for_staff(PERMISSION)
def several_links(request: HttpRequest) -> HttpResponse:
    """Link several members, or decline what was suggested for them."""
    return several_page(request, ACTS, ListShown.handed_on(request, LIST))


@for_staff(PERMISSION)
def link(request: HttpRequest, member_id: str, fide_id: int) -> HttpResponse:
    """Show a member beside a FIDE ID, and take the decision."""
    player = by_member_id(member_id)
    listed = fide_player(fide_id)
    if player is None or listed is None:
        raise Http404(_("There is no such member, or no such FIDE ID on the list."))

    def do(said: dict[str, str]) -> str:
        return _decide(request.user, player, fide_id, **said)

    def effects() -> list[Effect]:
        facts = {"player_id": player.pk, "fide_id": fide_id}
        foreseen = what_happens_if_at_all(LINK, facts, request.user)
        return [*foreseen, of_nobody_else()]

    return act_page(
        request,
        LinkDecisionForm(posted(request)),
        do,
        done=str,
        to=ListShown.handed_on(request, LIST).url,
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
            (LinkDecisionForm.ACCEPT, _("Link them"), "primary", "a"),
            (LinkDecisionForm.DECLINE, _("Somebody else"), "", "b"),
        ],
    )


def _decide(
    actor: User, player: Player, fide_id: int, *, decision: str, reason: str
) -> str:
    """Link the two or decline it, and say what was done."""
    accepts = decision == LinkDecisionForm.ACCEPT
    act = link_fide_id if accepts else decline_link
    act(player_id=player.pk, fide_id=fide_id, actor=actor, reason=reason)
    if accepts:
        said = _("{name} has the FIDE ID {fide_id} now.")
    else:
        said = _("FIDE ID {fide_id} will not be suggested for {name} again.")
    return said.format(name=player.name, fide_id=fide_id)


@for_staff(PERMISSION)
def unlink(request: HttpRequest, member_id: str) -> HttpResponse:
    """Ask for the reason and take a wrong FIDE ID away."""
    player = by_member_id(member_id)
    if player is None or not player.fide_id:
        raise Http404(_("No member with a FIDE ID has this member ID."))
    return act_page(
        request,
        ReasonForm(posted(request)),
        lambda said: unlink_fide_id(player_id=player.pk, actor=request.user, **said),
        done=_("FIDE ID {fide_id} is taken away from {name}.").format(
            fide_id=player.fide_id, name=player.name
        ),
        to=ListShown.handed_on(request, LIST).url,
        template="players/office/unlink.html",
        effects=lambda: [
            *what_happens_if_at_all(UNLINK, {"player_id": player.pk}, request.user),
            of_nobody_else(),
        ],
        player=player,
        fide=fide_player(int(player.fide_id)),
    )
