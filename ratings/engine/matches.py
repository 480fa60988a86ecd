"""The limits on individual matches (2025 paper, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from .messages import EngineMessage, engine_message
from .numbers import exact_sum
from .parameters import MATCH_WINDOW_DAYS, MATCH_WINDOW_YEARS
from .rules import Rules

MAX_WINDOW = timedelta(days=366 * MATCH_WINDOW_YEARS)
"""At least as long as each window, leap years or not."""


class MatchChange(NamedTuple):
    """The change of a rating by an earlier match, in points, and the day it ended."""

    day: date
    change: float


class MatchPlayer(NamedTuple):
    """A player as published before a match: rating (None if none) and games."""

    name: str
    rating: float | None
    games: int


def within_match_limit(rating: float, computed: float, limit: float) -> float:
    """Return *computed*, moved so that it is at most *limit* points from *rating*.

    >>> within_match_limit(1800.0, 1871.5, 50.0)
    1850.0
    >>> within_match_limit(1800.0, 1790.25, 50.0)
    1790.25
    """
    return min(rating + limit, max(rating - limit, computed))


def within_match_windows(
    rating: float,
    computed: float,
    day: date,
    earlier: Sequence[MatchChange],
    rules: Rules,
) -> float:
    """Return *computed*, moved inside all three limits on rating change by matches.

    The limits are 50 points in this match, 100 net in 180 days and 200 net in three
    years. *earlier* are the player's earlier matches in this system, *day* is the
    end of this one.

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2024, 5, 4))
    >>> won = [MatchChange(date(2024, 4, 1), 45.0), MatchChange(date(2024, 4, 8), 40.0)]
    >>> within_match_windows(1800.0, 1840.0, date(2024, 5, 5), won, rules)
    1815.0
    """
    result = within_match_limit(rating, computed, rules.match_limit)
    limits = (rules.match_limit_180_days, rules.match_limit_3_years)
    for net, limit in zip(match_nets(day, earlier), limits, strict=True):
        # A net change already beyond the limit leaves room in the other direction.
        most_down = min(0.0, -limit - net)
        most_up = max(0.0, limit - net)
        result = min(rating + most_up, max(rating + most_down, result))
    return result


class MatchNets(NamedTuple):
    """The net change by matches, in points, before a match that ends on some day."""

    in_180_days: float
    in_3_years: float


def match_nets(day: date, earlier: Sequence[MatchChange]) -> MatchNets:
    """Return the net change of a rating by earlier matches in the two windows.

    The windows end on *day*, the end of the next match, and count matches by the day
    they ended.

    >>> match_nets(date(2024, 5, 5), [MatchChange(date(2023, 5, 5), 30.0)])
    MatchNets(in_180_days=0.0, in_3_years=30.0)
    """
    return MatchNets(
        *(
            exact_sum([match.change for match in earlier if start < match.day <= day])
            for start in window_starts(day)
        )
    )


def window_starts(day: date) -> tuple[date, date]:
    """Return the days after which a match counts with one that ends on *day*.

    They begin the window of 180 days and that of three years.

    >>> [opens.isoformat() for opens in window_starts(date(2024, 2, 29))]
    ['2023-09-02', '2021-02-28']
    """
    return (
        day - timedelta(days=MATCH_WINDOW_DAYS),
        years_before(day, MATCH_WINDOW_YEARS),
    )


def years_before(day: date, years: int) -> date:
    """Return the same date *years* earlier, February 28 for a February 29 too many.

    >>> years_before(date(2024, 2, 29), 1), years_before(date(2025, 3, 1), 1)
    (datetime.date(2023, 2, 28), datetime.date(2024, 3, 1))
    """
    try:
        return day.replace(year=day.year - years)
    except ValueError:  # 29 February
        return day.replace(year=day.year - years, day=28)


def match_faults(
    first: MatchPlayer, second: MatchPlayer, rules: Rules
) -> list[EngineMessage]:
    """Return why two players cannot play a rated match, as sentences.

    Both need an established published rating, at most 400 points apart.

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2024, 5, 4))
    >>> match_faults(MatchPlayer("Ann", 1900, 60), MatchPlayer("Bob", 1450, 30), rules)
    ['The published ratings 1900 and 1450 are more than 400 points apart.']
    """
    faults = [
        engine_message("{name} has no established published rating.", name=player.name)
        for player in (first, second)
        if player.rating is None or player.games <= rules.established_after
    ]
    if first.rating is not None and second.rating is not None:
        gap = rules.match_rating_gap
        if abs(first.rating - second.rating) > gap:
            faults.append(
                engine_message(
                    "The published ratings {first:g} and {second:g} are more than "
                    "{gap} points apart.",
                    first=first.rating,
                    second=second.rating,
                    gap=gap,
                )
            )
    return faults
