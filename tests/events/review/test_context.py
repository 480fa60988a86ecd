"""The office menu: groups, and the pages of the open group."""

import pytest
from django.urls import reverse

from events.review.context_processors import OFFICE_GROUPS, office_menu


@pytest.mark.parametrize(
    ("path", "group", "page"),
    [
        ("/office/", "Daily work", ("To do", "page")),
        ("/office/reports/4/accept/", "Daily work", ("To do", "true")),
        ("/office/corrections/", "Daily work", ("Corrections", "page")),
        ("/office/corrections/7/refuse/", "Daily work", ("Corrections", "true")),
        ("/office/merges/1/undo/", "Members", None),
        ("/office/members/12000001/status/", "Members", None),
        ("/office/members/12000001/floors/", "Ratings", None),
        ("/office/members/12000001/adjust/", "Ratings", None),
        ("/office/foreign/events/3/", "Ratings", ("Foreign events", "true")),
        ("/office/lists/2026-12/", "Publication", ("Official rating lists", "true")),
        ("/office/audit/", "System", ("Activity log", "page")),
    ],
)
def test_menu_opens_the_group_of_the_page(path, group, page):
    menu = office_menu(path)
    assert [one.label for one in menu.groups if one.current] == [group]
    current = [(one.label, one.current) for one in menu.pages if one.current]
    assert current == ([page] if page else [])


def test_each_group_lists_its_pages():
    menu = office_menu("/office/")
    assert [
        (one.label, [(page.label, page.url) for page in one.pages])
        for one in menu.groups
    ] == [
        (group.label, [(label, reverse(name)) for label, name in group.pages])
        for group in OFFICE_GROUPS
    ]
    assert len(menu.groups) == 5
