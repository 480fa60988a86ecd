"""The options of an experiment: its variants, and how they are run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product
from math import prod
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import TypeAdapter

from ratings.engine.variation.variations import Variation
from ratings.laboratory.experiment import COMMON_START, Newcomers, Plan
from ratings.laboratory.parameters import Parameter
from ratings.laboratory.protocol import System
from ratings.laboratory.registry import RUNNABLE, SYSTEMS
from ratings.laboratory.systems.us_chess import UsChess
from ratings.laboratory.training import WhiteAdvantageMode
from ratings.laboratory.white_advantage import parameters_to_vary, parameters_with
from ratings.models import Experiment
from ratings.rerates.services.sources import rules_from_json

JOB_KIND = "ratings.experiment"
RUN, PUBLISH = "ratings.run_experiment", "ratings.publish_experiment"
MAX_VARIANTS = 24
# So many percent of the games are learned from before any counts, and both players must
# have had so many games: after them a newcomer's deviation in Glicko is 105 points.
TRAINING, EVIDENCE = 20, 10
# A few values of many parameters are billions of combinations, too many to list.
MAX_COMBINATIONS = 1000
# Our own rules, in each edition of their text, newest first.
OUR_SYSTEMS = tuple(
    key for key, system in SYSTEMS.items() if isinstance(system, UsChess)
)
OUR_SYSTEM = OUR_SYSTEMS[0]
NEWCOMERS = {
    Newcomers.OURS.value: gettext_lazy("our own initial ratings, in all systems"),
    Newcomers.COMMON.value: format_lazy(
        gettext_lazy("a rating of {rating}, in all systems"),
        rating=f"{COMMON_START:.0f}",
    ),
    Newcomers.OWN.value: gettext_lazy("each system’s own rule"),
}
# Stored in place of a system where the rules of the office are replayed.
OUR_BOOKS = "books"


@dataclass(frozen=True, slots=True)
class GameSelection:
    """A selection of rated games of one system.

    *first_day* and *last_day* bound the days on which sections end, *state* is where
    the event was held, *low* and *high* bound both players' ratings before the section.
    """

    system: str = "OTBR"
    first_day: date | None = None
    last_day: date | None = None
    state: str = ""
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How the variants are run. *chosen* None: over an uploaded file.

    Predictions count for the measures where both players had *least_games* games, and
    after the training: the first so many percent of the games, or all before
    *test_from*, or, in older experiments, so many *warm_up_days*. *months* is the
    length of a period. A rule change counts only members who played *since* that day.
    *white* is a `WhiteAdvantageMode`.
    """

    chosen: GameSelection | None
    months: int = 1
    warm_up_days: int | None = None
    training: int = TRAINING
    test_from: date | None = None
    newcomers: str = Newcomers.OURS.value
    least_games: int = EVIDENCE
    white: str = WhiteAdvantageMode.FITTED.value
    since: date | None = None

    def as_json(self) -> dict[str, Any]:
        said: dict[str, Any] = _STORED_OPTIONS.dump_python(self, mode="json")
        return said

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "RunOptions":
        """Return stored options; older ones said more, which is left out."""
        white = WhiteAdvantageMode.OWN.value  # where nothing is said of it
        return _STORED_OPTIONS.validate_python({"white": white, **said})

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


_STORED_OPTIONS = TypeAdapter(RunOptions)


@dataclass(frozen=True, slots=True)
class Variant:
    """A system, and the parameters that differ from its defaults."""

    system: str
    changes: tuple[tuple[str, Any], ...] = ()

    def parameters(self, advantage: float | None = None) -> Any:
        """Return the parameters as the system takes them, with White's *advantage*."""
        return parameters_with(SYSTEMS[self.system], dict(self.changes), advantage)


@dataclass(frozen=True, slots=True)
class RulesVariant:
    """Our own rules on our own ledger; *changes* are as in `rules_to_json`."""

    changes: tuple[tuple[Any, ...], ...] = ()
    system: str = OUR_BOOKS

    def variation(self) -> Variation:
        return rules_from_json(self.changes)


ExperimentVariantSpec = Variant | RulesVariant


def is_ledger_experiment(experiment: Experiment) -> bool:
    """Return whether it replays the ledger, which it reads again each time."""
    return experiment.kind == Experiment.Kind.OUR_RULES


def stored_variant(
    system: str, parameters: Iterable[Iterable[Any]]
) -> ExperimentVariantSpec:
    """Return a stored variant."""
    changes = tuple(map(tuple, parameters))
    return RulesVariant(changes) if system == OUR_BOOKS else Variant(system, changes)


def months_label(months: int) -> str:
    if months == 1:
        return _("1 month")
    return _("{number} months").format(number=months)


class InvalidVariant(Exception):
    """A variant that cannot be run; the message says why."""


def variants_of(key: str, values: Mapping[str, Iterable[Any]]) -> list[Variant]:
    """Return every combination of the *values* of a system's parameters.

    Defaults are left out, so that equal variants compare equal. Raises InvalidVariant
    if there are far too many combinations.
    """
    usual = {one.name: one.default for one in parameters_to_vary(SYSTEMS[key])}
    names = [name for name in usual if name in values]
    given = [list(dict.fromkeys(values[name])) for name in names]
    combinations = prod(map(len, given))
    if combinations > MAX_COMBINATIONS:
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


def validate_variants(variants: Iterable[ExperimentVariantSpec]) -> None:
    """Raise InvalidVariant unless all can be run, are different, and not too many."""
    given = list(variants)
    if not given:
        raise InvalidVariant(_("Choose at least one system."))
    if len(given) > MAX_VARIANTS:
        raise _too_many(len(given))
    if len(set(given)) < len(given):
        raise InvalidVariant(_("Two variants are the same. Change one of them."))
    for one in given:
        if isinstance(one, RulesVariant):
            continue
        if one.system not in RUNNABLE:
            raise InvalidVariant(_("This system can’t be run. Choose another system."))
        _validate_values(one, RUNNABLE[one.system])


def _too_many(number: int) -> InvalidVariant:
    words = _(
        "That makes {number} variants. An experiment can have up to {most}. "
        "Choose fewer systems or values."
    )
    return InvalidVariant(words.format(number=number, most=MAX_VARIANTS))


def _validate_values(variant: Variant, system: System) -> None:
    about = {one.name: one for one in parameters_to_vary(system)}
    for name, value in variant.changes:
        if name not in about:
            raise InvalidVariant(_("The system has no such parameter."))
        problem = parameter_error(about[name], value)
        if problem:
            raise InvalidVariant(f"{_(about[name].label)}: {problem}")


def parameter_error(parameter: Parameter, value: Any) -> str:
    """Return what is wrong with a parameter's value; empty if nothing."""
    if value is None:
        return "" if parameter.default is None else _("Enter a value.")
    if parameter.choices:
        if value not in parameter.choices:
            return _("Choose one of the options.")
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
