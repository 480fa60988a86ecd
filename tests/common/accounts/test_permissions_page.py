"""The page of permissions."""

import pytest
from django.contrib.auth.models import Group, Permission

from events.review.groups import MANAGER, OFFICE
from ratings_site.common.accounts.permissions import action_permissions
from ratings_site.common.approvals.queries import permission_matrix
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_staff, make_td, make_user

pytestmark = pytest.mark.django_db

PAGE = "/office/permissions/"


def line_of(permission: str):
    page = permission_matrix()
    (line,) = [
        line for line in page["action_permissions"] if line["permission"] == permission
    ]
    names = [group.name for group in page["groups"]]
    return line, dict(zip(names, line["groups"], strict=True))


def test_every_action_is_listed_once():
    assert [
        line["permission"] for line in permission_matrix()["action_permissions"]
    ] == sorted(action_permissions())
    assert action_permissions()["ratings.undo_rerate"] == "Can undo a published rerate"


def test_groups_and_single_people_are_told_apart():
    deputy = make_staff("deputy")
    deputy.user_permissions.add(Permission.objects.get(codename="publish_list"))
    line, groups = line_of("ratings.publish_list")
    assert line["people"] == [deputy]
    assert groups == {
        "Executive Director": False,
        "Ratings committee": False,
        "Ratings manager": True,
        "Ratings office": False,
    }


def test_actions_with_second_approval_are_marked(client):
    client.get("/")  # the pages register actions that need a second approval
    assert line_of("ratings.grant_floor")[0]["needs_two"]
    assert line_of("ratings.adjust_rating")[0]["needs_two"]
    assert not line_of("events.review_submission")[0]["needs_two"]


def test_people_with_their_groups_are_listed(client):
    manager = make_user("manager", is_staff=True)
    manager.groups.set(Group.objects.filter(name__in=[OFFICE, MANAGER]))
    make_user("boss", is_staff=True, is_superuser=True)
    gone = make_staff("gone")
    gone.is_active = False
    gone.save()
    make_user("member")
    client.force_login(make_staff("clerk"))
    words = text_of(client.get(PAGE))
    assert "manager Ratings manager, Ratings office none" in words
    assert "boss superuser none none never" in words
    assert "gone" not in words
    assert "member none" not in words
    assert "Undo a published rerate no no yes no none" in words


def test_additional_permissions_are_described(client):
    reader = make_staff("reader")
    reader.user_permissions.set(
        Permission.objects.filter(codename__in=["publish_list", "view_auditentry"])
    )
    client.force_login(make_staff("clerk"))
    people = client.get(PAGE).context["page"]["people"]
    (line,) = (line for line in people if line["user"] == reader)
    assert line["own"] == [
        "Can publish an official list",
        "Can view activity log entry",
    ]


@pytest.mark.parametrize("number", [2, 20])
def test_the_page_takes_the_same_queries_for_any_number(
    client, django_assert_num_queries, number
):
    for _ in range(number):
        make_staff().user_permissions.add(
            Permission.objects.get(codename="publish_list")
        )
    client.force_login(make_staff("clerk"))
    with django_assert_num_queries(12):
        response = client.get(PAGE)
    assert len(response.context["page"]["people"]) == number + 1


def test_it_is_closed_to_all_but_staff(client):
    for user in (make_td(), make_user("m"), make_user("s", is_staff=True)):
        client.force_login(user)
        response = client.get(PAGE)
        assert response.status_code == 403
        assert "You can’t open this page" in text_of(response)
