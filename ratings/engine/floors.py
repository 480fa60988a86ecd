"""Rating floors, and how floors and ceilings apply (2025 paper, sections 5 and 7)."""

from __future__ import annotations

import math
from datetime import date
from typing import NamedTuple

from .inputs import Competitor
from .matches import within_match_windows
from .numbers import official
from .rules import Rules
from .systems import System


class SettledRating(NamedTuple):
    """A computed rating after match limits, floor and ceiling.

    *floor* and *ceiling* are the values that applied, else None. *floor_request* says
    that a match result is a request to lower the floor.
    """

    post: float
    match_limited: float | None
    floor: float | None
    ceiling: float | None
    floor_request: bool


def settle(
    computed: float, competitor: Competitor, rules: Rules, match_day: date | None = None
) -> SettledRating:
    """Apply match limits, floor and ceiling, in this order, to step 5's result.

    The floor is the competitor's own, or the 100 of every rating. *match_day* is the
    end of a match, None for other sections. In a match a rated player's rating changes
    by at most 50 points, less if earlier matches used up the room, and a loss that the
    floor stops is a request to lower that floor; until it is granted the floor applies.
    """
    rating = competitor.rating
    reached = computed
    limited: float | None = None
    if match_day is not None and rating is not None:
        earlier = competitor.match_changes
        reached = within_match_windows(rating, computed, match_day, earlier, rules)
        limited = reached if reached != computed else None
    lowest = rules.lowest_rating
    floor = lowest if competitor.floor is None else max(lowest, competitor.floor)
    floor_acts = reached < floor
    is_lost_match = match_day is not None and rating is not None and reached < rating
    post = floor if floor_acts else reached
    ceiling = competitor.ceiling
    ceiling_acts = ceiling is not None and post > ceiling
    if ceiling is not None and ceiling_acts:
        post = ceiling
    return SettledRating(
        post=post,
        match_limited=limited,
        floor=floor if floor_acts else None,
        ceiling=ceiling if ceiling_acts else None,
        floor_request=floor_acts and is_lost_match and floor > lowest,
    )


def absolute_floor(
    wins: int, draws: int, three_game_events: int, rules: Rules, system: System
) -> int:
    """Return a player's personal absolute floor (AF) in one system.

    The counts include the event being rated; *three_game_events* are the events
    in which the player completed three rated games. Online, and before personal
    floors were added, it is 100.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> absolute_floor(3, 1, 10, rules, System.OTBR)
    124
    >>> absolute_floor(3, 1, 10, rules, System.OLR)
    100
    """
    if system.is_online or not rules.personal_absolute_floor:
        return int(rules.lowest_rating)
    formula = rules.absolute_floor
    earned = (
        formula.base
        + formula.per_win * wins
        + formula.per_draw * draws
        + formula.per_event * three_game_events
    )
    return min(earned, formula.highest)


def peak_floor(peak_established: float | None, rules: Rules) -> int | None:
    """Return the floor from the highest established rating, None if none.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> [peak_floor(peak, rules) for peak in (1941, 1999.51, 1388, 2750)]
    [1700, 1800, None, 2100]
    """
    if peak_established is None:
        return None
    target = official(peak_established) - rules.peak_floor_drop
    if target < rules.lowest_peak_floor:
        return None
    step = rules.peak_floor_step
    return min(target // step * step, rules.highest_peak_floor)


def money_floor(section_limit: int, rules: Rules) -> int:
    """Return the floor from a large prize in a section under *section_limit*.

    It is the first 100-point level that bars the player from that section, at most
    2000. The caller decides whether the prize was large enough.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> [money_floor(limit, rules) for limit in (1800, 1750, 2000)]
    [1800, 1800, 2000]
    """
    step = rules.peak_floor_step
    return min(math.ceil(section_limit / step) * step, rules.highest_money_floor)


def lowered_floor(level: int, rules: Rules) -> int | None:
    """Return the level to which a request lowers a floor; None if under 100.

    So a personal absolute floor, which is never above 150, cannot be lowered.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> [lowered_floor(level, rules) for level in (1600, 200, 150)]
    [1500, 100, None]
    """
    lower = level - rules.match_floor_drop
    return lower if lower >= rules.lowest_rating else None


def personal_floor(
    rules: Rules,
    system: System,
    *,
    absolute: float,
    peak: float | None = None,
    money: float | None = None,
    office: float | None = None,
    original_life_master: bool = False,
) -> float:
    """Return the highest of a player's floors in one system.

    The floor of an original Life Master counts for the Regular rating only.

    >>> from datetime import date
    >>> from ratings.engine.rules import rules_in_force
    >>> rules = rules_in_force(date(2025, 2, 10))
    >>> personal_floor(rules, System.OTBR, absolute=150, peak=1700, money=1800)
    1800
    """
    floors = [absolute, peak, money, office]
    if original_life_master and system is System.OTBR:
        floors.append(rules.olm_floor)
    return max(floor for floor in floors if floor is not None)
