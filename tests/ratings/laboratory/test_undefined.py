"""Systems without a published definition: in the catalog, and not begun."""

import math

import pytest

from ratings.laboratory.protocol import Pool, Standing, Status
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.systems import undefined
from ratings.laboratory.systems.undefined import (
    NotPublished,
    PercentageParameters,
    Unpublished,
    WaltJames,
    expected_by_percentage,
)
from tests.ratings.laboratory.batches import games, moment, numbers_of, table_of

UNPUBLISHED = [one for one in undefined.SYSTEMS if isinstance(one, Unpublished)]
each = pytest.mark.parametrize("system", UNPUBLISHED, ids=lambda one: one.about.key)


def test_the_names_of_the_history_are_all_there():
    assert [one.about.key for one in UNPUBLISHED] == [
        *("short", "khachaturov", "ussr_1946", "iccf_usa"),
    ]


@each
def test_an_unpublished_system_says_why_it_cannot_be_begun(system):
    assert system.about.status is Status.UNDEFINED
    with pytest.raises(NotPublished, match="is not published, so that nobody"):
        system.begin(Pool(2))
    with pytest.raises(NotPublished, match=system.about.label):
        system.expected(Standing(1500.0), Standing(1500.0))


def test_the_registry_tells_the_runnable_from_the_rest():
    assert not [one for one in UNPUBLISHED if one.about.key in RUNNABLE]
    assert set(RUNNABLE) <= set(SYSTEMS)
    assert "walt_james" in RUNNABLE


def test_the_percentage_is_an_illustration_and_says_so():
    assert WaltJames().about.status is Status.RECONSTRUCTION
    assert "illustration" in WaltJames().about.label


def test_a_percentage_needs_five_games():
    table = WaltJames().begin(Pool(2))
    table.update(games(*[(0, 1, 1.0)] * 3, (1, 0, 0.5)), moment())
    assert table.standing(0) is None
    assert math.isnan(table.predict(games((0, 1, 1.0)), moment())[0])
    table.update(games((0, 1, 0.0)), moment())
    assert numbers_of(table, 2) == [70, 30]
    assert table.predict(games((0, 1, 1.0)), moment()) == [pytest.approx(0.9)]


def test_percentages_forget_nothing():
    parameters = PercentageParameters(fewest_games=1)
    table = WaltJames().begin(Pool(2), parameters)
    for points in (1.0, 0.0, 0.5, 1.0):
        table.update(games((0, 1, points)), moment())
    assert numbers_of(table, 2) == [62.5, 37.5]
    assert table.standing(0).games == 4


def test_a_seed_counts_as_at_least_the_fewest_games():
    table = table_of(WaltJames(), 60.0, 40.0)
    assert table.standing(0) == Standing(60.0, 5)
    table = table_of(WaltJames(), 60.0, 40.0, played=20)
    assert table.standing(0) == Standing(60.0, 20)


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [(70, 50, 0.7), (50, 70, 0.3), (50, 50, 0.5), (100, 20, 1), (0, 90, 0)],
)
def test_against_an_average_opponent_the_expectation_is_the_own_percentage(
    own, opponent, expected
):
    assert expected_by_percentage(own, opponent) == pytest.approx(expected)
