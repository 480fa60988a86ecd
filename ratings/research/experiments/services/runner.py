"""The job that runs an experiment, one variant after the other."""

import json
from array import array
from hashlib import sha256
from typing import Any, cast

from django.utils.translation import gettext as _
from django.utils.translation import override

from ratings.engine.rule_history import NoRuleInForce
from ratings.laboratory.drift import DriftObserver
from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.protocol import Moment, Table
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.rule_change import final_ratings
from ratings.laboratory.training import (
    FittedAdvantage,
    WhiteAdvantageMode,
    trained_advantage,
    with_advantage,
)
from ratings.models import Experiment, ExperimentVariant, GamesFile, GamesHistory
from ratings.rerates.services.replay import NotReplayable
from ratings.research.experiments.plans import RunOptions, Variant, is_ledger_experiment
from ratings.research.experiments.queries.experiments import variants_of
from ratings.research.experiments.services.game_files import read_uploaded_games
from ratings.research.experiments.services.histories import (
    ExperimentGames,
    NoGames,
    load_games,
    read_ledger_games,
    store_games,
)
from ratings.research.experiments.services.ledger_replay_job import replay_and_compare
from ratings.research.experiments.services.lifecycle import (
    ExperimentClosed,
    lock_experiment,
    lock_open_experiment,
)
from ratings.research.experiments.services.results import (
    FinishedVariant,
    drift_record,
    results_of,
)
from ratings.research.experiments.services.run_steps import (
    STEPS,
    VariantProgress,
    finish,
    tell_comparing,
)
from ratings.research.experiments.services.stored_columns import (
    Columns,
    load_columns,
    pack,
)
from ratings.research.experiments.variant_names import variant_name
from ratings_site.common.jobs.sandbox import SandboxLimitExceeded
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobFailed
from ratings_site.common.uploads.services import read_upload

# More of them would not improve a plot's lines.
MAX_SNAPSHOTS = 60


class ExperimentResumed(Exception):
    """Raised if the experiment was resumed before its worker had stopped."""


class VariantFailed(Exception):
    """Raised if a system cannot rate these games; a retry would not help."""


def run_experiment(*, experiment_id: int, job: ClaimedJob) -> None:
    """Run a queued experiment, or resume one that stopped, until it is done."""
    try:
        with override(None), job.keep_alive():
            while not _run_until_done(experiment_id, job):
                pass
    except (NoGames, NoRuleInForce, NotReplayable, VariantFailed) as fault:
        _fail(experiment_id, str(fault))
        raise JobFailed(str(fault)) from fault
    except Exception as error:
        if job.attempt >= MAX_ATTEMPTS:
            _fail(experiment_id, f"{type(error).__name__}: {error}")
        raise


def _run_until_done(experiment_id: int, job: ClaimedJob) -> bool:
    """Work until all is done or canceled; False if it was resumed at that moment.

    Resuming relies on an open job, so the job ends only while the experiment is locked
    and closed.
    """
    try:
        _work(experiment_id, job)
    except ExperimentClosed:
        try:
            with job.commit(_("Canceled.")):
                _raise_if_resumed(experiment_id)
        except ExperimentResumed:
            return False
    return True


def _work(experiment_id: int, job: ClaimedJob) -> None:
    experiment = _mark_running(experiment_id, job)
    if is_ledger_experiment(experiment):
        replay_and_compare(experiment, job)
        return
    found = _games(experiment, job)
    asked = RunOptions.from_json(experiment.plan)
    plan = _with_advantage(experiment, asked, found, job)
    variants = variants_of(experiment)
    for place, variant in enumerate(variants):
        if variant.result is None:
            progress = VariantProgress(experiment, job, place, len(variants))
            _run_variant(variant, found.history, plan, progress)
    _finish(experiment, found, asked, plan, job)


def _with_advantage(
    experiment: Experiment, asked: RunOptions, found: ExperimentGames, job: ClaimedJob
) -> Plan:
    """Return the plan with White's advantage, which is fitted once and then stored."""
    plan, white = asked.plan(found.seeds), WhiteAdvantageMode(asked.white)
    if white is WhiteAdvantageMode.FITTED and "white_advantage" not in experiment.facts:
        fitted = trained_advantage(found.history, plan)
        with job.part(message=_("Estimating White’s advantage.")):
            current = lock_open_experiment(experiment.pk)
            current.facts = {**current.facts, "white_advantage": fitted}
            current.save(update_fields=["facts"])
        experiment.facts = current.facts
    kept = experiment.facts.get("white_advantage")
    return with_advantage(plan, white, FittedAdvantage(*kept) if kept else None)


