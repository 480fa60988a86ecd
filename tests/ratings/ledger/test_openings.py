"""Ratings imported from earlier records begin a player's history."""

from datetime import date

import pytest
from django.db import IntegrityError, transaction

from ratings.ledger.services.rating import AlreadyRated, enter_openings
from ratings.models import Calculation, OpeningEntry, PlayerRating, RatingChange, Run
from ratings_site.common.audit.services import entries_about
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db

DAY = date(2024, 1, 1)


def entry(player, **fields) -> OpeningEntry:
    values = {
        "player": player,
        "system": "OTBR",
        "as_of": DAY,
        "rating": 1499.5,
        "games": 26,
        "record": "mixed",
        "wins": 10,
        "draws": 4,
        "losses": 12,
        "three_game_events": 7,
        "source": "the old books",
    }
    return OpeningEntry(**{**values, **fields})


def test_opening_entry_becomes_a_line_and_the_current_rating():
    player, staff = make_player(), make_staff()

    assert enter_openings(entries=[entry(player)], actor=staff) == 1

    change = RatingChange.objects.get()
    assert (change.pre_rating, change.pre_games, change.formula) == (None, 0, "opening")
    assert (change.post_rating, change.post_games) == (1499.5, 26)
    assert change.calculation.opening == OpeningEntry.objects.get()
    assert change.calculation.order_key == (DAY, Calculation.Rank.OPENING, DAY, "", 0)
    rating = PlayerRating.objects.get()
    assert (rating.rating, rating.games, rating.rated_on) == (1499.5, 26, DAY)
    assert (rating.wins, rating.draws, rating.losses) == (10, 4, 12)
    # 100 + 4 x 10 + 2 x 4 + 7 is more than 150; 1300 is the peak floor of 1500.
    assert (rating.peak, rating.floor) == (1499.5, 1300)
    audit = entries_about(Run.objects.get()).get()
    assert (audit.action, audit.actor, audit.reason) == (
        "openings.entered",
        staff,
        "the old books",
    )
    assert audit.facts == {"entries": 1}


@pytest.mark.parametrize(
    ("games", "given", "peak"),
    [(25, None, None), (26, None, 1499.5), (26, 1640.0, 1640.0), (25, 1640.0, 1640.0)],
)
def test_peak_is_the_one_given_or_that_of_an_established_rating(games, given, peak):
    enter_openings(entries=[entry(make_player(), games=games, peak=given)], actor=None)
    assert PlayerRating.objects.get().peak == peak


def test_second_opening_in_a_system_is_refused_and_nothing_entered():
    player, fresh = make_player(), make_player()
    open_rating(player, "OTBR", 1500.0, 30)
    open_rating(player, "OTBQ", 1400.0, 30)

    with pytest.raises(AlreadyRated, match=f"{player.member_id}.*rated already"):
        enter_openings(entries=[entry(fresh), entry(player)], actor=None)

    assert OpeningEntry.objects.count() == 2
    assert not PlayerRating.objects.filter(player=fresh).exists()


def test_player_twice_in_one_batch_is_refused_by_the_database():
    player = make_player()
    with pytest.raises(IntegrityError), transaction.atomic():
        enter_openings(entries=[entry(player), entry(player)], actor=None)
    assert not Calculation.objects.exists()


def test_opening_cannot_overwrite_a_rating_earned_here():
    newcomer, rival = make_player(), make_player(ratings={"OTBR": (1500.0, 30)})
    td = make_td()
    rated_event(
        td, event_report(td, [section_report([newcomer, rival], ["D2W", "D1B"])])
    )
    earned = PlayerRating.objects.filter(player=newcomer).values().get()

    with pytest.raises(AlreadyRated):
        enter_openings(entries=[entry(newcomer, rating=2000.0)], actor=None)

    assert PlayerRating.objects.filter(player=newcomer).values().get() == earned


def test_no_entries_leave_no_trace():
    assert enter_openings(entries=[], actor=None) == 0
    assert not entries_about(Run.objects.get()).exists()
