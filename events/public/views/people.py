"""Public pages of affiliates and tournament directors."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.calendar.queries.registrations import planned
from events.models import Affiliate, Official
from events.public.queries import (
    affiliate_figures,
    events_by_day,
    events_directed_by,
    td_figures,
)
from events.public.tables import EventTable
from ratings_site.common.ui.pagination import sort_and_paginate, unknown_sort


@require_safe
def affiliate(request: HttpRequest, affiliate_id: str) -> HttpResponse:
    """Show an affiliate's upcoming and rated events."""
    found = _affiliate(affiliate_id)
    table = EventTable(events_by_day().filter(affiliate=found))
    sort_and_paginate(request, table)
    context = {
        "affiliate": found,
        "figures": affiliate_figures(found),
        "table": table,
        "unknown_sort": unknown_sort(request, table),
        "upcoming": planned(timezone.localdate()).filter(affiliate=found),
    }
    return render(request, "events/affiliate.html", context)


@require_safe
def director(request: HttpRequest, member_id: str) -> HttpResponse:
    """Show a TD's level and events, without private data."""
    found = _official(member_id)
    today = timezone.localdate()
    table = EventTable(events_directed_by(found))
    sort_and_paginate(request, table)
    context = {
        "official": found,
        "is_certified": found.is_certified_on(today),
        "figures": td_figures(found),
        "table": table,
        "unknown_sort": unknown_sort(request, table),
        "upcoming": planned(today).filter(chief=found.player),
    }
    return render(request, "events/director.html", context)


def _affiliate(affiliate_id: str) -> Affiliate:
    found = None
    if affiliate_id.isprintable():
        found = Affiliate.objects.filter(affiliate_id=affiliate_id).first()
    if found is None:
        raise Http404(_("There is no affiliate with this ID."))
    return found


def _official(member_id: str) -> Official:
    officials = Official.objects.select_related("player")
    found = officials.filter(player__member_id=member_id).first()
    if found is None:
        raise Http404(_("There is no TD with this member ID."))
    return found
