"""The rating classes with their numbers of members, and the members of each."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from ratings.engine.systems import System
from ratings.lists.queries.classes import class_by_slug, class_members, counts
from ratings.lists.queries.histograms import RatingsCounted
from ratings.lists.tables import ClassMemberTable
from ratings_site.common.ui.charts.distributions import Bar, distribution_chart
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import csv_download
from ratings_site.common.web.requests import choice_or


@require_safe
def classes(request: HttpRequest, system: str = System.OTBR) -> HttpResponse:
    chosen = system_or_404(system)
    standing = _standing(request)
    counted = counts(chosen, standing)
    lines = [(one, _members_url(chosen, one.slug, standing)) for one in counted.classes]
    chart = distribution_chart(
        [Bar(gettext(one.name), one.members, url) for one, url in lines],
        title=gettext("Members by class, {label}").format(label=gettext(chosen.label)),
    )
    context = {
        "system": chosen,
        "systems": list(System),
        "standing": standing,
        "standings": list(RatingsCounted),
        "lines": lines,
        "total": counted.members,
        "counted_at": counted.counted_at,
        "chart": mark_safe(chart),  # noqa: S308 - the chart escapes its texts
    }
    return render(request, "ratings/classes.html", context)


@require_safe
def members(request: HttpRequest, system: str, slug: str) -> HttpResponseBase:
    chosen = system_or_404(system)
    rating_class = class_by_slug(slug)
    if rating_class is None:
        raise Http404(gettext("There is no class with this name."))
    standing = _standing(request)
    found = class_members(rating_class, chosen, standing)
    table = ClassMemberTable(found.rated)
    if file := csv_download(request, table, f"{slug}-{chosen.lower()}"):
        return file
    sort_and_paginate(request, table, total=found.total)
    context = {
        "system": chosen,
        "rating_class": rating_class,
        "standing": standing,
        "standings": list(RatingsCounted),
        "counted_at": found.counted_at,
        "has_about": any(row.record.age_start is not None for row in table.page),
        "table": table,
    }
    return render(request, "ratings/class_members.html", context)


def system_or_404(name: str) -> System:
    try:
        return System(name)
    except ValueError:
        raise Http404(gettext("There is no rating system with this name.")) from None


def _standing(request: HttpRequest) -> RatingsCounted:
    return choice_or(RatingsCounted, request.GET.get("standing"), RatingsCounted.ALL)


def _members_url(system: System, slug: str, standing: RatingsCounted) -> str:
    url = reverse("ratings:class_members", args=[system, slug])
    return f"{url}?{urlencode({'standing': standing})}" if standing else url
