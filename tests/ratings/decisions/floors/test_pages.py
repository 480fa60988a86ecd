"""The pages of floors: the public page, and the decisions of the office."""

from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from players.models import GuardianAccount
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.models import (
    Adjustment,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
    LifeMasterSetAside,
    RerateMark,
    Run,
)
from ratings.rerates.services import what_if
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job, PendingAct
from tests.factories import (
    END,
    make_player,
    make_staff,
    make_user,
    rated_section,
)
from tests.privacy.public_records import PublicRecords
from tests.privacy.test_birth_dates import BORN, lost_all
from tests.privacy.test_visibility import reader
from tests.ratings.decisions.floors.factories import (
    ADJUST,
    CEILING,
    GRANT,
    LOWER,
    clerk,
    staff_with_permissions,
)
from tests.ratings.decisions.floors.test_life_masters import FIRST, play
from tests.ratings.decisions.matches.factories import established, rated_match
from tests.response_text import is_closed, is_not_found

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
OUTDATED = "Ratings or records have changed since then."


@pytest.fixture
def player():
    return make_player(
        given_name="Paula", family_name="Player", ratings={"OTBR": (1650.0, 30)}
    )


def granted(player, level=1500, **changes):
    facts = {
        "system": "OTBR",
        "kind": "money",
        "starts": END,
        "reason": "First prize.",
        "evidence": "A letter.",
    }
    staff = changes.pop("granted_by", None) or make_staff()
    return Floor.objects.create(
        player=player, level=level, granted_by=staff, **facts | changes
    )


def url(name, *args):
    return reverse(f"ratings:{name}", args=args)


def get(client, name, *args, user=None):
    if user is not None:
        client.force_login(user)
    return client.get(url(name, *args)).content.decode()


# --- Public ---


def test_public_page_shows_floors_with_reason_and_no_names(client, player):
    staff = make_staff("clara-clerk")
    granted(player, granted_by=staff)
    page = get(client, "floors", player.member_id)
    assert "First prize." in page
    assert "1650 − 200 = 1450, so 1400" in page
    assert "Money floor" in page
    assert "clara-clerk" not in page
    assert "A letter." not in page
    assert "Request a lower floor" not in page


def test_public_page_keeps_ceilings_reasons_and_own_requests_private(client, player):
    Ceiling.objects.create(
        player=player,
        system="OTBR",
        level=1700,
        starts=END,
        reason="Results under review.",
        imposed_by=make_staff(),
    )
    FloorRequest.objects.create(
        player=player, system="OTBR", floor=1400, day=END, reason="I am ill."
    )
    page = get(client, "floors", player.member_id)
    assert "1700</span> since May 5, 2024" in page
    assert "Results under review." not in page
    assert "Request to lower" not in page
    assert "I am ill." not in page


def test_member_sees_own_request_and_answer(client):
    account = make_user()
    mine = make_player(ratings={"OTBR": (1650.0, 30)}, account=account)
    FloorRequest.objects.create(
        player=mine,
        system="OTBR",
        floor=1400,
        day=END,
        status="refused",
        decision_reason="Too soon.",
    )
    page = get(client, "floors", mine.member_id, user=account)
    assert "Request to lower the floor" in page
    assert "Too soon." in page


def test_request_of_a_match_is_public(client):
    loser = established(1610.0)
    granted(loser, 1600, starts=FIRST - 30 * DAY)
    section = rated_match(loser, established(1605.0), "LLLL", FIRST)
    page = get(client, "floors", loser.member_id)
    assert "Request to lower the floor" in page
    assert section.event.get_absolute_url() in page


@pytest.mark.parametrize(
    ("role", "sees"),
    [
        ("anybody", False),
        ("somebody", False),
        ("member", True),
        ("guardian", True),
        ("office", True),
    ],
)
def test_rating_is_shown_to_who_sees_it_on_the_profile(client, role, sees):
    books = PublicRecords(BORN)
    lost_all(books)
    reading = reader(books, role)
    page = get(reading, "floors", books.target.member_id)
    assert ('tnum">690, ' in page, 'tnum">about 700, ' in page) == (sees, not sees)


