"""A member's titles, and the classes reached."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from players.access import get_member_or_404
from ratings.decisions.floors.queries.titles import member_titles


@require_safe
def titles(request: HttpRequest, member_id: str) -> HttpResponse:
    player = get_member_or_404(member_id)
    context = {
        "player": player,
        "titles": member_titles(player),
        "for_life": settings.NORM_TITLES_FOR_LIFE,
    }
    return render(request, "ratings/titles.html", context)
