"""Queries for the pages of the laboratory's experiments."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.laboratory.protocol import STATUSES
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.training import WhiteAdvantageMode
from ratings.models import SYSTEM_CHOICES, Experiment, ExperimentVariant
from ratings.research.experiments.plans import (
    JOB_KIND,
    NEWCOMERS,
    OUR_BOOKS,
    RUN,
    RunOptions,
    is_ledger_experiment,
    months_label,
    stored_variant,
)
from ratings.research.experiments.queries.cells import Sheet
from ratings.research.experiments.queries.sheets import Sheets
from ratings.research.experiments.queries.verdicts import Verdict, verdict_of
from ratings.research.experiments.variant_names import variant_names
from ratings_site.common.jobs.progress import job_progress
from ratings_site.common.models import Job, User
from ratings_site.common.ui.formatting import days, format_day


@dataclass(frozen=True)
class ExperimentPage:
    """The contents of the page of an experiment."""

    title: str
    facts: Sequence[tuple[str, str]]
    variants: Sequence[dict[str, Any]]
    verdict: Verdict | None = None
    comparison: Sequence[Sheet] = ()
    variant_sheets: Sequence[Sheet] = ()
    chosen: str = ""
    is_reproduced: bool | None = None


def is_committee(user: User | AnonymousUser) -> bool:
    """Return whether a user may run experiments and see those of the committee."""
    return user.is_active and user.has_perm(RUN)


def experiments_for(user: User | AnonymousUser) -> QuerySet[Experiment]:
    """Return the experiments that a user may see, newest first.

    *shown_title* is the title that this user sees.
    """
    found = (
        Experiment.objects.select_related(
            "history", "asked_by", "published_by", "repeats"
        )
        .annotate(variant_count=Count("variants"))
        .defer("results", "findings", "history__content")
        .order_by("-pk")
    )
    if is_committee(user):
        return found.annotate(shown_title=F("title"))
    return found.filter(published_at__isnull=False).annotate(
        shown_title=F("public_title")
    )


def progress_of(experiment: Experiment) -> dict[str, Any]:
    """Return the progress of an experiment (two queries)."""
    variants = experiment.variants.aggregate(of=Count("pk"), done=Count("finished_at"))
    job = Job.objects.filter(kind=JOB_KIND, key=str(experiment.pk)).first()
    done, of = variants["done"], variants["of"]
    if experiment.status == Experiment.Status.QUEUED:
        sentence = _("Waiting to start.")
    elif experiment.history_id is None and not is_ledger_experiment(experiment):
        sentence = _("Reading the games.")
    elif done < of:
        sentence = _("Variant {number} of {of}.").format(number=done + 1, of=of)
    else:
        sentence = _("Comparing the variants.")
    shown = job_progress(job) if job else {"percent": None}
    return shown | variants | {"sentence": sentence}


def names_of(variants: Sequence[ExperimentVariant]) -> dict[int, str]:
    """Return each variant's name by its number, in the reader's language.

    An upper bound says so after its name, since it may be first but is no candidate.
    """
    names = {one.number: one.label for one in variants}
    known = [one for one in variants if one.system in (OUR_BOOKS, *SYSTEMS)]
    found = variant_names([stored_variant(one.system, one.parameters) for one in known])
    names.update(zip((one.number for one in known), found, strict=True))
    for one in _bounds(variants):
        names[one.number] += f" ({_(STATUSES[SYSTEMS[one.system].about.status])})"
    return names


def _names_in_sentences(
    names: dict[int, str], variants: Sequence[ExperimentVariant]
) -> dict[int, str]:
    """Return the names as they are inside a sentence: “the actual rules”."""
    unchanged = [
        one.number for one in variants if one.system == OUR_BOOKS and not one.parameters
    ]
    return names | dict.fromkeys(unchanged, _("the actual rules"))


def _bounds(variants: Sequence[ExperimentVariant]) -> list[ExperimentVariant]:
    """Return variants that no office could use, such as one that uses the future."""
    known = [one for one in variants if one.system in SYSTEMS]
    return [one for one in known if SYSTEMS[one.system].about.is_upper_bound]


def variants_of(experiment: Experiment) -> list[ExperimentVariant]:
    """Return the variants without their large columns."""
    return list(experiment.variants.defer("predictions", "replay"))


def experiment_page(
    experiment: Experiment, *, variant: str, for_committee: bool
) -> ExperimentPage:
    """Return the contents of the page; *variant* is the number to show in detail."""
    variants = variants_of(experiment)
    names = names_of(variants)
    number = _chosen(experiment, variants, variant)
    choices = [
        {
            "number": one.number,
            "label": names[one.number],
            "is_chosen": one.number == number,
        }
        for one in variants
        if _can_be_chosen(experiment, one.number)
    ]
    shown = ExperimentPage(
        title=experiment.title if for_committee else experiment.public_title,
        facts=list(_facts(experiment, for_committee=for_committee)),
        variants=choices,
        is_reproduced=_is_reproduced(experiment),
    )
    if experiment.results is None:
        return shown
    sheets = Sheets(experiment, variants, names, for_committee=for_committee)
    chosen = next(one for one in variants if one.number == number)
    return replace(
        shown,
        verdict=verdict_of(
            experiment.results,
            _names_in_sentences(names, variants),
            bounds={one.number for one in _bounds(variants)},
            for_committee=for_committee,
        ),
        comparison=list(sheets.of_all()),
        variant_sheets=list(sheets.sheets_of_variant(chosen)),
        chosen=names[number],
    )


def sheets_of(experiment: Experiment, *, for_committee: bool) -> dict[str, Sheet]:
    """Return every table of the results by its name in addresses."""
    if experiment.results is None:
        return {}
    variants = variants_of(experiment)
    names = names_of(variants)
    sheets = Sheets(experiment, variants, names, for_committee=for_committee)
    found = [*sheets.of_all()]
    for one in variants:
        found.extend(sheets.sheets_of_variant(one))
    return {sheet.name: sheet for sheet in found}


def _can_be_chosen(experiment: Experiment, number: int) -> bool:
    results = experiment.results
    return results is None or str(number) in results["calibration"]


def _chosen(
    experiment: Experiment, variants: Sequence[ExperimentVariant], asked: str
) -> int:
    """Return the requested number, or that of the best variant."""
    numbers = {
        str(one.number): one.number
        for one in variants
        if _can_be_chosen(experiment, one.number)
    }
    if asked in numbers:
        return numbers[asked]
    if experiment.results is None:
        return variants[0].number if variants else 0
    return int(experiment.results["variants"][0]["number"])


def _is_reproduced(experiment: Experiment) -> bool | None:
    """Return whether a repetition gave the same bits; None if not a finished one."""
    first = experiment.repeats
    if first is None or not experiment.results_digest:
        return None
    return first.results_digest == experiment.results_digest


def _facts(experiment: Experiment, *, for_committee: bool) -> Iterator[tuple[str, str]]:
    """Yield the options, as pairs of a word and a sentence."""
    asked = RunOptions.from_json(experiment.plan)
    is_replay = is_ledger_experiment(experiment)  # of sections, from the ledger's start
    yield _("Games"), _describe_games(experiment, asked)
    if not is_replay:
        yield _("Rating period"), months_label(asked.months)
    if not is_replay or asked.warm_up_days:
        yield _("Training"), _describe_training(asked)
    if not is_replay:
        yield _("New players"), str(NEWCOMERS[asked.newcomers])
        yield _("White’s advantage"), _describe_white(experiment, asked)
    if asked.least_games:
        yield (
            _("Games included"),
            ngettext(
                "games between players with at least {number} game",
                "games between players with at least {number} games",
                asked.least_games,
            ).format(number=asked.least_games),
        )
    results = experiment.results
    if results:
        yield (
            _("Games compared"),
            _("{games} games in {events} events that all variants predicted").format(
                games=f"{results['games']:,}", events=f"{results['events']:,}"
            ),
        )
    if for_committee:
        yield from facts_to_repeat(experiment)


def _describe_training(asked: RunOptions) -> str:
    if asked.test_from:
        return _("until {day}").format(day=format_day(asked.test_from))
    if asked.warm_up_days is not None:
        return _("{number} days").format(number=asked.warm_up_days)
    return _("the first {percent}% of the games").format(percent=asked.training)


def _describe_white(experiment: Experiment, asked: RunOptions) -> str:
    """Describe White's advantage, and the games behind it."""
    if asked.white == WhiteAdvantageMode.OWN:
        return _("each system’s own rule")
    if asked.white == WhiteAdvantageMode.NONE:
        return _("none")
    if "white_advantage" not in experiment.facts:
        return _("estimated from the training games, the same for all systems")
    fitted = experiment.facts["white_advantage"]
    if fitted is None:
        return _(
            "none: the training games with known colors are too few to estimate it"
        )
    points, error, games = fitted
    return _(
        "{points:.1f} points for all systems (standard error {error:.1f}), "
        "estimated from {games:,} training games"
    ).format(points=points, error=error, games=games)


