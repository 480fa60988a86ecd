"""Template context of every page: the account's role and menu."""

import re
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy

from events.access import account_summary, is_office


class OfficeGroup(NamedTuple):
    """A menu group of office pages.

    *also* are patterns for the beginnings of further URLs.
    """

    label: str | Promise
    pages: tuple[tuple[str | Promise, str], ...]
    also: tuple[str, ...] = ()


# The office pages by URL name.
OFFICE_GROUPS = (
    OfficeGroup(
        gettext_lazy("Daily work"),
        (
            (gettext_lazy("To do"), "events:queue"),
            (gettext_lazy("Messages"), "events:unread"),
            (gettext_lazy("Expected reports"), "events:expected"),
            (gettext_lazy("Corrections"), "events:corrections"),
            (gettext_lazy("Floor requests"), "ratings:floor_requests"),
            (gettext_lazy("Approvals"), "office:approvals"),
        ),
        also=("/office/lateness/",),
    ),
    OfficeGroup(
        gettext_lazy("Members"),
        (
            (gettext_lazy("Directory"), "ratings:members"),
            (gettext_lazy("Duplicates"), "players_office:duplicates"),
            (gettext_lazy("Link requests"), "players_office:claims"),
            (gettext_lazy("TD certification"), "events:td_requests"),
            (gettext_lazy("New members"), "events:newcomers"),
            (gettext_lazy("FIDE IDs"), "players_office:links"),
            (gettext_lazy("FIDE opt-ins"), "players_office:opt_ins"),
            (gettext_lazy("FIDE lists"), "players_office:fide_lists"),
            (gettext_lazy("CFC ratings"), "players_office:cfc"),
            (gettext_lazy("Import"), "players_office:intakes"),
        ),
        also=(
            "/office/merges/",
            "/office/(?:forget|privacy)/",
            "/office/members/[^/]+/(?:status|forget|privacy)/",
        ),
    ),
    OfficeGroup(
        gettext_lazy("Ratings"),
        (
            (gettext_lazy("Rerates"), "ratings:office_rerates"),
            (gettext_lazy("Foreign events"), "ratings:foreign_work"),
            (gettext_lazy("Adjustments"), "ratings:adjustments"),
            (gettext_lazy("Life Masters"), "ratings:life_masters"),
            (gettext_lazy("Experiments"), "ratings:experiments"),
        ),
        also=(
            "/office/members/[^/]+/(?:floors|ceilings|adjust)/",
            "/office/floors/",
            "/office/ceilings/",
        ),
    ),
    OfficeGroup(
        gettext_lazy("Publication"),
        (
            (gettext_lazy("Official rating lists"), "ratings:office_lists"),
            (gettext_lazy("Rankings"), "ratings:rankings"),
            (gettext_lazy("Published rerates"), "ratings:rerates"),
        ),
    ),
    OfficeGroup(
        gettext_lazy("System"),
        (
            (gettext_lazy("Background jobs"), "office:jobs"),
            (gettext_lazy("Activity log"), "office:audit"),
            (gettext_lazy("Permissions"), "office:permissions"),
            (gettext_lazy("Export"), "leaving:export"),
        ),
        also=("/office/accounts/", "/office/colleagues/"),
    ),
)


class MenuLink(NamedTuple):
    label: str | Promise
    url: str
    current: str  # the value of aria-current; empty if not the page or a parent
    pages: tuple["MenuLink", ...] = ()


class OfficeMenu(NamedTuple):
    """The groups with all their pages, and the pages of the open group."""

    groups: list[MenuLink]
    pages: list[MenuLink]


def office(request: HttpRequest) -> dict[str, Any]:
    """Return the context lazily: queries run only on pages that use it."""
    return {"office": SimpleLazyObject(lambda: _office(request))}


def office_menu(path: str) -> OfficeMenu:
    """Return the office menu for the page with this path."""
    addresses = [[(one, reverse(name)) for one, name in g.pages] for g in OFFICE_GROUPS]
    beginnings = [
        (found.group(), number)
        for number, group in enumerate(OFFICE_GROUPS)
        for begins in (*group.also, *(re.escape(url) for _, url in addresses[number]))
        if (found := re.match(begins, path))
    ]
    nearest, opened = max(beginnings, key=lambda one: len(one[0]), default=("", 0))
    groups = [
        MenuLink(
            group.label,
            pages[0][1],
            "true" if number == opened else "",
            tuple(
                MenuLink(one, url, _current(url, path, nearest)) for one, url in pages
            ),
        )
        for number, (group, pages) in enumerate(
            zip(OFFICE_GROUPS, addresses, strict=True)
        )
    ]
    return OfficeMenu(groups=groups, pages=list(groups[opened].pages))


def _current(url: str, path: str, nearest: str) -> str:
    if url == path:
        return "page"
    return "true" if url == nearest else ""


def _office(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"is_staff_member": False, "is_td": False, "player_url": ""}
    facts = account_summary(user)
    return {
        "is_staff_member": is_office(user),
        "is_td": facts.official is not None,
        "official": facts.official,
        "menu": office_menu(request.path)
        if request.path.startswith("/office/")
        else None,
        "player_url": facts.player.get_absolute_url() if facts.player else "",
    }
