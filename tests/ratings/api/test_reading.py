"""Public reading: the same data as on pages, and nothing that pages hide."""

import json
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Player
from ratings.api.responses import encode_cursor
from ratings.engine.numbers import official
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import PlayerRating, RatingChange
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.ui.formatting import ApproximateRating, decimal_rating
from tests.factories import make_player, make_staff, make_td, make_user
from tests.ratings.api.world import ROOT
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


def get(path: str, **headers: str) -> Any:
    return Client(raise_request_exception=False).get(f"{ROOT}{path}", headers=headers)


def document(path: str) -> dict:
    response = get(path)
    assert response.status_code == 200, response.content
    return response.json()


def refusal(path: str, status: int) -> dict:
    response = get(path)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.status_code == response.json()["status"] == status
    return response.json()


def ana(world) -> str:
    return world.members[0].member_id


# Resources


def test_the_start_leads_to_everything(world):
    said = document("/")
    assert said["status"] == "ok"
    assert set(said["resources"]) == {
        *("members", "events", "lists", "rankings", "systems", "classes")
    }
    for address in (said["documentation"], said["description"]):
        assert Client().get(address).status_code == 200


def test_systems_and_classes(world):
    systems = document("/systems")["items"]
    assert systems[0] == {
        "system": "OTBR",
        "name": "Regular",
        "is_online": False,
        "established_after": 25,
    }
    assert len(systems) == 6
    classes = document("/classes?system=OTBR&standing=established")["items"]
    assert {one["name"]: one["members"] for one in classes if one["members"]} == {
        "Class B": 4,
    }


def test_members_are_found_as_in_the_search(world):
    items = document("/members?query=quill+ana")["items"]
    assert [one["member_id"] for one in items] == ["30000001", "30000010"]
    assert items[0] | {"ratings": {}} == {
        "member_id": "30000001",
        "name": "Ana Quill",
        "state": "OH",
        "membership": "Life member",
        "membership_ends": None,
        "is_life_member": True,
        "ratings": {},
        "page": "/players/30000001/",
    }
    assert all(type(rating) is int for rating in items[0]["ratings"].values())
    assert items[1]["membership"] == "Duplicate ID"


def test_member_list_requires_a_search(world):
    assert refusal("/members", 422)["errors"] == [
        "query: Enter a name, an ID, or a state."
    ]


def test_one_member(world):
    assert document(f"/members/{ana(world)}") == {
        "member_id": "30000001",
        "name": "Ana Quill",
        "given_name": "Ana",
        "family_name": "Quill",
        "suffix": "",
        "state": "OH",
        "fide_id": None,
        "membership": "Life member",
        "membership_ends": None,
        "is_life_member": True,
        "fide": None,
        "page": "/players/30000001/",
    }


@pytest.mark.parametrize("part", ["", "/ratings", "/history", "/lists"])
def test_a_merged_number_leads_to_the_other_for_good(world, part):
    response = get(f"/members/30000010{part}?system=OTBR")
    assert response.status_code == 308
    assert response.headers["Location"] == (
        f"/api/v1/members/30000001{part}?system=OTBR"
    )


def test_ratings_are_those_of_the_profile(world):
    said = document(f"/members/{ana(world)}/ratings")
    rated = said["current"][0]
    page = Client().get("/players/30000001/").content.decode()
    assert (rated["system"], rated["games"], rated["is_established"]) == (
        "OTBR",
        49,
        True,
    )
    current = PlayerRating.objects.get(player=world.members[0], system="OTBR")
    assert (rated["rating"], rated["is_about"]) == (official(current.rating), False)
    assert f">{rated['rating']}<" in page
    assert [one["rating"] for one in said["current"][1:]] == [None] * 5
    assert said["official"]["month"] == "2024-07"
    assert said["official"]["ratings"][0]["of"] == 4


def test_lists_of_a_member(world):
    said = document(f"/members/{ana(world)}/lists")
    assert [one["month"] for one in said["items"]] == ["2024-07", "2024-06"]
    [listed] = said["items"][0]["ratings"]
    assert listed["revised"] == listed["rating"]


def test_an_event_with_its_section(world):
    event = world.plain
    said = document(f"/events/{event.event_id}")
    assert (said["name"], said["affiliate"]["affiliate_id"]) == (
        "Plain Open",
        "A6000001",
    )
    assert said["directors"] == [
        {
            "role": "chief",
            "section": None,
            "member_id": "12345670",
            "name": "Tessa Director",
        }
    ]
    [section] = said["sections"]
    assert (section["players"], section["games"], section["status"]) == (4, 6, "rated")
    assert document(f"/events/{event.event_id}/sections/1") == section
    assert Client().get(section["standings"]).status_code == 200
    assert Client().get(section["page"]).status_code == 200


