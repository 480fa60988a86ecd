"""What the pages show of the laboratory's experiments."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.experiments.plans import (
    JOB_KIND,
    OUR_BOOKS,
    RUN,
    AnyVariant,
    Asked,
    is_of_books,
    rules_told_apart,
    stored_variant,
    told_apart,
)
from ratings.experiments.queries.cells import Sheet
from ratings.experiments.queries.sheets import Sheets
from ratings.experiments.queries.verdicts import Verdict, verdict_of
from ratings.laboratory.experiment import COMMON_START, Newcomers
from ratings.laboratory.protocol import STATUSES
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.training import White
from ratings.models import SYSTEM_CHOICES, Experiment, ExperimentVariant
from ratings_site.common.looks.figures import day_in_words, days
from ratings_site.common.models import Job, User


@dataclass(frozen=True)
class Choice:
    """A variant that can be looked at closely."""

    number: int
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class Shown:
    """What the page of an experiment shows."""

    title: str
    facts: Sequence[tuple[str, str]]
    variants: Sequence[Choice]
    verdict: Verdict | None = None
    comparison: Sequence[Sheet] = ()
    closer: Sequence[Sheet] = ()
    chosen: str = ""
    agrees: bool | None = None


@dataclass(frozen=True)
class Progress:
    """How far the work is."""

    percent: int | None
    sentence: str
    done: int
    of: int


def is_committee(user: User | AnonymousUser) -> bool:
    """Tell whether somebody may run experiments and see those of the committee."""
    return user.is_active and user.has_perm(RUN)


def experiments_for(user: User | AnonymousUser) -> QuerySet[Experiment]:
    """Return the experiments that somebody may see, the newest first.

    *shown_title* is what stands above it for this person.
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


def progress_of(experiment: Experiment) -> Progress:
    """Return how far the work on an experiment has come (two queries)."""
    variants = experiment.variants.aggregate(of=Count("pk"), done=Count("finished_at"))
    job = Job.objects.filter(kind=JOB_KIND, key=str(experiment.pk)).first()
    percent = job.percent if job and job.total_steps else None
    done, of = variants["done"], variants["of"]
    if experiment.status == Experiment.Status.QUEUED:
        sentence = _("Waiting for a worker.")
    elif experiment.history_id is None and not is_of_books(experiment):
        sentence = _("Reading the games.")
    elif done < of:
        sentence = _("Variant {number} of {of}.").format(number=done + 1, of=of)
    else:
        sentence = _("Comparing the variants.")
    return Progress(percent, sentence, done, of)


def label_of(variant: ExperimentVariant) -> str:
    """Return the variant's name in the reader's language."""
    if variant.system not in (OUR_BOOKS, *SYSTEMS):
        return variant.label
    return _asked(variant).label


def _asked(variant: ExperimentVariant) -> AnyVariant:
    return stored_variant(variant.system, variant.parameters)


def names_of(variants: Sequence[ExperimentVariant]) -> dict[int, str]:
    """Return by number what each variant differs in from the others.

    A bound says so beside its name, since it may stand first and has won nothing.
    """
    known = [one for one in variants if one.system in SYSTEMS]
    ours = [one for one in variants if one.system == OUR_BOOKS]
    short = told_apart([_asked(one) for one in known])
    short += rules_told_apart([_asked(one) for one in ours])
    names = {one.number: label_of(one) for one in variants}
    names.update(zip((one.number for one in [*known, *ours]), short, strict=True))
    for one in _bounds(variants):
        names[one.number] += f" ({_(STATUSES[SYSTEMS[one.system].about.status])})"
    return names


def _bounds(variants: Sequence[ExperimentVariant]) -> list[ExperimentVariant]:
    """Return those that no office could rate by, such as one that uses the future."""
    known = [one for one in variants if one.system in SYSTEMS]
    return [one for one in known if SYSTEMS[one.system].about.is_bound]


def variants_of(experiment: Experiment) -> list[ExperimentVariant]:
    """Return the variants without what is only for the machine."""
    return list(experiment.variants.defer("predictions", "replay"))


def shown_experiment(
    experiment: Experiment, *, variant: str, for_committee: bool
) -> Shown:
    """Return what the page shows; *variant* is the number to look at closely."""
    variants = variants_of(experiment)
    number = _chosen(experiment, variants, variant)
    choices = [
        Choice(one.number, label_of(one), one.number == number)
        for one in variants
        if _can_be_chosen(experiment, one.number)
    ]
    title = experiment.title if for_committee else experiment.public_title
    shown = Shown(
        title=title,
        facts=list(_facts(experiment, for_committee=for_committee)),
        variants=choices,
        agrees=_agrees(experiment),
    )
    if experiment.results is None:
        return shown
    sheets = _sheets(experiment, variants, for_committee=for_committee)
    chosen = next(one for one in variants if one.number == number)
    return Shown(
        title=shown.title,
        facts=shown.facts,
        variants=choices,
        verdict=verdict_of(
            experiment.results,
            names_of(variants),
            bounds={one.number for one in _bounds(variants)},
            for_committee=for_committee,
        ),
        comparison=list(sheets.of_all()),
        closer=list(sheets.of_one(chosen)),
        chosen=label_of(chosen),
        agrees=shown.agrees,
    )


