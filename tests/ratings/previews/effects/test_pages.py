"""The confirmation pages of actions show the preview lines."""

import re
import zlib
from contextlib import closing
from datetime import date, timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from players.models import ExternalRating, Player
from ratings.engine.numbers import official
from ratings.models import Floor, FloorLowering, PlayerRating
from ratings.previews.effects import services
from ratings.previews.effects.pages import _ceiling_lines, preview_ratings
from ratings.previews.floor_requests.services import request_lower_floor
from ratings.rerates.services import what_if
from ratings_site.common.models import PendingAct
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_player, make_staff, merge_with_approval, rated_section
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list
from tests.ratings.decisions.floors.factories import (
    ADJUST,
    CEILING,
    GRANT,
    LOWER,
    clerk,
    staff_with_permissions,
)
from tests.ratings.previews.effects.test_dry_runs import (  # noqa: F401 (a fixture)
    FIDE_ID,
    adjusted,
    ceiling,
    floor,
    link_of_newcomer,
    members,
    run_rerate,
)
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    MAY,
    office,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
REASON = "She has shown a letter."


@pytest.fixture
def staff(client):
    user = staff_with_permissions(GRANT, CEILING, ADJUST, LOWER)
    client.force_login(user)
    return user


def codes(answer) -> list[str]:
    return [effect.code for effect in answer.context["effects"]]


def ratings_url(name, *args) -> str:
    return reverse(f"ratings:{name}", args=args)


# Merges


def pair_url(kept, merged) -> str:
    return f"/office/duplicates/{kept.member_id}/{merged.member_id}/"


def test_merge_of_rated_members_is_late_and_takes_two(client, staff, members):  # noqa: F811
    one, other = members[1], members[4]
    answer = client.get(pair_url(one, other))
    said = codes(answer)
    assert said[:4] == ["merged", "memberships", "systems", "late"]
    assert said[-2:] == ["can_be_undone", "second_person"]
    assert {"rating", "others"} <= set(said)
    sentences = " ".join(effect.sentence for effect in answer.context["effects"])
    merge_with_approval(one, other)
    run_rerate()
    now = official(PlayerRating.objects.get(player=one, system="OTBR").rating)
    assert re.search(rf"{re.escape(str(one))}, Regular: \S+ becomes {now} ", sentences)
    assert re.search(rf"{re.escape(str(other))}, \w+: \d+ becomes unrated", sentences)


def test_merge_of_equals_without_ratings_is_in_order_and_for_one(client, staff):
    born = date(1990, 1, 1)
    one, other = make_player(birth_date=born), make_player(birth_date=None, state="OH")
    answer = client.get(pair_url(one, other))
    assert codes(answer) == [
        "merged",
        "fields",
        "memberships",
        "no_systems",
        "in_order",
        "can_be_undone",
        "alone",
    ]
    assert not Player.objects.filter(merged_into=one).exists()


def test_what_cannot_be_merged_has_no_effects_and_no_button(client, staff):
    one = make_player(fide_id="30900001")
    other = make_player(fide_id="30900002")
    answer = client.get(pair_url(one, other))
    assert codes(answer) == []
    assert 'value="merge"' not in answer.content.decode()
    assert 'value="apart"' in answer.content.decode()


def test_approver_sees_it_on_the_approvals_page(client, staff, members):  # noqa: F811
    said = {"reason": REASON, "decision": "merge"}
    client.post(pair_url(members[1], members[4]), said)
    act = PendingAct.objects.get()
    client.force_login(make_staff())
    answer = client.get(reverse("office:approval", args=[act.pk]))
    assert codes(answer)[:4] == ["merged", "memberships", "systems", "late"]
    assert "second_person" not in codes(answer)


def test_pair_that_is_merged_meanwhile_gives_the_reason_back(client, staff):
    one, other = make_player(), make_player()
    merge_with_approval(one, other)
    answer = client.post(pair_url(one, other), {"reason": REASON, "decision": "merge"})
    assert answer.status_code == 422
    assert "is already merged into" in text_of(answer)
    assert REASON in answer.content.decode()


