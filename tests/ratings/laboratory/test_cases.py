"""Cases in other shapes than the published ones: worked by hand from the formulas."""

import json
import math
from pathlib import Path

import pytest

from ratings.laboratory.registry import CASES
from ratings.laboratory.vectors import SHIPPED

EXAMPLE = [[1400, 30, 1], [1550, 100, 0], [1700, 300, 0]]
FIELD = {"opponents": [1800, 1900], "scores": [1, 0.5]}
MARCH_2004 = "games_month_white_black_predicted_actual"
K_HISTORY = "list_rating_games_ever2400_ever2300_listyear_birthyear"

VARIANTS = [
    # One value alone instead of a list.
    ("fide.table_8_1_1", {"p": 0.75}, {"dp": 193}),
    ("fide.table_8_1_2", {"D": -344}, {"PD": 0.12, "PD_higher": 0.88}),
    ("fide.category", {"average": 2457}, {"category": 9}),
    ("fide.K", {"K": 40, "n": 18}, {"K_used": 38}),
    ("fide.rounding", {"x": -2.5}, {"rounded": -3}),
    ("fide.compression_2024", {"rating": 1600}, {"new": 1760}),
    ("uscf.class", {"rating": 2399}, {"class": "National master"}),
    ("uscf.convert", {"cfc": 1000}, {"us": 700}),
    ("ingo.convert", {"ingo": 80}, {"elo": 2200}),
    ("ecf.convert", {"grade": 150}, {"elo": 1825}),
    ("elo.normal", {"D": [0, 200]}, {"P": [0.5, 0.7602499389]}),
    (
        "ccla.hotchkiss_wilcock",
        {"difference": 100},
        {"higher_wins": 11, "lower_wins": 21, "draw_to_lower": 5},
    ),
    ("dwz.expectation", {"D": 0}, {"P": 0.5, "P_percent": 50}),
    ("dwz.expectation", {"D": [0]}, {"P": [0.5], "P_percent": [50]}),
    ("chessmetrics.weight", {"months_old": 24}, {"weight": 0.5}),
    ("chessmetrics.class", {"ranks": [1, 3, 9]}, {"class": 8}),
    # Whole ratings written as decimals.
    ("fide.table_8_1_2", {"D": [35.0]}, {"PD": [0.55]}),
    (
        "fide.standard.game",
        {"own_rating": 2000.0, "opponent_rating": 2000.0, "score": 1, "K": 10},
        {"change_current_rules": 5},
    ),
    (
        "dwz",
        {"R0": 1700.0, "age": 40, "index": 10, "opponents": [[1700.0, 1]]},
        {"E": 23, "new": 1700 + 800 * 0.5 / 24},
    ),
    # Numbers with more places than the rule speaks of.
    ("fide.rounding", {"x": [2.4999, -2.4999, -0.4999]}, {"rounded": [2, -2, 0]}),
    # Left out: what the rules say without it.
    (
        "foa.rbb",
        {"rating": 1500, "opponent": 1500, "score": 1, "category": "bullet"},
        {"new": 1505},
    ),
    ("foa.rbb", {"rating": 1500, "opponent": 1500, "score": 1}, {"new": 1510}),
    ("ecf.monthly", {"rating": 1700, "games": [[1750, 1]]}, {"new": 1711.4}),
    (
        "ingo.blended",
        {"old": 130, "opponents": [160], "scores": [1]},
        {"new": 2710 / 21},
    ),
    (
        "ingo.blended",
        {"old": 130, "age": 18, "opponents": [160], "scores": [1]},
        {"new": 1410 / 11},
    ),
    ("glicko", {"RD_old": 50, "c": 10}, {"RD": math.sqrt(2600)}),
    ("glicko", {"r": 1500, "RD": 200, "opponents": []}, {"r": 1500, "RD": 200}),
    (
        "glicko2",
        {"RD": 50, "opponents": [], "periods": 4},
        {"RD": math.sqrt(2500 + 4 * (173.7178 * 0.06) ** 2)},
    ),
    (
        "stephenson",
        {"r": 1500, "RD": 200, "opponents": [], "h": 0},
        {"r": 1500, "RD": 200},
    ),
    ("fide.K", {K_HISTORY: [[1500, 100, 0, 0, 2026, None]]}, {"K": [20]}),
    ("fide.standard.period", {"base": 2000, "tournaments": []}, {"total_change": 0}),
    # The same said in another way.
    ("foa.rbb.first", {"opponents": [1500] * 5, "score": 3}, {"Rf": 1520}),
    ("harkness", FIELD, {"new": 2100}),
    ("ingo.basic", {"opponents": [100, 120], "scores": [1, 0]}, {"performance": 110}),
    (
        "ingo.basic",
        {"own": 110, "avg_opponents": 100, "score": 6, "games": 10},
        {"performance": 90, "expected_pct": 40},
    ),
    (
        "ingo.quarter",
        {"old": 100, "avg_opponents": 120, "score": 0, "games": 9},
        {"performance": 170, "new": 117.5},
    ),
    ("performance", FIELD, {"linear_800": 2050}),
    (
        "fide.standard.initial",
        {"opponents": [1600] * 5, "scores": [1, 0, 0, 0, 0]},
        {"Ru": 1499},
    ),
    ("dwz", {"R0": 1011, "E": 5, "W": 6.5, "We": 5.146, "n": 7}, {"rounded": 1101}),
    (
        "dwz",
        {"R0": 1500, "age_group": "adult", "index": 9, "W": 1, "We": 1, "n": 2},
        {"E": 20},
    ),
    ("uscf.convert", {"fide": [1500], "edition": 2020}, {"us": [1590]}),
    (
        "metric.binomial_deviance",
        {"actual": [1], "predicted": [0.1], "log": "log10"},
        {"mean": 1},
    ),
    (
        "metric.player_month_rmse",
        {MARCH_2004: [["2004-03", "Ann", "Bob", 0.5, 1]]},
        {"rmse": 0.5},
    ),
    (
        "laboratory.expectation",
        {
            "advantage_in_own_units": {
                "fide": 200,
                "elo_linear": 200,
                "ingo.quarter": 25,
            }
        },
        {"fide": 0.76, "elo_linear": 0.75, "ingo.quarter": 0.75},
    ),
    (
        "uscf.convert",
        {"fide": [2000, 2200], "youth": True, "edition": "2020"},
        {"us": [2080, 2280]},
    ),
    (
        "chessmetrics.simultaneous",
        {
            "scores_of_1_round_robin": {"A": 1, "B": 0},
            "initial": [2400, 2500],
            "calibrate_mean_to": 2450,
        },
        {"after_1": [2925, 1975]},
    ),
    # One game under a system that is mostly used for whole events.
    (
        "elo.table",
        {"rating": 2635, "opponent": 2600, "score": 1, "K": 10},
        {"expected": 0.55, "new": 2639.5},
    ),
    ("elo.table", {"rating": 2635, "opponents": [2600] * 2}, {"expected_sum": 1.1}),
    # The linear formula has no limit at 400 points: a win may cost points there.
    (
        "elo.linear",
        {"rating": 1500, "opponents": [1000], "scores": [1], "K": 32},
        {"new": 1496},
    ),
    (
        "elo.linear",
        {"rating": 1500, "opponents": [1600, 1700], "scores": [1, 0], "C": 100},
        {"new": 1524},
    ),
    (
        "uscf.correspondence",
        {"own": 1550, "opponent": 1100, "result": 1, "max_difference": 400},
        {"delta": 0},
    ),
    # Provisional players of the ICS: who met whom.
    (
        "ics.established",
        {"r1": 1800, "r2": 1700, "w": 0, "opponent_games": 5},
        {"K": 8, "opp_new": (5 * 1700 + 2200) / 6},
    ),
    (
        "ics.provisional",
        {"opponent": 1650, "opponent_games": 5, "outcome": [1, 0, -1]},
        {"rating_after": [1825, 1625, 1425]},
    ),
    ("ics.provisional", {"opponent": 1650, "outcome": 1}, {"rating_after": 2050}),
    ("ics.provisional", {"both_unplayed": True, "outcome": 1}, {"rating_after": 1800}),
    (
        "ics.provisional",
        {"rating": 2000, "games": 4, "opponent": 1500, "outcome": [1, 0]},
        {"value": [1900, 1500], "new_mean": [1980, 1900]},
    ),
    (
        "ics.provisional",
        {"games": [{"own": 1700, "opp_played": False, "outcome": 1}]},
        {"values": [None]},
    ),
]


