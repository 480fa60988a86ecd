"""The public pages of the monthly comparison."""

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.laboratory.measures import MEASURES
from ratings.research.monthly.queries import (
    MONTHS_SHOWN,
    month_plot,
    monthly_comparisons,
    monthly_experiments,
    monthly_rows,
    months_plot,
)
from ratings.research.monthly.services import DUE_DAY
from ratings_site.common.web.files import csv_attachment


@require_safe
def standing(request: HttpRequest, month: date | None = None) -> HttpResponse:
    """Show the newest month, or the one in the URL."""
    found = monthly_experiments()
    if month is not None:
        found = found.filter(standing_month__lte=month)
    months = monthly_comparisons(found[:MONTHS_SHOWN])
    if month is not None and (not months or months[0].month != month):
        raise Http404(_("There is no comparison for this month."))
    context = {
        "is_newest": month is None,
        "shown": months[0] if months else None,
        "months": list(monthly_experiments().values_list("standing_month", flat=True)),
        "month_plot": month_plot(months[0]) if months else "",
        "months_plot": months_plot(months),
        "due_day": DUE_DAY,
    }
    return render(request, "ratings/laboratory/standing.html", context)


@require_safe
def monthly_csv(request: HttpRequest) -> HttpResponse:
    """Send all measures of all systems in all months."""
    headings = ["month", "system", "games", "predicted", *MEASURES]
    return csv_attachment([headings, *monthly_rows()], "standing.csv")