def test_member_requests_are_hidden_from_guardian_and_office(client):
    child = make_player(ratings={"OTBR": (1650.0, 30)})
    GuardianAccount.objects.create(player=child, account=make_user("parent"))
    FloorRequest.objects.create(
        player=child, system="OTBR", floor=1400, day=END, reason="I am ill."
    )
    for account in (child.guardian_accounts.get().account, make_staff()):
        page = get(client, "floors", child.member_id, user=account)
        assert "Request to lower" not in page


def test_page_of_a_duplicate_is_that_of_the_member(client, player):
    duplicate = make_player(status="duplicate", merged_into=player)
    page = get(client, "floors", duplicate.member_id)
    assert "Rating floors: Paula Player" in page
    assert client.get(url("floors", "39999999")).status_code == 404
    assert client.get("/players/nonsense/floors/").status_code == 404


@pytest.mark.parametrize("floors", [1, 30])
def test_page_takes_the_same_queries_for_any_history(
    client, player, floors, django_assert_num_queries
):
    for number in range(floors):
        granted(player, starts=END + number * DAY)
    with django_assert_num_queries(14):
        page = get(client, "floors", player.member_id)
    assert page.count("First prize.") == floors


# --- The member ---


def test_member_asks_on_the_web(client):
    account = make_user()
    mine = make_player(ratings={"OTBR": (1650.0, 30)}, account=account)
    client.force_login(account)
    where = url("ask_lower_floor", mine.member_id)
    refused = client.post(where, {"system": "OTBR", "reason": ""})
    assert refused.status_code == 422
    assert not FloorRequest.objects.exists()
    answer = client.post(where, {"system": "OTBR", "reason": "I am ill."})
    assert answer.url == url("floors", mine.member_id)
    request = FloorRequest.objects.get()
    assert (request.floor, request.asked_by, request.reason) == (
        1400,
        account,
        "I am ill.",
    )
    again = client.post(where, {"system": "OTBR", "reason": "Again."})
    assert again.status_code == 422
    assert "already an open request" in again.content.decode()


def test_others_cannot_ask(client, player):
    where = url("ask_lower_floor", player.member_id)
    assert "login" in client.get(where).url
    client.force_login(make_user())
    assert client.post(where, {"system": "OTBR", "reason": "So."}).status_code == 403
    assert not FloorRequest.objects.exists()


# --- The office ---


@pytest.mark.parametrize(
    ("name", "with_member"),
    [
        ("office_floors", True),
        ("grant_floor", True),
        ("money_floor", True),
        ("impose_ceiling", True),
        ("adjust", True),
        ("floor_requests", False),
        ("life_masters", False),
        ("adjustments", False),
    ],
)
def test_pages_of_the_office_are_closed_to_others(client, player, name, with_member):
    where = url(name, *([player.member_id] if with_member else []))
    assert client.get(where)["Location"] == f"/accounts/login/?next={where}"
    client.force_login(make_user())
    assert is_closed(client.get(where))
    client.force_login(staff_with_permissions(GRANT, CEILING, ADJUST, LOWER))
    page = client.get(where).content.decode()
    assert (player.name if with_member else "<h1>") in page


def test_office_page_shows_evidence_names_and_what_waits(client, player):
    granted(player, granted_by=make_staff("clara-clerk"))
    PendingAct.objects.create(
        kind="floors.grant_money",
        title="Money floor 1800 for Paula",
        reason="Won it.",
        payload={"player_id": player.pk},
        proposed_by=make_staff("peter-proposer"),
    )
    page = get(
        client, "office_floors", player.member_id, user=staff_with_permissions(GRANT)
    )
    for text in ("A letter.", "clara-clerk", "Money floor 1800 for Paula", "peter-pro"):
        assert text in page


