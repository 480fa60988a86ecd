"""The search for members, and the status of one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.members.careers import careers
from players.members.forms import StatusForm
from players.members.queries import (
    by_member_id,
    find_players,
    meant_instead,
    membership_of,
    states,
    status_history,
)
from players.members.services import PERMISSION, change_status
from players.models import Player
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.pages import act_page, posted
from ratings_site.common.web.parts import wants_part

ROWS = 50
MOST_SUGGESTED = 8
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
def search(request: HttpRequest) -> HttpResponse:
    """Show the members that a text finds; only the results when htmx asks.

    Where it finds nobody, those that it may mean with a slip of the fingers.
    """
    text = request.GET.get("q", "").strip()
    state = request.GET.get("state", "")
    if not STATE.fullmatch(state):
        state = ""
    found = find_players(text, state)
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    shown = list(page) or meant_instead(text, state)
    context = {
        "text": text,
        "state": state,
        # Lazy: the results alone need no list of states, and come with each letter.
        "states": states,
        "is_asked": bool(text or state),
        "page_obj": page,
        "rows": _with_ratings(shown),
    }
    template = "results.html" if wants_part(request) else "search.html"
    return render(request, f"players/{template}", context)


@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    """List the likeliest members for the field in the masthead, as one types."""
    text = request.GET.get("q", "").strip()
    found = list(find_players(text)[:MOST_SUGGESTED])
    shown = found or meant_instead(text)
    context = {"text": text, "is_found": bool(found), "rows": _with_ratings(shown)}
    return render(request, "players/suggestions.html", context)


def _with_ratings(players: Sequence[Player]) -> list[FoundPlayer]:
    """Return rows of players, for all of them at once."""
    ratings = careers().ratings_shown([player.pk for player in players])
    prefetch_related_objects(players, "memberships")
    return [_found(player, ratings[player.pk]) for player in players]


def _found(player: Player, ratings: Mapping[str, float]) -> FoundPlayer:
    return FoundPlayer(player, membership_of(player), ratings.get(MAIN_SYSTEM))


@for_staff(PERMISSION)
def status(request: HttpRequest, member_id: str) -> HttpResponse:
    player = by_member_id(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    return act_page(
        request,
        StatusForm(posted(request), initial={"status": player.status}),
        lambda said: change_status(player_id=player.pk, actor=request.user, **said),
        done=_("The status of {name} is changed.").format(name=player.name),
        to=player.get_absolute_url(),
        template="players/office/status.html",
        player=player,
        history=status_history(player),
    )
