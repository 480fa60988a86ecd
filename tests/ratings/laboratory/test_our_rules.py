"""Our own rules on our own books: the real program, its control, and its variants."""

import math
from datetime import date

import pytest

from ratings.engine.standard import winning_expectancy
from ratings.experiments.services.replaying import Books, replay_books
from ratings.laboratory.varying import Change, Variation
from ratings.models import RatingChange, RerateMark
from ratings.rerates.services.people import SYSTEM_NAMES
from tests.ratings.rerates.test_any_history import World, rerate

pytestmark = pytest.mark.django_db

MID = date(2024, 1, 1)


@pytest.fixture(scope="module")
def anything(django_db_setup, django_db_blocker):
    """An office to which 40 things have happened, all of them rated."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        world = World(5)
        for _ in range(40):
            world.anything()
        if RerateMark.objects.filter(run=None).exists():
            rerate()
        yield world
        transaction.set_rollback(True)


@pytest.mark.parametrize("from_day", [None, MID])
@pytest.mark.usefixtures("anything")
def test_the_unchanged_rules_give_the_books_to_the_last_bit(from_day):
    found = replay_books(Books.read(from_day), beside=True)
    lines = RatingChange.objects.filter(calculation__is_current=True)
    if from_day:
        lines = lines.filter(calculation__order_date__gte=from_day)
    assert (found.control.lines, found.control.equal) == (lines.count(),) * 2
    assert found.control.holds
    assert lines.count() > 30


def lines_of(found, day, *, before):
    return [
        (game, prediction)
        for game, prediction in enumerate(found.replay.predictions)
        if (found.played.day[game] < day) is before
    ]


@pytest.mark.usefixtures("anything")
def test_rules_varied_for_some_days_change_nothing_before_them():
    books = Books.read()
    control = replay_books(books)
    varied = replay_books(books, Variation((Change("k", 1.5, MID),)))
    assert control.played == varied.played
    cut = MID.toordinal()
    assert str(lines_of(control, cut, before=True)) == str(
        lines_of(varied, cut, before=True)
    )
    assert control.replay.ended.rating != varied.replay.ended.rating


@pytest.mark.usefixtures("anything")
def test_a_game_is_predicted_from_the_ratings_before_its_section():
    found = replay_books(Books.read())
    lines = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system="OTBR",
        calculation__section__isnull=False,
    )
    before = {
        (line.calculation.order_date.toordinal(), line.player_id): line.pre_rating
        for line in lines.select_related("calculation")
    }
    members = Books.read().members()
    known = 0
    for game, day in enumerate(found.played.day):
        one, other = (
            before[day, members.ids[column[game]]]
            for column in (found.played.one, found.played.other)
        )
        prediction = found.replay.predictions[game]
        if one is None or other is None:
            assert math.isnan(prediction)
            continue
        # Two sections of a day may have one member; the day then names the later.
        known += prediction == winning_expectancy(one, other)
    assert known > 20


@pytest.mark.usefixtures("anything")
def test_every_game_of_a_rated_section_is_there_once():
    found = replay_books(Books.read())
    lines = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system="OTBR",
        calculation__section__isnull=False,
    )
    games = sum(lines.values_list("games", flat=True))
    assert 2 * (len(found.played.one) + found.one_sided) == games
    halves = sum(lines.values_list("half_points", flat=True))
    if not found.one_sided:
        assert 2 * len(found.played.one) == halves
    assert SYSTEM_NAMES[0] == "OTBR"
