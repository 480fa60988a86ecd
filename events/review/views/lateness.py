"""Lateness of reports."""

from datetime import date, timedelta

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from events.review.queries.lateness import by_affiliate, by_sender, distribution
from events.review.tables import LatenessTable
from ratings_site.common.audit.forms import day_field
from ratings_site.common.ui.charts.distributions import distribution_chart
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.requests import SignedInRequest

A_YEAR = timedelta(days=365)
BY_AFFILIATE, BY_TD = "affiliate", "td"


class PeriodForm(forms.Form):
    """The period in which events ended; the last year by default."""

    since = day_field(gettext_lazy("Ended on or after"))
    until = day_field(gettext_lazy("Ended on or before"))
    by = forms.ChoiceField(
        label=gettext_lazy("Group by"),
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


@office_required
def lateness(request: SignedInRequest) -> HttpResponse:
    """Show the lateness of reports, by affiliate and by sender."""
    form = PeriodForm(request.GET)
    status = 200 if form.is_valid() else 422
    since, until = form.period(timezone.localdate())
    by_td = form.cleaned_data.get("by") == BY_TD
    rows = by_sender(since, until) if by_td else by_affiliate(since, until)
    table = LatenessTable(rows, who=_("Sent by") if by_td else _("Affiliate"))
    sort_and_paginate(request, table)
    bars = distribution(since, until)
    chart = distribution_chart(bars, title=_("Reports by days late"))
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
    return render(request, "events/review/lateness.html", context, status=status)
