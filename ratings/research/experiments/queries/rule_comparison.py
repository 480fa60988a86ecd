"""Two sets of our rules: line by line, and their effect in the newest replay."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from ratings.engine.conversions import Conversion, LinearConversion
from ratings.engine.rules_document.values import describe_value
from ratings.laboratory.rule_differences import RuleDifference, Side
from ratings.models import Experiment
from ratings.research.experiments.plans import (
    ExperimentVariantSpec,
    RunOptions,
    stored_variant,
)
from ratings.research.experiments.queries.cells import Sheet
from ratings.research.experiments.queries.experiments import variants_of
from ratings.research.experiments.queries.rule_changes import change_sheets
from ratings.research.experiments.queries.verdicts import describe_pair_of_rules
from ratings.research.experiments.variant_names import change_label
from ratings_site.common.ui.formatting import format_constant, format_day

# Each is compared with the comparison on the page; a committee has far fewer.
MOST_EXPERIMENTS = 200


@dataclass(frozen=True)
class DifferenceRow:
    """A difference as the page shows it."""

    label: str
    days: str
    before: str
    after: str
    unit: str
    sources: Sequence[str]


def difference_row(one: RuleDifference) -> DifferenceRow:
    return DifferenceRow(
        label=_(one.label),
        days=_days(one.first, one.last),
        before=_value(one.before.value),
        after=_value(one.after.value),
        unit=_(one.unit) if one.unit else "",
        sources=list(dict.fromkeys(map(_source, (one.before, one.after)))),
    )


def _days(first: date | None, last: date | None) -> str:
    if first and first == last:
        return format_day(first)
    if first and last:
        words = _("{first} to {last}")
        return words.format(first=format_day(first), last=format_day(last))
    if first:
        return _("from {day}").format(day=format_day(first))
    return _("until {day}").format(day=format_day(last)) if last else _("always")


def _value(value: Any) -> str:
    if value is None:
        return _("not known")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value == math.inf:
        return _("off")
    if isinstance(value, int | float):
        return format_constant(value)
    if isinstance(value, Conversion):
        return "; ".join(map(_line, value.lines))
    return describe_value(value)


def _line(line: LinearConversion) -> str:
    add, times = map(format_constant, (line.intercept, line.slope))
    if line.up_to is None:
        words = _("{add} + {times} × rating above that")
    elif line.includes_end:
        words = _("{add} + {times} × rating up to {end}")
    else:
        words = _("{add} + {times} × rating below {end}")
    return words.format(add=add, times=times, end=format_constant(line.up_to or 0))


def _source(side: Side) -> str:
    if side.source:
        return _(side.source)
    return _("no published source") if side.value is None else _("your value")


def find_replay(
    asked: RunOptions, variants: Sequence[ExperimentVariantSpec]
) -> Experiment | None:
    """Return the newest replay with these options and variants, if any.

    One that was canceled, failed, or is older than comparisons of a pair, has no
    results for the page.
    """
    newest = Experiment.objects.filter(kind=Experiment.Kind.OUR_RULES).order_by("-pk")
    for one in newest.defer("results", "findings")[:MOST_EXPERIMENTS]:
        if (
            one.plan == asked.as_json()
            and _specs(one) == list(variants)
            and (one.is_open or _has_pair(one))
        ):
            return one
    return None


def _specs(experiment: Experiment) -> list[ExperimentVariantSpec]:
    found = variants_of(experiment)
    return [stored_variant(one.system, one.parameters) for one in found]


def _has_pair(experiment: Experiment) -> bool:
    return "pair" in (experiment.results or {}).get("changes", {})


def effects_of(
    experiment: Experiment, labels: tuple[str, str]
) -> tuple[Sequence[str], Sequence[Sheet]]:
    """Return the answer in sentences and the tables of who moves (committee only)."""
    changes = experiment.results["changes"]
    change = change_label(*labels)
    names = dict(zip(changes["pair"], labels, strict=True))
    sheets = change_sheets(
        changes, change, for_committee=True, is_ledger_experiment=True
    )
    answers = describe_pair_of_rules(experiment.results, change, names)
    shown = [replace(one, is_folded=one.name == "change-ages") for one in sheets]
    return answers, shown
