"""Glicko-Boost: the note's own period of eight players, and additions to Glicko."""

import math

import pytest

from ratings.laboratory.protocol import Moment, Pool, Standing
from ratings.laboratory.systems.glicko import Glicko
from ratings.laboratory.systems.glicko import Parameters as GlickoParameters
from ratings.laboratory.systems.glicko_boost import GlickoBoost, Parameters, growth
from tests.ratings.laboratory.batches import games, moment

NAMES = "ABCDEFGH"
# Table 2 of the note: ratings and deviations before, and White, Black, White's result.
BEFORE = [
    *((2300, 140), (2295, 80), (2280, 150), (2265, 70)),
    *((2260, 90), (2255, 200), (2250, 50), (2075, 120)),
]
RESULTS = (
    *("AB0", "AE0", "AG1", "BC=", "BD1", "BF1", "CA1", "CG1", "CH=", "DC0", "DE0"),
    *("DG0", "EB=", "EF1", "EH0", "FA0", "FC0", "FD=", "GB0", "GE=", "GH0"),
    *("HA1", "HD1", "HF1"),
)
# Table 3: after the first and the second pass, and both again with H's deviation 153.1.
FIRST = [
    *((2209, 104.3), (2344, 70.9), (2386, 107.5), (2205, 63.8)),
    *((2287, 77.7), (2051, 121.7), (2232, 47.5), (2280, 98.6)),
]
SECOND = [
    *((2223, 103.3), (2338, 71.0), (2379, 107.0), (2209, 63.6)),
    *((2283, 77.4), (2075, 120.1), (2235, 47.4), (2265, 97.0)),
]
BOOSTED = [
    *((2210, 104.5), (2344, 70.9), (2387, 107.8), (2205, 63.8)),
    *((2288, 77.8), (2053, 122.0), (2232, 47.5), (2353, 114.7)),
]
FINAL = [
    *((2230, 103.4), (2338, 71.0), (2385, 107.2), (2211, 63.7)),
    *((2287, 77.5), (2082, 120.7), (2236, 47.5), (2330, 112.2)),
]
AFTER_A_MONTH = [105.0, 73.3, 108.8, 66.3, 79.7, 122.0, 50.9, 113.7]


def period():
    results = {"0": 0.0, "=": 0.5, "1": 1.0}
    return games(
        *[
            (NAMES.index(row[0]), NAMES.index(row[1]), results[row[2]])
            for row in RESULTS
        ]
    )


def table_of(**changed):
    table = GlickoBoost().begin(Pool(8), Parameters(**changed))
    for player, (rating, deviation) in enumerate(BEFORE):
        table.seed(player, Standing(rating, deviation=deviation))
    return table


def passes(table):
    """Both passes over the period, from the deviations the table has."""
    players = table.open_period(period(), 0)
    found = []
    ratings, variances = table.ratings, table.variances
    for into in (table._first, table._second):
        table._pass(period(), players, ratings, variances, into)
        ratings, variances = into.ratings, into.variances
        deviations = map(math.sqrt, variances)
        found.append(list(zip(ratings, deviations, strict=True)))
    return found


def assert_as_printed(found, printed):
    """The note's ratings are up to 2.3 points off ours, its deviations 0.15."""
    for (rating, deviation), (theirs, spread) in zip(found, printed, strict=True):
        assert rating == pytest.approx(theirs, abs=2.5)
        assert deviation == pytest.approx(spread, abs=0.15)


def test_the_notes_two_passes():
    first, second = passes(table_of())
    assert_as_printed(first, FIRST)
    assert_as_printed(second, SECOND)


def test_the_notes_last_ratings_with_the_deviation_it_prints_for_h():
    table = table_of()
    table.variances[7] = 153.1**2
    first, second = passes(table)
    assert_as_printed(first, BOOSTED)
    assert_as_printed(second, FINAL)


def test_only_h_did_exceptionally_well():
    table = table_of()
    before = dict(enumerate(table.variances))
    players = table.open_period(period(), 0)
    table._pass(period(), players, table.ratings, table.variances, table._first)
    first, second = table._first, table._second
    table._pass(period(), players, first.ratings, first.variances, second)
    assert table._boost(period(), players)
    changed = [n for n, variance in enumerate(table.variances) if variance != before[n]]
    assert changed == [7]


@pytest.mark.parametrize("player", range(8))
def test_deviations_grow_as_the_note_prints(player):
    rating, deviation = FINAL[player]
    grown = math.sqrt(deviation**2 + growth(rating, deviation))
    assert grown == pytest.approx(AFTER_A_MONTH[player], abs=0.1)


def test_a_period_is_both_passes_and_the_boost():
    plain, boosting = table_of(k=10.0), table_of()
    second = passes(table_of())[1]
    for table in (plain, boosting):
        table.update(period(), moment())
    assert plain.ratings == pytest.approx([rating for rating, _ in second])
    assert boosting.ratings[7] > plain.ratings[7] + 50


def test_against_opponents_without_doubt_it_is_glicko():
    rows = games((0, 1, 1.0), (2, 0, 1.0), (0, 3, 0.5))
    theirs = Glicko().begin(Pool(4), GlickoParameters(lowest_deviation=0))
    ours = GlickoBoost().begin(Pool(4), Parameters(white_advantage=0.0, k=10.0))
    for table in (theirs, ours):
        table.seed(0, Standing(1500, deviation=200))
        for player, rating in ((1, 1400), (2, 1550), (3, 1700)):
            table.seed(player, Standing(rating, deviation=0.001))
        table.update(rows, moment())
    assert ours.standing(0) == pytest.approx((*theirs.standing(0)[:3], None, 1))


def test_a_pause_flattens_predictions_up_to_the_highest_deviation():
    table = table_of()
    table.update(period(), Moment(0, 0))
    game = games((7, 6, 1.0))
    soon, late, last = (table.predict(game, Moment(0, n))[0] for n in (1, 60, 600))
    assert soon > late >= last > 0.5
    assert table.variance(7, 600) == pytest.approx(250.0**2)


def test_colors_count():
    table = table_of()
    [white] = table.predict(games((6, 4, 1.0)), moment())
    [black] = table.predict(games((4, 6, 0.0)), moment())
    assert white > 1 - black