def _mark_running(experiment_id: int, job: ClaimedJob) -> Experiment:
    with job.part():
        experiment = lock_open_experiment(experiment_id)
        experiment.status = Experiment.Status.RUNNING
        experiment.save(update_fields=["status"])
    return experiment


def _raise_if_resumed(experiment_id: int) -> None:
    if lock_experiment(experiment_id).is_open:
        raise ExperimentResumed


def _games(experiment: Experiment, job: ClaimedJob) -> ExperimentGames:
    """Return the games, as stored when the experiment first read them."""
    if experiment.history_id is not None:
        # Not cached: its bytes would stay in memory until the end.
        return load_games(GamesHistory.objects.get(pk=experiment.history_id))
    job.beat(message=_("Reading the games."))
    asked = RunOptions.from_json(experiment.plan)
    if asked.chosen is not None:
        found = read_ledger_games(asked.chosen)
    else:
        found = _uploaded_games(cast(GamesFile, experiment.file))
    experiment.findings = found.findings
    Experiment.objects.filter(pk=experiment.pk).update(findings=found.findings)
    _validate_games(found)
    with job.part(message=_("Reading the games.")):
        lock_open_experiment(experiment.pk)
        experiment.history = store_games(found)
        experiment.facts = {"books": found.high_water}
        experiment.save(update_fields=["history", "facts"])
    return found


def _uploaded_games(file: GamesFile) -> ExperimentGames:
    try:
        return read_uploaded_games(file.name, read_upload(file.stored_as))
    except SandboxLimitExceeded as much:
        raise NoGames(_("The file is too large to read. Send part of it.")) from much


def _validate_games(found: ExperimentGames) -> None:
    if not len(found.history):
        raise NoGames(_("There are no games for this experiment. Choose other games."))


def _run_variant(
    variant: ExperimentVariant,
    history: History,
    plan: Plan,
    progress: VariantProgress,
) -> None:
    """Run one variant and store its output, all of it or nothing."""
    system = SYSTEMS[variant.system]
    asked = Variant(variant.system, tuple(map(tuple, variant.parameters)))
    periods = max(
        1,
        sum(
            1 for _period in history.periods(plan.months, plan.first_day, plan.last_day)
        ),
    )
    drift = DriftObserver(history, system, every=max(1, periods // MAX_SNAPSHOTS))

    def report(moment: Moment, table: Table) -> None:
        progress.report(STEPS * (moment.period + 1) // periods)

    try:
        outcome = run(
            system,
            asked.parameters(plan.white_advantage),
            history,
            plan,
            [report, drift],
            keep_ratings=True,
        )
    except (ArithmeticError, ValueError) as problem:
        words = _("{variant} can’t rate these games: {problem}.")
        raise VariantFailed(
            words.format(variant=variant_name(asked), problem=problem)
        ) from problem
    result = {
        "drift": drift_record(drift.snapshots),
        "periods": outcome.periods,
        "predicted": sum(1 for value in outcome.predictions if value == value),
        "seconds": progress.seconds(),
    }
    columns = Columns(
        outcome.predictions,
        outcome.white_ratings,
        outcome.black_ratings,
        array("d", final_ratings(outcome, system)),
    )
    progress.store(
        variant, result=result, predictions=pack(columns), digest=outcome.digest()
    )


def _finish(
    experiment: Experiment,
    found: ExperimentGames,
    asked: RunOptions,
    plan: Plan,
    job: ClaimedJob,
) -> None:
    variants = variants_of(experiment)
    tell_comparing(job, len(variants))
    games = len(found.history)
    done = [FinishedVariant.of(one, load_columns(one, games)) for one in variants]
    results = results_of(experiment.kind, found.history, plan, done, asked)
    finish(experiment, job, variants, results=results, facts=_recipe(found, plan))


def _recipe(found: ExperimentGames, plan: Plan) -> dict[str, Any]:
    seeds = json.dumps(sorted(plan.seeds.items())).encode()
    return {
        "history": found.history.digest(),
        "seeds": sha256(seeds).hexdigest() if plan.seeds else "",
    }


def _fail(experiment_id: int, message: str) -> None:
    Experiment.objects.filter(
        pk=experiment_id, status__in=Experiment.OPEN_STATUSES
    ).update(status=Experiment.Status.FAILED, message=message)
