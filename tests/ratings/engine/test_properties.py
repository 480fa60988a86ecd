"""Invariants of any section, and agreement with the naive implementation."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.section_json import parse_section, rate_json, section_to_json
from tests.hypothesis_settings import example_count
from tests.ratings.engine import naive, strategies


def answer_to(document):
    answer, faults = rate_json(document)
    assert faults == []
    return answer["players"]


@given(strategies.sections())
@settings(max_examples=example_count(200), deadline=None)
def test_agrees_with_the_naive_twin(document):
    for mine, twins in zip(answer_to(document), naive.rate(document), strict=True):
        tolerance = 1e-9 if mine["formula"] == "standard" else 1e-6
        for figure in ("intermediate", "post"):
            if twins[figure] is None:
                assert mine[figure] is None
            else:
                assert mine[figure] == pytest.approx(twins[figure], abs=tolerance)


@given(strategies.sections(), st.integers())
@settings(max_examples=example_count(120), deadline=None)
def test_order_of_players_games_and_sides_changes_no_bit(document, seed):
    shuffled = shuffled_copy(document, random.Random(seed))
    by_id = {player["id"]: player for player in answer_to(shuffled)}
    assert [by_id[player["id"]] for player in answer_to(document)] == answer_to(
        document
    )


def shuffled_copy(document, randomness):
    players = [
        {**player, "sources": shuffled(player.get("sources", []), randomness)}
        for player in shuffled(document["players"], randomness)
    ]
    games = [
        turned(game) if randomness.random() < 0.5 else game
        for game in shuffled(document["games"], randomness)
    ]
    return {**document, "players": players, "games": games}


def shuffled(values, randomness):
    return randomness.sample(values, len(values))


def turned(game):
    score_b = game.get("score_b", 1 - game["score_a"])
    return {
        "a": game["b"],
        "b": game["a"],
        "score_a": score_b,
        "score_b": game["score_a"],
    }


@given(strategies.sections())
@settings(max_examples=example_count(100), deadline=None)
def test_a_card_written_as_json_rates_the_same_bit_for_bit(document):
    given_input, faults = parse_section(document)
    assert faults == []
    stored = section_to_json(
        given_input.rating_input, given_input.edition, given_input.id
    )
    again, _ = parse_section(stored)
    assert again == given_input
    assert rate_json(stored) == rate_json(document)


@given(strategies.sections())
@settings(max_examples=example_count(60), deadline=None)
def test_no_rating_ends_below_100_or_over_its_ceiling(document):
    for player, rated in zip(document["players"], answer_to(document), strict=True):
        if rated["games"]:
            ceiling = player["ceiling"] or 5000
            assert 100 <= rated["post"] <= ceiling
