"""A report of an experiment, whole, for the printable page and for its files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.laboratory.confidence_intervals import SEED
from ratings.laboratory.parameters import Parameter, parameters_of
from ratings.laboratory.protocol import Source
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.training import (
    FittedAdvantage,
    WhiteAdvantageMode,
    with_advantage,
)
from ratings.models import Experiment
from ratings.research.experiments.plans import (
    RunOptions,
    Variant,
    said,
    stored_variant,
)
from ratings.research.experiments.queries.experiments import (
    ExperimentPage,
    command_of,
    experiment_page,
    facts_to_repeat,
    names_of,
    variants_of,
)

METHOD = (
    gettext_lazy(
        "All results are out-of-sample: in each period, a variant predicts the games "
        "from earlier games only, and then learns from them. Only games that all "
        "variants can predict are compared."
    ),
    gettext_lazy(
        "Predictions are scored by log loss, which measures how far expected scores "
        "are from results. 100 = coin flip; lower is better. Predictions are limited "
        "to 0.01 to 0.99."
    ),
    gettext_lazy(
        "A 95% confidence interval shows how far a result could shift with other "
        "events and players. Games that share an event or a player are treated as "
        "related. Intervals of differences hold for all variants together; those by "
        "year hold one at a time."
    ),
    gettext_lazy(
        "Calibration checks whether players score what the system expects. A gap is "
        "flagged only if it is more than chance, for all rows of a table together."
    ),
)
RULES = Source(
    gettext_lazy(
        "The US Chess rating system (Glickman and Doan); editions: docs/rules.md"
    )  # type: ignore[arg-type]
)


@dataclass(frozen=True)
class ReportedVariant:
    """A variant as it was run: all its parameters, and the sources of its system."""

    name: str
    parameters: Sequence[tuple[str, str]]
    sources: Sequence[Source]


@dataclass(frozen=True)
class Report:
    """The contents of a report; *repeat* are pairs of a word and a sentence."""

    page: ExperimentPage
    kind: str
    question: str
    variants: Sequence[ReportedVariant]
    repeat: Sequence[tuple[str, str]]
    method: Sequence[Any] = METHOD


def report_of(experiment: Experiment, *, for_committee: bool) -> Report:
    """Return the report of a finished *experiment*.

    Outside the committee, the reason is the one it was published with.
    """
    reason = experiment.reason if for_committee else experiment.public_reason
    return Report(
        page=experiment_page(experiment, variant="", for_committee=for_committee),
        kind=experiment.get_kind_display(),
        question=reason,
        variants=list(_variants(experiment)),
        repeat=list(_repeat(experiment)),
    )


def _variants(experiment: Experiment) -> Iterator[ReportedVariant]:
    variants = variants_of(experiment)
    names = names_of(variants)
    advantage = _white_advantage(experiment)
    for one in variants:
        name, found = names[one.number], stored_variant(one.system, one.parameters)
        if not isinstance(found, Variant) or found.system not in SYSTEMS:
            yield ReportedVariant(name, (), (RULES,))
            continue
        system = SYSTEMS[found.system]
        used = found.parameters(advantage)
        values = [
            (_(about.label), _value(about, getattr(used, about.name)))
            for about in parameters_of(system.parameters)
        ]
        yield ReportedVariant(name, values, system.about.sources)


def _value(about: Parameter, value: Any) -> str:
    return _(value) if about.choices else said(value)


def _white_advantage(experiment: Experiment) -> float | None:
    """Return what White was worth in all systems; None if each had its own."""
    asked = RunOptions.from_json(experiment.plan)
    kept = experiment.facts.get("white_advantage")
    fitted = FittedAdvantage(*kept) if kept else None
    mode = WhiteAdvantageMode(asked.white)
    return with_advantage(asked.plan({}), mode, fitted).white_advantage


def _repeat(experiment: Experiment) -> Iterator[tuple[str, str]]:
    yield from facts_to_repeat(experiment)
    words = _("none in the predictions; those of the intervals start from {seed}")
    yield _("Random numbers"), words.format(seed=SEED)
    by_committee = _(
        "The committee can repeat it on the experiment’s page, on the same games."
    )
    yield _("Command"), command_of(experiment) or by_committee
