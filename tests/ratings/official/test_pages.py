"""The pages of official lists: public ones, and the office's way to publish."""

from datetime import date

import pytest
import time_machine
from django.contrib.auth.models import Permission

from ratings.models import ListDraft, OfficialList
from ratings_site.common.jobs.services import work_off
from tests.factories import make_player, make_staff, make_user
from tests.ratings.official.helpers import (
    AFTER,
    BEFORE,
    JULY,
    JUNE,
    line_of,
    make_publisher,
    published,
    published_rerate,
)
from tests.texts import tells

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def some(number: int):
    return [
        make_player(
            f"{30000001 + place}",
            family_name=f"Name{place}",
            ratings={"OTBR": (1500.0 + 10 * place, 30)},
        )
        for place in range(number)
    ]


# Public pages


@pytest.mark.parametrize("players", [2, 20])
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("/lists/2024-06/", 4),
        ("/lists/2024-06/?revised=1", 7),
        ("/lists/compare/?show=changed", 5),
    ],
)
def test_lists_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, players, path, queries
):
    lines = [line_of(player) for player in some(players)]
    published(JUNE)
    published_rerate({line.pk: line.post_rating + 7 for line in lines})
    published(JULY)

    with django_assert_num_queries(queries):
        response = client.get(path)

    assert response.content.count(b'<th scope="row" class="name">') == players


@pytest.mark.parametrize("lists", [1, 5])
def test_all_lists_take_the_same_queries(client, django_assert_num_queries, lists):
    some(2)
    for month in range(lists):
        published(date(2024, month + 1, 1))

    with django_assert_num_queries(4):
        page = client.get("/lists/").content.decode()

    assert page.count(".csv") == page.count(".dbf") == lists
    for official in OfficialList.objects.all():
        for file in official.files.all():
            assert file.sha256 in page


def test_list_shows_the_published_number_and_on_demand_the_revised_one(client):
    player = some(1)[0]
    published(JUNE)
    run = published_rerate({line_of(player).pk: 1444.0})

    plain = client.get("/lists/2024-06/").content.decode()
    assert ">1500<" in plain
    assert not tells(plain, 1444)

    revised = client.get("/lists/2024-06/?revised=1").content.decode()
    assert ">1500<" in revised
    link = f'<a class="small" href="/rerates/{run.pk}/">rerate {run.pk}</a>'
    assert f"1444 {link}" in revised


def test_other_months_are_not_there(client):
    some(1)
    published(JUNE)
    assert client.get("/lists/2024-07/").status_code == 404
    assert client.get("/lists/2024-13/").status_code == 404
    assert client.get("/lists/0000-01/").status_code == 404


# The office


@pytest.fixture
def clock():
    with time_machine.travel(BEFORE, tick=False) as clock:
        yield clock


def test_a_list_is_prepared_looked_at_and_published(client, clock):
    some(3)
    publisher = make_publisher()
    clock.move_to(AFTER)
    client.force_login(publisher)
    page = client.get("/office/lists/").content.decode()
    assert "The list of June 2024 is due" in page
    assert 'value="2024-06"' in page

    response = client.post("/office/lists/", {"month": "2024-06"})
    assert response["Location"] == "/office/lists/2024-06/"
    waiting = client.get("/office/lists/2024-06/").content.decode()
    assert "The list is being prepared." in waiting
    assert 'hx-get="/office/lists/2024-06/"' in waiting
    fragment = client.get("/office/lists/2024-06/", headers=HTMX)
    assert "<html" not in fragment.content.decode()
    work_off()
    again = client.get("/office/lists/2024-06/", headers=HTMX)
    assert again["HX-Refresh"] == "true"

    preview = client.get("/office/lists/2024-06/").content.decode()
    assert "Nothing speaks against publishing it." in preview
    assert "3 members whose membership ended on 1 March 2024 or later" in preview
    digest = ListDraft.objects.get().digest
    assert digest in preview

    refused = client.post("/office/lists/2024-06/", {"digest": digest, "reason": ""})
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    client.post("/office/lists/2024-06/", {"digest": digest, "reason": "June."})
    assert "being published" in client.get("/office/lists/2024-06/").content.decode()
    work_off()

    official = OfficialList.objects.get()
    assert (official.month, official.published_by, official.reason) == (
        JUNE,
        publisher,
        "June.",
    )
    done = client.get("/office/lists/2024-06/")
    assert done["Location"] == "/lists/2024-06/"
    page = client.get("/office/lists/").content.decode()
    assert "“June.”" in page
    assert "is due" not in page


def test_what_cannot_be_published_says_why(client, clock):
    some(1)
    publisher = make_publisher()
    clock.move_to(AFTER)
    client.force_login(publisher)
    client.post("/office/lists/", {"month": "2024-06"})
    work_off()

    data = {"digest": "0" * 64, "reason": "June."}
    client.post("/office/lists/2024-06/", data)
    work_off()

    assert not OfficialList.objects.exists()
    page = client.get("/office/lists/2024-06/").content.decode()
    assert "The list has been prepared again since you looked." in page


@pytest.mark.parametrize("month", ["", "June", "2024-13", "2024-6-1"])
def test_month_has_to_be_one(client, month):
    client.force_login(make_staff())
    response = client.post("/office/lists/", {"month": month})
    assert response.status_code == 422
    assert "Enter a month such as 2024-05." in response.content.decode()


def test_a_published_month_is_not_prepared_again(client):
    some(1)
    published(JUNE)
    client.force_login(make_staff())
    response = client.post("/office/lists/", {"month": "2024-06"})
    assert response.status_code == 422
    assert "a published list never changes" in response.content.decode()


def test_looking_takes_an_office_account_and_publishing_the_permission(client, clock):
    some(1)
    staff = make_staff()
    staff.user_permissions.set([])
    group = staff.groups.get()
    group.permissions.remove(Permission.objects.get(codename="publish_list"))
    clock.move_to(AFTER)
    client.force_login(make_user())
    assert client.get("/office/lists/").status_code == 403
    client.force_login(staff)
    client.post("/office/lists/", {"month": "2024-06"})
    work_off()

    page = client.get("/office/lists/2024-06/").content.decode()
    assert "Publishing it takes the permission" in page
    assert "Publish for good" not in page
    data = {"digest": ListDraft.objects.get().digest, "reason": "June."}
    assert client.post("/office/lists/2024-06/", data).status_code == 403
    work_off()
    assert not OfficialList.objects.exists()


def test_what_has_not_been_prepared_is_not_there(client):
    client.force_login(make_staff())
    assert client.get("/office/lists/2024-06/").status_code == 404
