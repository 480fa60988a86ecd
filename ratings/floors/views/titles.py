"""A member's titles, and the classes reached."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from players.access import member_or_404
from ratings.floors.queries.titles import titles_of


@require_safe
def titles(request: HttpRequest, member_id: str) -> HttpResponse:
    player = member_or_404(member_id)
    context = {"player": player, "titles": titles_of(player)}
    return render(request, "ratings/titles.html", context)
