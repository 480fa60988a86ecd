"""Rankings of the official lists."""

from datetime import date

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.engine.systems import System
from ratings.lists.forms.rankings import ImproversForm, RankingForm
from ratings.lists.months import months_before
from ratings.lists.queries.rankings import (
    BANDS,
    Difference,
    Wanted,
    counted_on,
    improvers,
    moves_between,
    own_place,
    ranking,
    states_on,
    turned_to,
)
from ratings.models import OfficialList
from ratings_site.common.looks.paging import ROWS_ON_A_PAGE

FIRST = 10


@require_safe
def rankings(request: HttpRequest) -> HttpResponse:
    """Lead to every ranking, and show the first ten in the regular system."""
    newest = OfficialList.objects.first()
    if newest is None:
        return _no_list(request)
    wanted = Wanted(System.OTBR, established=settings.TOP_LIST_ESTABLISHED, top=True)
    context = {
        "list": newest,
        "first": ranking(newest, wanted, 1).lines[:FIRST],
        "system": System.OTBR,
        "systems": list(System),
        "bands": BANDS,
        "states": states_on(newest),
        "length": settings.TOP_LIST_LENGTH,
    }
    return render(request, "ratings/rankings/rankings.html", context)


@require_safe
def ranking_of(request: HttpRequest, system: str, *, top: bool = False) -> HttpResponse:
    """Rank one system, with everybody or the first hundred, by any of the filters."""
    chosen = _system(system)
    lists = list(OfficialList.objects.all())
    if not lists:
        return _no_list(request)
    form = RankingForm(request.GET, lists=lists)
    status = 200 if form.is_valid() else 422
    shown = _list(lists, form.cleaned_data.get("list"))
    wanted = form.wanted(
        chosen, established=top and settings.TOP_LIST_ESTABLISHED, top=top
    )
    context = {
        "list": shown,
        "ages_on": counted_on(shown.month),
        "form": form,
        "wanted": wanted,
        "system": chosen,
        "systems": list(System),
        "ranking": ranking(shown, wanted, request.GET.get("page")),
        "own": _own_place(request, shown, wanted),
        "length": settings.TOP_LIST_LENGTH,
    }
    return render(request, "ratings/rankings/ranking.html", context, status=status)


@require_safe
def improvers_of(request: HttpRequest, system: str) -> HttpResponse:
    """Rank by the points gained between two lists."""
    chosen = _system(system)
    lists = list(OfficialList.objects.all())
    if not lists:
        return _no_list(request)
    form = ImproversForm(request.GET, lists=lists)
    status = 200 if form.is_valid() else 422
    later = _list(lists, form.cleaned_data.get("list"))
    earlier = _earlier(lists, later, form.cleaned_data.get("since"))
    page = None
    if earlier is not None:
        state = form.cleaned_data.get("state", "")
        rows = improvers(later, earlier, chosen, state=state)
        moves = moves_between(earlier, later, chosen, state=state, established=True)
        page = turned_to(rows, request.GET.get("page"), moves, Difference.UP)
    context = {
        "form": form,
        "list": later,
        "earlier": earlier,
        "system": chosen,
        "systems": list(System),
        "page": page,
    }
    return render(request, "ratings/rankings/improvers.html", context, status=status)


def _own_place(
    request: HttpRequest, shown: OfficialList, wanted: Wanted
) -> tuple[int, int] | None:
    """Return the reader's own place, and the page it is on if no others share it."""
    player = getattr(request.user, "player", None)
    place = own_place(shown, wanted, player) if player else None
    return None if place is None else (place, 1 + (place - 1) // ROWS_ON_A_PAGE)


def _list(lists: list[OfficialList], slug: str | None) -> OfficialList:
    """Return the list of that name, or the newest."""
    return next((one for one in lists if one.slug == slug), lists[0])


def _earlier(
    lists: list[OfficialList], later: OfficialList, slug: str | None
) -> OfficialList | None:
    """Return the list asked for, else the newest of a year before, else the oldest."""
    earlier = [one for one in lists if one.month < later.month]
    chosen = next((one for one in earlier if one.slug == slug), None)
    if chosen is not None or not earlier:
        return chosen
    year_before: date = months_before(later.month, 12)
    return next((one for one in earlier if one.month <= year_before), earlier[-1])


def _system(name: str) -> System:
    try:
        return System(name)
    except ValueError:
        raise Http404(_("There is no rating system of this name.")) from None


def _no_list(request: HttpRequest) -> HttpResponse:
    return render(request, "ratings/rankings/none.html")
