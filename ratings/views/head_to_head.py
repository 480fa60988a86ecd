"""Two members beside each other: whom to compare with, and their games."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.members.queries import find_players
from ratings.queries.head_to_head import head_to_head, opponents_of
from ratings.views.floors import member_or_404

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
