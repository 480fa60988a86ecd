"""Initial ratings of unrated players (2025 paper, section 2)."""

from __future__ import annotations

import math
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from .inputs import Competitor, RatingInput, SourceRating
from .numbers import exact_sum, official
from .rules import Rules
from .systems import Body, System


class Basis(StrEnum):
    """The source of the rating that a player starts the section with."""

    RATED = "rated"
    ASSIGNED = "assigned"
    BLEND = "blend"
    AGE = "age"
    ADULT = "adult"
    CHILD = "child"


BY_AGE = (Basis.AGE, Basis.ADULT, Basis.CHILD)
"""Starts of players without a rating in another system (section 2.3)."""


class SourceShare(NamedTuple):
    """The contribution of one source to a blend; the paper's letters in brackets.

    *converted* (X) and *age_rating* (P) are in US Chess rating points, *game_factor*
    (G) and *weight* (W) in games, *staleness_days* is D, *strength* Z and
    *staleness_factor* S.
    """

    source: SourceRating
    converted: float
    game_factor: int
    staleness_days: int
    age_rating: float
    age_basis: Basis
    strength: float
    staleness_factor: float
    weight: float


class Start(NamedTuple):
    """The rating a player starts with (R₀) and the games it is based on (N).

    *shares* are the sources of a blend, in the input's order. *blended* is the weighted
    average before rounding, *total_weight* the sum of its weights before the limit of
    10; both are None without a blend.
    """

    rating: float
    games: int
    basis: Basis
    shares: tuple[SourceShare, ...] = ()
    blended: float | None = None
    total_weight: float | None = None


def age_rating(
    birth_date: date | None, adult: bool, day: date, rules: Rules
) -> tuple[float, Basis]:
    """Return the age-based rating on *day*, not rounded, and its basis.

    Without a birth date, or under the age of 3 (surely a mistake), a player counts as
    26 if known to be an adult, else as 15 (section 2.3).

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2020, 9, 1))
    >>> rating, basis = age_rating(date(2000, 7, 1), False, date(2018, 3, 25), rules)
    >>> round(rating, 2), basis.value
    (886.52, 'age')
    >>> age_rating(None, True, date(2018, 3, 25), rules)[0]
    1300.0
    """
    formula = rules.age_start
    if birth_date is not None:
        age = (day - birth_date).days / formula.days_per_year
        if age >= formula.mistaken_below:
            return formula.rating(age), Basis.AGE
    if adult:
        return formula.rating(formula.adult_age), Basis.ADULT
    return formula.rating(formula.child_age), Basis.CHILD


def source_share(
    source: SourceRating,
    competitor: Competitor,
    rating_input: RatingInput,
    rules: Rules,
) -> SourceShare:
    """Weigh one rating of an unrated player's other ratings (section 2, 1 to 5).

    Raises NoRuleInForce for sections that start before ratings were blended.
    """
    blend = rules.blend
    converted, game_factor = _conversion(source, rating_input.system, rules)
    days = (rating_input.end_date - source.day).days
    basis_rating, basis = age_rating(
        competitor.birth_date, competitor.adult, source.day, rules
    )
    strength = min(
        blend.strength_limit, (converted - basis_rating) / blend.strength_scale
    )
    exponent = blend.decay * (strength - blend.strength_limit)
    factor = math.exp(exponent * days / blend.days_per_year)
    return SourceShare(
        source=source,
        converted=converted,
        game_factor=game_factor,
        staleness_days=days,
        age_rating=basis_rating,
        age_basis=basis,
        strength=strength,
        staleness_factor=factor,
        weight=game_factor * factor,
    )


def _conversion(
    source: SourceRating, system: System, rules: Rules
) -> tuple[float, int]:
    """Return a source's rating on the US Chess scale and its Game Factor."""
    if source.source is Body.FIDE:
        factor = rules.fide_game_factor(source.rating)
        return rules.fide_conversion.us_rating(source.rating), factor
    if source.source is Body.CFC:
        return rules.cfc_conversion.us_rating(source.rating), rules.cfc_game_factor
    most = rules.blend.game_factor(System(source.source), system)
    return source.rating, min(most, source.games)


def starting_point(
    competitor: Competitor, rating_input: RatingInput, rules: Rules
) -> Start:
    """Return the rating and the games that a competitor enters the section with.

    For a rated player that is the state before the section; for an unrated one it is
    step 1. The blend is rounded to a whole number, the age-based start is not. Raises
    NoRuleInForce if a rule that is needed is not known for the start day.
    """
    if competitor.rating is not None:
        return Start(competitor.rating, competitor.games, Basis.RATED)
    if competitor.initial is not None:
        assigned = competitor.initial
        return Start(assigned.rating, assigned.games, Basis.ASSIGNED)
    shares = tuple(
        source_share(source, competitor, rating_input, rules)
        for source in competitor.sources
        if source.games > 0 or isinstance(source.source, Body)
    )
    if shares:
        return _blend(shares, rules.blend.most_games)
    rating, basis = age_rating(
        competitor.birth_date, competitor.adult, rating_input.end_date, rules
    )
    return Start(rating, 0, basis)


def _blend(shares: tuple[SourceShare, ...], most_games: int) -> Start:
    """Average the sources relative to the first one, which keeps halves exact."""
    first = shares[0].converted
    total = exact_sum([share.weight for share in shares])
    beyond = exact_sum([share.weight * (share.converted - first) for share in shares])
    blended = first + beyond / total
    return Start(
        rating=float(official(blended)),
        games=math.ceil(min(float(most_games), total)),
        basis=Basis.BLEND,
        shares=shares,
        blended=blended,
        total_weight=total,
    )