def test_undoing_says_whether_pending_rerates_cancel_out(client, staff, members):  # noqa: F811
    merge = merge_with_approval(members[1], members[4])
    where = reverse("players_office:undo_merge", args=[merge.pk])
    assert codes(client.get(where)) == [
        "unmerged",
        "systems",
        "mark_taken_back",
        "can_be_merged",
        "alone",
    ]
    run_rerate()
    said = codes(client.get(where))
    assert said[:3] == ["unmerged", "systems", "late"]
    assert "rating" in said


# Links


def test_link_of_a_newcomer_is_late_and_of_others_in_order(client, staff, members):  # noqa: F811
    link_of_newcomer(members)
    where = reverse("players_office:link", args=[members[4].member_id, FIDE_ID])
    said = codes(client.get(where))
    assert said[0] == "linked"
    assert "lists" in said
    assert "late" in said
    assert said[-2:] == ["can_be_undone", "alone"]
    elsewhere = reverse("players_office:link", args=[members[0].member_id, FIDE_ID])
    said = codes(client.get(elsewhere))
    assert "in_order" in said
    assert "late" not in said
    assert not ExternalRating.objects.exists()


def test_link_taken_away_says_the_same(client, staff):
    member = make_player()
    import_list([Person(FIDE_ID, rating=2300)])
    link = reverse("players_office:link", args=[member.member_id, FIDE_ID])
    client.post(link, {"reason": REASON, "decision": "accept"})
    where = reverse("players_office:unlink", args=[member.member_id])
    assert codes(client.get(where)) == [
        "unlinked",
        "lists",
        "no_systems",
        "in_order",
        "can_be_undone",
        "alone",
    ]


def test_cfc_rating_is_looked_at_first(client, staff, members):  # noqa: F811
    Player.objects.filter(pk=members[4].pk).update(residence="CAN")
    said = {
        "member": members[4].member_id,
        "rating": "2100",
        "games": "",
        "list_date": "2024-03-01",
        "reason": REASON,
        "look": "1",
    }
    answer = client.post("/office/cfc/", said)
    assert codes(answer)[:3] == ["entered", "systems", "late"]
    assert not ExternalRating.objects.exists()
    said["member"] = members[1].member_id
    there = codes(client.post("/office/cfc/", said))
    assert there[:2] == ["entered", "not_in_canada"]
    refused = client.post("/office/cfc/", said | {"list_date": "2099-01-01"})
    assert refused.status_code == 422
    assert REASON in refused.content.decode()


def test_cfc_correction_names_what_changes(client, staff, members):  # noqa: F811
    day = date(2024, 3, 1)
    members[4].external_ratings.create(body="CFC", rating=2100, list_date=day)

    def lines(rating: int, games: str) -> list[tuple[str, str]]:
        said = {
            "member": members[4].member_id,
            "rating": rating,
            "games": games,
            "list_date": day.isoformat(),
            "reason": REASON,
            "look": "1",
        }
        shown = client.post("/office/cfc/", said).context["effects"]
        return [
            (one.code, one.sentence.partition(": ")[2])
            for one in shown
            if one.code in ("corrected", "games")
        ]

    rating = (
        "corrected",
        "the CFC rating of Mar 1, 2024 changes from 2100 to 2050.",
    )
    games = (
        "games",
        "the number of games for the CFC rating of Mar 1, 2024 changes: – → 30.",
    )
    assert lines(2050, "") == [rating]
    assert lines(2100, "30") == [games]
    assert lines(2050, "30") == [rating, games]


# Floors


def floor_form(**changes) -> dict:
    return {
        "system": "OTBR",
        "level": "1900",
        "starts": MARCH.isoformat(),
        "ends": "",
        "reason": REASON,
        "evidence": "",
        "look": "1",
    } | changes


