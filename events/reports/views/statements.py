"""Monthly statements of rating fees: one affiliate's, or all for the office."""

from datetime import date
from itertools import groupby

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from events.access import charges_or_404, reporter_required
from events.models import FeeCharge
from events.records.services.fees import total_of
from ratings_site.common.web.files import csv_attachment, escape_formula
from ratings_site.common.web.requests import SignedInRequest

COLUMNS = ("charged_on", "affiliate_id", "affiliate", "event_id", "event", "ended",
           "section", "cause", "charged_per", "quantity", "rate", "amount",
           "currency")  # fmt: skip


@reporter_required
def statement(
    request: SignedInRequest, month: date, affiliate_id: str = "", is_csv: bool = False
) -> HttpResponse:
    """Show the charges of a month, by affiliate."""
    charges = charges_or_404(request.user, affiliate_id)
    lines = list(
        charges.filter(day__year=month.year, day__month=month.month)
        .select_related("affiliate", "event", "section")
        .order_by("affiliate__name", "affiliate_id", "day", "pk")
    )
    if is_csv:
        rows = [COLUMNS, *map(_csv_row, lines)]
        return csv_attachment(rows, f"fees-{affiliate_id or 'all'}-{month:%Y-%m}.csv")
    by_affiliate = groupby(lines, key=lambda line: line.affiliate)
    statements = [(affiliate, list(own)) for affiliate, own in by_affiliate]
    context = {
        "affiliate_id": affiliate_id,
        "month": month,
        "months": charges.order_by().dates("day", "month", order="DESC")[:24],
        "statements": [(one, own, total_of(own)) for one, own in statements],
        "total": total_of(lines),
    }
    return render(request, "events/reports/statement.html", context)


def _csv_row(line: FeeCharge) -> list[object]:
    section = line.section.number if line.section else ""
    event, affiliate = line.event, line.affiliate
    return [
        *(line.day, affiliate.affiliate_id, escape_formula(affiliate.name)),
        *(event.event_id, escape_formula(event.name), event.ends, section),
        *(line.cause, line.basis, line.quantity, line.rate, line.amount),
        settings.RATING_FEE_CURRENCY,
    ]