def test_actions_are_offered_with_permission_only(client, player):
    granted(player)
    offered = [
        [
            text in get(client, "office_floors", player.member_id, user=user)
            for text in ("Grant a floor", "Ceiling</a>", "Adjust a rating")
        ]
        for user in (clerk(), staff_with_permissions(GRANT, CEILING, ADJUST))
    ]
    assert offered == [[False] * 3, [True] * 3]


def floor_form(**changes):
    return {
        "system": "OTBR",
        "level": "1500",
        "starts": "2024-05-05",
        "ends": "",
        "reason": "A ruling.",
        "evidence": "",
    } | changes


def test_office_grants_and_ends_a_floor(client, player):
    staff = staff_with_permissions(GRANT)
    client.force_login(staff)
    client.post(url("grant_floor", player.member_id), floor_form())
    second = staff_with_permissions(GRANT)
    approve(act_id=PendingAct.objects.get().pk, actor=second)
    floor = Floor.objects.get()
    assert (floor.level, floor.kind, floor.granted_by) == (1500, "office", staff)
    assert floor.approved_by == second
    client.post(
        url("end_floor", floor.pk), {"ends": "2024-06-01", "reason": "Appealed."}
    )
    floor.refresh_from_db()
    assert floor.ends.isoformat() == "2024-06-01"


def test_page_says_that_a_money_floor_ends_by_two(client, player):
    staff = staff_with_permissions(GRANT)
    floor = Floor.objects.create(
        player=player,
        system="OTBR",
        kind="money",
        level=1500,
        starts=date(2024, 5, 5),
        reason="First prize.",
        granted_by=staff,
    )
    client.force_login(staff)
    where = url("end_floor", floor.pk)
    assert (
        "a second person must approve ending it" in client.get(where).content.decode()
    )
    said = {"ends": "2024-06-01", "reason": "Paid back."}
    page = client.post(where, said, follow=True).content.decode()
    assert "Ending the floor is awaiting a second approval." in page
    assert "End the Regular money floor 1500 of" in page
    floor.refresh_from_db()
    assert floor.ends is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": "1250"}, "Enter a floor in steps of 100"),
        ({"level": "٣"}, "digits 0 to 9"),
        ({"reason": ""}, "Enter a reason."),
        (
            {"ends": "2024-05-01"},
            "The last day is before the first day. Correct one of them.",
        ),
        ({"starts": "2999-01-01"}, "Enter a date from 1950 to 2100."),
        ({"starts": "2099-01-01"}, "in the future"),
    ],
)
def test_floor_that_breaks_a_rule_comes_back_with_the_rule(
    client, player, changes, said
):
    client.force_login(staff_with_permissions(GRANT))
    answer = client.post(url("grant_floor", player.member_id), floor_form(**changes))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Floor.objects.exists()


def test_clerk_without_the_permission_is_turned_away(client, player):
    client.force_login(clerk())
    where = url("grant_floor", player.member_id)
    assert client.post(where, floor_form()).status_code == 403
    assert not Floor.objects.exists()


