"""The rating distribution of a system as a plot, a table, and a file."""

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.members.queries import states
from ratings.engine.systems import System
from ratings.lists.forms.rankings import DistributionForm
from ratings.lists.queries.histograms import (
    BIN_WIDTH,
    MIN_GROUP_SIZE,
    HistogramBin,
    RatingCounts,
    distribution_of,
    rating_of,
)
from ratings.lists.queries.rankings import percent_of
from ratings.lists.views.classes import system_or_404
from ratings_site.common.ui.charts.distributions import Marker, histogram_chart
from ratings_site.common.web.files import csv_attachment


@require_safe
def distribution(request: HttpRequest, system: str = System.OTBR) -> HttpResponse:
    chosen = system_or_404(system)
    form = DistributionForm(request.GET, states=states())
    status = 200 if form.is_valid() else 422
    rating_filter = form.rating_filter(chosen)
    found = distribution_of(rating_filter)
    columns = list(found.histogram.columns())
    own = _own_rating(request, chosen)
    context = {
        "system": chosen,
        "systems": list(System),
        "form": form,
        "rating_filter": rating_filter,
        "distribution": found,
        "histogram": found.histogram,
        "columns": columns,
        "chart": _chart(columns, found, own, chosen),
        "own": own,
        "own_percent": _percent_below(found, own),
        "fewest": MIN_GROUP_SIZE,
    }
    return render(request, "ratings/distribution.html", context, status=status)


@require_safe
def distribution_file(request: HttpRequest, system: str) -> HttpResponse:
    """Send the data of the plot as CSV, with the same filters."""
    chosen = system_or_404(system)
    form = DistributionForm(request.GET, states=states())
    if not form.is_valid():
        raise Http404(_("There is no such distribution. Choose one on the page."))
    found = distribution_of(form.rating_filter(chosen))
    headings = ["from", "to", "members", "percent", "percent_below"]
    lines = [_line(column) for column in found.histogram.columns()]
    return csv_attachment([headings, *lines], f"distribution-{chosen.lower()}.csv")


def _line(one: HistogramBin) -> Iterable[object]:
    shares = (f"{one.percent:.2f}", f"{one.percent_below:.2f}")
    return one.lowest, one.highest, one.people, *shares


def _chart(
    columns: list[HistogramBin], found: RatingCounts, own: int | None, system: System
) -> SafeString:
    histogram = found.histogram
    markers = [
        Marker(histogram.lower_quartile, _("lower quartile")),
        Marker(histogram.median, _("median")),
        Marker(histogram.upper_quartile, _("upper quartile")),
    ]
    if own is not None:
        markers.append(Marker(own, _("you"), is_own=True))
    svg = histogram_chart(
        [(one.lowest, one.people) for one in columns],
        width=BIN_WIDTH,
        markers=markers,
        title=_("Members by rating, {system}").format(system=gettext(system.label)),
    )
    return mark_safe(svg)  # noqa: S308 - the chart escapes its texts


def _own_rating(request: HttpRequest, system: System) -> int | None:
    player = getattr(request.user, "player", None)
    return rating_of(player, system) if player else None


def _percent_below(found: RatingCounts, own: int | None) -> int | None:
    if own is None or not found.histogram.people:
        return None
    return percent_of(found.histogram.count_below(own), found.histogram.people)
