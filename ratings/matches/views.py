"""What a match may do to two ratings, before it is played."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.models import Player
from ratings.engine.systems import System
from ratings.matches.forms import MatchForm
from ratings.matches.services import Outlook, match_outlook


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Tell two members what they may still win or lose; the address names them."""
    is_asked = any(request.GET.get(name) for name in ("one", "other"))
    today = timezone.localdate()
    form = MatchForm(request.GET) if is_asked else MatchForm(initial={"day": today})
    outlook = _outlook(form) if is_asked and form.is_valid() else None
    context = {"form": form, "outlook": outlook}
    status = 422 if is_asked and form.errors else 200
    return render(request, "ratings/matches/matches.html", context, status=status)


def _outlook(form: MatchForm) -> Outlook | None:
    said = form.cleaned_data
    named = {name: said[name] for name in ("one", "other")}
    players = {
        player.member_id: player.canonical
        for player in Player.objects.filter(
            member_id__in=named.values()
        ).select_related("merged_into")
    }
    for name, member_id in named.items():
        if member_id not in players:
            form.add_error(name, _("No member has this ID."))
    if form.errors:
        return None
    first, second = (players[member_id] for member_id in named.values())
    if first == second:
        form.add_error("other", _("Both numbers belong to the same member."))
        return None
    return match_outlook(
        first,
        second,
        system=System(said["system"]),
        day=said["day"],
        games=said["games"],
    )
