"""The member search, and the page of a member's status."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet, prefetch_related_objects
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.members.forms import StatusForm
from players.members.queries import (
    find_players,
    get_member,
    membership_label,
    states,
    status_history,
    suggest_players,
)
from players.members.rating_history import MAIN_SYSTEM, rating_history
from players.members.services import PERMISSION, change_status
from players.members.tables import FoundPlayer, PlayerTable
from players.models import Player
from ratings_site.common.accounts.permissions import staff_permission_required
from ratings_site.common.approvals.pages import ActionView
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.files import csv_download, groups
from ratings_site.common.web.partials import is_partial_request

ROWS = 50
ROWS_AT_ONCE = 500
# Members in the CSV file of a reader who is not signed in.
MAX_ANONYMOUS_ROWS = 1_000
STATE = re.compile(r"[A-Z]{2}")


@require_safe
def search(request: HttpRequest) -> HttpResponseBase:
    """Show the members that match a text; only the results for htmx requests.

    If there is no match, show suggestions with typos corrected.
    """
    text = request.GET.get("q", "").strip()
    state = request.GET.get("state", "")
    if not STATE.fullmatch(state):
        state = ""
    found = find_players(text, state)
    if order := PlayerTable.sort_fields(request):
        found = found.order_by(*order)
    limit = None if request.user.is_authenticated else MAX_ANONYMOUS_ROWS
    rows = _all_rows(found[:limit])
    if file := csv_download(request, PlayerTable(()), "players", rows):
        return file
    page = paginate(request, found, ROWS)
    shown = list(page) or suggest_players(text, state)
    table = PlayerTable.of_page(request, page, _with_ratings(shown))
    if not request.user.is_staff:
        table.columns.hide("record")
    context = {
        "text": text,
        "state": state,
        # Lazy: htmx requests, one for each letter typed, need no list of states.
        "states": states,
        "is_asked": bool(text or state),
        "page_obj": page,
        "table": table,
        "file_limit": limit,
    }
    template = "results.html" if is_partial_request(request) else "search.html"
    return render(request, f"players/{template}", context)


def _all_rows(found: QuerySet[Player]) -> Iterator[FoundPlayer]:
    """Yield the rows of all found players, with three queries for each 500."""
    for group in groups(found.iterator(chunk_size=ROWS_AT_ONCE), ROWS_AT_ONCE):
        yield from _with_ratings(group)


def _with_ratings(players: Sequence[Player]) -> list[FoundPlayer]:
    """Return the rows of players, with ratings and memberships of all at once."""
    ratings = rating_history().public_ratings([player.pk for player in players])
    prefetch_related_objects(players, "memberships")
    return [_found_player(player, ratings[player.pk]) for player in players]


def _found_player(player: Player, ratings: Mapping[str, float]) -> FoundPlayer:
    return FoundPlayer(player, membership_label(player), ratings.get(MAIN_SYSTEM))


@staff_permission_required(PERMISSION)
class ChangeStatus(ActionView[Player]):
    form_class = StatusForm
    template_name = "players/office/status.html"
    context_object_name = "player"

    def get_object(self) -> Player:
        player = get_member(self.kwargs["member_id"])
        if player is None:
            raise Http404(_("No member has this ID."))
        return player

    def get_initial(self) -> dict[str, Any]:
        return {"status": self.object.status}

    def do(self, data: dict[str, str]) -> str:
        change_status(player_id=self.object.pk, actor=self.request.user, **data)
        return _("Status of {name} changed.").format(name=self.object.name)

    def context(self) -> dict[str, Any]:
        return {"history": status_history(self.object)}