def test_prize_is_looked_at_first_and_then_proposed(client):
    section = rated_section()
    winner = section.entries.first().player
    client.force_login(staff_with_permissions(GRANT))
    asked = {
        "event_id": section.event.event_id,
        "number": "1",
        "prize": "4500",
        "limit": "1750",
    }
    where = url("money_floor", winner.member_id)
    page = client.get(where, asked).content.decode()
    assert '<strong class="tnum">1800</strong>' in page
    assert "$4,500 under 1750" in page
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    client.post(f"{where}?{query}", {"reason": "First prize.", "evidence": "List."})
    act = PendingAct.objects.get()
    assert act.payload == {
        "player_id": winner.pk,
        "section_id": section.pk,
        "prize": 4500,
        "limit": 1750,
        "evidence": "List.",
    }
    assert not Floor.objects.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prize": "3999"}, "Only prizes of $4,000 or more"),
        ({"limit": "2200"}, "The limit entered is 2200"),
        ({"number": "9"}, "Section not found."),
        ({"event_id": "2024"}, "An event ID has twelve digits."),
    ],
)
def test_prize_that_makes_no_floor_says_why(client, changes, said):
    section = rated_section()
    winner = section.entries.first().player
    client.force_login(staff_with_permissions(GRANT))
    asked = {
        "event_id": section.event.event_id,
        "number": "1",
        "prize": "4500",
        "limit": "1750",
    } | changes
    where = url("money_floor", winner.member_id)
    assert said in client.get(where, asked).content.decode()
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    answer = client.post(f"{where}?{query}", {"reason": "So.", "evidence": ""})
    assert answer.status_code == 422
    assert not PendingAct.objects.exists()


def test_ceiling_is_imposed_and_ended_on_its_pages(client, player):
    client.force_login(staff_with_permissions(CEILING))
    said = {
        "system": "OTBR",
        "level": "1700",
        "starts": "2024-05-05",
        "ends": "",
        "reason": "Under review.",
    }
    client.post(url("impose_ceiling", player.member_id), said)
    ceiling = Ceiling.objects.get()
    assert (ceiling.level, ceiling.reason) == (1700, "Under review.")
    client.post(
        url("end_ceiling", ceiling.pk), {"ends": "2024-06-01", "reason": "Cleared."}
    )
    ceiling.refresh_from_db()
    assert ceiling.ends.isoformat() == "2024-06-01"


# --- Requests ---


def asked(player, **changes) -> FloorRequest:
    facts = {"system": "OTBR", "floor": 1400, "day": timezone.localdate()}
    return FloorRequest.objects.create(
        player=player, reason="I am ill.", **facts | changes
    )


def test_request_is_decided_on_its_page(client, player):
    request = asked(player)
    client.force_login(staff_with_permissions(LOWER))
    assert (
        "1400 → 1300" in client.get(url("floor_request", request.pk)).content.decode()
    )
    effect = client.get(url("floor_request_effect", request.pk)).content.decode()
    assert "no rating changes" in effect
    where = url("floor_request", request.pk)
    assert client.post(where, {"reason": "Granted."}).status_code == 422
    client.post(where, {"decision": "grant", "reason": "Granted."})
    assert FloorLowering.objects.get().level == 1300
    listed = client.get(url("floor_requests")).content.decode()
    assert "“Granted.”" in listed
    assert "Granted</strong> by" in client.get(where).content.decode()


def test_effect_of_a_match_request_names_whose_rating_moves(client):
    loser = established(1610.0, given_name="Lou", family_name="Loser")
    granted(loser, 1600, starts=FIRST - 30 * DAY)
    rated_match(loser, established(1605.0), "LLLL", FIRST)
    request = FloorRequest.objects.get()
    client.force_login(staff_with_permissions(LOWER))
    page = client.get(url("floor_request_effect", request.pk)).content.decode()
    row = page[page.index("Lou Loser</a></th>") :]
    assert '<td class="num">1600</td><td class="num">1560</td>' in row