def test_the_report_of_an_event_is_the_file_of_its_page(world):
    response = get(f"/events/{world.plain.event_id}/report")
    file = Client().get(f"/events/{world.plain.event_id}/report.json")
    assert response.content == file.content
    assert response.json()["name"] == "Plain Open"
    assert file.headers["Content-Disposition"] == (
        f'attachment; filename="{world.plain.event_id}.json"'
    )


def test_standings_are_the_crosstable(world):
    said = document(f"/events/{world.plain.event_id}/sections/1/standings")
    assert said["systems"] == ["OTBR"]
    assert (said["rounds"], said["games"], said["is_late"]) == (3, 6, False)
    scores = [one["score"] for one in said["items"]]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == 6
    assert sum(one["score"] for one in said["items"][0]["rounds"]) == scores[0]
    numbers = {one["number"]: one for one in said["items"]}
    first = numbers[1]["rounds"][0]
    other = numbers[first["opponent"]]["rounds"][0]
    assert other["opponent"] == 1
    assert {first["color"], other["color"]} == {"white", "black"}
    assert first["score"] + other["score"] == 1


def test_lists_and_their_files(world):
    said = document("/lists")
    assert [one["month"] for one in said["items"]] == ["2024-07", "2024-06"]
    for file in said["items"][0]["files"]:
        assert len(Client().get(file["url"]).content) == file["size"]
    page = document("/lists/2024-07?system=OTBR&state=OH")
    assert (page["month"], page["system"]) == ("2024-07", "OTBR")
    assert [one["place"] for one in page["items"]] == [1, 2, 3, 4]
    assert get("/lists/2024-07").headers["Last-Modified"]


def test_rankings_compare_by_list(world):
    said = document("/rankings/OTBR?state=OH&month=2024-06&established=true")
    assert (said["total"], said["month"]) == (4, "2024-06")
    assert [one["place"] for one in said["items"]] == [1, 2, 3, 4]
    assert said["next"] is None


# Pages

LISTS = (
    "/members?query=quill",
    "/members?state=OH",
    "/events?since=2024-01-01",
    "/members/30000001/history",
    "/members/30000001/lists",
    "/lists",
    "/lists/2024-07",
)


@pytest.mark.parametrize("path", LISTS)
def test_following_next_gives_everything_once(world, path):
    mark = "&" if "?" in path else "?"
    whole = document(f"{path}{mark}limit=100")
    assert whole["next"] is None
    walked, address = [], f"{ROOT}{path}{mark}limit=1"
    while address:
        response = Client().get(address)
        walked += response.json()["items"]
        address = response.json()["next"]
        link = f'<{address}>; rel="next"' if address else None
        assert response.headers.get("Link") == link
    assert len(walked) > 1
    assert walked == whole["items"]


@pytest.mark.parametrize("path", LISTS)
def test_a_page_takes_the_same_queries_for_any_size(world, path):
    mark = "&" if "?" in path else "?"
    document(path)
    counts = []
    for limit in (1, 100):
        with CaptureQueriesContext(connection) as queries:
            document(f"{path}{mark}limit={limit}")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 7


def test_standings_take_five_queries(world, django_assert_num_queries):
    path = f"/events/{world.plain.event_id}/sections/1/standings"
    document(path)
    with django_assert_num_queries(5):
        document(path)


NO_CURSORS = [
    *("x", "%00", "AAAA", "W10", "e30", "bnVsbA", "[" * 300),
    *map(encode_cursor, (["2024-05-44"], [-1], [2**70], [True], ["\x00"] * 3)),
]


@pytest.mark.parametrize("path", LISTS)
def test_an_invalid_cursor_is_refused_with_a_message(world, path):
    mark = "&" if "?" in path else "?"
    for cursor in NO_CURSORS:
        said = refusal(f"{path}{mark}cursor={cursor}", 400)
        assert said["title"] == "The cursor is not valid.", cursor


def test_a_cursor_of_a_line_that_is_gone_is_refused(world):
    gone = encode_cursor([999_999_999])
    refusal(f"/members/30000001/history?cursor={gone}", 400)
    refusal(f"/rankings/OTBR?cursor={gone}", 400)
    refusal(f"/rankings/OTBR?cursor={encode_cursor([7])}", 400)


# Privacy: nothing that the pages hide


def decimals_in(value: Any) -> set[str]:
    """Return every number with decimals in *value*, as pages format it."""
    if isinstance(value, dict):
        inner = [decimals_in(one) for key, one in value.items() if key != "score"]
        return set().union(*inner)
    if isinstance(value, list):
        return set().union(*map(decimals_in, value))
    return {f"{value:.2f}"} if isinstance(value, float) and value % 1 else set()


def key_of(owner, **said) -> str:
    """Return the text of a key that the account makes."""
    said = {"name": "a program", "may_submit": False} | said
    return create_key(owner=owner, **said)[1]


