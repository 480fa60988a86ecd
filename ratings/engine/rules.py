"""The rules of a day: every parameter for sections that start then."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Final, Self

from . import parameters
from .rule_history import NoRuleInForce, RuleHistory

EDITIONS: Final = (
    parameters.SEPTEMBER_2020,
    parameters.FEBRUARY_2025,
    parameters.JULY_2025,
)
DEFAULT_EDITION: Final = parameters.JULY_2025

NOT_IN_DIGEST: Final = ("norms_when_dual",)
"""Added after ledgers had stored digests, and no rating depends on it."""


@dataclass(frozen=True)
class Rules(parameters.Constants):
    """The rules for sections that start on `day`, as `edition` of the text has them.

    Get one from `rules_in_force`. Reading a parameter that is not known for the day
    raises NoRuleInForce; having the rules does not.
    """

    edition: str
    day: date
    changes: tuple[tuple[str, Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        vars(self).update(self.changes)

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
        """Fingerprint of every value that ratings need (SHA-256).

        A missing one counts as null. Two days with the same values have the same
        digest.
        """
        # All days from one change of a rule to the next have it, so a history of ten
        # years computes a few.
        unchanged_since = _newest_change(self.day)
        if unchanged_since != self.day and not self.changes:
            return rules_in_force(unchanged_since, self.edition).digest
        values = self.values()
        for name in NOT_IN_DIGEST:
            del values[name]
        text = json.dumps(values, sort_keys=True, default=_as_data)
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
    name: constant
    for name, constant in vars(parameters.Constants).items()
    if isinstance(constant, RuleHistory)
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