def decided(member: Player, kind: str, level: int) -> Floor:
    return Floor.objects.create(
        player=member,
        system="OTBR",
        kind=kind,
        level=level,
        starts=MARCH,
        reason="First prize.",
        granted_by=make_staff(),
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["touched", "below_floor", "late", "rating"]),
        ({"starts": "today"}, ["touched", "below_floor", "in_order"]),
        ({"system": "OTBB"}, ["touched", "unrated", "in_order"]),
    ],
)
def test_floor_says_what_it_lifts_and_when(client, staff, members, changes, expected):  # noqa: F811
    if changes.get("starts"):
        changes = {"starts": timezone.localdate().isoformat()}
    where = ratings_url("grant_floor", members[1].member_id)
    answer = client.post(where, floor_form(**changes))
    assert answer.status_code == 200
    said = codes(answer)
    assert said[: len(expected)] == expected
    assert said[-2:] == ["can_be_ended", "second_person"]
    assert not PendingAct.objects.exists()
    assert not Floor.objects.exists()


def test_floor_below_the_rating_lifts_nothing(client, staff):
    player = make_player(ratings={"OTBR": (1650.0, 30)})
    where = ratings_url("grant_floor", player.member_id)
    said = codes(client.post(where, floor_form(level="1600")))
    assert said[:2] == ["touched", "above_floor"]


def test_floor_that_is_refused_comes_back_with_the_reason(client, staff, members):  # noqa: F811
    where = ratings_url("grant_floor", members[1].member_id)
    answer = client.post(where, floor_form(level="100"))
    assert answer.status_code == 422
    assert "has no effect" in text_of(answer)
    assert REASON in answer.content.decode()


def test_end_of_a_floor_takes_two_only_for_a_prize(client, staff, members):  # noqa: F811
    given = floor(members[2], MARCH)
    where = ratings_url("end_floor", given.pk)
    sent = {"ends": MARCH.isoformat(), "reason": REASON, "look": "1"}
    said = codes(client.post(where, sent))
    assert said[:3] == ["touched", "floor_after", "late"]
    assert said[-1] == "alone"
    today = sent | {"ends": timezone.localdate().isoformat()}
    assert "in_order" in codes(client.post(where, today))
    prize = decided(members[2], "money", 1900)
    said = codes(client.post(ratings_url("end_floor", prize.pk), sent))
    assert said[-1] == "second_person"


def test_money_floor_says_it_before_the_proposal(client, staff):
    section = rated_section()
    winner = section.entries.first().player
    asked = {
        "event_id": section.event.event_id,
        "number": "1",
        "prize": "4500",
        "limit": "1750",
    }
    answer = client.get(ratings_url("money_floor", winner.member_id), asked)
    said = codes(answer)
    assert said[:2] == ["touched", "below_floor"]
    assert "late" in said
    assert said[-2:] == ["can_be_ended", "second_person"]


def test_ceiling_and_its_end_say_what_they_press(client, staff, members):  # noqa: F811
    where = ratings_url("impose_ceiling", members[0].member_id)
    sent = floor_form(level="1500")
    said = codes(client.post(where, sent))
    assert said[:3] == ["touched", "above_ceiling", "late"]
    assert said[-1] == "alone"
    given = ceiling(members[0], MARCH)
    ends = {"ends": (MARCH - DAY).isoformat(), "reason": REASON, "look": "1"}
    refused = client.post(ratings_url("end_ceiling", given.pk), ends)
    assert refused.status_code == 422
    ends["ends"] = timezone.localdate().isoformat()
    said = codes(client.post(ratings_url("end_ceiling", given.pk), ends))
    assert said == ["touched", "in_order", "not_undone", "alone"]


def adjustment_form(day: date) -> dict:
    return {
        "system": "OTBR",
        "kind": "reinstate",
        "day": day.isoformat(),
        "rating": "1900",
        "games": "40",
        "reason": REASON,
        "look": "1",
    }