def _describe_games(experiment: Experiment, asked: RunOptions) -> str:
    words = []
    chosen = asked.chosen
    if chosen is None:
        words.append(_("from a file"))
    else:
        words.append(str(dict(SYSTEM_CHOICES).get(chosen.system, chosen.system)))
        if chosen.first_day:
            words.append(_("from {day}").format(day=format_day(chosen.first_day)))
        if chosen.last_day:
            words.append(_("until {day}").format(day=format_day(chosen.last_day)))
        if chosen.state:
            words.append(_("held in {state}").format(state=chosen.state))
        if chosen.low is not None or chosen.high is not None:
            words.append(
                _("both players rated {low} to {high}").format(
                    low=chosen.low or 100, high=chosen.high or "…"
                )
            )
    history = experiment.history
    if history is not None:
        words.append(
            _("{games} games of {players} players").format(
                games=f"{history.games:,}", players=f"{history.players:,}"
            )
        )
        if history.first_day and history.last_day:
            words.append(days(history.first_day, history.last_day))
    return ", ".join(words)


def command_of(experiment: Experiment) -> str:
    """Return the command that repeats an experiment over a file; empty for the ledger.

    Experiments over the ledger are repeated on the site, on the stored games.
    """
    if experiment.file is None:
        return ""
    asked = RunOptions.from_json(experiment.plan)
    reference = (experiment.results or {}).get("reference")
    variants = sorted(
        variants_of(experiment), key=lambda one: (one.number != reference, one.number)
    )
    words = [f"manage.py laboratory run {shlex.quote(experiment.file.name)}"]
    for one in variants:
        changes = ",".join(f"{name}={value}" for name, value in one.parameters)
        words.append(f"--system {one.system}{f':{changes}' if changes else ''}")
    words.append(f"--period-months {asked.months}")
    if asked.warm_up_days is None:
        words.append(f"--training {asked.training}")
    else:
        words.append(f"--warm-up {asked.warm_up_days}")
    words.append(f"--least-games {asked.least_games} --newcomers {asked.newcomers}")
    words.append(f"--white {asked.white}")
    return " ".join(words)


def facts_to_repeat(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """Yield the checksums and program versions, as pairs of a word and a sentence."""
    facts = experiment.facts
    if facts.get("history"):
        yield _("Checksum of the games"), facts["history"]
    if facts.get("books"):
        yield _("Latest calculation used"), str(facts["books"])
    if experiment.results_digest:
        yield _("Checksum of the results"), experiment.results_digest
    if facts.get("laboratory"):
        yield (
            _("Program"),
            _("laboratory {laboratory}, engine {engine}, Python {python}").format(
                laboratory=facts["laboratory"],
                engine=facts["engine"],
                python=facts["python"],
            ),
        )
