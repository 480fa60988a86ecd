"""The main menu of every page."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from events.access import account_summary, is_office

# Counts of menu entries are shown up to this number, then as "99+".
MAX_COUNT = 99


class Entry(NamedTuple):
    """A page of the menu, by URL name, or a submenu with its *pages*."""

    label: str | Promise
    name: str = ""
    pages: tuple["Entry", ...] = ()


MAIN = (
    Entry(_("Players"), "players:search"),
    Entry(_("Events"), "events:list"),
    Entry(
        _("Ratings"),
        pages=(
            Entry(_("Rankings"), "ratings:rankings"),
            Entry(_("Rating classes"), "ratings:classes"),
            Entry(_("Official rating lists"), "ratings:lists"),
            Entry(_("Rating distribution"), "ratings:distribution"),
            Entry(_("Rerates"), "ratings:rerates"),
            Entry(_("How ratings work"), "ratings:how_ratings_work"),
        ),
    ),
    Entry(
        _("Tools"),
        pages=(
            Entry(_("Rating estimator"), "ratings:estimate"),
            Entry(_("Match calculator"), "ratings:matches"),
            Entry(_("Calendar"), "events:calendar"),
            Entry(_("Compare players"), "ratings:compare"),
            Entry(_("Compare rating systems"), "ratings:laboratory"),
            Entry(_("Foreign events"), "ratings:foreign_list"),
            Entry(_("Open data"), "ratings:open_data"),
            Entry(_("API"), "api-1.0:openapi-view"),
        ),
    ),
    Entry(_("Help"), "help"),
)


class MenuItem(NamedTuple):
    """A menu entry to render; *current* is the value of aria-current, or empty."""

    label: str | Promise
    url: str = ""
    current: str = ""
    pages: tuple["MenuItem", ...] = ()
    count: str = ""  # type: ignore[assignment]
    counted: str | Promise = ""  # what the number counts, for screen readers


def navigation(request: HttpRequest) -> dict[str, object]:
    """Add the menus to the context, built only when a template uses them."""
    return {
        "main_menu": SimpleLazyObject(lambda: main_menu(request.path)),
        "own_menu": SimpleLazyObject(lambda: own_menu(request)),
    }


def main_menu(path: str) -> list[MenuItem]:
    return [_item(entry, path) for entry in MAIN]


def _item(entry: Entry, path: str) -> MenuItem:
    if entry.pages:
        pages = tuple(_item(one, path) for one in entry.pages)
        is_current = any(one.current for one in pages)
        return MenuItem(entry.label, "", "true" if is_current else "", pages)
    url = reverse(entry.name)
    return MenuItem(entry.label, url, _current(url, path))


def _current(url: str, path: str) -> str:
    if url == path:
        return "page"
    return "true" if url != "/" and path.startswith(url) else ""


def own_menu(request: HttpRequest) -> list[MenuItem]:
    """Return the account's own pages, with the number of pending items on each."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    facts = account_summary(user)

    def item(
        label: Promise, name: str, number: int = 0, counted: str | Promise = ""
    ) -> MenuItem:
        url = reverse(name)
        current = _current(url, request.path)
        return MenuItem(label, url, current, count=_count(number), counted=counted)

    items = [item(_("My Chess"), "home")]
    if facts.official is not None:
        number = facts.reports_due
        items.append(item(_("My reports"), "events:desk", number, _("to finish")))
    if is_office(user):
        number = facts.reports_waiting
        items.append(item(_("Office"), "events:queue", number, _("waiting")))
    return items


def _count(number: int) -> str:
    if not number:
        return ""
    return f"{MAX_COUNT}+" if number > MAX_COUNT else str(number)
