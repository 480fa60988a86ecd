"""Ratings at a past moment, read from the ledger."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import in_force, last_lines
from ratings.lists.services.rows import StandingAtCutOff, standings_at
from ratings.models import Calculation, PlayerRating, Run
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.lists.helpers import line_of, published_rerate, undo
from tests.ratings.rerates.factories import undo_published

pytestmark = pytest.mark.django_db

MONDAY = datetime(2024, 6, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def td():
    return make_td()


def play(td, players, *, ends: date = date(2024, 5, 5), name: str = "May Open"):
    report = event_report(
        td,
        [section_report(players, swiss_rows(len(players), len(players) - 1))],
        starts=ends - DAY,
        ends=ends,
        name=name,
    )
    return rated_event(td, report)


def ratings_at(moment) -> dict[int, int]:
    return {one.player_id: one.rating for one in standings_at(moment)}


def ratings_now() -> dict[int, float]:
    return dict(PlayerRating.objects.values_list("player_id", "rating"))


def four(**fields):
    return [
        make_player(ratings={"OTBR": (1500.25 + 50 * number, 30)}, **fields)
        for number in range(4)
    ]


def test_ratings_at_this_moment_are_the_current_ratings(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    line = line_of(players[0])
    row = PlayerRating.objects.get(player=players[0])

    [first] = [
        one for one in standings_at(timezone.now()) if one.player_id == players[0].pk
    ]

    assert first == StandingAtCutOff(
        player_id=players[0].pk,
        system=System.OTBR,
        rating=int(row.rating + 0.5),
        is_about=False,
        games=33,
        is_provisional=False,
        floor=int(row.floor + 0.5),
        change_id=line.pk,
        latest_id=line.calculation_id,
    )


def test_ledger_alone_says_the_same_as_the_current_ratings(td):
    players = four()
    play(td, players)
    play(td, players, ends=date(2024, 6, 2), name="June Open")
    now = timezone.now()

    told = {
        line.player_id: line.change_id for line in last_lines(now, set(ratings_now()))
    }

    assert told == dict(PlayerRating.objects.values_list("player_id", "last_change_id"))
    assert len(told) == 4


def test_what_was_rated_later_does_not_count(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    before = {pk: int(rating + 0.5) for pk, rating in ratings_now().items()}
    with time_machine.travel(MONDAY + 2 * DAY, tick=False):
        newcomer = make_player(ratings={"OTBR": (1700.0, 30)})
        play(td, [*players[:3], newcomer], ends=date(2024, 6, 2), name="June Open")

    assert ratings_at(MONDAY + DAY) == before
    assert ratings_at(MONDAY - DAY) == {}
    assert ratings_at(MONDAY + 2 * DAY) == {
        pk: int(rating + 0.5) for pk, rating in ratings_now().items()
    }
    assert newcomer.pk not in before


def test_a_rerate_counts_from_its_publication_until_it_is_undone(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    original = ratings_at(MONDAY)
    with time_machine.travel(MONDAY + 2 * DAY, tick=False):
        run = published_rerate({line_of(players[0]).pk: 1777.0})
    with time_machine.travel(MONDAY + 4 * DAY, tick=False):
        play(td, players[1:3], ends=date(2024, 6, 2), name="June Open")
    with time_machine.travel(MONDAY + 6 * DAY, tick=False):
        undo(run)

    rerated = {**original, players[0].pk: 1777}
    assert ratings_at(MONDAY + 1 * DAY) == original
    assert ratings_at(MONDAY + 3 * DAY) == rerated
    later = ratings_at(MONDAY + 5 * DAY)
    assert later[players[0].pk] == 1777
    assert later[players[1].pk] != rerated[players[1].pk]
    assert ratings_at(MONDAY + 7 * DAY)[players[0].pk] == original[players[0].pk]


def test_of_two_rerates_each_counts_in_its_time(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    original = ratings_at(MONDAY)[players[0].pk]
    for number, rating in enumerate((1600.0, 1650.0), start=1):
        with time_machine.travel(MONDAY + 2 * number * DAY, tick=False):
            published_rerate({line_of(players[0]).pk: rating})
    seen = [ratings_at(MONDAY + days * DAY)[players[0].pk] for days in (1, 3, 5)]
    assert seen == [original, 1600, 1650]


def test_no_moment_has_two_calculations_of_one_source(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    with time_machine.travel(MONDAY + 2 * DAY, tick=False):
        first = published_rerate({})
    with time_machine.travel(MONDAY + 4 * DAY, tick=False):
        undo(first)
    with time_machine.travel(MONDAY + 6 * DAY, tick=False):
        published_rerate({})

    for days in (1, 3, 5, 7):
        counting = Calculation.objects.filter(in_force(MONDAY + days * DAY))
        sources = list(counting.values_list("opening", "section", "system"))
        assert len(sources) == len(set(sources)) == 5, days


def test_a_late_section_is_the_last_line_but_not_the_latest_source(td):
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        play(td, players)
    may = line_of(players[0]).calculation_id
    with time_machine.travel(MONDAY + DAY, tick=False):
        play(td, players[:2], ends=date(2024, 4, 7), name="April Open")
    late = line_of(players[0])
    assert late.calculation.is_late

    found = {one.player_id: one for one in standings_at(MONDAY + 2 * DAY)}

    assert found[players[0].pk].change_id == late.pk
    assert found[players[0].pk].latest_id == may
    assert found[players[3].pk].latest_id == may


# With real rerates


def rerate() -> Run:
    run = start_rerate(actor=None, reason="Late events.")
    run_due_jobs()
    return publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")


@pytest.fixture
def rerated_office(td):
    """A late event, its rerate, an event after it, and the rerate undone."""
    with time_machine.travel(MONDAY, tick=False):
        players = four()
        others = four()
        play(td, players)
        play(td, others, ends=date(2024, 5, 12), name="Others")
    with time_machine.travel(MONDAY + DAY, tick=False):
        play(td, players[:2], ends=date(2024, 4, 7), name="April Open")
    seen = {1: ratings_now()}
    with time_machine.travel(MONDAY + 2 * DAY, tick=False):
        run = rerate()
    seen[2] = ratings_now()
    with time_machine.travel(MONDAY + 3 * DAY, tick=False):
        play(td, [players[0], others[0]], ends=date(2024, 6, 2), name="June")
    seen[3] = ratings_now()
    with time_machine.travel(MONDAY + 4 * DAY, tick=False):
        undo_published(run)
    seen[4] = ratings_now()
    with time_machine.travel(MONDAY + 5 * DAY, tick=False):
        rerate()
    seen[5] = ratings_now()
    return seen


def test_every_day_of_the_office_is_told_from_today(rerated_office):
    # A repeated rerate gives the same result as the first one.
    assert rerated_office[5] == rerated_office[3]
    assert len({str(rerated_office[day]) for day in (1, 2, 3)}) == 3
    for day, ratings in rerated_office.items():
        assert ratings_at(MONDAY + day * DAY) == {
            pk: int(rating + 0.5) for pk, rating in ratings.items()
        }, day


def test_every_source_counts_once_on_every_day(rerated_office):
    for day in rerated_office:
        counting = Calculation.objects.filter(in_force(MONDAY + day * DAY))
        sources = list(counting.values_list("opening", "section", "system"))
        assert len(sources) == len(set(sources)), day


def make_superuser():
    return make_user(is_superuser=True, is_staff=True)