def with_key(path: str, key: str, **headers: str) -> Any:
    return get(path, Authorization=f"Bearer {key}", **headers)


def standings(event) -> str:
    return f"/events/{event.event_id}/sections/1/standings"


def exact_numbers(event) -> dict[str, tuple[float | None, float]]:
    """Return the ledger's numbers of a section by member ID, to two decimals."""
    lines = RatingChange.objects.filter(calculation__section__event=event)
    return {
        line.player.member_id: tuple(
            rating and float(decimal_rating(rating))
            for rating in (line.pre_rating, line.post_rating)
        )
        for line in lines
    }


def numbers_in(said: dict) -> dict[str, tuple[float | None, float]]:
    return {
        row["member_id"]: (one["before"], one["after"])
        for row in said["items"]
        for one in row["ratings"]
    }


@pytest.mark.parametrize("name", ["plain", "hidden", "after"])
def test_standings_are_published_numbers(world, name):
    event = getattr(world, name)
    lines = RatingChange.objects.filter(calculation__section__event=event)
    assert numbers_in(document(standings(event))) == {
        line.player.member_id: (published_before(line), published(line))
        for line in lines
    }
    assert decimals_in(document(standings(event))["items"]) == set()


@pytest.mark.parametrize("name", ["plain", "hidden"])
def test_office_and_director_read_standings_with_decimals(world, name):
    event = getattr(world, name)
    for owner in (world.staff, world.td):
        said = with_key(standings(event), key_of(owner)).json()
        assert numbers_in(said) == exact_numbers(event)
    assert decimals_in(said["items"])


@pytest.mark.parametrize("other", ["another director", "a member", "a feed"])
def test_other_keys_read_standings_as_published(world, other):
    if other == "a feed":
        key = key_of(make_staff(), may_feed=True)
    else:
        key = key_of(make_td() if other == "another director" else make_user())
    said = with_key(standings(world.plain), key).json()
    assert said == document(standings(world.plain))


def test_members_read_their_own_numbers_with_decimals_and_no_others(world):
    ada, account = world.members[0], make_user()
    Player.objects.filter(pk=ada.pk).update(account=account)
    key = key_of(account)
    exact, public = exact_numbers(world.plain), document(standings(world.plain))
    said = numbers_in(with_key(standings(world.plain), key).json())
    assert said == numbers_in(public) | {ada.member_id: exact[ada.member_id]}
    for line in with_key(f"/members/{ada.member_id}/history", key).json()["items"]:
        assert line["is_rounded"] is False
    own = with_key(f"/members/{ada.member_id}/ratings", key).json()["current"][0]
    current = PlayerRating.objects.get(player=ada, system="OTBR").rating
    assert own["rating"] == float(decimal_rating(current))
    assert own["whole"] == official(current)
    ben = f"/members/{world.members[1].member_id}"
    for path in (f"{ben}/history", f"{ben}/ratings"):
        assert with_key(path, key).json() == document(path)


