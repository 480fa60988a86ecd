"""The search for members."""

import re
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from players.models import Player
from players.queries.members import find_players, membership_of, states
from ratings_site.common.web.parts import wants_part

ROWS = 50
STATE = re.compile(r"[A-Z]{2}")
# The system whose rating stands beside a name.
MAIN_SYSTEM = "OTBR"


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A row of the results: nothing in it tells a member's age."""

    player: Player
    membership: str
    rating: float | None


@require_safe
@vary_on_headers("HX-Request")
def search(request: HttpRequest) -> HttpResponse:
    """Show the members that a text finds; only the results when htmx asks."""
    text = request.GET.get("q", "").strip()
    state = request.GET.get("state", "")
    if not STATE.fullmatch(state):
        state = ""
    found = find_players(text, state).prefetch_related("memberships", "ratings")
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context = {
        "text": text,
        "state": state,
        # Lazy: the results alone need no list of states, and come with each letter.
        "states": states,
        "is_asked": bool(text or state),
        "page_obj": page,
        "rows": [_found(player) for player in page],
    }
    template = "results.html" if wants_part(request) else "search.html"
    return render(request, f"players/{template}", context)


def _found(player: Player) -> FoundPlayer:
    ratings = {row.system: row.rating for row in player.ratings.all()}
    return FoundPlayer(player, membership_of(player), ratings.get(MAIN_SYSTEM))
