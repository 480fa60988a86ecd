"""The job for our own rules on our own ledger: a replay is one unit of work."""

from array import array
from dataclasses import replace
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from ratings.laboratory.experiment import Plan
from ratings.laboratory.history import History, column_bytes
from ratings.laboratory.our_rules import CONTROL, Level, Members, Replay, RulesResult
from ratings.laboratory.verdict import describe_control
from ratings.laboratory.yearly_results import by_year
from ratings.models import Experiment, ExperimentVariant
from ratings.research.experiments.plans import RulesVariant, RunOptions
from ratings.research.experiments.queries.experiments import variants_of
from ratings.research.experiments.services.histories import (
    ExperimentGames,
    NoGames,
    store_games,
)
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    ReplayOutput,
    replay_ledger,
)
from ratings.research.experiments.services.lifecycle import lock_open_experiment
from ratings.research.experiments.services.our_rules import (
    build_rules_result,
    effects_against_rules,
    from_bytes,
    measurement_of,
    replay_digest,
    to_bytes,
)
from ratings.research.experiments.services.results import (
    FinishedVariant,
    changes_of,
    measured_results,
    years_record,
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
    load_replay,
    pack,
)
from ratings_site.common.jobs.services import ClaimedJob


def replay_and_compare(experiment: Experiment, job: ClaimedJob) -> None:
    """Run the replays that are not done yet, and compare; finished ones are kept.

    If the ledger has changed since, all is replayed again. Raises NoGames if the
    unchanged rules do not reproduce the ledger: then there is no verdict.
    """
    asked = RunOptions.from_json(experiment.plan)
    assert asked.chosen is not None  # noqa: S101 (an experiment on the ledger has one)
    job.beat(message=_("Reading the games."))
    sources = LedgerSources.read(asked.chosen.first_day, asked.chosen.last_day)
    _reset_if_changed(experiment, replay_digest(sources), job)
    variants = variants_of(experiment)
    for place, variant in enumerate(variants):
        if variant.result is None:
            progress = VariantProgress(experiment, job, place, len(variants))
            _replay(variant, sources, asked.chosen.system, progress)
    members = sources.members()
    del sources  # all sections of the nation, no longer needed
    _finish(experiment, members, asked, job)


def _reset_if_changed(experiment: Experiment, digest: str, job: ClaimedJob) -> None:
    with job.part(message=_("Reading the games.")):
        current = lock_open_experiment(experiment.pk)
        if current.facts.get("replayed") != digest:
            experiment.variants.update(
                result=None, predictions=None, replay=None, digest="", finished_at=None
            )
            current.facts = {**current.facts, "replayed": digest}
            current.history = None
            current.save(update_fields=["facts", "history"])


def _replay(
    variant: ExperimentVariant,
    sources: LedgerSources,
    system: str,
    progress: VariantProgress,
) -> None:
    """Replay one variant and store its output, all of it or nothing."""
    asked = RulesVariant(tuple(map(tuple, variant.parameters)))
    found = replay_ledger(
        sources,
        asked.variation(),
        label=variant.label,
        system=system,
        compare_ledger=not asked.changes,
        sign=lambda done: progress.report(STEPS * done),
    )
    replay = found.replay
    result = {
        "drift": [_level_row(level) for level in replay.levels],
        "periods": len(replay.levels),
        "predicted": sum(1 for one in replay.predictions if one == one),
        "seconds": progress.seconds(),
    }
    progress.store(
        variant,
        result=result,
        digest=sha256(column_bytes("d", replay.predictions)).hexdigest(),
        predictions=pack(_as_outcome_columns(replay)),
        replay=to_bytes(_without_columns(found)),
    )


def _level_row(level: Level) -> dict[str, Any]:
    """Return a level as a pool's row on the pages; floors are not counted."""
    return {
        "day": date.fromordinal(level.day).isoformat(),
        "everybody": [None, None, level.players, level.mean, level.spread, None],
        "classes": [],
        "ages": [],
        "bonus_points": level.bonus_points,
    }


def _as_outcome_columns(replay: Replay) -> Columns:
    """Return predictions and ratings in the storage format of all variants."""
    return Columns(
        predictions=replay.predictions,
        white_ratings=replay.one_ratings,
        black_ratings=replay.other_ratings,
        final_ratings=replay.ended.rating,
    )


def _without_columns(found: ReplayOutput) -> ReplayOutput:
    """Return the output that is stored apart from `_as_outcome_columns`."""
    none = array("d")
    bare = replace(found.replay, predictions=none, one_ratings=none, other_ratings=none)
    return replace(found, replay=bare)


def _load_replay(variant: ExperimentVariant, games: int) -> ReplayOutput:
    """Return a stored replay; the control comes first and has the games."""
    found = from_bytes(load_replay(variant))
    columns = load_columns(variant, games or len(found.played.one))
    whole = replace(
        found.replay,
        predictions=columns.predictions,
        one_ratings=array("f", columns.white_ratings),
        other_ratings=array("f", columns.black_ratings),
    )
    return replace(found, replay=whole)


def _finish(
    experiment: Experiment, members: Members, asked: RunOptions, job: ClaimedJob
) -> None:
    assert asked.chosen is not None  # noqa: S101
    variants = variants_of(experiment)
    tell_comparing(job, len(variants))
    replayed: list[ReplayOutput] = []
    for variant in variants:
        games = len(replayed[0].played.one) if replayed else 0
        replayed.append(_load_replay(variant, games))
    answer = build_rules_result(asked.chosen.system, members, replayed)
    if not answer.control.holds:
        said = map(str, describe_control(answer.control))
        raise NoGames(" ".join([*said, *answer.control.faults[:1]]))
    history = answer.history()
    kept = store_games(ExperimentGames(history, {}))
    results = _results(answer, history, asked, variants)
    finish(
        experiment,
        job,
        variants,
        history=kept,
        results=results,
        facts={"history": history.digest()},
    )


def _pair_first(done: list[FinishedVariant]) -> list[FinishedVariant]:
    """Return the variants, the two to compare first: of three, all but the control."""
    return done[1:] if len(done) == 1 + 2 else done


def _results(
    answer: RulesResult,
    history: History,
    asked: RunOptions,
    variants: list[ExperimentVariant],
) -> dict[str, Any]:
    """Return the results for the pages: common ones, and those of this kind only."""
    warm_up_days = asked.warm_up_days or 0
    first_day = (history.first_day or 0) + warm_up_days
    done = [
        FinishedVariant.of(variant, _as_outcome_columns(replay))
        for variant, replay in zip(variants, answer.replays, strict=True)
    ]
    on = measurement_of(answer, history, first_day, asked.least_games)
    results = measured_results(on, CONTROL, Plan(warm_up_days=warm_up_days), done)
    results["years"] = years_record(by_year(on.measured, on.columns, CONTROL))
    results["changes"] = changes_of(history, _pair_first(done), asked)
    results["our_rules"] = {
        "control": {
            "lines": answer.control.lines,
            "equal": answer.control.equal,
        },
        **effects_against_rules(answer, on.between()),
        "reconstructed": [one.variation.is_reconstructed for one in answer.replays],
    }
    return results
