"""FIDE's arithmetic: changes by game, tournament and period, K, and the lists.

All of it is in whole hundredths of a rating point, so results are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final, NamedTuple

from ratings.laboratory.tables import expectation

from .fide_rules import (
    JUNIOR_AGE,
    JUNIOR_RATING,
    NEW_GAMES,
    RAISE_FROM,
    RAISE_TO,
    TOP_RATING,
    Coefficients,
    Differences,
    RatingList,
    UnevenGameRule,
)

# --- One game, one tournament, one period ---


def counted_difference(own: int, opponent: int, rule: Differences) -> int:
    """Return the difference that counts for the player rated *own* (8.3.1).

    >>> counted_difference(2813, 2400, Differences(400, exempt_from=2650))
    413
    >>> counted_difference(2400, 2813, Differences(400, exempt_from=2650))
    -400
    """
    difference = own - opponent
    if rule.exempt_from is not None and own >= rule.exempt_from:
        return difference
    return max(-rule.limit, min(rule.limit, difference))


def game_change(own: int, opponent: int, score: float, rule: Differences) -> int:
    """Return score less expected score of one game (ΔR), in hundredths (8.3.2).

    >>> game_change(2700, 2200, 1, Differences(400))
    8
    >>> game_change(2700, 2200, 1, Differences(400, exempt_from=2650))
    4
    """
    return hundredths(score) - expectation(counted_difference(own, opponent, rule))


def tournament_change(
    own: int, games: Iterable[tuple[int, float]], rule: Differences
) -> int:
    """Return ΣΔR of one tournament, in hundredths: *games* are opponents with scores.

    >>> tournament_change(2053, [(1675, 1), (2310, 0), (1653, 1), (1884, 1),
    ...                          (2218, 0)], Differences(400, exempt_from=2650))
    -1
    """
    total = 0
    widest = 0
    for opponent, score in games:
        difference = own - opponent
        if rule.one_upgrade and difference > rule.limit:
            widest = max(widest, difference)
            total += hundredths(score) - expectation(difference)
        else:
            total += game_change(own, opponent, score, rule)
    return total + (upgrade(widest, rule) if widest else 0)


def upgrade(difference: int, rule: Differences) -> int:
    """Return the stronger player's gain from the limit on *difference*, in hundredths.

    From 2022 to February 2024 a player had this from one game of a tournament, the one
    with the greatest difference.

    >>> upgrade(640, Differences(400, one_upgrade=True))
    7
    """
    return expectation(difference) - expectation(rule.limit)


def is_rated(own: int, opponent: int, rule: UnevenGameRule | None) -> bool:
    """Return whether a game between two rated players is rated under *rule*.

    >>> rule = UnevenGameRule(600, 2600)
    >>> is_rated(2601, 2001, rule), is_rated(2600, 2000, rule)
    (False, True)
    """
    if rule is None:
        return True
    return abs(own - opponent) < rule.difference or max(own, opponent) <= rule.rating


def hundredths(score: float) -> int:
    """Return a score in hundredths of a point.

    >>> hundredths(0.5)
    50
    """
    return int(100 * score)


def round_half_away(hundredths: int) -> int:
    """Round to whole rating points, halves away from zero (8.3.4).

    >>> [round_half_away(hundredths) for hundredths in (250, -250, 249, -249)]
    [3, -3, 2, -2]
    """
    whole = (abs(hundredths) + 50) // 100
    return whole if hundredths >= 0 else -whole


class PeriodChange(NamedTuple):
    """The change of a rating by one period's tournaments.

    *sums* are ΣΔR of each tournament and *change* is the sum of K times them, in
    hundredths; *rounded* is the change in rating points, rounded once, and
    *rounded_each* the change if rounded after each tournament.
    """

    sums: tuple[int, ...]
    change: int
    rounded: int
    rounded_each: int


def period_change(
    tournaments: Sequence[tuple[int, int, Sequence[tuple[int, float]]]],
    rule: Differences,
) -> PeriodChange:
    """Return the change by a period's *tournaments*: own rating, K and games (8.3).

    FIDE's published calculations follow one rounding in 13 of the 14 periods where the
    two differ, so the list uses *rounded*; both are returned.

    >>> period_change([(2400, 10, [(2000, 1), (2000, 1), (2121, 1), (2800, 0),
    ...                            (2084, 1)])], Differences(400))
    PeriodChange(sums=(37,), change=370, rounded=4, rounded_each=4)
    """
    sums = tuple(tournament_change(own, games, rule) for own, _k, games in tournaments)
    changes = [
        k * total for (_own, k, _games), total in zip(tournaments, sums, strict=True)
    ]
    change = sum(changes)
    return PeriodChange(
        sums,
        change,
        round_half_away(change),
        sum(round_half_away(one) for one in changes),
    )


# --- K ---


def coefficient(rule: Coefficients, games: int, peak: int, age: int | None) -> int:
    """Return the K of a list (8.3.3).

    *games* is the number of rated games so far, *peak* the highest rating ever
    published, *age* the list's year less the year of birth, None where unknown: such
    players count as adults. The order of the rules is the one that FIDE's lists show.

    >>> rule = Coefficients(40, 20, 10, juniors=40)
    >>> coefficient(rule, 10, 2400, 36), coefficient(rule, 100, 2250, 18)
    (10, 40)
    >>> coefficient(rule, 100, 2300, 16), coefficient(rule, 29, 1500, None)
    (20, 40)
    """
    is_new = games < NEW_GAMES
    if peak >= TOP_RATING and not (is_new and rule.top_needs_games):
        return rule.top
    if (
        rule.juniors is not None
        and age is not None
        and age <= JUNIOR_AGE
        and peak < JUNIOR_RATING
    ):
        return rule.juniors
    return rule.newcomers if is_new else rule.others


def capped_coefficient(k: int, games: int, most: int | None) -> int:
    """Return K for a period with *games* games: never more than *most* together.

    >>> capped_coefficient(20, 35, 700), capped_coefficient(20, 39, 700)
    (20, 17)
    """
    if most is None or games == 0:
        return k
    return min(k, most // games)


# --- Rating lists ---

TOP_MINUTES_FROM: Final = 2400

# FIDE Council, end of 2025: events that the Qualification Commission approves.
APPROVED_FROM: Final = date(2026, 1, 1)
APPROVED_MAIN, APPROVED_INCREMENT, APPROVED_ROUNDS = 45, 30, 2


def rating_list_for(minutes: float, increment: float = 0.0) -> RatingList | None:
    """Return the list of a time control: *minutes* and seconds a move.

    The time is that for 60 moves. Rapid is more than 10 and less than 60 minutes,
    blitz more than 3 and up to 10. None is too fast for any list.

    >>> [rating_list_for(*control) for control in ((90, 30), (15, 10), (3, 2), (3, 0))]
    ... # doctest: +NORMALIZE_WHITESPACE
    [<RatingList.STANDARD: 'standard'>, <RatingList.RAPID: 'rapid'>,
     <RatingList.BLITZ: 'blitz'>, None]
    """
    total = minutes + increment
    if total >= 60:
        return RatingList.STANDARD
    if total > 10:
        return RatingList.RAPID
    return RatingList.BLITZ if total > 3 else None


def fewest_minutes(higher: int) -> int:
    """Return the least time for 60 moves in a standard game, in minutes (1.1).

    *higher* is the rating of the higher rated player, 0 for two unrated ones.

    >>> fewest_minutes(1799), fewest_minutes(1800), fewest_minutes(2400)
    (60, 90, 120)
    """
    if higher >= TOP_MINUTES_FROM:
        return 120
    return 90 if higher >= 1800 else 60


def approved_minutes(
    main: int, increment: int, *, starts: date, rounds_a_day: float
) -> int:
    """Return the minutes to count in an event that FIDE approved for it.

    From 2026 on 45 minutes and 30 seconds a move, or more of each, count as the longest
    time that standard games and norms take, with at most two rounds a day.

    >>> approved_minutes(45, 30, starts=date(2026, 5, 2), rounds_a_day=2)
    120
    >>> approved_minutes(45, 30, starts=date(2025, 5, 2), rounds_a_day=2)
    75
    """
    total = main + increment
    is_long = main >= APPROVED_MAIN and increment >= APPROVED_INCREMENT
    if starts < APPROVED_FROM or rounds_a_day > APPROVED_ROUNDS or not is_long:
        return total
    return max(total, fewest_minutes(TOP_MINUTES_FROM))


def matches_time_control(kind: RatingList, minutes: int, higher: int) -> bool:
    """Return whether a game of *minutes* may be rated on *kind*; 0 is unknown."""
    if minutes == 0:
        return True
    if kind is RatingList.STANDARD:
        return minutes >= fewest_minutes(higher)
    return rating_list_for(minutes) is kind


def apply_2024_raise(rating: int) -> int:
    """Return a rating after the list of 1 March 2024: R + 0.40 × (2000 − R).

    Ratings below 1000 and from 2000 on stayed. Halves go up.

    >>> [apply_2024_raise(rating) for rating in (1000, 1600, 1999, 2000)]
    [1400, 1760, 1999, 2000]
    """
    if not RAISE_FROM <= rating < RAISE_TO:
        return rating
    return (6 * rating + 4 * RAISE_TO + 5) // 10


def expected_share(own: int, other: int, rule: Differences) -> float:
    """Return the score to predict for *own*, with the stronger player's difference.

    The two players' differences can differ in the exempt ratings; that of the stronger
    is taken for both, so that the two predictions make one point.
    """
    if own >= other:
        return expectation(counted_difference(own, other, rule)) / 100
    return (100 - expectation(counted_difference(other, own, rule))) / 100
