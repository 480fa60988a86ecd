"""Where two sets of our own rules differ: value by value, day by day, with sources.

It is made from the one list of constants (`ratings.engine.parameters`). What a text
changes in a formula, not in a value, is in `FORMULA_CHANGES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ratings.engine.parameters import FEBRUARY_2025, JULY_2025
from ratings.engine.rule_history import NoRuleInForce, RuleHistory
from ratings.engine.rules import PARAMETERS, Rules
from ratings.engine.variation.variables import number_at, with_number
from ratings.engine.variation.variations import Variation

from .words import _

_ONE_DAY: Final = timedelta(days=1)


class Side(NamedTuple):
    """A value, None if it is unknown; *source* is empty if it is in no text."""

    value: Any
    source: str


class RuleDifference(NamedTuple):
    """One line: a value that differs for sections from *first* to *last* (None: open).

    *name* is that of the constant in `PARAMETERS`, *label* that of the value.
    """

    name: str
    label: str
    unit: str
    first: date | None
    last: date | None
    before: Side
    after: Side


class FormulaChange(NamedTuple):
    """What an *edition* changes in a formula or says for the first time."""

    edition: str
    words: str
    source: str


FORMULA_CHANGES: Final = (
    FormulaChange(
        FEBRUARY_2025,
        _(
            "The paper gives the first day of blended initial ratings, June 1, 2020. "
            "Our calculation uses that day in every edition."
        ),
        _("2025 paper, section 8"),
    ),
    FormulaChange(
        FEBRUARY_2025,
        _(
            "The paper says that ratings have decimals since September 1, 2014. Our "
            "calculation keeps decimals on every day, in every edition."
        ),
        _("2025 paper, section 8"),
    ),
    FormulaChange(
        JULY_2025,
        _(
            "The search of the special formula starts at the adjusted prior R0′. Our "
            "calculation starts there in every edition."
        ),
        _("July 2025 paper, section 4.1"),
    ),
)
"""All of them are calculated alike in every edition: see docs/rules.md."""


def formula_changes(edition: str, other: str) -> list[FormulaChange]:
    """Return what the newer of two editions says about formulas, and those between."""
    older, newer = sorted((edition, other))
    return [one for one in FORMULA_CHANGES if older < one.edition <= newer]


def rule_differences(
    before: Variation,
    after: Variation,
    edition: str,
    *,
    first_day: date | None = None,
) -> list[RuleDifference]:
    """Return the values that differ for sections from *first_day* on (None: ever).

    Both sides vary *edition*.

    >>> from ratings.engine.variation.variations import read_change
    >>> b12 = Variation((read_change("bonus=12@2025-01-01.."),))
    >>> [found] = rule_differences(b12, Variation(), "2025-07-26")
    >>> found.label, found.before.value, found.after, str(found.first)
    ('Bonus multiplier (B)', 12.0, Side(value=10.0, \
source='July 2025 paper, sections 4.2 and 8'), '2025-01-01')
    """
    days = _days_of_change(before, after, first_day or date.min)
    rules = [
        (day, _rules_on(before, day, edition), _rules_on(after, day, edition))
        for day in days
    ]
    return [
        one
        for name, rule in PARAMETERS.items()
        for one in _differences(name, rule, rules)
    ]


def _days_of_change(before: Variation, after: Variation, first_day: date) -> list[date]:
    """Return *first_day* and later days on which a value can change on a side."""
    days = {since.day for rule in PARAMETERS.values() for since in rule.history}
    for change in (*before.changes, *after.changes):
        days.add(change.first)
        if change.last and change.last < date.max:
            days.add(change.last + _ONE_DAY)
    return [first_day, *sorted(day for day in days if day and day > first_day)]


def _rules_on(side: Variation, day: date, edition: str) -> Rules | None:
    """Return the rules of a side, None if it varies a value that is not known then."""
    try:
        return side.rules_on(day, edition)
    except NoRuleInForce:
        return None


def _side(name: str, rules: Rules) -> Side:
    value = rules.values()[name]
    try:
        entry = PARAMETERS[name].entry(rules.day, rules.edition)
    except NoRuleInForce:
        return Side(value, "")
    return Side(value, entry.source if entry.value == value else "")


def _differences(
    name: str,
    rule: RuleHistory[Any],
    days: list[tuple[date, Rules | None, Rules | None]],
) -> Iterator[RuleDifference]:
    """Yield the differences of one constant; days with equal pairs are one line."""
    spans: list[tuple[date, date | None, Side, Side]] = []
    ends = [(day, after - _ONE_DAY) for (day, *_), (after, *_) in pairwise(days)]
    for (first, one, other), (_first, last) in zip(
        days, [*ends, (days[-1][0], None)], strict=True
    ):
        if one is None or other is None:
            continue
        pair = _side(name, one), _side(name, other)
        if pair[0].value == pair[1].value:
            continue
        if spans and _continues(spans[-1], first, pair):
            first = spans.pop()[0]
        spans.append((first, last, *pair))
    for first, last, before, after in spans:
        for label, unit, was, is_now in _lines(rule, before, after):
            start = None if first == date.min else first
            yield RuleDifference(name, label, unit, start, last, was, is_now)


def _continues(
    span: tuple[date, date | None, Side, Side], day: date, pair: tuple[Side, Side]
) -> bool:
    _first, last, *before = span
    values = [one.value for one in before]
    return last == day - _ONE_DAY and values == [one.value for one in pair]


def _lines(
    rule: RuleHistory[Any], before: Side, after: Side
) -> Iterable[tuple[str, str, Side, Side]]:
    """Return label, unit and both sides of each number that differs, or of the whole.

    The whole is shown if it has no label of its own for a number that differs, or a
    side does not know it.
    """
    unit = "".join(one.unit for one in rule.varied if _sets_all(one))
    whole = [(_label(rule), unit, before, after)]
    if before.value is None or after.value is None:
        return whole
    found, rebuilt = [], before.value
    for one in rule.varied:
        if one.at:
            was, is_now = (number_at(side.value, one.at) for side in (before, after))
            if was != is_now:
                rebuilt = with_number(rebuilt, one.at, is_now)
                sides = Side(was, before.source), Side(is_now, after.source)
                found.append((one.label, one.unit, *sides))
    return found if found and rebuilt == after.value else whole


def _sets_all(one: Any) -> bool:
    return not one.at and one.changes is None


def _label(rule: RuleHistory[Any]) -> str:
    labels = [one.label for one in rule.varied if _sets_all(one)]
    return labels[0] if labels else rule.name[:1].upper() + rule.name[1:]
