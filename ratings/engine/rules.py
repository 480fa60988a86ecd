"""The rules of a day: every parameter for sections that start then."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Final, Generic, Self, TypeVar, overload

from . import parameters
from .rule_history import NoRuleInForce, RuleHistory

T = TypeVar("T")

EDITIONS: Final = (
    parameters.SEPTEMBER_2020,
    parameters.FEBRUARY_2025,
    parameters.JULY_2025,
)
DEFAULT_EDITION: Final = parameters.JULY_2025


class Parameter(Generic[T]):
    """An attribute of `Rules` that is looked up when it is first read."""

    def __init__(self, dated: RuleHistory[T]) -> None:
        self.dated = dated

    def __set_name__(self, owner: type[Rules], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, rules: None, owner: type[Rules]) -> Parameter[T]: ...
    @overload
    def __get__(self, rules: Rules, owner: type[Rules]) -> T: ...
    def __get__(self, rules: Rules | None, owner: type[Rules]) -> T | Parameter[T]:
        if rules is None:
            return self
        value = self.dated.on(rules.day, rules.edition)
        # The next read finds the value in the instance and does not call this.
        vars(rules)[self.name] = value
        return value


@dataclass(frozen=True)
class Rules:
    """The rules for sections that start on `day`, as `edition` of the text has them.

    Get one from `rules_in_force`. Reading a parameter that is not known for the day
    raises NoRuleInForce; having the rules does not.
    """

    edition: str
    day: date
    changes: tuple[tuple[str, Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        vars(self).update(self.changes)

    bonus_multiplier = Parameter(parameters.BONUS_MULTIPLIER)
    bonus_from_games = Parameter(parameters.BONUS_FROM_GAMES)
    bonus_counts_at_least = Parameter(parameters.BONUS_COUNTS_AT_LEAST)
    bonus_meetings = Parameter(parameters.BONUS_MEETINGS)
    three_game_repeat_clause = Parameter(parameters.THREE_GAME_REPEAT_CLAUSE)

    effective_games = Parameter(parameters.EFFECTIVE_GAMES)
    k_numerator = Parameter(parameters.K_NUMERATOR)
    lower_k_when_dual = Parameter(parameters.LOWER_K_WHEN_DUAL)
    lower_k = Parameter(parameters.LOWER_K)

    expectancy_scale = Parameter(parameters.EXPECTANCY_SCALE)
    provisional_reach = Parameter(parameters.PROVISIONAL_REACH)
    special_up_to = Parameter(parameters.SPECIAL_UP_TO)
    special_cap = Parameter(parameters.SPECIAL_CAP)
    special_shift = Parameter(parameters.SPECIAL_SHIFT)
    first_estimate_games = Parameter(parameters.FIRST_ESTIMATE_GAMES)
    lowest_rating = Parameter(parameters.LOWEST_RATING)
    established_after = Parameter(parameters.ESTABLISHED_AFTER)

    blend = Parameter(parameters.BLEND)
    age_start = Parameter(parameters.AGE_START)
    fide_conversion = Parameter(parameters.FIDE_CONVERSION)
    youth_conversion = Parameter(parameters.YOUTH_CONVERSION)
    cfc_conversion = Parameter(parameters.CFC_CONVERSION)
    fide_game_factor = Parameter(parameters.FIDE_GAME_FACTOR)
    cfc_game_factor = Parameter(parameters.CFC_GAME_FACTOR)

    personal_absolute_floor = Parameter(parameters.PERSONAL_ABSOLUTE_FLOOR)
    absolute_floor = Parameter(parameters.ABSOLUTE_FLOOR)
    floor_event_games = Parameter(parameters.FLOOR_EVENT_GAMES)
    lowest_peak_floor = Parameter(parameters.LOWEST_PEAK_FLOOR)
    highest_peak_floor = Parameter(parameters.HIGHEST_PEAK_FLOOR)
    peak_floor_drop = Parameter(parameters.PEAK_FLOOR_DROP)
    peak_floor_step = Parameter(parameters.PEAK_FLOOR_STEP)
    olm_floor = Parameter(parameters.OLM_FLOOR)
    olm_games = Parameter(parameters.OLM_GAMES)
    olm_reading = Parameter(parameters.OLM_READING)
    money_floor_prize = Parameter(parameters.MONEY_FLOOR_PRIZE)
    money_floor_needs_established = Parameter(parameters.MONEY_FLOOR_NEEDS_ESTABLISHED)
    highest_money_floor = Parameter(parameters.HIGHEST_MONEY_FLOOR)

    match_limit = Parameter(parameters.MATCH_LIMIT)
    match_limit_180_days = Parameter(parameters.MATCH_LIMIT_180_DAYS)
    match_limit_3_years = Parameter(parameters.MATCH_LIMIT_3_YEARS)
    match_rating_gap = Parameter(parameters.MATCH_RATING_GAP)
    match_floor_drop = Parameter(parameters.MATCH_FLOOR_DROP)
    foreign_automatic_from = Parameter(parameters.FOREIGN_AUTOMATIC_FROM)

    otb_time_controls = Parameter(parameters.OTB_TIME_CONTROLS)
    online_time_controls = Parameter(parameters.ONLINE_TIME_CONTROLS)

    @property
    def key(self) -> str:
        """The name of these rules: edition and day, and whether they are varied.

        >>> rules_in_force(date(2024, 5, 4), "2025-07-26").key
        '2025-07-26/2024-05-04'
        """
        key = f"{self.edition}/{self.day.isoformat()}"
        return f"{key}/varied-{self.digest[:8]}" if self.changes else key

    @cached_property
    def digest(self) -> str:
        """Fingerprint of every value (SHA-256), a missing one counted as null.

        Two days with the same values have the same digest.
        """
        # All days from one change of a rule to the next have it, so a history of ten
        # years computes a few.
        unchanged_since = _newest_change(self.day)
        if unchanged_since != self.day and not self.changes:
            return rules_in_force(unchanged_since, self.edition).digest
        text = json.dumps(self.values(), sort_keys=True, default=_as_data)
        return hashlib.sha256(text.encode()).hexdigest()

    def values(self) -> dict[str, Any]:
        """Return every parameter by name, None where none is known."""
        return {name: self._value_or_none(name) for name in PARAMETERS}

    def _value_or_none(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except NoRuleInForce:
            return None

    def vary(self, **changes: Any) -> Self:
        """Return the same rules with other values, for a what-if.

        >>> rules_in_force(date(2024, 5, 4)).vary(bonus_multiplier=6.0).bonus_multiplier
        6.0
        """
        for name in changes:
            if name not in PARAMETERS:
                raise TypeError(
                    f"{name!r} is no parameter of the rules; "
                    f"choose from {', '.join(sorted(PARAMETERS))}."
                )
        all_changes = dict(self.changes) | changes
        return type(self)(self.edition, self.day, tuple(sorted(all_changes.items())))


PARAMETERS: Final[dict[str, RuleHistory[Any]]] = {
    name: attribute.dated
    for name, attribute in vars(Rules).items()
    if isinstance(attribute, Parameter)
}


_DAYS_OF_CHANGE: Final = sorted(
    {
        since.day
        for parameter in PARAMETERS.values()
        for since in parameter.history
        if since.day is not None
    }
)


def _newest_change(day: date) -> date:
    """Return the newest day up to *day* on which any rule changed, in any edition.

    >>> _newest_change(date(2024, 5, 4)) == _newest_change(date(2024, 5, 5))
    True
    """
    changes = bisect_right(_DAYS_OF_CHANGE, day)
    return _DAYS_OF_CHANGE[changes - 1] if changes else date.min


def _as_data(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{value!r} has no place in a digest of the rules.")


@lru_cache(maxsize=4096)
def rules_in_force(day: date, edition: str = DEFAULT_EDITION) -> Rules:
    """Return the rules for sections that start on *day*; any day has rules.

    *edition* is the date of the text: "2020-09-02", "2025-02-10" or "2025-07-26".
    Raises ValueError for any other. A parameter that is not known for the day
    raises NoRuleInForce only when it is read.

    >>> rules_in_force(date(2022, 7, 1)).bonus_multiplier
    14.0
    >>> rules_in_force(date(2025, 3, 1)).bonus_multiplier
    10.0
    >>> rules_in_force(date(2025, 3, 1), "2025-02-10").bonus_multiplier
    12.0
    """
    if edition not in EDITIONS:
        raise ValueError(
            f"There is no edition {edition!r} of the rating rules; "
            f"choose from {', '.join(EDITIONS)}."
        )
    return Rules(edition, day)
