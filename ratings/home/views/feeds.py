"""Atom feeds of rated events, corrections, rerates and members."""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.members.queries import get_member
from ratings.home.queries.news import (
    News,
    corrections,
    monthly_comparison_news,
    news_of_member,
    rated_events,
)

STATE = re.compile(r"[A-Z]{2}", re.ASCII)
# Characters that XML does not allow, which a name may contain.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def _tag(key: str) -> str:
    """Return a permanent identifier, independent of the URL (RFC 4151)."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return f"tag:{host},2026:{key}"


class PagedAtom(Atom1Feed):
    """Atom with links to the next and the previous page (RFC 5005)."""

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        for relation, href in self.feed["page_links"]:
            handler.addQuickElement("link", "", {"rel": relation, "href": href})

    def latest_post_date(self) -> datetime:
        """Return a fixed date for an empty feed, so that its bytes never change."""
        if not self.items:
            return datetime(2026, 1, 1, tzinfo=UTC)
        return super().latest_post_date()


class NewsFeed(Feed):  # type: ignore[type-arg]
    """A feed of one page of news, created for each request."""

    feed_type = PagedAtom

    def __init__(self, key: str, title: str, page: Page[News]) -> None:
        self._key, self._title, self._page = key, title, page

    def get_object(self, request: HttpRequest) -> HttpRequest:
        return request

    def title(self) -> str:
        return _printable(self._title)

    def link(self) -> str:
        return reverse("home")

    def author_name(self) -> str:
        return _("Ratings office")

    def feed_guid(self) -> str:
        return _tag(self._key)

    def feed_url(self, request: HttpRequest) -> str:
        return request.build_absolute_uri(request.path) + self._query(self._page.number)

    def feed_extra_kwargs(self, request: HttpRequest) -> dict[str, Any]:
        here, page, links = request.build_absolute_uri(request.path), self._page, []
        if page.has_previous():
            newer = self._query(page.previous_page_number())
            links.append(("previous", here + newer))
        if page.has_next():
            links.append(("next", here + self._query(page.next_page_number())))
        return {"page_links": links}

    def _query(self, number: int) -> str:
        return "" if number == 1 else f"?page={number}"

    def items(self) -> list[News]:
        return list(self._page)

    def item_guid(self, item: News) -> str:
        return _tag(item.key)

    def item_title(self, item: News) -> str:
        return _printable(item.title)

    def item_description(self, item: News) -> str:
        return _printable(item.text)

    def item_link(self, item: News) -> str:
        return item.path

    def item_pubdate(self, item: News) -> datetime | None:
        return item.published

    def item_updateddate(self, item: News) -> datetime | None:
        return item.updated


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("", text)


@require_safe
def events(request: HttpRequest, state: str = "") -> HttpResponse:
    """Serve the feed of rated events, in all states or one."""
    if state and not STATE.fullmatch(state):
        raise Http404(_("A state has two capital letters, such as OH."))
    page = rated_events(request.GET.get("page"), state=state)
    title = _("Rated events in {state}").format(state=state) if state else ""
    key = f"feeds/events/{state}" if state else "feeds/events"
    return NewsFeed(key, title or _("Rated events"), page)(request)


@require_safe
def correction_feed(request: HttpRequest) -> HttpResponse:
    """Serve the feed of corrected sections and rerates."""
    page = corrections(request.GET.get("page"))
    return NewsFeed("feeds/corrections", _("Corrections and rerates"), page)(request)


@require_safe
def laboratory(request: HttpRequest) -> HttpResponse:
    """Serve the feed of the monthly comparison of rating systems."""
    page = monthly_comparison_news(request.GET.get("page"))
    title = _("Which system predicts best")
    return NewsFeed("feeds/laboratory", title, page)(request)


@require_safe
def member_feed(request: HttpRequest, member_id: str) -> HttpResponse:
    """Serve the feed of a member's rating changes."""
    player = get_member(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    if player.merged_into is not None:
        return redirect("ratings:member_feed", player.merged_into.member_id)
    title = _("Ratings of {name}").format(name=player.name)
    key = f"feeds/players/{member_id}"
    return NewsFeed(key, title, news_of_member(player))(request)
