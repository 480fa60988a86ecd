"""How late reports come, for the office."""

from datetime import date, timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import for_office
from events.office.queries.lateness import by_affiliate, by_sender, distribution
from events.office.tables import LatenessTable
from ratings_site.common.audit.forms import day_field
from ratings_site.common.looks.charts.counts import distribution_chart
from ratings_site.common.looks.paging import sort_and_turn

A_YEAR = timedelta(days=365)
BY_AFFILIATE, BY_TD = "affiliate", "td"


class PeriodForm(forms.Form):
    """Events that ended in these days; the last year if nothing is said."""

    since = day_field(gettext_lazy("Ended from"))
    until = day_field(gettext_lazy("Ended until"))
    by = forms.ChoiceField(
        label=gettext_lazy("Listed by"),
        required=False,
        choices=(
            (BY_AFFILIATE, gettext_lazy("affiliate")),
            (BY_TD, gettext_lazy("TD")),
        ),
    )

    def period(self, today: date) -> tuple[date, date]:
        said = self.cleaned_data
        until = said.get("until") or today
        return said.get("since") or until - A_YEAR, until


@for_office
def lateness(request: HttpRequest) -> HttpResponse:
    """Measure reports by how late they came, by affiliate and by who sent them."""
    form = PeriodForm(request.GET)
    status = 200 if form.is_valid() else 422
    since, until = form.period(timezone.localdate())
    by_td = form.cleaned_data.get("by") == BY_TD
    rows = by_sender(since, until) if by_td else by_affiliate(since, until)
    table = LatenessTable(rows, who=_("Sent by") if by_td else _("Affiliate"))
    sort_and_turn(request, table)
    bars = distribution(since, until)
    chart = distribution_chart(bars, title=_("Reports by how late they came"))
    context = {
        "form": form,
        "since": since,
        "until": until,
        "number": sum(bar.count for bar in bars),
        "bars": bars,
        "chart": mark_safe(chart),  # noqa: S308 - drawn by our own charts
        "table": table,
        "by_td": by_td,
    }
    return render(request, "events/office/lateness.html", context, status=status)
