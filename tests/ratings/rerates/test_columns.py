"""Columns and rows give the same tables."""

from datetime import date

import pytest
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from events.models import Section
from players.models import MembershipType, Player
from ratings.models import Calculation, Floor, PlayerRating, Run, RunDifference
from ratings.rerates.services import players as players_module
from ratings.rerates.services import staged_ledger
from ratings.rerates.services.change_summary import ChangeSummary
from ratings.rerates.services.publishing import discard_rerate, publish_rerate
from ratings.rerates.services.rating_differences import (
    ProjectedRating,
    RatingDifference,
)
from ratings.rerates.services.replay import read_history
from ratings_site.common.db import binary_copy
from tests.factories import make_staff
from tests.ratings.rerates.factories import undo_published
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    office,
    rated_in_this_order,
    rerate,
)

pytestmark = pytest.mark.django_db

# Line keys differ between runs; only their presence is compared.
LINES = ("last_change_id", "first_change_id")
OWN = ("id", "run_id", *LINES)
COLUMNS = [
    field.attname
    for field in RunDifference._meta.concrete_fields
    if field.attname not in OWN
]


@pytest.fixture(autouse=True)
def _needs_columns(require_services):
    if connection.vendor != "postgresql":
        pytest.skip("Columns are written on PostgreSQL only.")
    if not binary_copy.is_possible():
        assert not require_services, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")


def written_by(run: Run) -> tuple[list, dict]:
    ratings = RunDifference.objects.filter(run=run).order_by("player", "system")
    summary = {name: run.summary[name] for name in run.summary if name != "sections"}
    has_line = {f"has_{name}": Q(**{f"{name}__isnull": False}) for name in LINES}
    return list(ratings.values(*COLUMNS, **has_line)), summary


