"""A member's ratings and their history."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from players.models.player import member_id_is_eight_digits
from ratings.access import StartReader
from ratings.engine.systems import System
from ratings.queries.foreign import open_opt_in
from ratings.queries.profile import player_with_memberships, profile_of
from ratings.queries.rankings import ranks_of
from ratings.queries.rerates import revisions_of

REVISIONS_SHOWN = 10


@require_safe
def profile(request: HttpRequest, member_id: str) -> HttpResponse:
    player = None
    if member_id_is_eight_digits.regex.fullmatch(member_id):
        player = player_with_memberships(member_id)
    if player is None:
        raise Http404("No member has this ID.")
    if player.merged_into is not None:
        return redirect(player.merged_into)
    system = system_asked_for(request)
    reader = StartReader(request.user)
    shown = profile_of(player, system, request.GET.get("page"), reader)
    official_list, places = ranks_of(player)
    sees_opt_in = reader.is_office or reader.own_pk == player.pk
    context = {
        "sees_opt_in": sees_opt_in,
        "opt_in": open_opt_in(player) if sees_opt_in else None,
        "is_own": reader.own_pk == player.pk,
        "profile": shown,
        "official_list": official_list,
        "places": places,
        "revisions": revisions_of(player)[:REVISIONS_SHOWN],
        "player": player,
        "system": system,
        "with_decimals": request.GET.get("decimals") == "1",
    }
    return render(request, "ratings/profile.html", context)


def system_asked_for(request: HttpRequest) -> System | None:
    """Return the system the address names, None for all and for nonsense."""
    try:
        return System(request.GET.get("system", ""))
    except ValueError:
        return None
