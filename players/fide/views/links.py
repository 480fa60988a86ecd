"""Suggested FIDE IDs, and the office's decisions on them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

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
    PERMISSION,
    LinkRefused,
    decline_link,
    link_fide_id,
    unlink_fide_id,
)
from players.members.queries import by_member_id
from players.models import Player
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.acts.pages import ListShown, list_keys, several_page
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE

LIST = "players_office:links"


@for_staff(PERMISSION)
def links(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    members = Paginator(members_to_link(text), ROWS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "current": newest_list(),
        "text": text,
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
    form = ReasonForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _decide(request, form, player, fide_id):
            return redirect(ListShown.handed_on(request, LIST).url)
    context = {
        "player": player,
        "fide": listed,
        "history": fide_history(fide_id)[:12],
        "suggestion": next(
            (one for one in suggestions_for([player]) if one.fide.fide_id == fide_id),
            None,
        ),
        "form": form,
        "shown": ListShown.handed_on(request, LIST),
    }
    return render(request, "players/office/link.html", context, status=status)


def _decide(
    request: HttpRequest, form: ReasonForm, player: Player, fide_id: int
) -> bool:
    decision = request.POST.get("decision")
    if decision not in ("accept", "decline"):
        form.add_error(None, _("Press one of the two buttons."))
        return False
    accepts = decision == "accept"
    act = link_fide_id if accepts else decline_link
    try:
        act(
            player_id=player.pk,
            fide_id=fide_id,
            actor=request.user,
            reason=form.cleaned_data["reason"],
        )
    except LinkRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    if accepts:
        said = _("{name} has the FIDE ID {fide_id} now.").format(
            name=player.name, fide_id=fide_id
        )
    else:
        said = _("FIDE ID {fide_id} will not be suggested for {name} again.").format(
            fide_id=fide_id, name=player.name
        )
    messages.success(request, said)
    return True


@for_staff(PERMISSION)
def unlink(request: HttpRequest, member_id: str) -> HttpResponse:
    """Ask for the reason and take a wrong FIDE ID away."""
    player = by_member_id(member_id)
    if player is None or not player.fide_id:
        raise Http404(_("No member with a FIDE ID has this member ID."))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and _take_away(request, form, player):
            return redirect("players_office:links")
    context = {
        "player": player,
        "fide": fide_player(int(player.fide_id)),
        "form": form,
    }
    return render(request, "players/office/unlink.html", context, status=status)


def _take_away(request: HttpRequest, form: ReasonForm, player: Player) -> bool:
    try:
        unlink_fide_id(
            player_id=player.pk,
            actor=request.user,
            reason=form.cleaned_data["reason"],
        )
    except LinkRefused as refusal:
        form.add_error(None, str(refusal))
        return False
    said = _("FIDE ID {fide_id} is taken away from {name}.").format(
        fide_id=player.fide_id, name=player.name
    )
    messages.success(request, said)
    return True
