"""Rankings of the official lists."""

from datetime import date

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ratings.engine.systems import System
from ratings.lists.forms.rankings import ImproversForm, RankingForm, ScholasticForm
from ratings.lists.months import months_before
from ratings.lists.queries.official import counted_days
from ratings.lists.queries.rankings import (
    BANDS,
    Difference,
    RankingFilter,
    active_since,
    age_date,
    gains_between,
    improvers,
    own_place,
    page_of_changes,
    ranking,
    states_on,
    whole_ranking,
)
from ratings.lists.tables import ChangeTable, MostActiveTable, RankingTable
from ratings.lists.views.classes import system_or_404
from ratings.models import OfficialList
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.files import csv_download

FIRST = 10
SCHOLASTIC_AGE = 18


@require_safe
def rankings(request: HttpRequest) -> HttpResponse:
    """Link to every ranking, and show the first ten in the Regular system."""
    newest = OfficialList.objects.first()
    if newest is None:
        return _no_list(request)
    ranking_filter = RankingFilter(
        System.OTBR, established=settings.TOP_LIST_ESTABLISHED, top=True
    )
    context = {
        "list": newest,
        "first": ranking(newest, ranking_filter, 1).lines[:FIRST],
        "system": System.OTBR,
        "systems": list(System),
        "bands": BANDS,
        "states": states_on(newest),
        "length": settings.TOP_LIST_LENGTH,
    }
    return render(request, "ratings/rankings/rankings.html", context)


@require_safe
def ranking_of(
    request: HttpRequest,
    system: str,
    *,
    top: bool = False,
    most_active: bool = False,
) -> HttpResponseBase:
    """Show a ranking of one system, with any of the filters."""
    chosen = system_or_404(system)
    lists = list(OfficialList.objects.effective())
    if not lists:
        return _no_list(request)
    form = RankingForm(request.GET, lists=lists)
    status = 200 if form.is_valid() else 422
    shown = _list(lists, form.cleaned_data.get("list"))
    ranking_filter = form.ranking_filter(
        chosen,
        established=top and settings.TOP_LIST_ESTABLISHED,
        top=top,
        most_active=most_active,
    )
    kind = MostActiveTable if most_active else RankingTable
    order = kind.sort_fields(request)
    found = ranking(shown, ranking_filter, request.GET.get("page"), order)
    player = getattr(request.user, "player", None)
    own = player.pk if player else None
    table = kind.of_page(request, found.page, found.lines, own=own)
    name = f"{'most-active' if most_active else 'ranking'}-{chosen.lower()}-{shown.key}"
    if status == 200 and (
        file := csv_download(
            request, table, name, whole_ranking(shown, ranking_filter, order)
        )
    ):
        return file
    context = {
        "list": shown,
        "table": table,
        "ages_on": age_date(shown.month),
        "active_since": active_since(shown.month),
        "counted_days": counted_days(shown.cut_off),
        "form": form,
        "ranking_filter": ranking_filter,
        "system": chosen,
        "systems": list(System),
        "ranking": found,
        "own": _own_place(request, shown, ranking_filter),
        "length": settings.TOP_LIST_LENGTH,
    }
    return render(request, "ratings/rankings/ranking.html", context, status=status)


@require_safe
def scholastic(request: HttpRequest, system: str) -> HttpResponse:
    """Show the first of each age group under 18 or younger, nationwide or in a state.

    They are the first rows of rankings that are public anyway, with the same ages: as
    of the first day of the list's quarter. Records have no grades.
    """
    chosen = system_or_404(system)
    lists = list(OfficialList.objects.effective())
    if not lists:
        return _no_list(request)
    form = ScholasticForm(request.GET, lists=lists)
    status = 200 if form.is_valid() else 422
    shown = _list(lists, form.cleaned_data.get("list"))
    state = form.cleaned_data.get("state", "")
    groups = [
        (band, ranking(shown, RankingFilter(chosen, state=state, band=band), 1).lines)
        for band in BANDS
        if band.below and band.below <= SCHOLASTIC_AGE
    ]
    context = {
        "list": shown,
        "ages_on": age_date(shown.month),
        "form": form,
        "state": state,
        "system": chosen,
        "systems": list(System),
        "groups": [(band, lines[:FIRST]) for band, lines in groups if lines],
    }
    return render(request, "ratings/rankings/scholastic.html", context, status=status)


@require_safe
def improvers_of(request: HttpRequest, system: str) -> HttpResponseBase:
    """Rank by the points gained between two lists."""
    chosen = system_or_404(system)
    lists = list(OfficialList.objects.effective())
    if not lists:
        return _no_list(request)
    form = ImproversForm(request.GET, lists=lists)
    status = 200 if form.is_valid() else 422
    later = _list(lists, form.cleaned_data.get("list"))
    earlier = _earlier(lists, later, form.cleaned_data.get("since"))
    table = None
    if earlier is not None:
        state = form.cleaned_data.get("state", "")
        rows = improvers(later, earlier, chosen, state=state)
        gains = gains_between(earlier, later, chosen, state=state, established=True)
        order = ChangeTable.sort_fields(request)
        number = request.GET.get("page")
        page = page_of_changes(rows, number, gains, Difference.UP, order)
        table = ChangeTable.of_page(request, page, earlier=earlier, later=later)
        name = f"gains-{chosen.lower()}-{earlier.key}-{later.key}"
        whole = rows.order_by(*order) if order else rows
        if status == 200 and (file := csv_download(request, table, name, whole)):
            return file
    context = {
        "form": form,
        "list": later,
        "earlier": earlier,
        "system": chosen,
        "systems": list(System),
        "table": table,
    }
    return render(request, "ratings/rankings/improvers.html", context, status=status)


def _own_place(
    request: HttpRequest, shown: OfficialList, ranking_filter: RankingFilter
) -> tuple[int, int] | None:
    """Return the user's own place, and its page if no others share the place."""
    player = getattr(request.user, "player", None)
    place = own_place(shown, ranking_filter, player) if player else None
    return None if place is None else (place, 1 + (place - 1) // ROWS_PER_PAGE)


def _list(lists: list[OfficialList], slug: str | None) -> OfficialList:
    """Return the list of that name, or the newest."""
    return next((one for one in lists if one.slug == slug), lists[0])


def _earlier(
    lists: list[OfficialList], later: OfficialList, slug: str | None
) -> OfficialList | None:
    """Return the requested list, else the newest of a year before, else the oldest."""
    earlier = [one for one in lists if one.month < later.month]
    chosen = next((one for one in earlier if one.slug == slug), None)
    if chosen is not None or not earlier:
        return chosen
    year_before: date = months_before(later.month, 12)
    return next((one for one in earlier if one.month <= year_before), earlier[-1])


def _no_list(request: HttpRequest) -> HttpResponse:
    return render(request, "ratings/rankings/none.html")
