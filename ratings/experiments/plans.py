"""What may be asked of an experiment: its variants, and how they are run."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from itertools import product
from math import prod
from typing import Any

from django.utils.translation import gettext as _

from ratings.engine.variation.variables import CATALOG
from ratings.engine.variation.varying import Change, Variation
from ratings.laboratory.experiment import Newcomers, Plan
from ratings.laboratory.parameters import Parameter
from ratings.laboratory.protocol import System
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.systems.us_chess import UsChess
from ratings.laboratory.training import White
from ratings.laboratory.white_advantage import parameters_to_vary, parameters_with
from ratings.models import Experiment
from ratings.rerates.services.hypothesis import rules_from_json

JOB_KIND = "ratings.experiment"
RUN, PUBLISH = "ratings.run_experiment", "ratings.publish_experiment"
MOST_VARIANTS = 24
# So many percent of the games are learned from before any counts, and both players must
# have had so many games: after them a newcomer's deviation in Glicko is 105 points.
TRAINING, EVIDENCE = 20, 10
# A few values of many parameters are billions of combinations; nobody counts them out.
MOST_COMBINATIONS = 1000
# Our own rules, in each edition of their text; the newest one first.
OUR_SYSTEMS = tuple(
    key for key, system in SYSTEMS.items() if isinstance(system, UsChess)
)
OUR_SYSTEM = OUR_SYSTEMS[0]
# Stands for a system where the rules of the office are replayed.
OUR_BOOKS = "books"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which games of the books: of one system, and of these only some.

    *first_day* and *last_day* bound the days on which sections end, *state* is where
    the event was held, *low* and *high* bound both players' ratings before the section.
    """

    system: str = "OTBR"
    first_day: date | None = None
    last_day: date | None = None
    state: str = ""
    low: int | None = None
    high: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Chosen":
        days = {
            name: date.fromisoformat(said[name]) if said.get(name) else None
            for name in ("first_day", "last_day")
        }
        return cls(**{**said, **days})


@dataclass(frozen=True, slots=True)
class Asked:
    """How the variants are run. *chosen* None: over an uploaded file.

    Predictions count for the measures where both players had *least_games* games, and
    after the training: the first so many percent of the games, or all before
    *test_from*, or, in older experiments, so many *warm_up_days*. *months* is the
    length of a period. Of a change of the rules only members who played *since* that
    day are looked at. *white* is one of `White`.
    """

    chosen: Chosen | None
    months: int = 1
    warm_up_days: int | None = None
    training: int = TRAINING
    test_from: date | None = None
    newcomers: str = Newcomers.OURS.value
    least_games: int = EVIDENCE
    white: str = White.FITTED.value
    since: date | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "chosen": self.chosen.as_json() if self.chosen else None,
            "months": self.months,
            "warm_up_days": self.warm_up_days,
            "training": self.training,
            "test_from": self.test_from.isoformat() if self.test_from else None,
            "newcomers": self.newcomers,
            "least_games": self.least_games,
            "white": self.white,
            "since": self.since.isoformat() if self.since else None,
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Asked":
        chosen = Chosen.from_json(said["chosen"]) if said["chosen"] else None
        days = {
            name: date.fromisoformat(said[name]) if said.get(name) else None
            for name in ("since", "test_from")
        }
        said = {"white": White.OWN.value, **said}  # as it was before
        known = {one.name for one in fields(cls)}  # older ones said more
        kept = {name: value for name, value in said.items() if name in known}
        return cls(**{**kept, "chosen": chosen, **days})

    def plan(self, seeds: Mapping[int, float]) -> Plan:
        """Return the laboratory's own plan, with each system's advantage of White."""
        newcomers = Newcomers(self.newcomers)
        by_days = self.warm_up_days is not None
        return Plan(
            months=self.months,
            warm_up_days=self.warm_up_days or 0,
            training=0.0 if by_days else self.training / 100,
            first_test_day=self.test_from.toordinal() if self.test_from else None,
            newcomers=newcomers,
            seeds=seeds if newcomers is Newcomers.OURS else {},
            least_games=self.least_games,
        )


@dataclass(frozen=True, slots=True)
class Variant:
    """A system, and the parameters in which it differs from what is usual."""

    system: str
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """The name of the system with what is unusual about it."""
        system = SYSTEMS[self.system]
        words = [
            f"{_(one.label)} {said(value)}" for one, value in self._changed(system)
        ]
        name = _(system.about.label)
        return f"{name}: {', '.join(words)}" if words else name

    def _changed(self, system: System) -> Iterator[tuple[Parameter, Any]]:
        values = dict(self.changes)
        for one in parameters_to_vary(system):
            if one.name in values:
                yield one, values[one.name]

    def parameters(self, advantage: float | None = None) -> Any:
        """Return the parameters as the system takes them, with White's *advantage*."""
        return parameters_with(SYSTEMS[self.system], dict(self.changes), advantage)


@dataclass(frozen=True, slots=True)
class VariedRules:
    """Our own rules on our own books; *changes* are as `rules_to_json` has them."""

    changes: tuple[tuple[Any, ...], ...] = ()
    system: str = OUR_BOOKS

    @property
    def label(self) -> str:
        """What differs from the rules as they were, for which days."""
        return self.named(with_days=True)

    def named(self, *, with_days: bool) -> str:
        words = [_in_words(one, with_days) for one in self.varied().changes]
        return ", ".join(words) or _("The rules as they were")

    def varied(self) -> Variation:
        return rules_from_json(self.changes)


AnyVariant = Variant | VariedRules


