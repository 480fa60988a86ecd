"""The match calculator: possible rating changes before a match is played."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.models import Player
from ratings.decisions.matches.forms import MatchForm
from ratings.decisions.matches.services import MatchForecast, forecast_match
from ratings.engine.systems import System


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Show the possible gains and losses of two members, named by the query string."""
    is_asked = any(request.GET.get(name) for name in ("one", "other"))
    today = timezone.localdate()
    form = MatchForm(request.GET) if is_asked else MatchForm(initial={"day": today})
    outlook = _forecast(form) if is_asked and form.is_valid() else None
    context = {"form": form, "outlook": outlook}
    status = 422 if is_asked and form.errors else 200
    return render(
        request, "ratings/decisions/matches/matches.html", context, status=status
    )


def _forecast(form: MatchForm) -> MatchForecast | None:
    cleaned = form.cleaned_data
    named = {name: cleaned[name] for name in ("one", "other")}
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
        form.add_error("other", _("Both IDs belong to the same member."))
        return None
    return forecast_match(
        first,
        second,
        system=System(cleaned["system"]),
        day=cleaned["day"],
        games=cleaned["games"],
    )
