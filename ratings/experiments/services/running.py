"""An experiment at work in a job, one variant after the other."""

import json
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from ratings.engine.dated import NoRuleInForce
from ratings.experiments.plans import Asked, Variant, is_of_books
from ratings.experiments.queries.experiments import variants_of
from ratings.experiments.services.asking import (
    ExperimentClosed,
    locked,
    refuse_closed,
)
from ratings.experiments.services.files import read_sent_games
from ratings.experiments.services.histories import (
    Found,
    NoGames,
    from_books,
    keep,
    kept_games,
)
from ratings.experiments.services.kept import (
    Columns,
    columns_of,
    keep_outcome,
    pack,
)
from ratings.experiments.services.replaying_job import (
    program,
    replay_and_compare,
)
from ratings.experiments.services.results import Done, drift_record, results_of
from ratings.laboratory.drift import Drift
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.protocol import Moment, Table
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.rule_change import final_ratings
from ratings.laboratory.training import (
    Advantage,
    White,
    trained_advantage,
    with_advantage,
)
from ratings.models import Experiment, ExperimentVariant, GamesHistory
from ratings.rerates.services.replay import NotReplayable
from ratings_site.common.jobs.bounded import TooMuchWork
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobFailed

# How often the work shows how far it has come, and looks whether it was canceled.
SECONDS_BETWEEN_SIGNS = 0.5
# How far the work has come is told in so many steps for each variant.
STEPS = 100
# More of them would make lines on a plot no better.
MOST_SNAPSHOTS = 60


class ExperimentResumed(Exception):
    """The experiment goes on: it was resumed before its worker had left it."""


class VariantFailed(Exception):
    """A system has no answer to these games; to try again would not help."""


def work_on(*, experiment_id: int, job: ClaimedJob) -> None:
    """Run a queued experiment, or go on with one that stopped, until it is done."""
    try:
        with override(None), job.kept_alive():
            while not _is_left(experiment_id, job):
                pass
    except (NoGames, NoRuleInForce, NotReplayable, VariantFailed) as fault:
        _fail(experiment_id, str(fault))
        raise JobFailed(str(fault)) from fault
    except Exception as error:
        if job.attempt >= MAX_ATTEMPTS:
            _fail(experiment_id, f"{type(error).__name__}: {error}")
        raise


def _is_left(experiment_id: int, job: ClaimedJob) -> bool:
    """Work until all is done or canceled; False if it was resumed at that moment.

    Who resumes an experiment relies on a job that is still open, so this one is
    finished only while the experiment is held and seen to be closed.
    """
    try:
        _work(experiment_id, job)
    except ExperimentClosed:
        try:
            with job.commit(_("Canceled.")):
                _refuse_open(experiment_id)
        except ExperimentResumed:
            return False
    return True


def _work(experiment_id: int, job: ClaimedJob) -> None:
    experiment = _begun(experiment_id, job)
    if is_of_books(experiment):
        replay_and_compare(experiment, job)
        return
    found = _games(experiment, job)
    asked = Asked.from_json(experiment.plan)
    plan = _with_advantage(experiment, asked, found, job)
    variants = variants_of(experiment)
    for place, variant in enumerate(variants):
        if variant.result is None:
            signs = _Signs(experiment, job, place, len(variants), plan, found.history)
            _run_variant(experiment, variant, found.history, plan, signs)
    _finish(experiment, found, asked, plan, job)


def _with_advantage(
    experiment: Experiment, asked: Asked, found: Found, job: ClaimedJob
) -> Plan:
    """Return the plan with White's advantage, which is fitted once and then kept."""
    plan, white = asked.plan(found.seeds), White(asked.white)
    if white is White.FITTED and "white_advantage" not in experiment.facts:
        fitted = trained_advantage(found.history, plan)
        with job.part(message=_("Fitting White’s advantage.")):
            current = refuse_closed(experiment.pk)
            current.facts = {**current.facts, "white_advantage": fitted}
            current.save(update_fields=["facts"])
        experiment.facts = current.facts
    kept = experiment.facts.get("white_advantage")
    return with_advantage(plan, white, Advantage(*kept) if kept else None)


def _begun(experiment_id: int, job: ClaimedJob) -> Experiment:
    with job.part():
        experiment = refuse_closed(experiment_id)
        experiment.status = Experiment.Status.RUNNING
        experiment.save(update_fields=["status"])
    return experiment


def _refuse_open(experiment_id: int) -> None:
    if locked(experiment_id).is_open:
        raise ExperimentResumed


def _games(experiment: Experiment, job: ClaimedJob) -> Found:
    """Return the games, as they were kept when the experiment first read them."""
    if experiment.history_id is not None:
        # Read here only: beside the games its bytes would be held until the end.
        return kept_games(GamesHistory.objects.get(pk=experiment.history_id))
    job.beat(message=_("Reading the games."))
    asked = Asked.from_json(experiment.plan)
    if asked.chosen is not None:
        found = from_books(asked.chosen)
    else:
        found = _sent_games(experiment)
    experiment.findings = found.findings
    Experiment.objects.filter(pk=experiment.pk).update(findings=found.findings)
    _refuse_unfit(found)
    with job.part(message=_("Reading the games.")):
        refuse_closed(experiment.pk)
        experiment.history = keep(found)
        experiment.facts = {"books": found.high_water}
        experiment.save(update_fields=["history", "facts"])
    return found