@pytest.mark.parametrize(("kind", "inputs", "expected"), VARIANTS)
def test_a_case_in_another_shape(kind, inputs, expected):
    got = CASES[kind](inputs)
    for key, value in expected.items():
        if isinstance(value, str) or value == [None]:
            assert got[key] == value
        else:
            assert got[key] == pytest.approx(value, abs=1e-9)


def test_players_without_a_standing_begin_as_newcomers():
    inputs = {
        "initial": {"A": [1500, 350]},
        "games_month_white_black_score": [[1, "A", "B", 1]],
        "c": 15,
    }
    found = CASES["glicko"](inputs)
    assert found["A"][0] - 1500 == pytest.approx(1500 - found["B"][0])
    assert found["A"][1] == pytest.approx(found["B"][1])


def test_who_plays_in_no_month_keeps_the_deviation():
    inputs = {
        "initial": {"A": [1500, 200], "B": [1500, 200], "C": [1600, 90]},
        "games_month_white_black_score": [[1, "A", "B", 1]],
        "c": 15,
    }
    assert CASES["glicko"](inputs)["C"] == pytest.approx([1600, 90])


def test_every_published_case_answers_to_decimals_too():
    """A rating is the same whether it is written 1500 or 1500.0."""
    counts = {"games", "n", "opponent_games", "periods", "index"}
    for record in json.loads(Path(SHIPPED).read_text()):
        if record["system"] in CASES:
            inputs = {
                key: float(value) if type(value) is int and key not in counts else value
                for key, value in record["inputs"].items()
            }
            got = CASES[record["system"]]({"source": record["source"], **inputs})
            assert set(record["expected"]) <= set(got), record["id"]
