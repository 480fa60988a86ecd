"""Results by year, and a search that is judged on years it has not seen."""

import math
from array import array
from datetime import date
from random import Random

import pytest

from ratings.laboratory.comparison import MeasuredGames, predicted_by_all
from ratings.laboratory.confidence_intervals import Estimate
from ratings.laboratory.measures import NoGames, scaled_deviance
from ratings.laboratory.yearly_results import by_year, rolling, spans_of
from tests.ratings.laboratory.simple import day, games_to_history
from tests.ratings.laboratory.synthetic import Federation, generate_history

UNKNOWN = math.nan


@pytest.fixture(scope="module")
def world():
    """Three years of 80 players, and five who predict: one better in each year."""
    made = generate_history(Federation(players=80, months=36))
    history = made.history
    years = [date.fromordinal(on).year for on in history.rated_days]
    randomness = Random(2)
    timid = array("d", [0.5 + 0.6 * (one - 0.5) for one in made.oracle])
    columns = {"timid": timid}
    for good in (2020, 2021, 2022):
        columns[f"good in {good}"] = array(
            "d",
            [
                oracle if year == good else careful
                for oracle, careful, year in zip(made.oracle, timid, years, strict=True)
            ],
        )
    columns["noise"] = array("d", [randomness.uniform(0.3, 0.7) for _ in years])
    return history, years, columns


def on(history, columns):
    return MeasuredGames(history, predicted_by_all(columns))


def deviance_in(world, name, *chosen):
    history, years, columns = world
    games = [game for game, year in enumerate(years) if year in chosen]
    points = [history.games.points[game] for game in games]
    return scaled_deviance(points, [columns[name][game] for game in games])


def test_each_year_has_the_deviance_of_its_games(world):
    history, years, columns = world
    found = by_year(on(history, columns), columns, "timid")
    assert [date.fromordinal(one.span.first_day).year for one in found] == [
        *(2020, 2021, 2022)
    ]
    for one in found:
        year = date.fromordinal(one.span.last_day).year
        assert one.span.stop - one.span.start == years.count(year)
        for name in columns:
            wanted = deviance_in(world, name, year)
            assert one.measured[name].value == pytest.approx(wanted)
        assert one.against[f"good in {year}"].high < 0
        other = f"good in {2020 if year != 2020 else 2021}"
        assert one.against[other] == Estimate(0.0, 0.0, 0.0, 0.0)


def test_a_search_is_judged_in_years_that_chose_nothing(world):
    history, years, columns = world
    found = rolling(on(history, columns), columns, "timid")
    # The best value before is not the best afterward, so nothing is gained.
    assert [fold.chosen for fold in found.folds] == ["good in 2020", "good in 2021"]
    assert [fold.judged.value for fold in found.folds] == [0.0, 0.0]
    assert found.judged == Estimate(0.0, 0.0, 0.0, 0.0)
    assert found.games == years.count(2021) + years.count(2022)
    promised = [
        deviance_in(world, "good in 2020", 2020) - deviance_in(world, "timid", 2020),
        deviance_in(world, "good in 2021", 2020, 2021)
        - deviance_in(world, "timid", 2020, 2021),
    ]
    assert [fold.promised for fold in found.folds] == pytest.approx(promised)
    assert found.optimism == -found.promised > 1


def test_what_is_good_in_all_years_keeps_its_promise(world):
    history, _years, columns = world
    better = array("d", generate_history(Federation(players=80, months=36)).oracle)
    two = {"timid": columns["timid"], "better": better}
    found = rolling(on(history, two), two, "timid")
    assert {fold.chosen for fold in found.folds} == {"better"}
    assert found.judged.high < 0
    assert abs(found.optimism) < -found.judged.value


def test_short_histories_are_cut_into_quarters_or_months():
    def lengths(*texts):
        return [
            one.last_day - one.first_day + 1 for one in spans_of([*map(day, texts)])
        ]

    assert lengths("2020-01-05", "2021-01-05", "2022-12-05") == [366, 365, 365]
    assert lengths("2021-01-05", "2021-04-05", "2021-12-05") == [90, 91, 92]
    assert lengths("2021-01-05", "2021-02-05", "2021-02-28") == [31, 28]
    assert lengths() == []


def test_a_search_needs_two_months():
    history = games_to_history(
        ("a", "b", 1.0, "2024-01-01"), ("b", "a", 1.0, "2024-01-02")
    )
    with pytest.raises(NoGames, match="two months"):
        rolling(MeasuredGames(history, [0, 1]), {"one": [0.5, 0.5]}, "one")


def test_games_that_not_all_predict_count_in_no_year():
    history = games_to_history(
        *(("a", "b", 1.0, f"20{year}-01-01") for year in range(20, 24))
    )
    columns = {"one": [UNKNOWN, 0.5, 0.6, 0.7], "other": [0.5, 0.5, UNKNOWN, 0.7]}
    years = [
        date.fromordinal(one.span.first_day).year
        for one in by_year(on(history, columns), columns, "one")
    ]
    assert years == [2021, 2023]
