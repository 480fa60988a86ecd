"""Original Life Masters: found by their games, confirmed or declined by the office."""

from copy import deepcopy
from datetime import date, timedelta

import pytest
from django.urls import reverse

from ratings.decisions.floors.queries import life_masters
from ratings.decisions.floors.queries.life_masters import (
    READINGS,
    candidates,
    counted_lines,
    get_candidate,
    qualifying_sections,
    title_rules,
)
from ratings.decisions.floors.services.life_masters import (
    propose_life_master,
    set_aside_life_master,
)
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.models import Floor, LifeMasterSetAside, RerateMark
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
)
from tests.ratings.decisions.floors.factories import (
    GRANT,
    clerk,
    staff_with_permissions,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
FIRST = date(2024, 5, 4)


def play(player, games, *, sections=1, day=FIRST, opponent=2300.0, kind="S"):
    """Rate an event of sections in which the player draws *games* games.

    The event ends two days after its sections.
    """
    people = [player, make_player(ratings={"OTBR": (opponent, 80)})]
    rows = [" ".join(["D2W"] * games), " ".join(["D1B"] * games)]
    if games > 1:  # two players alone would be a match
        people += [make_player(ratings={"OTBR": (opponent, 80)}) for _ in range(2)]
        rows += [" ".join(["D4W"] * games), " ".join(["D3B"] * games)]
    td = make_td()
    report = event_report(
        td,
        [
            section_report(
                people,
                rows,
                number=number,
                kind_letter=kind,
                starts=day,
                ends=day,
            )
            for number in range(1, sections + 1)
        ],
        starts=day,
        ends=day + 2 * DAY,
        name=f"Event of {day}",
    )
    return rated_event(td, report)


@pytest.mark.parametrize(
    ("rating", "games", "kind", "counts"),
    [
        (2200.5, 26, "S", True),
        (2200.0, 26, "S", False),  # strictly above
        (2300.0, 25, "S", False),  # provisional
        (2300.0, 26, "M", False),  # a match
    ],
)
def test_games_count_if_begun_established_above_2200_and_no_match(
    rating, games, kind, counts
):
    player = make_player(ratings={"OTBR": (rating, games)})
    play(player, 1, kind=kind)
    lines = counted_lines().filter(player=player)
    assert lines.exists() is counts


def test_only_regular_games_count():
    player = make_player(ratings={"OTBR": (2300.0, 60), "OTBQ": (2300.0, 60)})
    play(player, 1)
    assert {line.calculation.system for line in counted_lines()} == {"OTBR"}


@pytest.fixture(scope="module")
def life_master(module_data):
    """A member with 300 games: 4 events of 3 sections of 25 draws each."""
    player = make_player(
        given_name="Mona", family_name="Master", ratings={"OTBR": (2300.0, 60)}
    )
    for number in range(4):
        play(player, 25, sections=3, day=FIRST + 30 * number * DAY)
    return player


@pytest.fixture
def master(life_master):
    return deepcopy(life_master)


def test_candidate_is_found_with_the_event_of_the_300th_game(master):
    play(master, 10, day=FIRST + 200 * DAY)
    [found] = candidates()
    assert (found.player, found.games) == (master, 310)
    completed = found.completed_in
    assert (completed.title, completed.running_total) == (
        "Event of 2024-08-02, Section 3",
        300,
    )
    assert found.starts == FIRST + 92 * DAY  # the event's end, not the section's
    sections = qualifying_sections(master)
    assert [one.running_total for one in sections] == [*range(25, 301, 25), 310]
    assert [one.is_deciding for one in sections] == [False] * 11 + [True, False]


def test_299_games_are_too_few():
    player = make_player(ratings={"OTBR": (2300.0, 60)})
    for number in range(3):
        play(player, 33, sections=3, day=FIRST + 30 * number * DAY)
    play(player, 2, day=FIRST + 200 * DAY)
    assert sum(line.games for line in counted_lines().filter(player=player)) == 299
    assert get_candidate(player) is None
    assert player not in [one.player for one in candidates()]
    with pytest.raises(FloorRefused, match="has not played 300 qualifying games"):
        propose_life_master(player_id=player.pk, reason="So.", actor=actor())


def actor():
    return staff_with_permissions(GRANT)


def confirm_life_master(*, player_id: int, reason: str, actor: User) -> Floor:
    """Propose and approve a Life Master, as two people do."""
    act = propose_life_master(player_id=player_id, reason=reason, actor=actor)
    return approve(
        act_id=act.pk, actor=staff_with_permissions(GRANT), reason="So it is."
    )


def test_confirming_a_title_needs_second_approval(master):
    first = actor()
    act = propose_life_master(player_id=master.pk, reason="Well done.", actor=first)
    assert not Floor.objects.exists()
    with pytest.raises(ApprovalRefused):
        approve(act_id=act.pk, actor=first, reason="So it is.")
    second = actor()
    approve(act_id=act.pk, actor=second, reason="So it is.")
    floor = Floor.objects.get()
    assert (floor.granted_by, floor.approved_by) == (first, second)


def test_confirmed_life_master_has_the_floor_from_that_event_s_end(master):
    floor = confirm_life_master(player_id=master.pk, reason="Well done.", actor=actor())
    assert (floor.kind, floor.system, floor.level, floor.starts) == (
        "life_master",
        "OTBR",
        2200,
        FIRST + 92 * DAY,
    )
    assert floor.evidence.startswith("300 games counted; the 300th in Event of 2024-08")
    assert candidates() == []
    assert not RerateMark.objects.exists()  # the sections ended before
    with pytest.raises(FloorRefused, match="already"):
        confirm_life_master(player_id=master.pk, reason="Again.", actor=actor())
    with pytest.raises(FloorRefused, match="End the floor instead"):
        set_aside_life_master(player_id=master.pk, reason="No.", actor=actor())


def test_candidate_set_aside_is_not_proposed_again_but_may_be_confirmed(master):
    set_aside_life_master(player_id=master.pk, reason="Arranged.", actor=actor())
    assert LifeMasterSetAside.objects.get().games == 300
    assert candidates() == []
    confirm_life_master(player_id=master.pk, reason="It was not.", actor=actor())
    assert Floor.objects.get().player == master


def test_decision_on_a_life_master_needs_the_permission(master):
    for decide in (propose_life_master, set_aside_life_master):
        with pytest.raises(NotAllowed):
            decide(player_id=master.pk, reason="So.", actor=clerk())
    assert [one.player for one in candidates()] == [master]


def test_games_of_a_merged_duplicate_count_together(master):
    half = make_player(ratings={"OTBR": (2300.0, 60)})
    play(half, 50, day=FIRST + 300 * DAY)
    half.status, half.merged_into = "duplicate", master
    half.save()
    [found] = candidates()
    assert (found.player, found.games) == (master, 350)


@pytest.mark.parametrize("decide", [confirm_life_master, set_aside_life_master])
def test_decision_on_a_merged_number_is_the_member_s(master, decide):
    decide(player_id=master.pk, reason="Decided.", actor=actor())
    kept = make_player()
    master.status, master.merged_into = "duplicate", kept
    master.save()
    assert get_candidate(kept).games == 300
    assert candidates() == []


def test_title_confirmed_under_a_merged_number_is_not_confirmed_twice(master):
    confirm_life_master(player_id=master.pk, reason="Well done.", actor=actor())
    kept = make_player()
    master.status, master.merged_into = "duplicate", kept
    master.save()
    with pytest.raises(FloorRefused, match="already"):
        confirm_life_master(player_id=kept.pk, reason="Again.", actor=actor())
    assert Floor.objects.count() == 1


@pytest.mark.parametrize("number", [1, 2])
def test_candidates_take_the_same_queries_for_any_number(
    number, master, django_assert_num_queries
):
    for _ in range(number - 1):
        other = make_player(ratings={"OTBR": (2300.0, 60)})
        play(other, 75, sections=4)
    with django_assert_num_queries(5):
        assert len(candidates()) >= number


# --- Other readings of the text ---


def by_reading(monkeypatch, reading):
    rules = title_rules().vary(olm_reading=reading)
    monkeypatch.setattr(life_masters, "title_rules", lambda: rules)


@pytest.mark.parametrize(
    ("reading", "rating", "games", "counts"),
    [
        ("from_before", 2200.0, 26, True),
        ("from_before", 2199.9, 26, False),
        ("from_before", 2200.0, 25, False),
        # A draw against 2300 lifts it above 2200, and 25 games to 26.
        ("from_after", 2199.0, 25, True),
        ("from_after", 2100.0, 40, False),
        ("above_before", 2199.0, 26, False),
    ],
)
def test_each_reading_counts_its_own_games(monkeypatch, reading, rating, games, counts):
    by_reading(monkeypatch, reading)
    player = make_player(ratings={"OTBR": (rating, games)})
    play(player, 1)
    assert counted_lines().filter(player=player).exists() is counts


def test_a_rating_that_a_floor_holds_up_does_not_count_after_the_event(monkeypatch):
    by_reading(monkeypatch, "from_after")
    player = make_player(ratings={"OTBR": (2200.0, 40)})
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="office",
        level=2200,
        starts=date(2024, 1, 1),
        reason="Reviewed",
        granted_by=clerk(),
    )
    play(player, 1, opponent=1900.0)
    assert not counted_lines().filter(player=player).exists()


def test_the_page_shows_whose_title_another_reading_would_change(client, monkeypatch):
    rules = title_rules().vary(olm_games=2)
    monkeypatch.setattr(life_masters, "title_rules", lambda: rules)
    at_the_floor = make_player(ratings={"OTBR": (2200.0, 40)})
    play(at_the_floor, 3, opponent=2200.0)
    falling = make_player(ratings={"OTBR": (2200.5, 40)})
    play(falling, 3, opponent=1900.0, day=FIRST + 9 * DAY)
    client.force_login(clerk())
    page = client.get(reverse("ratings:life_masters"))
    shown = {
        str(one.sentence): (
            set(one.gained) & {at_the_floor, falling},
            set(one.lost) & {at_the_floor, falling},
        )
        for one in page.context["other_readings"]
    }
    from_before, from_after = (
        str(READINGS[name]) for name in ("from_before", "from_after")
    )
    assert shown[from_before] == ({at_the_floor}, set())
    assert shown[from_after][1] == {falling}
