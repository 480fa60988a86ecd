"""What every page needs to know about who is looking."""

import re
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy

from events.access import is_office, official_of


class OfficeGroup(NamedTuple):
    """A few pages of the office that belong together.

    *also* are further addresses, as patterns of how they begin.
    """

    label: str
    pages: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()


# The pages of the office, by the names of their addresses.
OFFICE_GROUPS = (
    OfficeGroup(
        gettext_lazy("Daily"),
        (
            (gettext_lazy("Work queue"), "events:queue"),
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
            (gettext_lazy("Duplicates"), "players_office:duplicates"),
            (gettext_lazy("Claims"), "players_office:claims"),
            (gettext_lazy("New members"), "events:newcomers"),
            (gettext_lazy("FIDE IDs"), "players_office:links"),
            (gettext_lazy("FIDE opt-ins"), "players_office:opt_ins"),
            (gettext_lazy("FIDE lists"), "players_office:fide_lists"),
            (gettext_lazy("CFC ratings"), "players_office:cfc"),
            (gettext_lazy("Moving in"), "players_office:intakes"),
        ),
        also=(
            "/office/merges/",
            "/office/forget/",
            "/office/members/[^/]+/(?:status|forget)/",
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
        also=("/office/members/", "/office/floors/", "/office/ceilings/"),
    ),
    OfficeGroup(
        gettext_lazy("Publication"),
        (
            (gettext_lazy("Official lists"), "ratings:office_lists"),
            (gettext_lazy("Rankings"), "ratings:rankings"),
            (gettext_lazy("Published rerates"), "ratings:rerates"),
        ),
    ),
    OfficeGroup(
        gettext_lazy("System"),
        (
            (gettext_lazy("Jobs"), "office:jobs"),
            (gettext_lazy("Audit"), "office:audit"),
            (gettext_lazy("Permissions"), "office:permissions"),
        ),
        also=("/office/accounts/", "/office/colleagues/"),
    ),
)


class MenuLink(NamedTuple):
    label: str
    url: str
    current: str  # what aria-current says; empty: neither the page nor one above it


class OfficeMenu(NamedTuple):
    """The groups, each leading to its first page, and the pages of the open group."""

    groups: list[MenuLink]
    pages: list[MenuLink]


def office(request: HttpRequest) -> dict:
    """Say which parts of the site to offer. Costs queries only where a page asks."""
    return {"office": SimpleLazyObject(lambda: _office(request))}


def office_menu(path: str) -> OfficeMenu:
    """Return the office's menu as it stands on the page with this address."""
    addresses = [[(one, reverse(name)) for one, name in g.pages] for g in OFFICE_GROUPS]
    beginnings = [
        (found.group(), number)
        for number, group in enumerate(OFFICE_GROUPS)
        for begins in (*group.also, *(re.escape(url) for _, url in addresses[number]))
        if (found := re.match(begins, path))
    ]
    nearest, opened = max(beginnings, key=lambda one: len(one[0]), default=("", 0))
    return OfficeMenu(
        groups=[
            MenuLink(group.label, pages[0][1], "true" if number == opened else "")
            for number, (group, pages) in enumerate(
                zip(OFFICE_GROUPS, addresses, strict=True)
            )
        ],
        pages=[
            MenuLink(label, url, _current(url, path, nearest))
            for label, url in addresses[opened]
        ],
    )


def _current(url: str, path: str, nearest: str) -> str:
    if url == path:
        return "page"
    return "true" if url == nearest else ""


def _office(request: HttpRequest) -> dict:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"is_staff_member": False, "is_td": False, "player_url": ""}
    player = getattr(user, "player", None)
    return {
        "is_staff_member": is_office(user),
        "is_td": official_of(user) is not None,
        "menu": office_menu(request.path)
        if request.path.startswith("/office/")
        else None,
        "player_url": player.get_absolute_url() if player else "",
    }
