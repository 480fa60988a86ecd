"""A member's ratings, history and results, and the games of two members."""

from contextlib import suppress
from datetime import date

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.access import get_member_or_404
from players.fide.queries import fide_rating_on, open_opt_in
from players.members.queries import find_players
from players.models import FideRating, Player
from players.sharing.queries import follow_state
from ratings.access import RatingViewer
from ratings.engine.systems import System
from ratings.pages.profile.queries.chart import ChartOptions, Kind, Span
from ratings.pages.profile.queries.chart_of_two import chart_of_two
from ratings.pages.profile.queries.head_to_head import head_to_head, opponents_of
from ratings.pages.profile.queries.profile import (
    player_results,
    player_with_memberships,
    profile_of,
    whole_history,
)
from ratings.pages.profile.rows import history_rows
from ratings_site.common.web.files import csv_attachment
from ratings_site.common.web.requests import choice_or

REVISIONS_SHOWN = 10


@require_safe
def profile(request: HttpRequest, member_id: str) -> HttpResponse:
    player = player_with_memberships(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    if player.merged_into is not None:
        return redirect(player.merged_into)
    system = requested_system(request)
    reader = RatingViewer(request.user)
    page = request.GET.get("page")
    shown = profile_of(player, system, page, reader, options=chart_options(request))
    sees_opt_in = reader.is_office or reader.own_pk == player.pk
    context = {
        "sees_opt_in": sees_opt_in,
        "opt_in": open_opt_in(player) if sees_opt_in else None,
        "is_own": reader.own_pk == player.pk,
        "follow_state": follow_state(player, request.user),
        "profile": shown,
        "revisions": shown.revisions[:REVISIONS_SHOWN],
        "fide": fide_standing(player),
        "player": player,
        "system": system,
        "with_decimals": shown.can_have_decimals and request.GET.get("decimals") == "1",
    }
    return render(request, "ratings/profile.html", context)


@require_safe
def history_csv(request: HttpRequest, member_id: str) -> HttpResponse:
    """Send the history as CSV, exact for those who may see it so."""
    player = get_member_or_404(member_id)
    system = requested_system(request)
    lines = whole_history(player, system, RatingViewer(request.user))
    rows = history_rows(lines, settings.SITE_URL)
    return csv_attachment(rows, f"history-{player.member_id}.csv")


@require_safe
def results(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show a member's results by opponent, color and year."""
    player = get_member_or_404(member_id)
    if player.member_id != member_id:
        return redirect("ratings:results", player.member_id)
    played = player_results(player, requested_system(request))
    context = {"player": player, **played}
    return render(request, "ratings/profile_results.html", context)


def requested_system(request: HttpRequest) -> System | None:
    """Return the system of the URL, None for all or if invalid."""
    return choice_or(System, request.GET.get("system"), None)


def chart_options(request: HttpRequest) -> ChartOptions:
    """Return the chart options of the URL, with defaults for invalid values."""
    shown = request.GET.getlist("show")
    return ChartOptions(
        systems=tuple(system for system in System if system.value in shown),
        span=choice_or(Span, request.GET.get("range"), Span.ALL),
        kind=choice_or(Kind, request.GET.get("ratings"), Kind.LIVE),
        has_table=request.GET.get("table") == "1",
        window=_window(request.GET.get("range", "")),
    )


def _window(text: str) -> tuple[date, date] | None:
    """Return the days of a range such as 2025-01-01_2025-06-30, None for others."""
    first, _separator, last = text.partition("_")
    with suppress(ValueError):
        window = date.fromisoformat(first), date.fromisoformat(last)
        return window if window[0] < window[1] else None
    return None


def fide_standing(player: Player) -> FideRating | None:
    """Return the member's ratings on FIDE's list in force, if any.

    They would find a private member in the list.
    """
    number = player.fide_number
    if number is None or player.is_name_hidden:
        return None
    standing = fide_rating_on(number, timezone.localdate())
    return standing if standing is not None and standing.rating else None


MAX_FOUND = 20


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Find two members to compare; redirect if both texts match one member each."""
    texts = [request.GET.get(name, "").strip() for name in ("first", "second")]
    found = [list(find_players(text)[: MAX_FOUND + 1]) for text in texts]
    chosen = [one[0].member_id if len(one) == 1 else "" for one in found]
    if all(chosen) and chosen[0] != chosen[1]:
        return redirect("ratings:head_to_head", *chosen)
    context = {
        "first": texts[0],
        "second": texts[1],
        "is_same": all(chosen),
        "sides": [
            {
                "name": name,
                "other": other,
                # The value of the other field: the resolved ID, or the input.
                "kept": chosen[1 - place] or texts[1 - place],
                "text": texts[place],
                "players": found[place][:MAX_FOUND],
                "has_more": len(found[place]) > MAX_FOUND,
            }
            for place, (name, other) in enumerate(
                (("first", "second"), ("second", "first"))
            )
            if texts[place] and not chosen[place]
        ],
    }
    return render(request, "ratings/compare.html", context)


@require_safe
def choose_opponent(request: HttpRequest, member_id: str) -> HttpResponse:
    """Find a member to compare with; redirect if the text matches one member."""
    player = get_member_or_404(member_id)
    text = request.GET.get("q", "").strip()
    found = find_players(text).exclude(pk=player.pk).exclude(merged_into=player.pk)
    shown = list(found[: MAX_FOUND + 1])
    if len(shown) == 1:
        return redirect("ratings:head_to_head", player.member_id, shown[0].member_id)
    context = {
        "player": player,
        "text": text,
        "found": shown[:MAX_FOUND],
        "has_more": len(shown) > MAX_FOUND,
        "opponents": [] if text else opponents_of(player),
    }
    return render(request, "ratings/head_to_head_choose.html", context)


@require_safe
def head_to_head_page(
    request: HttpRequest, member_id: str, other_id: str
) -> HttpResponse:
    """Show the games of two members."""
    player, other = get_member_or_404(member_id), get_member_or_404(other_id)
    if player == other:
        raise Http404(_("Choose two different players."))
    if (player.member_id, other.member_id) != (member_id, other_id):
        return redirect("ratings:head_to_head", player.member_id, other.member_id)
    context = {
        "player": player,
        "other": other,
        "met": head_to_head(player, other, request.GET.get("page")),
        "both": chart_of_two(player, other, requested_system(request)),
    }
    return render(request, "ratings/head_to_head.html", context)
