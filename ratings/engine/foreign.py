"""Ratings from foreign FIDE-rated events (2025 paper, section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from .conversions import Conversion
from .effective_games import effective_games
from .floors import settle
from .inputs import Competitor
from .results import Formula, RatingResult
from .rules import Rules
from .standard import bonus_threshold, k_factor, no_bonus_reason, standard_result


def opponents_conversion(rules: Rules, *, youth: bool) -> Conversion:
    """Return the conversion of opponents' FIDE ratings in foreign events.

    *youth* says that the event is known to be a youth event. Opponents without a FIDE
    rating do not count.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> conversion = opponents_conversion(rules, youth=False)
    >>> [round(conversion.us_rating(rating), 2) for rating in (1500.0, 2400.0)]
    [1277.05, 2468.0]
    >>> opponents_conversion(rules, youth=True).us_rating(2400.0)
    2480.0
    """
    return rules.youth_conversion if youth else rules.fide_conversion


def rate_foreign_event(
    competitor: Competitor,
    results: Sequence[tuple[float, int]],
    rules: Rules,
    meetings: int = 1,
) -> RatingResult:
    """Rate a player's result in a foreign event.

    *results* are the opponents' converted ratings, each with the half points scored
    against it; *meetings* is the most games against one person. The standard formula is
    applied once, with bonus and without the lower K of dual-rated sections; floor and
    ceiling apply as in a section. Only established ratings are updated: the caller
    checks that at the event's place in the rating order. Raises ValueError for an
    unrated player, or without games.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> player = Competitor(1, 2200.0, 300)
    >>> rated = rate_foreign_event(player, [(2200.0, 2), (2200.0, 1)], rules)
    >>> round(rated.k, 3), round(rated.post, 3), rated.post_games
    (19.65, 2209.825, 302)
    """
    if competitor.rating is None:
        raise ValueError("A foreign event is rated for players with a rating only.")
    if not results:
        raise ValueError("Without games against rated opponents nothing is rated.")
    rating, games = competitor.rating, len(results)
    half_points = 0
    for _, score in results:
        half_points += score
    effective = effective_games(rating, competitor.games, rules.effective_games)
    k = k_factor(rating, effective, games, rules, dual=False)
    has_bonus = no_bonus_reason(games, meetings, rules, is_match=False) is None
    computed, expected, _, bonus = standard_result(
        rating,
        k,
        half_points / 2.0,
        [opponent for opponent, _ in results],
        bonus_threshold(games, rules) if has_bonus else None,
        rules.expectancy_scale,
    )
    settled = settle(computed, competitor, rules)
    return RatingResult(
        id=competitor.id,
        initial=rating,
        initial_games=competitor.games,
        effective_games=effective,
        formula=Formula.STANDARD,
        score=half_points,
        games=games,
        expected=expected,
        k=k,
        bonus=bonus,
        before_floor=computed,
        floor=settled.floor,
        ceiling=settled.ceiling,
        post=settled.post,
        post_games=competitor.games + games,
    )
