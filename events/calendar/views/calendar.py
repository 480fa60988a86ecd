"""The calendar by month, and as a feed for other programs."""

import re
from datetime import date

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from events.calendar.ics import calendar
from events.calendar.queries.calendar import feed, month, span
from ratings_site.common.ui.fields import StateField
from ratings_site.common.web.files import attachment

MONTH = re.compile(r"(19|2\d)\d\d-(0[1-9]|1[0-2])", re.ASCII)


class StateForm(forms.Form):
    state = StateField(label=gettext_lazy("State"), required=False)


@require_safe
def this_month(request: HttpRequest) -> HttpResponse:
    return _page(request, timezone.localdate().replace(day=1))


@require_safe
def one_month(request: HttpRequest, month: str) -> HttpResponse:
    if not MONTH.fullmatch(month):
        raise Http404(_("Enter a month such as 2026-11."))
    return _page(request, date.fromisoformat(f"{month}-01"))


def _page(request: HttpRequest, first: date) -> HttpResponse:
    form = StateForm(request.GET)
    status = 200 if form.is_valid() else 422
    today = timezone.localdate()
    state = form.cleaned_data.get("state", "")
    earliest, latest = span(today)
    shown = month(first, today, state=state)
    context = {
        "form": form,
        "state": state,
        "month": shown,
        "this_month": today.replace(day=1),
        # No links beyond the first and last month with events.
        "before": _next_to(first, -1) if first > earliest else None,
        "after": _next_to(first, 1) if first < latest else None,
        "feed_url": _feed_url(request, state),
    }
    return render(request, "events/calendar.html", context, status=status)


def _feed_url(request: HttpRequest, state: str) -> str:
    """Return the address that calendar programs subscribe to."""
    query = f"?state={state}" if state else ""
    return f"webcal://{request.get_host()}{reverse('events:calendar_feed')}{query}"


def _next_to(first: date, months: int) -> date:
    number = first.year * 12 + first.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


@require_safe
def calendar_feed(request: HttpRequest) -> HttpResponse:
    """Send the registered events as a calendar file, optionally of one state."""
    form = StateForm(request.GET)
    state = form.cleaned_data.get("state", "") if form.is_valid() else ""
    name = (
        _("Chess events in {state}").format(state=state) if state else _("Chess events")
    )
    events = feed(timezone.localdate(), state=state)
    return ics_response(calendar(name, events), "events.calendar.ics")


def ics_response(text: str, name: str) -> HttpResponse:
    return attachment(text, name, "text/calendar; charset=utf-8")
