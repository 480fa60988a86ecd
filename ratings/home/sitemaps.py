"""The sitemap: an index, and pages of 1,000 URLs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django.contrib.sitemaps import Sitemap
from django.core.paginator import Page, Paginator
from django.db.models import Max, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe

from events.models import Event, Section
from players.models import Player
from ratings.laboratory.registry import SYSTEMS
from ratings.models import OfficialList

ADDRESSES_ON_A_PAGE = 1_000


class _Sitemap(Sitemap):  # type: ignore[type-arg]
    limit = ADDRESSES_ON_A_PAGE


class _PrimaryKeyPaginator(Paginator):  # type: ignore[type-arg]
    """Split rows into pages by ranges of the primary key.

    No COUNT and no OFFSET: the last page takes no longer than the first. A page may
    have fewer rows than the limit.
    """

    object_list: QuerySet[Any]

    @cached_property
    def numbers(self) -> range:
        ends = self.object_list.aggregate(first=Min("pk"), last=Max("pk"))
        return range(ends["first"] or 0, (ends["last"] or -1) + 1)

    @cached_property
    def count(self) -> int:
        return len(self.numbers)

    def page(self, number: int | str) -> Page[Any]:
        number = self.validate_number(number)
        first = self.numbers.start + (number - 1) * self.per_page
        rows = self.object_list.filter(pk__gte=first, pk__lt=first + self.per_page)
        return Page(rows, number, self)


class _RowSitemap(_Sitemap):
    @property
    def paginator(self) -> _PrimaryKeyPaginator:
        return _PrimaryKeyPaginator(cast("QuerySet[Any]", self.items()), self.limit)


class Pages(_Sitemap):
    NAMES = (
        "home",
        "help",
        "players:search",
        "events:list",
        "ratings:lists",
        "ratings:rankings",
        "ratings:classes",
        "ratings:estimate",
        "ratings:matches",
        "ratings:compare",
        "ratings:foreign_list",
        "ratings:rerates",
        "ratings:open_data",
        "ratings:laboratory",
        "ratings:how_ratings_work",
        "ratings:chronology",
        "ratings:scales",
        "ratings:standing",
    )

    def items(self) -> Iterable[str]:
        return self.NAMES

    def location(self, item: str) -> str:
        return reverse(item)


class Laboratory(_Sitemap):
    def items(self) -> list[str]:
        return sorted(SYSTEMS)

    def location(self, item: str) -> str:
        return reverse("ratings:laboratory_system", args=[item])


class Players(_RowSitemap):
    def items(self) -> QuerySet[Player]:
        kept = Player.objects.exclude(status=Player.Status.DUPLICATE)
        return kept.only("member_id").order_by("pk")


class Events(_RowSitemap):
    def items(self) -> QuerySet[Event]:
        return Event.objects.only("event_id").order_by("pk")


class Sections(_RowSitemap):
    def items(self) -> QuerySet[Section]:
        return (
            Section.objects.select_related("event")
            .only("number", "event__event_id")
            .order_by("pk")
        )


class Lists(_Sitemap):
    def items(self) -> QuerySet[OfficialList]:
        lists = OfficialList.objects.effective()
        return lists.only("month", "published_at").order_by("month")

    def lastmod(self, item: OfficialList) -> datetime:
        return item.published_at


SITEMAPS = {
    "pages": Pages,
    "laboratory": Laboratory,
    "players": Players,
    "events": Events,
    "sections": Sections,
    "lists": Lists,
}

_PRIVATE = ("/accounts/", "/account/", "/admin/", "/desk/", "/office/")
# Whole lists are read from the database for each request.
_LIST_FILES = "/*format=csv"


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in (*_PRIVATE, _LIST_FILES)),
        f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain")