def test_adjustment_is_late_or_counts_at_once(client, staff, members):  # noqa: F811
    where = ratings_url("adjust", members[1].member_id)
    assert codes(client.post(where, adjustment_form(MAY + DAY))) == [
        "touched",
        "at_once",
        "in_order",
        "can_be_withdrawn",
        "second_person",
    ]
    late = codes(client.post(where, adjustment_form(MARCH - DAY)))
    assert late[:2] == ["touched", "late"]
    made = adjusted(members[1], MAY + DAY)
    said = codes(client.get(ratings_url("withdraw_adjustment", made.pk)))
    assert said[:2] == ["touched", "late"]
    assert said[-2:] == ["not_undone", "second_person"]


def test_lowering_says_that_it_is_for_good(client, staff, members):  # noqa: F811
    floor(members[1], MAY - DAY, 1600)
    request = request_lower_floor(
        player_id=members[1].pk, system="OTBR", reason="Ill.", actor=make_staff()
    )
    where = ratings_url("floor_request", request.pk)
    assert codes(client.get(where)) == ["touched", "in_order", "for_good", "alone"]
    assert not FloorLowering.objects.exists()


# Missing permissions


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("grant_floor", floor_form()),
        ("impose_ceiling", floor_form()),
        ("adjust", adjustment_form(MARCH)),
    ],
)
def test_who_lost_the_permission_reads_who_may_and_keeps_the_reason(
    client,
    members,  # noqa: F811
    name,
    sent,
):
    staff_with_permissions(GRANT, CEILING, ADJUST)
    client.force_login(clerk())
    where = ratings_url(name, members[1].member_id)
    page = client.get(where)
    assert "Who can do this:" in text_of(page)
    assert 'name="reason"' not in page.content.decode()
    answer = client.post(where, sent)
    assert answer.status_code == 403
    assert "Who can do this:" in text_of(answer)
    assert REASON in answer.content.decode()


# Unavailable previews


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("held", ["ratings", "member"])
def test_the_page_reports_a_concurrent_write(monkeypatch, held):
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    monkeypatch.setattr(services, "LOCK_TIMEOUT", 1)
    one = make_player(ratings={"OTBR": (1650.0, 30)})
    lock = {
        "ratings": ("SELECT pg_advisory_xact_lock(%s)", zlib.crc32(b"ratings")),
        "member": ("SELECT 1 FROM players_player WHERE id = %s FOR UPDATE", one.pk),
    }
    statement, number = lock[held]
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(statement, [number])
        said = preview_ratings(
            lambda: Player.objects.select_for_update(of=("self",)).get(pk=one.pk),
            [one],
        )
    assert [effect.code for effect in said] == ["busy"]


def test_what_takes_too_long_is_known_later(members, monkeypatch):  # noqa: F811
    monkeypatch.setattr(services, "MAX_LINES", 3)
    said = preview_ratings(lambda: floor(members[1], MARCH), members[:2])
    assert [one.code for one in said] == ["late", "known_later"]


def test_all_other_players_are_counted(members, monkeypatch):  # noqa: F811
    def effects() -> list[str]:
        return [
            one.sentence
            for one in preview_ratings(lambda: adjusted(members[1], MARCH), members[:1])
        ]

    everybody = effects()
    monkeypatch.setattr(what_if, "MAX_LINES", 1)
    assert effects() == everybody


def test_a_rating_that_prints_as_its_ceiling_is_not_above_it():
    player = make_player("30000005", ratings={"OTBR": (1800.3, 40)})
    [line] = _ceiling_lines(player, "OTBR", 1800)
    assert line.sentence == "The Regular rating is 1800, not above 1800."


def test_proposal_that_cannot_be_done_any_more_says_so(client, staff, members):  # noqa: F811
    where = ratings_url("grant_floor", members[1].member_id)
    sent = floor_form()
    del sent["look"]
    client.post(where, sent)
    act = PendingAct.objects.get()
    decided(members[1], "office", 1900)
    client.force_login(staff_with_permissions(GRANT))
    answer = client.get(reverse("office:approval", args=[act.pk]))
    assert codes(answer) == ["impossible"]