def is_of_books(experiment: Experiment) -> bool:
    """Tell whether it replays the books, which it reads again each time."""
    return experiment.kind == Experiment.Kind.OUR_RULES


def stored_variant(system: str, parameters: Iterable[Iterable[Any]]) -> AnyVariant:
    """Return a variant as it was stored."""
    changes = tuple(map(tuple, parameters))
    return VariedRules(changes) if system == OUR_BOOKS else Variant(system, changes)


def told_apart(variants: Sequence[Variant]) -> list[str]:
    """Name each variant by what it differs in from the others: “B = 12”, “B = 10”.

    The system is named where there are several, and a parameter by its letter.
    """
    return [_short_label(one, variants) for one in variants]


def _short_label(variant: Variant, variants: Sequence[Variant]) -> str:
    system = SYSTEMS[variant.system]
    alike = [dict(one.changes) for one in variants if one.system == variant.system]
    ours = dict(variant.changes)
    words = [
        f"{_letter(one)} = {said(ours.get(one.name, one.default)) or _('as usual')}"
        for one in parameters_to_vary(system)
        if len({said(other.get(one.name, one.default)) for other in alike}) > 1
    ]
    if len({one.system for one in variants}) > 1 or not words:
        words.insert(0, _(system.about.label))
    return ", ".join(words)


def rules_told_apart(variants: Sequence[VariedRules]) -> list[str]:
    """Name each variant of our rules by what it varies: “B = 12”, “B = 10”.

    For which days is left out where all of them vary the same days.
    """
    days = {
        (change.first, change.last)
        for one in variants
        for change in one.varied().changes
    }
    return [one.named(with_days=len(days) > 1) for one in variants]


def _in_words(change: Change, with_days: bool) -> str:
    """Return a change as a page names it: “B = 12 (2015 – 2024)”."""
    words = f"{_letter(CATALOG[change.name].about)} = {said(change.value)}"
    days = _days_in_words(change.first, change.last)
    return f"{words} ({days})" if with_days and days else words


def _days_in_words(first: date | None, last: date | None) -> str:
    """Return the days of a change; a year by its number where it is whole."""
    begin = first and (first.year if (first.month, first.day) == (1, 1) else first)
    end = last and (last.year if (last.month, last.day) == (12, 31) else last)
    if begin and end:
        return f"{begin} – {end}" if begin != end else f"{begin}"
    if begin:
        return _("from {day}").format(day=begin)
    return _("until {day}").format(day=end) if end else ""


def _letter(parameter: Parameter) -> str:
    """Return the letter in brackets behind a parameter's label, else the label.

    >>> _letter(Parameter("c", "Growth of the deviation (c)", "", 1.0, 0, 9, ()))
    'c'
    """
    label = _(parameter.label)
    found = re.search(r"\((\w{1,2})\)$", label)
    return found[1] if found else label


class BadVariant(Exception):
    """A variant that cannot be run; the message says why."""


def variants_of(key: str, values: Mapping[str, Iterable[Any]]) -> list[Variant]:
    """Return every combination of the *values* of a system's parameters.

    What is as usual is left out, so that equal variants are equal. Raises BadVariant if
    there are far too many combinations to look at.
    """
    usual = {one.name: one.default for one in parameters_to_vary(SYSTEMS[key])}
    names = [name for name in usual if name in values]
    given = [list(dict.fromkeys(values[name])) for name in names]
    combinations = prod(map(len, given))
    if combinations > MOST_COMBINATIONS:
        raise _too_many(combinations)
    found = []
    for combination in product(*given):
        changes = tuple(
            (name, value)
            for name, value in zip(names, combination, strict=True)
            if value != usual[name]
        )
        found.append(Variant(key, changes))
    return list(dict.fromkeys(found))


def refuse_bad(variants: Iterable[AnyVariant]) -> None:
    """Raise BadVariant unless all can be run, are different, and not too many."""
    given = list(variants)
    if not given:
        raise BadVariant(_("Choose at least one system."))
    if len(given) > MOST_VARIANTS:
        raise _too_many(len(given))
    if len(set(given)) < len(given):
        raise BadVariant(_("Two variants are the same; change one of them."))
    for one in given:
        if isinstance(one, VariedRules):
            continue
        if one.system not in RUNNABLE:
            raise BadVariant(_("There is no such system that can be run."))
        _refuse_bad_values(one, RUNNABLE[one.system])


def _too_many(number: int) -> BadVariant:
    words = _(
        "These are {number} variants; one experiment takes {most}. Choose "
        "fewer systems or values."
    )
    return BadVariant(words.format(number=number, most=MOST_VARIANTS))


def _refuse_bad_values(variant: Variant, system: System) -> None:
    about = {one.name: one for one in parameters_to_vary(system)}
    for name, value in variant.changes:
        if name not in about:
            raise BadVariant(_("There is no such parameter."))
        problem = problem_with(about[name], value)
        if problem:
            raise BadVariant(f"{_(about[name].label)}: {problem}")


def problem_with(parameter: Parameter, value: Any) -> str:
    """Say what is wrong with a parameter's value; empty if nothing is."""
    if value is None:
        return "" if parameter.default is None else _("Enter a value.")
    if parameter.choices:
        if value not in parameter.choices:
            return _("Choose one of those offered.")
    elif parameter.low is not None and value < parameter.low:
        return _("At least {number}.").format(number=said(parameter.low))
    elif parameter.high is not None and value > parameter.high:
        return _("At most {number}.").format(number=said(parameter.high))
    return ""


def said(value: Any) -> str:
    """Return a parameter's value as it is written on a page."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)