def test_a_long_effect_is_a_job_and_its_result_is_kept(client, monkeypatch):
    monkeypatch.setattr(what_if, "SMALL_WINDOW", 0)
    loser = established(1610.0, given_name="Lou", family_name="Loser")
    granted(loser, 1600, starts=FIRST - 30 * DAY)
    rated_match(loser, established(1605.0), "LLLL", FIRST)
    address = url("floor_request_effect", FloorRequest.objects.get().pk)
    client.force_login(staff_with_permissions(LOWER))
    assert "Preview rating changes" in client.get(address).content.decode()
    working = client.post(address, follow=True).content.decode()
    assert f'hx-get="{address}"' in working
    client.post(address)
    run_due_jobs()
    assert client.get(address, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    page = client.get(address).content.decode()
    row = page[page.index("Lou Loser</a></th>") :]
    assert '<td class="num">1600</td><td class="num">1560</td>' in row
    assert Run.objects.filter(kind=Run.Kind.WHAT_IF).count() == 1
    assert OUTDATED not in page

    rated_match(loser, established(1600.0), "LL", FIRST + DAY)
    assert OUTDATED in client.get(address).content.decode()
    client.post(address)
    run_due_jobs()
    page = client.get(address).content.decode()
    assert OUTDATED not in page
    assert Run.objects.filter(kind=Run.Kind.WHAT_IF).count() == 2

    # A pending rerate changes what the next replay reads, and rates nothing yet.
    add_pending_rerate(kind=RerateMark.Kind.FLOOR, day=FIRST, note="A floor.")
    assert OUTDATED in client.get(address).content.decode()
    client.post(address)
    run_due_jobs()
    assert OUTDATED not in client.get(address).content.decode()
    assert Run.objects.filter(kind=Run.Kind.WHAT_IF).count() == 3


def test_an_effect_whose_job_failed_can_be_started_again(client, monkeypatch):
    monkeypatch.setattr(what_if, "SMALL_WINDOW", 0)
    loser = established(1610.0)
    granted(loser, 1600, starts=FIRST - 30 * DAY)
    rated_match(loser, established(1605.0), "LLLL", FIRST)
    address = url("floor_request_effect", FloorRequest.objects.get().pk)
    client.force_login(staff_with_permissions(LOWER))
    client.post(address)
    Job.objects.filter(kind=what_if.WHAT_IF).update(state="failed", message="No disk.")
    page = client.get(address).content.decode()
    assert "The preview failed. No disk." in page
    client.post(address)
    run_due_jobs()
    assert "1560" in client.get(address).content.decode()


def test_request_that_no_longer_fits_says_so(client, player):
    request = asked(player, floor=1500)
    client.force_login(staff_with_permissions(LOWER))
    page = client.get(url("floor_request", request.pk)).content.decode()
    assert "is now 1400" in page
    answer = client.post(
        url("floor_request", request.pk), {"decision": "grant", "reason": "Yes."}
    )
    assert answer.status_code == 422
    assert not FloorLowering.objects.exists()


def test_a_request_that_cannot_be_granted_offers_only_to_keep_the_floor(client, player):
    request = asked(player)
    granted(player, level=1500, starts=request.day)
    client.force_login(staff_with_permissions(LOWER))
    page = client.get(url("floor_request", request.pk)).content.decode()
    assert "is now 1500. Decline it" in page
    assert 'value="grant"' not in page
    assert "What will happen" not in page
    keep = {"decision": "refuse", "reason": "A new floor."}
    client.post(url("floor_request", request.pk), keep)
    request.refresh_from_db()
    assert request.status == "refused"


def test_a_floor_that_cannot_be_lowered_is_not_asked_for(client):
    account = make_user()
    mine = make_player(given_name="Lou", ratings={"OTBR": (900.0, 30)}, account=account)
    page = get(client, "ask_lower_floor", mine.member_id, user=account)
    assert "No floor of Lou Adams can be lowered by another 100 points." in page
    assert "Send request" not in page


def test_the_money_floor_is_offered_to_rated_members_only(client, player):
    staff = staff_with_permissions(GRANT)
    rated, unrated = (
        "Money floor</a>" in get(client, "office_floors", one.member_id, user=staff)
        for one in (player, make_player())
    )
    assert (rated, unrated) == (True, False)


@pytest.mark.parametrize("size", [1, 20])
def test_list_of_requests_takes_the_same_queries_for_any_size(
    client, size, django_assert_num_queries
):
    for _ in range(size):
        asked(make_player())
        asked(make_player(), status="refused", decision_reason="Too soon.")
    client.force_login(staff_with_permissions(LOWER))
    with django_assert_num_queries(8):
        page = client.get(url("floor_requests")).content.decode()
    assert page.count("Decide<span") == size
    assert page.count("Too soon.") == size


# --- Life Masters ---


def test_life_master_is_decided_on_the_evidence(client):
    master = make_player(
        given_name="Mona", family_name="Master", ratings={"OTBR": (2300.0, 60)}
    )
    play(master, 75, sections=4)
    client.force_login(staff_with_permissions(GRANT))
    listed = client.get(url("life_masters")).content.decode()
    assert "Mona Master" in listed
    where = url("life_master", master.member_id)
    page = client.get(where).content.decode()
    assert page.count("300th game") == 1
    assert page.count(">75<") == 5  # four sections of 75 games; 75 together at first
    assert client.post(where, {"reason": "So."}).status_code == 422
    client.post(where, {"decision": "set_aside", "reason": "Arranged."})
    assert LifeMasterSetAside.objects.get().games == 300
    assert "Arranged." in client.get(url("life_masters")).content.decode()
    client.post(where, {"decision": "confirm", "reason": "It was not."})
    assert not Floor.objects.exists()
    # Confirming it again would fail, so only the other decision is left.
    page = client.get(where).content.decode()
    assert "already proposed and is awaiting a second approval" in page
    assert 'value="set_aside"' in page
    assert 'value="confirm"' not in page
    approve(act_id=PendingAct.objects.get().pk, actor=staff_with_permissions(GRANT))
    assert Floor.objects.get().kind == "life_master"
    assert "Confirmed</strong> by" in client.get(where).content.decode()


def test_member_without_the_games_has_no_such_page(client, player):
    client.force_login(staff_with_permissions(GRANT))
    assert is_not_found(client.get(url("life_master", player.member_id)))


# --- Adjustments ---


def test_adjustment_is_proposed_listed_and_withdrawn(client, player):
    client.force_login(staff_with_permissions(ADJUST))
    said = {
        "system": "OTBR",
        "kind": "reinstate",
        "day": "2024-05-05",
        "rating": "1686.5",
        "games": "40",
        "reason": "Lost in 1998.",
    }
    where = url("adjust", player.member_id)
    wrong = client.post(where, said | {"rating": "99"})
    assert wrong.status_code == 422
    client.post(where, said)
    act = PendingAct.objects.get()
    assert act.payload["rating"] == 1686.5
    assert act.title in client.get(url("adjustments")).content.decode()
    adjustment = Adjustment.objects.create(
        player=player,
        system="OTBR",
        kind="reinstate",
        day=END,
        rating=1686.5,
        games=40,
        reason="Lost in 1998.",
        decided_by=make_staff(),
    )
    assert "1686.50" in client.get(url("adjustments")).content.decode()
    client.post(url("withdraw_adjustment", adjustment.pk), {"reason": "Wrong."})
    withdrawal = PendingAct.objects.get(kind="ratings.withdraw_adjustment")
    assert withdrawal.title in client.get(url("adjustments")).content.decode()
    approve(act_id=withdrawal.pk, actor=staff_with_permissions(ADJUST))
    adjustment.refresh_from_db()
    assert adjustment.withdrawn_at is not None
    assert "withdrawn " in client.get(url("adjustments")).content.decode()


@pytest.mark.parametrize("size", [1, 20])
def test_list_of_adjustments_takes_the_same_queries_for_any_size(
    client, size, django_assert_num_queries
):
    staff = make_staff()
    for _ in range(size):
        Adjustment.objects.create(
            player=make_player(),
            system="OTBR",
            kind="reinstate",
            day=END,
            rating=1500.0,
            games=4,
            reason="Lost.",
            decided_by=staff,
        )
    client.force_login(staff_with_permissions(ADJUST))
    with django_assert_num_queries(8):
        page = client.get(url("adjustments")).content.decode()
    assert page.count("Lost.") == size