def _sent_games(experiment: Experiment) -> Found:
    try:
        return read_sent_games(experiment.file.name, bytes(experiment.file.content))
    except TooMuchWork as much:
        raise NoGames(
            _("Reading the file takes too long or too much memory. Send a part of it.")
        ) from much


def _refuse_unfit(found: Found) -> None:
    if not len(found.history):
        raise NoGames(
            _("There is no game to run an experiment on. Choose other games.")
        )


@dataclass
class _Signs:
    """Shows how far the work has come, and stops it when it was canceled."""

    experiment: Experiment
    job: ClaimedJob
    place: int
    of: int
    plan: Plan
    history: History
    last: float = 0.0

    def __post_init__(self) -> None:
        periods = self.history.periods(
            self.plan.months, self.plan.first_day, self.plan.last_day
        )
        self.periods = max(1, sum(1 for _ in periods))

    def __call__(self, moment: Moment, table: Table) -> None:
        now = time.monotonic()
        if now - self.last < SECONDS_BETWEEN_SIGNS and self.last:
            return
        self.last = now
        self.job.beat(
            done=STEPS * self.place + STEPS * (moment.period + 1) // self.periods,
            total=STEPS * (self.of + 1),
            message=_("Variant {number} of {of}.").format(
                number=self.place + 1, of=self.of
            ),
        )
        current = Experiment.objects.only("status").get(pk=self.experiment.pk)
        if not current.is_open:
            raise ExperimentClosed


def _run_variant(
    experiment: Experiment,
    variant: ExperimentVariant,
    history: History,
    plan: Plan,
    signs: _Signs,
) -> None:
    """Run one variant and keep what came out, all of it or nothing."""
    system = SYSTEMS[variant.system]
    asked = Variant(variant.system, tuple(map(tuple, variant.parameters)))
    drift = Drift(history, system, every=max(1, signs.periods // MOST_SNAPSHOTS))
    began = time.monotonic()
    try:
        outcome = run(
            system,
            asked.parameters(plan.white_advantage),
            history,
            plan,
            [signs, drift],
            keep_ratings=True,
        )
    except (ArithmeticError, ValueError) as problem:
        words = _("{variant} cannot rate these games: {problem}.")
        raise VariantFailed(
            words.format(variant=asked.label, problem=problem)
        ) from problem
    result = {
        "drift": drift_record(drift.snapshots),
        "periods": outcome.periods,
        "predicted": sum(1 for value in outcome.predictions if value == value),
        "seconds": round(time.monotonic() - began, 2),
    }
    columns = Columns(
        outcome.predictions,
        outcome.white_ratings,
        outcome.black_ratings,
        array("d", final_ratings(outcome, system)),
    )
    packed, digest = pack(columns), outcome.digest()
    with signs.job.part(done=STEPS * (signs.place + 1), total=STEPS * (signs.of + 1)):
        refuse_closed(experiment.pk)
        keep_outcome(variant, result=result, predictions=packed, digest=digest)


def _finish(
    experiment: Experiment, found: Found, asked: Asked, plan: Plan, job: ClaimedJob
) -> None:
    variants = variants_of(experiment)
    job.beat(
        done=STEPS * len(variants),
        total=STEPS * (len(variants) + 1),
        message=_("Comparing the variants."),
    )
    done = [_done(one, len(found.history)) for one in variants]
    results = results_of(experiment.kind, found.history, plan, done, asked)
    with job.commit(_("Done.")):
        current = refuse_closed(experiment.pk)
        current.status = Experiment.Status.DONE
        current.finished_at = timezone.now()
        if current.standing_month:
            current.published_at = current.finished_at
        current.message = ""
        current.results = results
        current.results_digest = _digest(variants)
        current.facts = {**current.facts, **program(), **_recipe(found, plan)}
        current.save()


def _done(variant: ExperimentVariant, games: int) -> Done:
    return Done(
        variant.number,
        variant.system,
        tuple(map(tuple, variant.parameters)),
        *columns_of(variant, games),
    )


def _digest(variants: Sequence[ExperimentVariant]) -> str:
    """Name all that came out: equal digests, equal bits."""
    seal = sha256()
    for one in variants:
        seal.update(one.digest.encode())
    return seal.hexdigest()


def _recipe(found: Found, plan: Plan) -> dict[str, Any]:
    seeds = json.dumps(sorted(plan.seeds.items())).encode()
    return {
        "history": found.history.digest(),
        "seeds": sha256(seeds).hexdigest() if plan.seeds else "",
    }


def _fail(experiment_id: int, message: str) -> None:
    Experiment.objects.filter(
        pk=experiment_id, status__in=Experiment.OPEN_STATUSES
    ).update(status=Experiment.Status.FAILED, message=message)
