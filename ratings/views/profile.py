"""A member's ratings and their history."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from players.models.player import member_id_is_eight_digits
from ratings.access import StartReader
from ratings.engine.systems import System
from ratings.queries.profile import player_with_memberships, profile_of


@require_safe
def profile(request: HttpRequest, member_id: str) -> HttpResponse:
    player = None
    if member_id_is_eight_digits.regex.fullmatch(member_id):
        player = player_with_memberships(member_id)
    if player is None:
        raise Http404("No member has this ID.")
    system = system_asked_for(request)
    reader = StartReader(request.user)
    shown = profile_of(player, system, request.GET.get("page"), reader)
    context = {
        "profile": shown,
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
