"""Public pages of affiliates and tournament directors."""

from django.db.models import Q
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import td_records
from events.affiliates.queries import reporting_rules
from events.calendar.queries.registrations import planned
from events.certification.queries import can_see_record
from events.models import Affiliate, Official
from events.public.filters import AffiliateFilter
from events.public.queries import (
    a_year_before,
    affiliate_figures,
    affiliates,
    club_players,
    events_by_day,
    events_directed_by,
    td_figures,
)
from events.public.tables import AffiliateTable, EventTable
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import csv_download

# Rows of each list of players.
FIRST = 10


@require_safe
def affiliate_list(request: HttpRequest) -> HttpResponseBase:
    """Find affiliates by name, ID or state."""
    wanted = AffiliateFilter(request.GET, queryset=affiliates(timezone.localdate()))
    table = AffiliateTable(wanted.qs)
    if file := csv_download(request, table, "affiliates"):
        return file
    sort_and_paginate(request, table)
    status = 422 if wanted.form.errors else 200
    context = {"form": wanted.form, "table": table}
    return render(request, "events/affiliate_list.html", context, status=status)


@require_safe
def affiliate(request: HttpRequest, affiliate_id: str) -> HttpResponseBase:
    """Show an affiliate's upcoming and rated events."""
    found = _affiliate(affiliate_id)
    table = EventTable(events_by_day().filter(affiliate=found))
    if file := csv_download(request, table, f"events-{found.affiliate_id}"):
        return file
    sort_and_paginate(request, table)
    today = timezone.localdate()
    most_active, top_players = club_players(found, a_year_before(today), FIRST)
    context = {
        "affiliate": found,
        "most_active": most_active,
        "top_players": top_players,
        "rules": reporting_rules(request.user, found),
        "figures": affiliate_figures(found),
        "table": table,
        "upcoming": planned(today).filter(affiliate=found),
    }
    return render(request, "events/affiliate.html", context)


@require_safe
def director(request: HttpRequest, member_id: str) -> HttpResponseBase:
    """Show a TD's level and events, without private data."""
    found = _official(member_id)
    today = timezone.localdate()
    table = EventTable(events_directed_by(found))
    if file := csv_download(request, table, f"events-{member_id}"):
        return file
    sort_and_paginate(request, table)
    context = {
        "official": found,
        "is_certified": found.is_certified_on(today),
        "figures": td_figures(found),
        "table": table,
        "upcoming": planned(today).filter(
            Q(chief=found.player.canonical)
            | Q(chief__merged_into=found.player.canonical)
        ),
        "can_see_record": can_see_record(request.user, found),
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
    found = td_records(member_id=member_id).first()
    if found is None:
        raise Http404(_("There is no TD with this member ID."))
    return found
