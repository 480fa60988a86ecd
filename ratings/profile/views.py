"""A member's ratings and their history, and two members against each other."""

from enum import StrEnum
from typing import TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.access import member_or_404
from players.fide.queries import FideValue, fide_rating_on, open_opt_in
from players.members.queries import find_players
from players.models import Player
from ratings.access import RatingReader
from ratings.engine.systems import System
from ratings.profile.queries.chart import ChartWish, Kind, Span
from ratings.profile.queries.head_to_head import head_to_head, opponents_of
from ratings.profile.queries.profile import (
    played_by,
    player_with_memberships,
    profile_of,
)

REVISIONS_SHOWN = 10

Choice = TypeVar("Choice", bound=StrEnum)


@require_safe
def profile(request: HttpRequest, member_id: str) -> HttpResponse:
    player = player_with_memberships(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    if player.merged_into is not None:
        return redirect(player.merged_into)
    system = system_asked_for(request)
    reader = RatingReader(request.user)
    page = request.GET.get("page")
    shown = profile_of(player, system, page, reader, wish=chart_wish(request))
    sees_opt_in = reader.is_office or reader.own_pk == player.pk
    context = {
        "sees_opt_in": sees_opt_in,
        "opt_in": open_opt_in(player) if sees_opt_in else None,
        "is_own": reader.own_pk == player.pk,
        "profile": shown,
        "revisions": shown.revisions[:REVISIONS_SHOWN],
        "fide": fide_standing(player),
        "player": player,
        "system": system,
        "with_decimals": shown.can_have_decimals and request.GET.get("decimals") == "1",
    }
    return render(request, "ratings/profile.html", context)


@require_safe
def results(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show a member's games in figures: by opponent, color and year."""
    player = member_or_404(member_id)
    if player.member_id != member_id:
        return redirect("ratings:results", player.member_id)
    played = played_by(player, system_asked_for(request))
    context = {
        "player": player,
        "rated": played.rated,
        "results": played.results,
        "percentile": played.percentile,
    }
    return render(request, "ratings/profile_results.html", context)


def system_asked_for(request: HttpRequest) -> System | None:
    """Return the system the address names, None for all and for nonsense."""
    try:
        return System(request.GET.get("system", ""))
    except ValueError:
        return None


def chart_wish(request: HttpRequest) -> ChartWish:
    """Return what the address wants on the chart; nonsense shows everything."""
    shown = request.GET.getlist("show")
    return ChartWish(
        systems=tuple(system for system in System if system.value in shown),
        span=_one_of(Span, request.GET.get("range"), Span.ALL),
        kind=_one_of(Kind, request.GET.get("ratings"), Kind.BOTH),
        has_table=request.GET.get("table") == "1",
    )


def _one_of(choices: type[Choice], value: str | None, otherwise: Choice) -> Choice:
    return next((one for one in choices if one.value == value), otherwise)


def fide_standing(player: Player) -> FideValue | None:
    """Return what FIDE's list in force says of the member, if it says anything."""
    number = player.fide_number
    if number is None:
        return None
    standing = fide_rating_on(number, timezone.localdate())
    return standing if standing is not None and standing.rating else None


MOST_FOUND = 20


@require_safe
def choose(request: HttpRequest, member_id: str) -> HttpResponse:
    """Find somebody to compare with; a text that means one member leads there."""
    player = member_or_404(member_id)
    text = request.GET.get("q", "").strip()
    found = find_players(text).exclude(pk=player.pk).exclude(merged_into=player.pk)
    shown = list(found[: MOST_FOUND + 1])
    if len(shown) == 1:
        return redirect("ratings:head_to_head", player.member_id, shown[0].member_id)
    context = {
        "player": player,
        "text": text,
        "found": shown[:MOST_FOUND],
        "has_more": len(shown) > MOST_FOUND,
        "opponents": [] if text else opponents_of(player),
    }
    return render(request, "ratings/head_to_head_choose.html", context)


@require_safe
def between(request: HttpRequest, member_id: str, other_id: str) -> HttpResponse:
    """Show the games of two members."""
    player, other = member_or_404(member_id), member_or_404(other_id)
    if player == other:
        raise Http404(_("Nobody plays against themselves."))
    if (player.member_id, other.member_id) != (member_id, other_id):
        return redirect("ratings:head_to_head", player.member_id, other.member_id)
    context = {
        "player": player,
        "other": other,
        "met": head_to_head(player, other, request.GET.get("page")),
    }
    return render(request, "ratings/head_to_head.html", context)
