"""Names of variants by their differences and dates (“B = 10 from 2025”)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from ratings.engine.rule_history import NoRuleInForce, RuleHistory
from ratings.engine.rules import DEFAULT_EDITION, PARAMETERS
from ratings.engine.variation.variables import CATALOG, EDITION
from ratings.engine.variation.variations import Change
from ratings.laboratory.parameters import Parameter
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.systems.us_chess import UsChess
from ratings.laboratory.white_advantage import parameters_to_vary
from ratings.research.experiments.plans import (
    ExperimentVariantSpec,
    RulesVariant,
    Variant,
    said,
)
from ratings_site.common.ui.formatting import format_month, join_names, long_day

# Rules that may differ between editions of the text, under their names in the catalog.
_IN_CATALOG = {
    "bonus_multiplier": "bonus",
    "three_game_repeat_clause": "three_game_clause",
}
# The laboratory's own table has no foreign events, so it converts nothing.
_CONVERSIONS = {"fide_conversion", "youth_conversion", "cfc_conversion"}


class _Difference(NamedTuple):
    """One value that differs, such as “B = 10”, and the days it applies to."""

    words: str
    first: date | None = None
    last: date | None = None


def variant_names(variants: Sequence[ExperimentVariantSpec]) -> list[str]:
    """Name each variant of an experiment by what it changes: “B = 10 from 2025”.

    Every page, table, file and command takes names from here. The system is named
    where several are compared; so are defaults that another variant changes.
    """
    return [
        _rules_name(one) if isinstance(one, RulesVariant) else _name(one, variants)
        for one in variants
    ]


def variant_name(variant: ExperimentVariantSpec) -> str:
    """Name a variant without knowing the others."""
    return variant_names([variant])[0]


def change_label(before: str, after: str) -> str:
    """Name the change from one set of rules to another by both names."""
    return _("{after} instead of {before}").format(after=after, before=before)


# --- Our own rules, replayed ---


def _rules_name(variant: RulesVariant) -> str:
    differences = [
        difference
        for change in variant.variation().changes
        for difference in _of_change(change)
    ]
    return _joined(differences) or _("Actual rules")


def _of_change(change: Change) -> Iterator[_Difference]:
    if change.name != EDITION:
        words = _words(CATALOG[change.name], change.value)
        yield _Difference(words, change.first, change.last)
        return
    differences = _of_edition(change.value, {change.value, DEFAULT_EDITION})
    for one in differences.values():
        first = max(filter(None, (one.first, change.first)), default=None)
        yield one._replace(first=first, last=change.last)
    if not differences:
        words = _words(CATALOG[EDITION], change.value)
        yield _Difference(words, change.first, change.last)


# --- Systems and their parameters ---


def _name(variant: Variant, variants: Sequence[ExperimentVariantSpec]) -> str:
    others = [one for one in variants if isinstance(one, Variant)]
    family = [one for one in others if _family(one) == _family(variant)]
    editions = {one.system for one in family}
    differences = _differences(variant, family)
    name = _joined(differences)
    if name and len(others) > 1 and len(family) == len(others):
        return name
    label = (
        _("US Chess") if len(editions) > 1 else _(SYSTEMS[variant.system].about.label)
    )
    return f"{label}, {name}" if name else label


def _family(variant: Variant) -> str:
    """Return the family of a system: all editions of our own rules are one."""
    system = SYSTEMS[variant.system]
    return "" if isinstance(system, UsChess) else variant.system


def _differences(variant: Variant, family: Sequence[Variant]) -> list[_Difference]:
    system = SYSTEMS[variant.system]
    found: dict[str, _Difference] = {}
    if isinstance(system, UsChess):
        editions = {SYSTEMS[one.system].edition for one in family}  # type: ignore[attr-defined]
        found = _of_edition(system.edition, editions, without=_CONVERSIONS)
    own = dict(variant.changes)
    for one in parameters_to_vary(system):
        values = [
            said(dict(other.changes).get(one.name, one.default)) for other in family
        ]
        if one.name in own:
            found[one.name] = _Difference(_words(one, own[one.name]))
        elif len(set(values)) > 1:
            found.setdefault(one.name, _usual(system, one))
    return list(found.values())


def _usual(system: Any, parameter: Parameter) -> _Difference:
    """Return a value that a variant does not change, from its edition."""
    rule = PARAMETERS.get(parameter.name)
    if isinstance(system, UsChess) and rule is not None and not parameter.default:
        entry = rule.entry(date.max, system.edition)
        return _Difference(_words(parameter, entry.value), entry.day)
    return _Difference(_words(parameter, parameter.default))


def _of_edition(
    edition: str, editions: Iterable[str], *, without: Iterable[str] = ()
) -> dict[str, _Difference]:
    """Return the newest rules of *edition* that the others of *editions* lack.

    >>> _of_edition("2025-07-26", ["2025-02-10", "2025-07-26"])
    {'bonus_multiplier': _Difference(words='B = 10', \
first=datetime.date(2025, 1, 1), last=None)}
    """
    found = {}
    unnamed = 0
    for name, rule in PARAMETERS.items():
        if name in without or len({_newest(rule, one) for one in editions}) < 2:
            continue
        if name not in _IN_CATALOG:
            unnamed += 1
            continue
        entry = rule.entry(date.max, edition)
        words = _words(CATALOG[_IN_CATALOG[name]], entry.value)
        found[name] = _Difference(words, entry.day)
    if unnamed:
        found["conversions"] = _Difference(_("other conversions"))
    return found


def _newest(rule: RuleHistory[Any], edition: str) -> Any:
    try:
        return rule.on(date.max, edition)
    except NoRuleInForce:
        return None


# --- Words ---


def _words(parameter: Parameter, value: Any) -> str:
    label = _letter(parameter)
    if isinstance(value, bool):
        words = _("{rule} on") if value else _("{rule} off")
        return words.format(rule=label)
    if isinstance(value, str):
        return f"{label}: {_(value)}"
    return f"{label} = {said(value) or _('default')}"


def _letter(parameter: Parameter) -> str:
    """Return the letter in brackets after a parameter's label, else the label.

    >>> _letter(Parameter("c", "Growth of the deviation (c)", "", 1.0, 0, 9, ()))
    'c'
    """
    label = _(parameter.label)
    found = re.search(r"\((\w{1,2})\)$", label)
    return found[1] if found else label


def _joined(differences: Iterable[_Difference]) -> str:
    """Join differences; those for the same days share their dates."""
    inside = [
        one if place == 0 else one._replace(words=_inside(one.words))
        for place, one in enumerate(differences)
    ]
    together = groupby(inside, lambda one: (one.first, one.last))
    return ", ".join(
        _dated(join_names([one.words for one in group]), first, last)
        for (first, last), group in together
    )


def _inside(words: str) -> str:
    """Lower the first letter inside a name, but not of “K” or “FIDE”."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def _dated(changes: str, first: date | None, last: date | None) -> str:
    begin, end = first and _first_day(first), last and _last_day(last)
    if begin and end:
        if begin == end:
            return _("{changes} in {year}").format(changes=changes, year=begin)
        words = _("{changes} from {first} to {last}")
        return words.format(changes=changes, first=begin, last=end)
    if begin:
        return _("{changes} from {day}").format(changes=changes, day=begin)
    if end:
        return _("{changes} until {day}").format(changes=changes, day=end)
    return changes


def _first_day(day: date) -> str:
    """Return a first day: a year or a month by its name where it begins with it."""
    if (day.month, day.day) == (1, 1):
        return str(day.year)
    return format_month(day) if day.day == 1 else long_day(day)


def _last_day(day: date) -> str:
    return str(day.year) if (day.month, day.day) == (12, 31) else long_day(day)
