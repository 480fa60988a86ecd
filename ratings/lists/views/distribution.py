"""How the ratings of a system are spread: a plot, a table, and a file."""

import csv
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
from ratings.lists.queries.distribution import (
    FEWEST,
    Distribution,
    distribution_of,
    rating_of,
)
from ratings.lists.queries.rankings import percent_of
from ratings.lists.queries.spreads import COLUMN, Column
from ratings_site.common.looks.charts.counts import Needle, histogram_chart


@require_safe
def distribution(request: HttpRequest, system: str = System.OTBR) -> HttpResponse:
    chosen = _system(system)
    form = DistributionForm(request.GET, states=states())
    status = 200 if form.is_valid() else 422
    asked = form.asked(chosen)
    found = distribution_of(asked)
    columns = list(found.spread.columns())
    own = _own_rating(request, chosen)
    context = {
        "system": chosen,
        "systems": list(System),
        "form": form,
        "asked": asked,
        "distribution": found,
        "spread": found.spread,
        "columns": columns,
        "chart": _chart(columns, found, own, chosen),
        "own": own,
        "own_percent": _percent_below(found, own),
        "fewest": FEWEST,
    }
    return render(request, "ratings/distribution.html", context, status=status)


@require_safe
def distribution_file(request: HttpRequest, system: str) -> HttpResponse:
    """Send what the plot shows as CSV; the address has the same filters."""
    chosen = _system(system)
    form = DistributionForm(request.GET, states=states())
    if not form.is_valid():
        raise Http404(
            _("There is no distribution of this kind. Choose one on the page.")
        )
    found = distribution_of(form.asked(chosen))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"distribution-{chosen.value.lower()}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    rows = csv.writer(response)
    rows.writerow(["from", "to", "members", "percent", "percent_below"])
    rows.writerows(_line(column) for column in found.spread.columns())
    return response


def _line(one: Column) -> Iterable[object]:
    shares = (f"{one.percent:.2f}", f"{one.percent_below:.2f}")
    return one.lowest, one.highest, one.people, *shares


def _chart(
    columns: list[Column], found: Distribution, own: int | None, system: System
) -> SafeString:
    spread = found.spread
    needles = [
        Needle(spread.lower_quartile, _("lower quarter")),
        Needle(spread.median, _("middle")),
        Needle(spread.upper_quartile, _("upper quarter")),
    ]
    if own is not None:
        needles.append(Needle(own, _("you"), is_own=True))
    svg = histogram_chart(
        [(one.lowest, one.people) for one in columns],
        width=COLUMN,
        needles=needles,
        title=_("Members by rating, {system}").format(system=gettext(system.label)),
    )
    return mark_safe(svg)  # noqa: S308 - the chart escapes its texts


def _own_rating(request: HttpRequest, system: System) -> int | None:
    player = getattr(request.user, "player", None)
    return rating_of(player, system) if player else None


def _percent_below(found: Distribution, own: int | None) -> int | None:
    if own is None or not found.spread.people:
        return None
    return percent_of(found.spread.lower_than(own), found.spread.people)


def _system(name: str) -> System:
    try:
        return System(name)
    except ValueError:
        raise Http404(_("There is no rating system of this name.")) from None