def test_answer_to_a_key_is_not_cached_for_others(world):
    path, office = standings(world.plain), key_of(world.staff)
    first = document(path)
    exact = with_key(path, office)
    assert exact.json() != first
    assert document(path) == first
    assert exact.headers["Cache-Control"] == "private, max-age=0, must-revalidate"
    assert "Authorization" in exact.headers["Vary"]
    again = with_key(path, office, if_none_match=exact.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert get(path, if_none_match=exact.headers["ETag"]).json() == first


def test_history_of_a_newcomer_says_about_while_it_is_the_start(world):
    line = RatingChange.objects.get(player=world.newcomer)
    path = f"/members/{world.newcomer.member_id}/history"
    [said] = document(path)["items"]
    assert (said["before"], said["after"]) == (None, published(line))
    assert said["is_about"] is isinstance(published(line), ApproximateRating)


def test_search_gives_the_nearest_50_for_an_age_based_start(world):
    PlayerRating.objects.filter(player=world.newcomer).update(
        rating=533.1, age_start=533.1
    )
    [found] = document("/members?query=nia+quill")["items"]
    assert found["ratings"] == {"OTBR": 550}
    [rated, *_] = document(f"/members/{world.newcomer.member_id}/ratings")["current"]
    assert (rated["rating"], rated["whole"], rated["is_about"]) == (550, 550, True)


def test_no_answer_tells_a_birth_date_or_an_address(world):
    event = world.hidden.event_id
    paths = (
        "/members?query=nia", "/members/30000009", "/members/30000009/ratings",
        "/members/30000009/history", f"/events/{event}", f"/events/{event}/report",
        f"/events/{event}/sections/1/standings", "/rankings/OTBR?band=u14",
    )  # fmt: skip
    said = " ".join(get(path).content.decode() for path in paths)
    assert not contains_number(said, 2013)
    assert "birth" not in said
    assert "gender" not in said
    assert "@" not in said


def test_who_is_signed_in_without_a_key_sees_no_more(world):
    path = f"{ROOT}/events/{world.hidden.event_id}/sections/1/standings"
    office = Client()
    office.force_login(world.staff)
    assert office.get(path).content == Client().get(path).content


def test_rankings_by_age_are_cut_like_those_of_the_pages(world, settings):
    settings.TOP_LIST_LENGTH = 2
    assert len(document("/rankings/OTBR?top=true")["items"]) == 2
    assert document("/rankings/OTBR?band=50-up")["items"] == []
    assert len(document("/rankings/OTBR")["items"]) == 4


# Conditional requests


def test_an_answer_that_is_unchanged_is_not_sent_again(world):
    path = f"/members/{ana(world)}"
    first = get(path)
    again = get(path, if_none_match=first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert first.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    world.members[0].state = "NY"
    world.members[0].save()
    changed = get(path, if_none_match=first.headers["ETag"])
    assert (changed.status_code, changed.json()["state"]) == (200, "NY")


def test_the_answer_is_always_in_english(world):
    path = f"/members/{ana(world)}"
    spanish = get(path, accept_language="es")
    assert spanish.content == get(path).content
    assert spanish.headers["Content-Language"] == "en"


# Other sites


def test_pages_of_other_sites_may_read_and_not_write(world):
    assert get("/systems").headers["Access-Control-Allow-Origin"] == "*"
    asked = Client().options(f"{ROOT}/reports")
    assert (asked.status_code, asked.content) == (204, b"")
    assert asked.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    sent = Client().post(f"{ROOT}/estimate/section", "{}", "application/json")
    assert "Access-Control-Allow-Origin" not in sent.headers
    assert "Access-Control-Allow-Origin" not in Client().get("/players/").headers


# Errors


def test_problems_are_documents_everywhere(world):
    assert refusal("/members/99999999", 404) == {
        "type": "/api/v1/docs/#problem-404",
        "title": "Nothing was found at this URL.",
        "status": 404,
        "detail": "No member has this ID.",
        "retryable": False,
    }
    assert refusal("/nowhere", 404)["detail"] == ("Check the ID, or start at /api/v1/.")
    sent = Client().delete(f"{ROOT}/members/30000001")
    assert (sent.status_code, sent.json()["status"]) == (405, 405)
    assert sent.headers["Allow"] == "GET"
    assert refusal("/events?limit=0&state=Ohio", 422)["errors"] == [
        "state: String should match pattern '^([A-Z]{2})?$'.",
        "limit: Input should be greater than or equal to 1.",
    ]


def test_a_fault_of_the_office_is_a_document_without_a_trace(world, monkeypatch):
    def fails(*args):
        raise RuntimeError("secret")

    monkeypatch.setattr("ratings.api.general.counts", fails)
    said = refusal("/classes", 500)
    assert said["title"] == "Something went wrong on the server."
    assert "secret" not in json.dumps(said)


NONSENSE = ["%00", "1%00", "9" * 400, "٣", "-1", "%ff%fe", "%ed%a0%80", "2024-13", "🏳"]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_no_fault_of_the_office(world, text):
    paths = [
        f"/members/{text}", f"/members/{text}/history", f"/events/{text}",
        f"/events/{world.plain.event_id}/sections/{text}/standings",
        f"/lists/{text}", f"/rankings/{text}", f"/reports/{text}",
    ]  # fmt: skip
    paths += [f"{path}?system={text}" for path in ("/classes", "/lists/2024-07")]
    paths += [f"/members?{name}={text}" for name in ("query", "state", "limit")]
    paths += [f"/events?{name}={text}" for name in ("since", "name", "state")]
    paths += [
        f"/rankings/OTBR?{name}={text}"
        for name in ("month", "band", "rating_class", "women", "top")
    ]
    for path in paths:
        response = get(path)
        assert response.status_code in (200, 400, 401, 404, 422), path
        if response.status_code != 200:
            assert response.json()["title"].endswith("."), path


@pytest.mark.parametrize(
    ("until", "status", "ends"),
    [
        (date(2030, 12, 31), "active", "2030-12-31"),
        (date(2020, 12, 31), "active", "2020-12-31"),
        (date(2030, 12, 31), "suspended", None),
        (date(2099, 12, 31), "suspended", None),
    ],
)
def test_the_end_of_a_membership_is_a_date(until, status, ends):
    make_player("30000901", "Iva", "Enddate", member_until=until, status=status)
    one = Client().get(f"{ROOT}/members/30000901").json()
    [found] = Client().get(f"{ROOT}/members?query=enddate").json()["items"]
    for member in (one, found):
        assert (member["membership_ends"], member["is_life_member"]) == (ends, False)
