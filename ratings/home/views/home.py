from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ratings.engine.systems import System
from ratings.home.queries.home import home_page
from ratings.home.queries.my_chess import my_chess
from ratings.lists.queries.classes import ClassCount
from ratings_site.common.ui.charts.distributions import Bar, distribution_chart


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if request.GET.get("q"):
        return redirect(f"{reverse('ratings:search')}?{request.GET.urlencode()}")
    page = home_page(timezone.localdate())
    return render(
        request,
        "ratings/home.html",
        {
            "page": page,
            "chart": _chart(page.counted.classes) if page.counted.members else "",
            "mine": my_chess(request.user) if request.user.is_authenticated else None,
            "site": settings.SITE_URL,
        },
    )


def _chart(classes: list[ClassCount]) -> str:
    bars = [Bar(_(one.name), one.members, _url(one)) for one in classes]
    svg = distribution_chart(bars, title=_("Members by class, Regular ratings"))
    return mark_safe(svg)  # noqa: S308 - drawn from our own words and numbers


def _url(one: ClassCount) -> str:
    return reverse("ratings:class_members", args=[System.OTBR, one.slug])
