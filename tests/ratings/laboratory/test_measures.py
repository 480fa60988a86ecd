import json
import math
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ratings.laboratory
from ratings.laboratory import measures
from ratings.laboratory.measures import (
    CASES,
    MEASURES,
    NoGames,
    binomial_deviance,
    months_of,
    player_month_rmse,
    scaled_deviance,
)

scores = st.sampled_from((0.0, 0.5, 1.0))
expectations = st.floats(0, 1)
games = st.lists(st.tuples(scores, expectations), min_size=1, max_size=30)


def columns(games):
    return [score for score, _ in games], [prediction for _, prediction in games]


def shared_cases():
    file = Path(ratings.laboratory.__file__).parent / "rating-systems-vectors.json"
    return [one for one in json.loads(file.read_text()) if one["system"] in CASES]


@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case["id"])
def test_published_cases_of_measures(case):
    got = CASES[case["system"]](case["inputs"])
    assert {key: got[key] for key in case["expected"]} == pytest.approx(
        case["expected"], abs=case["tolerance"]
    )


def test_there_are_published_cases_of_four_kinds():
    assert {case["system"] for case in shared_cases()} == set(CASES)


@given(st.lists(scores, min_size=1))
def test_a_coin_is_100_whatever_happens(points):
    coin = [0.5] * len(points)
    assert scaled_deviance(points, coin) == pytest.approx(100)
    assert binomial_deviance(points, coin, base_10=True) == pytest.approx(math.log10(2))
    assert MEASURES["accuracy"].value(points, coin) == 0.5


@given(games)
def test_measures_do_not_depend_on_who_has_white(games):
    points, predictions = columns(games)
    turned = [1 - one for one in points], [1 - one for one in predictions]
    for measure in MEASURES.values():
        assert measure.value(*turned) == pytest.approx(
            measure.value(points, predictions), nan_ok=True
        )


@given(games)
def test_deviance_is_bounded_by_the_limits(games):
    assert 0 < binomial_deviance(*columns(games)) <= -math.log(0.01)


def mean_power(points, predictions, power):
    errors = [abs(p - q) ** power for p, q in zip(points, predictions, strict=True)]
    return math.fsum(errors) / len(errors)


def scaled_to_a_coin(points, predictions, power):
    coin = mean_power(points, [0.5] * len(points), power)
    ratio = mean_power(points, predictions, power) / coin if coin else math.nan
    return 100 * ratio ** (1 / power)


def share_right(points, predictions):
    favorite = [0.5 if q == 0.5 else float(q > 0.5) for q in predictions]
    right = [1 - abs(p - f) for p, f in zip(points, favorite, strict=True)]
    return math.fsum(right) / len(right)


@pytest.mark.parametrize(
    ("measure", "key"),
    [
        (binomial_deviance, "deviance"),
        (scaled_deviance, "scaled_deviance"),
        (partial(mean_power, power=2), "brier"),
        (lambda *games: math.sqrt(mean_power(*games, 2)), "root_brier"),
        (partial(scaled_to_a_coin, power=2), "scaled_root_brier"),
        (partial(mean_power, power=1), "mean_absolute_error"),
        (partial(scaled_to_a_coin, power=1), "scaled_mean_absolute_error"),
        (share_right, "accuracy"),
    ],
)
@given(games=games)
def test_the_list_of_measures_says_the_same_as_the_functions(measure, key, games):
    points, predictions = columns(games)
    assert MEASURES[key].value(points, predictions) == pytest.approx(
        measure(points, predictions), nan_ok=True
    )


@given(st.integers(1, 99), st.integers(1, 99))
def test_a_proper_measure_is_best_for_the_true_expected_score(true, said):
    """In 100 games with the true score in wins, nothing predicts better than it."""
    points = [1.0] * true + [0.0] * (100 - true)
    for measure in MEASURES.values():
        if measure.proper:
            honest = measure.value(points, [true / 100] * 100)
            assert honest <= measure.value(points, [said / 100] * 100) + 1e-12


def test_the_absolute_error_rewards_being_too_sure():
    points = [1.0] * 60 + [0.0] * 40
    honest, sure = [0.6] * 100, [1.0] * 100
    measure = MEASURES["mean_absolute_error"]
    assert measure.value(points, sure) < measure.value(points, honest)
    assert not measure.proper


def test_a_draw_is_half_right_and_no_favorite_too():
    assert (
        MEASURES["accuracy"].value([0.5], [0.9])
        == MEASURES["accuracy"].value([1.0], [0.5])
        == 0.5
    )
    assert MEASURES["accuracy"].value([1.0], [0.51]) == 1.0
    assert MEASURES["accuracy"].value([1.0], [0.49]) == 0.0


def test_a_surer_prediction_than_the_limits_gains_nothing():
    assert binomial_deviance([1], [1.0]) == binomial_deviance([1], [0.99])
    assert binomial_deviance([1], [0.999], limits=(0.001, 0.999)) < 0.0011


def test_scaled_by_a_coin_that_makes_no_error_is_no_number():
    """If all games were drawn, a coin predicted every one of them."""
    assert math.isnan(MEASURES["scaled_root_brier"].value([0.5], [0.6]))
    assert math.isnan(MEASURES["scaled_mean_absolute_error"].value([0.5], [0.6]))


@pytest.mark.parametrize("key", MEASURES)
def test_one_unknown_prediction_shows(key):
    assert math.isnan(MEASURES[key].value([1, 0], [math.nan, 0.5]))


@pytest.mark.parametrize("key", MEASURES)
def test_without_games_there_is_no_measure(key):
    with pytest.raises(NoGames):
        MEASURES[key].value([], [])


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="zip"):
        scaled_deviance([1, 0], [0.5])


# --- Players and months ---


def test_a_month_is_added_up_before_it_is_squared():
    """Two games of 0.5 expected and one point are no error in one month, two in two."""
    together = player_month_rmse([7, 7], [1, 1], [2, 3], [1, 0], [0.5, 0.5])
    assert together == pytest.approx(math.sqrt((0 + 0.25 + 0.25) / 3))
    apart = player_month_rmse([7, 8], [1, 1], [2, 3], [1, 0], [0.5, 0.5])
    assert apart == pytest.approx(0.5)


def test_both_colors_of_a_player_are_added_up():
    """Half a point more with White, half a point less with Black: no error."""
    both = player_month_rmse([7, 7], [1, 3], [2, 1], [1, 1], [0.5, 0.5])
    assert both == pytest.approx(math.sqrt((0 + 0.25 + 0.25) / 3))


@given(st.lists(st.tuples(st.integers(0, 9), scores, expectations), min_size=1))
def test_player_months_do_not_mix_players(games):
    """With all games between others, every error is of one game."""
    white, black = range(0, 2 * len(games), 2), range(1, 2 * len(games), 2)
    months, points, predictions = zip(*games, strict=True)
    assert player_month_rmse(
        months, white, black, points, predictions
    ) == pytest.approx(MEASURES["root_brier"].value(points, predictions))


def test_months_change_with_the_calendar():
    days = [date(2023, 12, 31), date(2024, 1, 1), date(2024, 1, 31)]
    december, january, end = months_of([day.toordinal() for day in days])
    assert january == december + 1 == end


def test_every_measure_is_told_in_words():
    assert all(one.label and one.help for one in measures.MEASURES.values())
