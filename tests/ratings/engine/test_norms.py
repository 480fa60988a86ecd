"""Norms: the curve of the expected score, and which sections make one."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.engine.norms import (
    TITLES,
    Norm,
    NormGame,
    expected_score,
    find_norm,
    is_possible,
)


def games(*against: tuple[float, float]) -> list[NormGame]:
    return [
        NormGame(number, rating, score)
        for number, (rating, score) in enumerate(against)
    ]


@pytest.mark.parametrize(
    ("stronger_by", "expected"),
    [
        # Within each line.
        (-100, 0.75),
        (100, 0.375),
        (300, 0.125),
        # Where the lines meet.
        (-200, 1.0),
        (0, 0.5),
        (200, 0.25),
        (400, 0.0),
        # Beyond the ends.
        (-900, 1.0),
        (900, 0.0),
    ],
)
def test_expectation_is_made_of_straight_lines(stronger_by, expected):
    assert expected_score(1800, 1800 + stronger_by) == expected


def test_a_norm_is_more_than_one_point_above_the_expectation():
    # Level 1600 expects four times 0.5 of opponents rated 1600.
    assert find_norm(games((1600, 1), (1600, 1), (1600, 0.5), (1600, 0.5))) == Norm(
        1400, 3.0, 1.0
    )
    assert find_norm(games((1600, 1), (1600, 1), (1600, 1), (1600, 0.5))) == Norm(
        1600, 3.5, 2.0
    )


def test_exactly_one_point_above_earns_no_norm():
    # Level 1200 expects four times 0.5, and three points are scored.
    assert find_norm(games((1200, 1), (1200, 1), (1200, 1), (1200, 0))) is None


def test_the_highest_level_counts():
    strong = games((2500, 1), (2450, 1), (2480, 1), (2520, 0.5), (2490, 0.5))
    norm = find_norm(strong)
    # Level 2400: 0.375, 0.4375, 0.4, 0.35 and 0.3875.
    assert norm == Norm(2400, 4.0, pytest.approx(1.95))


def test_it_takes_four_games():
    three = games((2000, 1), (2000, 1), (2000, 1))
    assert find_norm(three) is None
    assert find_norm([*three, NormGame("x", 2000.0, 0.0)]) == Norm(1800, 3.0, 1.0)


@pytest.mark.parametrize(
    ("last", "level"),
    [
        # Level 1600 expects 1.5 of three opponents rated 1600, and 1400 expects 0.75.
        (1.0, 1400),
        # 2.5 points are 1.75 above the expectation of 1400, and 2.5 above that of 1200.
        (0.5, 1200),
        # 2 points are exactly 2 above the expectation of 1200, which is 0.
        (0.0, 1200),
    ],
)
def test_three_games_and_a_free_point_take_two_points_more(last, level):
    three = games((1600, 1), (1600, 1), (1600, last))
    assert find_norm(three, has_free_point=True).level == level
    assert find_norm(three) is None


def test_a_little_less_than_two_points_above_earns_no_norm():
    # One opponent is a point weaker, so level 1200 expects a little more than 0.
    three = games((1600, 1), (1599, 1), (1600, 0))
    assert find_norm(three, has_free_point=True) is None
    exact = games((1600, 1), (1600, 1), (1600, 0))
    assert find_norm(exact, has_free_point=True) == Norm(1200, 2.0, 0.0)


def test_a_free_point_makes_no_difference_to_two_games_or_to_four():
    two = games((2700, 1), (2700, 1))
    assert find_norm(two, has_free_point=True) is None
    # Exactly a point above the expectation of 1200: too little for four games.
    four = games((1200, 1), (1200, 1), (1200, 1), (1200, 0))
    assert find_norm(four, has_free_point=True) is None


WALL_CHART = Path(__file__).parents[2] / "data/real-files/wall-chart/msa-64-players.txt"
PRINTED = {"N:2": 1600, "N:3": 1400, "N:4": 1200, "": None}
POINTS = {"W": 1.0, "D": 0.5, "L": 0.0}


def wall_chart() -> dict[int, tuple[list[str], int, int | None]]:
    """Read cells, rating after the event and printed norm of each player."""
    lines = WALL_CHART.read_text("utf-8").splitlines()
    rows = [line.split("|") for line in lines if re.match(r" *(\d+|[A-Z]{2}) \|", line)]
    return {
        int(first[0]): (
            [cell.strip() for cell in first[3:-1]],
            int(re.search(r"-> *(\d+)", second[1])[1]),
            PRINTED[second[2].strip()],
        )
        for first, second in zip(rows[::2], rows[1::2], strict=True)
    }


def level_by_the_formula(score: float, opponents: list[int]) -> int | None:
    """Return the highest level by Glickman's formula, written for this test alone."""
    for level in (2400, 2200, 2000, 1800, 1600, 1400, 1200):
        total = 0.0
        for rating in opponents:
            d = level - rating
            if d > 200:
                total += 1
            elif d > 0:
                total += 0.5 + d / 400
            elif d > -400:
                total += 0.5 + d / 800
        if len(opponents) >= 4 and score > total + 1:
            return level
    return None


def test_norms_of_a_section_are_those_that_the_federation_printed():
    chart = wall_chart()
    found, counted, printed = {}, {}, {}
    for number, (cells, _post, norm) in chart.items():
        played = [
            (chart[int(cell[1:])][1], POINTS[cell[0]], int(cell[1:]))
            for cell in cells
            if re.fullmatch(r"[WDL] +\d+", cell)
        ]
        won = find_norm(
            [NormGame(other, post, score) for post, score, other in played],
            has_free_point=any(cell in ("B", "X") for cell in cells),
        )
        found[number] = won and won.level
        counted[number] = level_by_the_formula(
            sum(score for _, score, _ in played), [post for post, _, _ in played]
        )
        printed[number] = norm
    assert len(printed) == 64
    assert found == counted == printed


@pytest.mark.parametrize(("times", "makes_one"), [(2, True), (3, False)])
def test_an_opponent_counts_twice_at_most(times, makes_one):
    same = [NormGame("rival", 2000.0, 1.0)] * times
    norm = find_norm([*same, *games((2000, 1), (2000, 1))])
    assert (norm is not None) is makes_one


def test_losing_everything_or_nothing_played_makes_none():
    assert find_norm([]) is None
    assert find_norm(games((100, 0), (100, 0), (100, 0), (100, 0))) is None


@given(st.lists(st.tuples(st.floats(100, 3000), st.sampled_from([0, 0.5, 1.0]))))
def test_no_norm_is_made_where_none_is_possible(against):
    if find_norm(games(*against), has_free_point=True) is not None:
        assert is_possible(len(against), sum(score for _, score in against))


def test_a_point_and_a_half_of_four_games_make_a_norm_against_who_is_out_of_reach():
    against = games((2700, 1.0), (2700, 0.5), (2700, 0.0), (2700, 0.0))
    assert find_norm(against) == Norm(2200, 1.5, 0.0)
    assert is_possible(4, 1.5)


def test_titles_from_candidate_master_on_need_the_rating_too():
    """Categories take norms only (Glickman, "The US Chess Title System", 2016)."""
    needing = {title.name: title.level for title in TITLES if title.needs_rating}
    assert needing == {
        "Senior Life Master": 2400,
        "Life Master": 2200,
        "Candidate Master": 2000,
    }
