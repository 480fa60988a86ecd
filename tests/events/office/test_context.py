"""The menu of the office: a few groups, and the pages of the one that is open."""

import pytest
from django.urls import reverse

from events.office.context import OFFICE_GROUPS, office_menu


@pytest.mark.parametrize(
    ("path", "group", "page"),
    [
        ("/office/", "Daily", ("Work queue", "page")),
        ("/office/reports/4/accept/", "Daily", ("Work queue", "true")),
        ("/office/corrections/", "Daily", ("Corrections", "page")),
        ("/office/corrections/7/refuse/", "Daily", ("Corrections", "true")),
        ("/office/merges/1/undo/", "Members", None),
        ("/office/members/12000001/status/", "Members", None),
        ("/office/members/12000001/floors/", "Ratings", None),
        ("/office/members/12000001/adjust/", "Ratings", None),
        ("/office/foreign/events/3/", "Ratings", ("Foreign events", "true")),
        ("/office/lists/2026-12/", "Publication", ("Official lists", "true")),
        ("/office/audit/", "System", ("Audit", "page")),
    ],
)
def test_menu_opens_the_group_of_the_page(path, group, page):
    menu = office_menu(path)
    assert [one.label for one in menu.groups if one.current] == [group]
    current = [(one.label, one.current) for one in menu.pages if one.current]
    assert current == ([page] if page else [])


def test_each_group_leads_to_its_first_page():
    menu = office_menu("/office/")
    assert [(one.label, one.url) for one in menu.groups] == [
        (group.label, reverse(group.pages[0][1])) for group in OFFICE_GROUPS
    ]
    assert len(menu.groups) == 5
