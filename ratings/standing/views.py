"""The standing comparison, for everybody to read."""

import csv
from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.laboratory.measures import MEASURES
from ratings.standing.queries import (
    MONTHS_SHOWN,
    month_plot,
    months_plot,
    standing_experiments,
    standing_months,
    standing_rows,
)
from ratings.standing.services import DUE_DAY


@require_safe
def standing(request: HttpRequest, month: date | None = None) -> HttpResponse:
    """Show the newest month, or the one that the address names."""
    found = standing_experiments()
    if month is not None:
        found = found.filter(standing_month__lte=month)
    months = standing_months(found[:MONTHS_SHOWN])
    if month is not None and (not months or months[0].month != month):
        raise Http404(_("There is no standing comparison of this month."))
    context = {
        "is_newest": month is None,
        "shown": months[0] if months else None,
        "months": list(standing_experiments().values_list("standing_month", flat=True)),
        "month_plot": month_plot(months[0]) if months else "",
        "months_plot": months_plot(months),
        "due_day": DUE_DAY,
    }
    return render(request, "ratings/laboratory/standing.html", context)


@require_safe
def standing_csv(request: HttpRequest) -> HttpResponse:
    """Send all measures of all systems in all months."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="standing.csv"'
    rows = csv.writer(response)
    rows.writerow(["month", "system", "games", "predicted", *MEASURES])
    rows.writerows(standing_rows())
    return response