@pytest.mark.parametrize("options", [{"whole_history": True}, {"from_day": APRIL}])
def test_both_ways_write_and_count_the_same(
    office,  # noqa: F811
    monkeypatch,
    options,
):
    """With a granted floor, and ratings that change and disappear."""
    rated_in_this_order(office, [0, 2, 1])
    _, players = office
    Floor.objects.create(
        player=players[0],
        system="OTBR",
        kind="office",
        level=1800,
        starts=MARCH,
        reason="Money.",
        granted_by=make_staff(),
    )
    # A player of April only is unrated without it.
    Section.objects.filter(ends=APRIL).update(status=Section.Status.READY)
    run = rerate(**options)
    column_by_column = written_by(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert written_by(rerate(**options)) == column_by_column
    ratings, summary = column_by_column
    assert summary["floors"]["count"] > 0
    assert any(one["after"] is None for one in ratings)


def test_ratings_begin_without_one_before(office, monkeypatch):  # noqa: F811
    """As in a replay of a history that was never rated."""
    rated_in_this_order(office, [0, 2, 1])
    PlayerRating.objects.all().delete()
    run = rerate(whole_history=True)
    column_by_column = written_by(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert written_by(rerate(whole_history=True)) == column_by_column
    assert {one["before"] for one in column_by_column[0]} == {None}
    assert column_by_column[1]["started"]


def test_rows_are_copied_a_part_at_a_time(office, monkeypatch):  # noqa: F811
    rated_in_this_order(office, [0, 2, 1])
    run = rerate(whole_history=True)
    at_once = written_by(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "ROWS_AT_A_TIME", 2)
    assert written_by(rerate(whole_history=True)) == at_once
    assert len(at_once[0]) > 2


def read(rows: str) -> list[list[float]]:
    return list(map(list, binary_copy.read_columns(f"VALUES {rows}", [], "qid")))


def test_a_query_is_read_column_by_column():
    row = "(-1, 2, 0.1::float8)"
    assert read(f"{row}, (1099511627776, -7, '-Infinity')") == [
        [-1, 2**40],
        [2, -7],
        [0.1, float("-inf")],
    ]
    assert read(f"{row} LIMIT 0") == [[], [], []]


@pytest.mark.parametrize("missing", ["(NULL, 2, 0.1)", "(1, NULL, 0.1)"])
def test_a_missing_value_is_not_passed_over(missing):
    with pytest.raises(ValueError, match="missing"):
        read(f"(3, 4, 5.0::float8), {missing}")


def test_a_missing_float_is_not_a_number():
    *_, floats = read("(3, 4, 5.0::float8), (1, 2, NULL)")
    assert str(floats) == "[5.0, nan]"


@pytest.mark.parametrize("one_in", [0, 10**12], ids=["named", "picked"])
@pytest.mark.parametrize("from_day", [MARCH, APRIL, date(2024, 6, 1)])
def test_a_window_begins_the_same_both_ways(office, monkeypatch, from_day, one_in):  # noqa: F811
    """After an undone rerate, whose lines later ones continue; with a duplicate."""
    monkeypatch.setattr(players_module, "SMALL_SUBSET_DIVISOR", one_in)
    _, players = office
    rated_in_this_order(office, [0, 2])
    run = rerate(whole_history=True)
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    rated_in_this_order(office, [1])
    undo_published(run)
    duplicate = Player.objects.filter(pk=players[3].pk)
    duplicate.update(merged_into=players[0], status="duplicate")
    adult, child = (
        MembershipType.objects.create(name=name, is_adult=name == "Adult")
        for name in ("Adult", "Child")
    )
    for player, kind, starts in (
        (players[0], adult, APRIL),
        (players[3], adult, MARCH),
        (players[1], child, MARCH),
        (players[1], adult, APRIL),
    ):
        player.memberships.create(type=kind, starts=starts, expires=date(2030, 1, 1))
    column_by_column = beginning(from_day)
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert beginning(from_day) == column_by_column
    assert column_by_column[1]
    *_, adult_from = column_by_column
    # A duplicate's membership counts for the kept member, and a child's does not count.
    numbers = [column_by_column[0].index(one.pk) for one in players[:2]]
    assert [adult_from[one] for one in numbers] == [
        MARCH.toordinal(),
        APRIL.toordinal(),
    ]


def beginning(from_day: date) -> tuple[list[int], dict, list, list]:
    """Return the players, each rated state, and the facts about players."""
    members = Player.objects.values_list("pk", flat=True)
    history = read_history(from_day, "2025-07-26", also=[0, *members, 10**9])
    begin = history.begin
    states = {
        state: (
            *(str(column[state]) for column in begin.states[:-1]),
            begin.lines[row],
            begin.rules_days[row],
        )
        for state, row in enumerate(begin.states.last_row)
        if row >= 0
    }
    known = history.world.people
    return (
        list(history.player_index.ids),
        states,
        list(known.birth_day),
        list(known.adult_from),
    )


def test_calculations_are_the_same_both_ways(office, monkeypatch):  # noqa: F811
    """Also those of opening entries, which have no event."""
    rated_in_this_order(office, [0, 2, 1])
    # As if nothing had been rated yet: all lines are written.
    monkeypatch.setattr(staged_ledger, "read_candidates", lambda run, from_day: {})
    run = rerate(whole_history=True)
    column_by_column = calculations_of(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert calculations_of(rerate(whole_history=True)) == column_by_column
    ranks = {one["order_rank"] for one in column_by_column}
    assert ranks == {Calculation.Rank.OPENING, Calculation.Rank.SECTION}


def calculations_of(run: Run) -> list[dict]:
    fields = [field.attname for field in Calculation._meta.concrete_fields]
    for name in ("id", "run_id", "created_at"):
        fields.remove(name)
    found = Calculation.objects.filter(run=run).order_by("section", "opening", "system")
    written = found.values_list("created_at", flat=True)
    assert all(run.created_at <= moment <= timezone.now() for moment in written)
    return list(found.values(*fields))


def test_changes_that_no_page_shows_are_counted_only():
    """Each of these standings differs, most only in a fraction."""
    same = ProjectedRating(
        1500.2, 30, 0, 9, 1, 4, 2, 1510.0, None, 1300.0, MARCH.toordinal(), 1
    )
    changes = [
        {"rating": 1500.3},
        {"rating": 1500.49999},
        {"rating": 1500.5},
        {"wins": 10, "peak": None},
        {"rating": 1500.1, "floor": 1400.0},
        {"games": 26},
        {"games": 8, "rating": 1500.4},
        {"rated_on": APRIL.toordinal()},
        None,
        {"rating": 1499.5},
        {"age_start": 1500.2},
    ]
    effects = ChangeSummary()
    for state, change in enumerate(changes):
        then = None if change is None else same._replace(**change)
        effects.count(RatingDifference(state, state, "OTBR", same, then))
    counted = effects.as_json()
    assert (counted["players"], counted["ratings"]) == (11, 11)
    assert counted["whole"] == {"OTBR": 2}
    assert counted["ended"] == {"OTBR": 1}
    kinds = ("floors", "established", "classes")
    assert [counted[kind]["shown"] for kind in kinds] == [
        [{"player": 4, "system": "OTBR", "before": 1300.0, "after": 1400.0}],
        [{"player": 6, "system": "OTBR", "before": 30, "after": 8}],
        [],
    ]
