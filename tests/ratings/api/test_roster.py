"""The roster check through the API: POST /api/v1/members/check."""

from datetime import date, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ratings.models import Floor
from ratings.pages.roster import queries
from ratings.pages.roster.services import MAX_ROWS
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.models import ApiUse, AuditEntry
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    make_user,
    merge_with_approval,
)
from tests.ratings.lists.helpers import JULY, published

pytestmark = pytest.mark.django_db

URL = "/api/v1/members/check"
IN_JULY = "2024-07-10"


def key_of(user, **more) -> str:
    _key, text = create_key(owner=user, name="roster", may_submit=False, **more)
    return text


def post(rows, key, **more):
    return Client().post(
        URL,
        {"rows": rows, **more},
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


@pytest.fixture
def td_key():
    return key_of(make_td())


@pytest.fixture
def check(td_key):
    def check(*rows, **more):
        response = post(rows, td_key, **more)
        assert response.status_code == 200, response.content
        return response.json()["rows"]

    return check


def brief(line):
    """Status, member, what differs, and the candidates' IDs."""
    member = line["member"] and line["member"]["member_id"]
    others = [one["member_id"] for one in line["candidates"]]
    return line["status"], member, line["differs"], others


@pytest.fixture
def ana():
    return make_player("30000101", "Ana", "Quillen", state="OH")


# Rows


@pytest.mark.parametrize("field", ["member_id", "name", "day", "state", "birth_year"])
def test_half_a_character_fails_its_own_row_only(check, field):
    make_player("12641216", "Ana", "Adams")
    odd = {"member_id": "30000999", field: "\ud800"}
    first, second = check(odd, {"member_id": "12641216"})
    assert first["status"] in ("not_found", "invalid")
    assert brief(second) == ("match", "12641216", [], [])


@pytest.mark.parametrize(
    ("row", "differs"),
    [
        ({"member_id": "30000101"}, []),
        ({"member_id": 30000101}, []),
        ({"name": "Quillen, Ana"}, []),
        ({"name": "ana QUILLEN"}, []),
        ({"member_id": "30000101", "name": "Ana Quillen"}, []),
        ({"member_id": "30000101", "name": "Quillan, Ana"}, ["spelling"]),
        ({"member_id": "NEW", "name": "Ana Quillen"}, []),
        ({"member_id": "30000101", "state": "TX"}, ["state"]),
    ],
)
def test_a_row_matches_by_id_or_by_the_whole_name(check, ana, row, differs):
    [line] = check(row)
    assert brief(line) == ("match", "30000101", differs, [])


@pytest.mark.parametrize(
    ("row", "differs"),
    [
        ({"member_id": "30000110", "name": "Ana Quillen"}, ["member_id"]),
        ({"name": "Quillan, Ana"}, ["spelling"]),
        ({"member_id": "30000101", "name": "Zed Stranger"}, ["name"]),
        ({"member_id": "30000101", "name": "Bea Quillen"}, ["first_name"]),
        ({"member_id": "3000010"}, ["member_id"]),
    ],
)
def test_a_near_match_says_what_differs(check, ana, row, differs):
    [line] = check(row)
    assert brief(line) == ("near_match", None, [], ["30000101"])
    [candidate] = line["candidates"]
    assert candidate == {
        "member_id": "30000101",
        "name": "Ana Quillen",
        "state": "OH",
        "differs": differs,
    }


def test_the_bearer_of_the_reported_name_comes_after_the_member_of_the_id(check, ana):
    make_player("30000102", "Ben", "Bakersfield")
    [line] = check({"member_id": "30000101", "name": "Ben Bakersfield"})
    assert brief(line)[3] == ["30000101", "30000102"]
    assert [one["differs"] for one in line["candidates"]] == [["name"], ["member_id"]]


def test_a_merged_id_gives_the_remaining_member(check, ana):
    make_player("30000103", "Anna", "Quillen", status="duplicate", merged_into=ana)
    [line] = check({"member_id": "30000103", "name": "Ana Quillen"})
    assert brief(line) == ("merged", "30000101", [], [])


def test_one_bad_row_fails_alone(check, ana):
    lines = check(
        {},
        {"name": "Jr."},
        {"member_id": None, "name": ["x"]},
        {"member_id": "30000101", "day": "03/04/2024"},
        {"member_id": "30000101", "day": "9999-01-01"},
        {"member_id": "30000101", "birth_year": "9"},
        {"member_id": "99999999"},
        {"name": "Nobody Knownhere"},
        {"member_id": "30000101", "unknown": 1},
    )
    assert [line["status"] for line in lines] == [
        *["invalid"] * 6,
        *["not_found"] * 2,
        "match",
    ]
    assert [line["error"]["code"] for line in lines[:6]] == [
        *["row_is_empty"] * 3,
        *["day_is_invalid"] * 2,
        "birth_year_is_invalid",
    ]
    assert [line["row"] for line in lines] == list(range(1, 10))


def test_a_row_whose_similar_names_were_not_searched_says_so(check, ana, monkeypatch):
    monkeypatch.setattr(queries, "MAX_LIKELY_ROWS", 1)
    lines = check({"name": "Quillan, Ana"}, {"name": "Anna Quillen"})
    assert [line["status"] for line in lines] == ["near_match", "invalid"]
    assert [line["error"] and line["error"]["code"] for line in lines] == [
        None,
        "similar_names_not_searched",
    ]
    assert "first 1 players" in lines[1]["error"]["sentence"]


def test_members_whose_names_were_deleted_are_not_found_by_name(check):
    make_player("30000104", "Member", "Forgotten")
    assert check({"name": "Member Forgotten"})[0]["status"] == "not_found"


def test_a_deceased_namesake_is_no_match(check, ana):
    make_player("30000105", "Ana", "Quillen", status="deceased")
    assert brief(check({"name": "Ana Quillen"})[0])[:2] == ("match", "30000101")
    [line] = check({"member_id": "30000105"})
    member = line["member"]
    assert (member["membership"], member["is_member"]) == ("deceased", False)


# What counts on the day


def test_membership_is_that_of_the_event_day(check):
    make_player(
        "30000106",
        member_from=date(2024, 1, 1),
        member_until=date(2024, 12, 31),
        state="OH",
    )
    make_player("30000107")
    make_player("30000108", status="suspended")
    days = ("2023-12-31", "2024-01-01", "2024-12-31", "2025-01-01")
    lines = check(*({"member_id": "30000106", "day": day} for day in days))
    assert [line["member"]["is_member"] for line in lines] == [False, True, True, False]
    assert [line["day"] for line in lines] == list(days)
    member = lines[0]["member"]
    assert (member["membership"], member["membership_ends"]) == ("ended", "2024-12-31")
    life, suspended = check({"member_id": "30000107"}, {"member_id": "30000108"})
    assert [
        (one["member"]["membership"], one["member"]["membership_ends"])
        for one in (life, suspended)
    ] == [("life", None), ("not_current", None)]


@pytest.mark.parametrize("ends", [None, date(2024, 6, 1)])
def test_life_master_by_a_merged_number_or_an_ended_floor(check, ana, ends):
    old = make_player("30000103")
    Floor.objects.create(
        **{"player": old, "system": "OTBR", "kind": "life_master", "level": 2200},
        **{"starts": date(2024, 3, 3), "ends": ends, "reason": "300 games."},
        granted_by=make_staff(),
    )
    rows = {"member_id": "30000101"}, {"member_id": "30000103"}
    answers = [line["member"]["is_life_master"] for line in check(*rows)]
    assert answers == [False, True]
    old.status, old.merged_into = "duplicate", ana
    old.save()
    answers = [line["member"]["is_life_master"] for line in check(*rows)]
    assert answers == [True, True]


def test_ratings_are_those_of_the_list_of_the_day_and_of_today(world):
    key = key_of(world.td)
    rows = [{"member_id": "30000002"}, {"member_id": "30000002", "day": "2020-01-01"}]
    response = post(rows, key, day=IN_JULY)
    now, before = (line["member"] for line in response.json()["rows"])
    listed = Client().get("/api/v1/lists/2024-07?limit=100").json()
    shown = Client().get("/api/v1/members/30000002/lists").json()["items"][0]
    assert shown["month"] == f"{JULY:%Y-%m}", listed
    assert now["official"] == [
        {"system": one["system"], "rating": one["rating"], "is_about": one["is_about"]}
        for one in shown["ratings"]
    ]
    assert now["official"]
    current = Client().get("/api/v1/members/30000002/ratings").json()["current"]
    assert now["current"] == [
        {"system": one["system"], "rating": one["whole"], "is_about": one["is_about"]}
        for one in current
        if one["whole"] is not None
    ]
    assert before["official"] == []


def test_only_the_list_of_each_members_own_day_is_read(world, check, monkeypatch):
    published(JULY.replace(month=8))
    used = []
    monkeypatch.setattr(
        queries, "official_number", lambda row: used.append(row) or row.rating
    )
    rows = [
        ("30000002", IN_JULY),
        ("30000003", "2024-08-10"),
        ("30000002", "2020-01-01"),
    ]
    lines = check(*({"member_id": one, "day": day} for one, day in rows))
    assert [bool(line["member"]["official"]) for line in lines] == [True, True, False]
    assert {(row.player.member_id, row.list.month.month) for row in used} == {
        ("30000002", 7),
        ("30000003", 8),
    }


def test_a_td_has_level_and_certification_of_the_day(check):
    td = make_td("checked td", "30000109")
    td.player.official.certified_until = date(2026, 6, 30)
    td.player.official.save()
    days = ("2026-06-30", "2026-07-01")
    lines = check(*({"member_id": "30000109", "day": day} for day in days))
    assert [line["member"]["td"] for line in lines] == [
        {"level": "senior", "certified_until": "2026-06-30", "is_certified": is_valid}
        for is_valid in (True, False)
    ]
    assert lines[0]["member"]["safe_play_until"] is None
    td.player.official.safe_play_until = date(2026, 9, 30)
    td.player.official.save()
    [line] = check({"member_id": "30000109"})
    assert line["member"]["safe_play_until"] == "2026-09-30"
    merge_with_approval(make_player("30000110"), td.player)
    for number in ("30000109", "30000110"):
        [line] = check({"member_id": number})
        assert line["member"]["member_id"] == "30000110"
        assert line["member"]["td"]["level"] == "senior"
        assert line["member"]["safe_play_until"] == "2026-09-30"


# Birth years

YEARS = [str(year) for year in range(1920, timezone.localdate().year + 1)]


def answers(key, **row):
    """Return the answer of each birth year, without its row number."""
    rows = [{**row, "birth_year": year} for year in ("", *YEARS)]
    lines = post(rows, key).json()["rows"]
    return [{**line, "row": 0} for line in lines]


def test_a_birth_year_changes_no_answer_without_namesakes(td_key, ana):
    for row in (
        {"member_id": "30000101"},
        {"name": "Ana Quillen"},
        {"name": "Anna Quillen"},
        {"member_id": "30000101", "name": "Ben Strange"},
        {"name": "Nobody Knownhere"},
    ):
        first, *others = answers(td_key, **row)
        assert all(one == first for one in others), row


def namesakes(*years):
    for at, year in enumerate(years):
        born = year and date(year, 5, 5)
        make_player(str(30000201 + at), "Kim", "Samename", birth_date=born)


def test_birth_years_separate_namesakes_by_age_group_only():
    year = timezone.localdate().year
    namesakes(1980, year - 15)
    first, *others = answers(key_of(make_td()), name="Kim Samename")
    assert brief(first) == ("namesakes", None, [], ["30000201", "30000202"])
    found = {said: brief(one)[1] for said, one in zip(YEARS, others, strict=True)}
    ages = {said: year - int(said) for said in YEARS}
    assert found == {
        said: "30000201" if age >= 18 else "30000202" if age >= 13 else None
        for said, age in ages.items()
    }
    assert all(one == first for one in others if not one["member"])


YEAR = int(YEARS[-1])


@pytest.mark.parametrize(
    "years", [(1980, 1990), (1980, None), (YEAR - 11, YEAR - 10, 1990)]
)
def test_a_birth_year_does_not_choose_within_an_age_group(years):
    namesakes(*years)
    lines = answers(key_of(make_td()), name="Kim Samename")
    chosen = {brief(line)[1] for line in lines} - {None}
    assert chosen <= ({"30000203"} if len(years) == 3 else set())
    assert len({str(line) for line in lines}) <= 2


def test_keys_of_others_than_tds_learn_nothing_from_birth_years():
    namesakes(1980, timezone.localdate().year - 15)
    first, *others = answers(key_of(make_user()), name="Kim Samename")
    assert first["status"] == "namesakes"
    assert all(one == first for one in others)


def test_a_td_whose_certification_has_ended_learns_nothing_either():
    namesakes(1980, timezone.localdate().year - 15)
    td = make_td()
    td.player.official.certified_until = timezone.localdate() - timedelta(days=1)
    td.player.official.save()
    first, *others = answers(key_of(td), name="Kim Samename")
    assert all(one == first for one in others)


def test_a_state_separates_namesakes(check):
    for member_id, state in (("30000301", "OH"), ("30000302", "TX")):
        make_player(member_id, "Kim", "Samename", state=state)
    [line] = check({"name": "Kim Samename", "state": "TX"})
    assert brief(line)[:2] == ("match", "30000302")


# Limits


def test_without_a_key_there_is_no_check(ana):
    rows = {"rows": [{"member_id": "30000101"}]}
    response = Client().post(URL, rows, content_type="application/json")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_the_key_of_a_membership_feed_cannot_check(ana, admin_user):
    key = key_of(admin_user, may_feed=True)
    response = post([{"member_id": "30000101"}], key)
    assert response.status_code == 403
    assert "can only update members" in response.json()["detail"]


@pytest.mark.parametrize("number", [0, MAX_ROWS + 1])
def test_a_list_has_up_to_a_thousand_rows(td_key, number):
    response = post([{"member_id": "30000101"}] * number, td_key)
    assert response.status_code == 422
    assert "rows: List should have at" in response.json()["errors"][0]


def test_each_row_counts_as_a_request_and_the_check_is_audited(td_key, ana):
    response = post([{"member_id": "30000101"}] * 7 + [{}], td_key)
    # The request itself, and eight rows.
    assert ApiUse.objects.get().requests == 9
    assert "r=49991;" in response.headers["RateLimit"]
    entry = AuditEntry.objects.get(action="members.checked")
    assert entry.facts == {"rows": 8, "problems": 1}


def test_a_check_that_the_quota_does_not_allow_costs_nothing(ana):
    user = make_td()
    key, text = create_key(owner=user, name="small", may_submit=False)
    key.daily_quota = 10
    key.save()
    response = post([{"member_id": "30000101"}] * 10, text)
    assert response.status_code == 429
    assert "Each row counts as one" in response.json()["detail"]
    assert int(response.headers["Retry-After"]) > 0
    assert ApiUse.objects.get().requests == 1
    assert post([{"member_id": "30000101"}] * 8, text).status_code == 200


def test_a_check_takes_the_same_queries_for_any_size(td_key):
    make_player("30000400", "Wen", "Doubtful")
    for at in range(30):
        make_player(str(30000401 + at), f"Ida{at}", "Manifold", fide_id=str(9000 + at))

    def queries(players):
        rows = [
            *({"member_id": str(30000401 + at)} for at in range(players)),
            *({"name": f"Ida{at} Manifold"} for at in range(players)),
            *({"name": "Doubtfull, Wen"} for _ in range(players)),
        ]
        with CaptureQueriesContext(connection) as context:
            response = post(rows, td_key)
        counts = {"match": 2 * players, "near_match": players}
        assert response.json()["counts"] == counts
        return len(context)

    queries(1)  # what the first request loads
    assert queries(2) == queries(30) <= 21