def sheets_of(experiment: Experiment, *, for_committee: bool) -> dict[str, Sheet]:
    """Return every table of the results by its name in addresses."""
    if experiment.results is None:
        return {}
    variants = variants_of(experiment)
    sheets = _sheets(experiment, variants, for_committee=for_committee)
    found = [*sheets.of_all()]
    for one in variants:
        found.extend(sheets.of_one(one))
    return {sheet.name: sheet for sheet in found}


def _can_be_chosen(experiment: Experiment, number: int) -> bool:
    results = experiment.results
    return results is None or str(number) in results["calibration"]


def _chosen(
    experiment: Experiment, variants: Sequence[ExperimentVariant], asked: str
) -> int:
    """Return the number that was asked for, or that of the best variant."""
    numbers = {
        str(one.number): one.number
        for one in variants
        if _can_be_chosen(experiment, one.number)
    }
    if asked in numbers:
        return numbers[asked]
    if experiment.results is None:
        return variants[0].number if variants else 0
    return experiment.results["variants"][0]["number"]


def _agrees(experiment: Experiment) -> bool | None:
    """Tell whether a repetition gave the same bits; None if it is none or not done."""
    first = experiment.repeats
    if first is None or not experiment.results_digest:
        return None
    return first.results_digest == experiment.results_digest


def _facts(experiment: Experiment, *, for_committee: bool) -> Iterator[tuple[str, str]]:
    """Yield what was asked, as pairs of a word and a sentence."""
    asked = Asked.from_json(experiment.plan)
    is_replay = is_of_books(experiment)  # of sections, as the books began
    yield _("Games"), _games_in_words(experiment, asked)
    if not is_replay:
        yield _("Length of a period"), _months_in_words(asked.months)
    if not is_replay or asked.warm_up_days:
        yield _("Training"), _training_in_words(asked)
    if not is_replay:
        yield _("Newcomers"), _newcomers_in_words(asked.newcomers)
        yield _("Advantage of White"), _white_in_words(experiment, asked)
    if asked.least_games:
        yield (
            _("Counted"),
            ngettext(
                "games between players with at least {number} game",
                "games between players with at least {number} games",
                asked.least_games,
            ).format(number=asked.least_games),
        )
    results = experiment.results
    if results:
        yield (
            _("Compared on"),
            _("{games} games of {events} events that all variants predicted").format(
                games=f"{results['games']:,}", events=f"{results['events']:,}"
            ),
        )
    if for_committee:
        yield from _facts_to_repeat(experiment)


def _training_in_words(asked: Asked) -> str:
    if asked.test_from:
        return _("until {day}").format(day=day_in_words(asked.test_from))
    if asked.warm_up_days is not None:
        return _("{number} days").format(number=asked.warm_up_days)
    return _("the first {percent} percent of the games").format(percent=asked.training)


def _newcomers_in_words(newcomers: str) -> str:
    if newcomers == Newcomers.OURS:
        return _("all begin with the initial ratings of our own rules")
    if newcomers == Newcomers.COMMON:
        return _("all begin with a rating of {rating}").format(
            rating=f"{COMMON_START:.0f}"
        )
    return _("begin as each system’s own rule says")


def _white_in_words(experiment: Experiment, asked: Asked) -> str:
    """Say what White is worth, and what that rests on."""
    if asked.white == White.OWN:
        return _("as each system’s own rule says")
    if asked.white == White.NONE:
        return _("none, for no system")
    if "white_advantage" not in experiment.facts:
        return _("fitted once on the training, the same for all systems")
    fitted = experiment.facts["white_advantage"]
    if fitted is None:
        return _("none: too few games of known color in the training tell it")
    points, error, games = fitted
    return _(
        "{points:.1f} points for all systems, with a standard error of {error:.1f}, "
        "fitted on {games:,} games of the training"
    ).format(points=points, error=error, games=games)


def _games_in_words(experiment: Experiment, asked: Asked) -> str:
    words = []
    chosen = asked.chosen
    if chosen is None:
        words.append(_("from a file"))
    else:
        words.append(str(dict(SYSTEM_CHOICES).get(chosen.system, chosen.system)))
        if chosen.first_day:
            words.append(_("from {day}").format(day=day_in_words(chosen.first_day)))
        if chosen.last_day:
            words.append(_("until {day}").format(day=day_in_words(chosen.last_day)))
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


def _months_in_words(months: int) -> str:
    if months == 1:
        return _("a month")
    return _("{number} months").format(number=months)


def command_of(experiment: Experiment) -> str:
    """Return the command that repeats an experiment over a file; empty for the books.

    Those are repeated on the site, on the very games that were kept.
    """
    if experiment.file is None:
        return ""
    asked = Asked.from_json(experiment.plan)
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


def _facts_to_repeat(experiment: Experiment) -> Iterator[tuple[str, str]]:
    facts = experiment.facts
    if facts.get("history"):
        yield _("Digest of the games"), facts["history"]
    if facts.get("books"):
        yield _("Newest calculation read"), str(facts["books"])
    if experiment.results_digest:
        yield _("Digest of the results"), experiment.results_digest
    if facts.get("laboratory"):
        yield (
            _("Program"),
            _("laboratory {laboratory}, engine {engine}, Python {python}").format(
                laboratory=facts["laboratory"],
                engine=facts["engine"],
                python=facts["python"],
            ),
        )


def _sheets(
    experiment: Experiment,
    variants: Sequence[ExperimentVariant],
    *,
    for_committee: bool,
) -> Sheets:
    labels = {one.number: label_of(one) for one in variants}
    names = names_of(variants)
    return Sheets(experiment, variants, labels, names, for_committee=for_committee)
