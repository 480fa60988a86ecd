"""FIDE's first rating: the new rule with two drawn games, and the older ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ratings.laboratory.tables import difference_for

from .fide_rules import FirstRatingRule


class FirstRating(NamedTuple):
    """A first rating and its inputs.

    *average* is that of the opponents (Ra), *percent* the score in whole percent,
    *difference* the addition (dp), and *rating* the rounded result (Ru).
    """

    average: float
    percent: int
    difference: float
    rating: int


def first_rating(
    opponents: Sequence[int], half_points: int, rule: FirstRatingRule
) -> FirstRating:
    """Return the first rating of a player from all results against rated opponents.

    *half_points* is the score in half points. Halves of a rating point and of a per
    cent go up. Whether the rating may be published is for `is_published` to say.
    Raises ValueError without opponents. Source: Handbook B.02, 8.2.

    >>> from .fide_rules import RatingList, rules_in_force
    >>> from datetime import date
    >>> rule = rules_in_force(RatingList.STANDARD, date(2025, 12, 1)).first
    >>> first_rating([1902, 1877, 1884, 2012, 1832], 6, rule).rating
    1922
    >>> old = rules_in_force(RatingList.STANDARD, date(2024, 2, 29)).first
    >>> first_rating([1902, 1877, 1884, 2012, 1832], 6, old).rating
    1921
    """
    if not opponents:
        raise ValueError("A first rating needs a game against a rated opponent.")
    games = len(opponents) + rule.draws
    score = half_points + rule.draws
    total = sum(opponents) + rule.draws * rule.draw_rating
    percent = (100 * score + games) // (2 * games)
    if rule.per_point is not None and score > games:
        twice_added = rule.per_point * (score - games)
    else:
        twice_added = 2 * difference_for(percent)
    rating = (2 * total + twice_added * games + games) // (2 * games)
    if rule.highest is not None:
        rating = min(rating, rule.highest)
    return FirstRating(total / games, percent, twice_added / 2, rating)


def is_published(rating: int, games: int, rule: FirstRatingRule, floor: int) -> bool:
    """Return whether a first rating on *games* games goes on the list (7.1.4)."""
    return games >= rule.games and rating >= floor


def counts_as_first_event(half_points: int, games: int, rule: FirstRatingRule) -> bool:
    """Return whether a newcomer's first event counts, or is dropped for its low score.

    *games* and *half_points* are those against rated opponents. An event is the first
    as long as none before it counted (8.2.1).
    """
    return half_points >= rule.first_score and games >= rule.first_games
