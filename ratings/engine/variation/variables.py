"""The catalog of variables for experiments on our own rules.

Each has its label, bounds and unit, and its change of the rules: the form, the command
and the documentation are generated from it. The list of constants, `parameters`, says
what may be varied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ratings.engine.i18n import _
from ratings.engine.rules import EDITIONS, PARAMETERS, Rules

from .parameter import Changes, Parameter

START: Final = "start"
END: Final = "end"
BASIS: Final = "basis"
EDITION: Final = "edition"
RECONSTRUCTED: Final = "reconstructed"


def number_at(value: Any, path: str) -> Any:
    """Return the number at a path such as `lines.0.slope`."""
    for step in path.split(".") if path else ():
        value = value[int(step)] if isinstance(value, tuple) else getattr(value, step)
    return value


def with_number(value: Any, path: str, number: Any) -> Any:
    """Return *value* with another number at *path*."""
    if not path:
        return number
    step, _dot, rest = path.partition(".")
    changed = with_number(number_at(value, step), rest, number)
    if not isinstance(value, tuple):
        return replace(value, **{step: changed})
    parts = list(value)
    parts[int(step)] = changed
    return tuple(parts)


def _setting(constant: str, path: str) -> Changes:
    """Return the change that sets a constant, or one number of its value."""

    def changes(rules: Rules, number: Any) -> Mapping[str, Any]:
        whole = getattr(rules, constant) if path else None
        return {constant: with_number(whole, path, number)}

    return changes


def _variables() -> Iterator[Parameter]:
    for constant, dated in PARAMETERS.items():
        for one in dated.varied:
            name = one.name or "_".join(filter(None, (constant, one.at)))
            if one.changes is None:
                newest = number_at(dated.history[-1].value, one.at)
                one = one._replace(default=newest, changes=_setting(constant, one.at))
            yield one._replace(name=name)
    for name, label, help, choices in (
        (
            BASIS,
            _("Rules in effect on the section’s day"),
            _("Whether the section’s first or last day decides which rules apply."),
            (START, END),
        ),
        (
            EDITION,
            _("Edition of the rules"),
            _("The date of the rating paper."),
            EDITIONS,
        ),
    ):
        yield Parameter(name, label, help, choices[0], choices=choices)
    label = _("Reconstructed rules before 2013")
    help = _("Rules for 2004 to 2013 that no edition gives come from a 2004 paper.")
    yield Parameter(RECONSTRUCTED, label, help, False)


GROUPS: Final = (
    (_("Bonus"), "bonus_given"),
    (_("K and effective games"), "k"),
    (_("The two formulas"), "special_up_to"),
    (_("New players"), "age_points"),
    (_("Conversions"), "fide_low_intercept"),
    (_("Floors"), "absolute_floors"),
    (_("Matches"), "match_limits"),
    (_("Dates and editions"), BASIS),
)
"""Headings for the catalog, each with the name that it stands before."""

CATALOG: Final[Mapping[str, Parameter]] = {one.name: one for one in _variables()}
"""Everything that may be varied, by the name it has in a form and a command."""

# Rules that a replay does not read, mostly because a decision of the office replaces
# them.
EXCLUDED_PARAMETERS: Final = {
    name: dated.excluded for name, dated in PARAMETERS.items() if dated.excluded
}
