"""What every page needs to know about who is looking."""

import re
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

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
        "Daily",
        (
            ("Work queue", "events:queue"),
            ("Corrections", "events:corrections"),
            ("Floor requests", "ratings:floor_requests"),
            ("Approvals", "office:approvals"),
        ),
    ),
    OfficeGroup(
        "Members",
        (
            ("Duplicates", "players_office:duplicates"),
            ("FIDE IDs", "players_office:links"),
            ("FIDE opt-ins", "players_office:opt_ins"),
            ("FIDE lists", "players_office:fide_lists"),
            ("CFC ratings", "players_office:cfc"),
        ),
        also=("/office/merges/", "/office/members/[^/]+/status/"),
    ),
    OfficeGroup(
        "Ratings",
        (
            ("Rerates", "ratings:office_rerates"),
            ("Foreign events", "ratings:foreign_work"),
            ("Adjustments", "ratings:adjustments"),
            ("Life Masters", "ratings:life_masters"),
        ),
        also=("/office/members/", "/office/floors/", "/office/ceilings/"),
    ),
    OfficeGroup(
        "Publication",
        (
            ("Official lists", "ratings:office_lists"),
            ("Rankings", "ratings:rankings"),
            ("Published rerates", "ratings:rerates"),
        ),
    ),
    OfficeGroup(
        "System",
        (
            ("Jobs", "office:jobs"),
            ("Audit", "office:audit"),
            ("Permissions", "office:permissions"),
        ),
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
