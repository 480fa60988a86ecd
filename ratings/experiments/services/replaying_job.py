"""Our own rules on our own books as a job: a replay is one unit of its work."""

import platform
import time
from array import array
from dataclasses import replace
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.engine import ENGINE_VERSION
from ratings.experiments.plans import Asked, VariedRules
from ratings.experiments.queries.experiments import variants_of
from ratings.experiments.services.asking import ExperimentClosed, refuse_closed
from ratings.experiments.services.histories import Found, NoGames, keep
from ratings.experiments.services.kept import (
    Columns,
    columns_of,
    keep_outcome,
    pack,
    replay_of,
)
from ratings.experiments.services.our_books import (
    answer_of,
    beside_the_rules,
    digest_of,
    from_bytes,
    measurement_of,
    to_bytes,
)
from ratings.experiments.services.replaying import Books, Replayed, replay_books
from ratings.experiments.services.results import (
    Done,
    changes_of,
    measured_results,
    years_record,
)
from ratings.laboratory.experiment import LABORATORY_VERSION, Plan
from ratings.laboratory.history import History, column_bytes
from ratings.laboratory.our_rules import CONTROL, Answer, Level, Members, Replay
from ratings.laboratory.verdict import on_control
from ratings.laboratory.years import by_year
from ratings.models import Experiment, ExperimentVariant
from ratings_site.common.jobs.services import ClaimedJob

SECONDS_BETWEEN_SIGNS = 0.5
STEPS = 100


def replay_and_compare(experiment: Experiment, job: ClaimedJob) -> None:
    """Replay what is not done yet, and compare; what was finished before is kept.

    If the books have changed since, all is replayed again. Raises NoGames where the
    unchanged rules do not give the books: then there is no verdict.
    """
    asked = Asked.from_json(experiment.plan)
    assert asked.chosen is not None  # noqa: S101 (an experiment on the books has one)
    job.beat(message=_("Reading the games."))
    books = Books.read(asked.chosen.first_day, asked.chosen.last_day)
    _begin_again_unless_equal(experiment, digest_of(books), job)
    variants = variants_of(experiment)
    for place, variant in enumerate(variants):
        if variant.result is None:
            signs = _Signs(experiment, job, place, len(variants))
            _replay(experiment, variant, books, asked.chosen.system, signs)
    members = books.members()
    del books  # all sections of the nation, which nobody replays any more
    _finish(experiment, members, asked, job)


def _begin_again_unless_equal(
    experiment: Experiment, digest: str, job: ClaimedJob
) -> None:
    with job.part(message=_("Reading the games.")):
        current = refuse_closed(experiment.pk)
        if current.facts.get("replayed") != digest:
            experiment.variants.update(
                result=None, predictions=None, replay=None, digest="", finished_at=None
            )
            current.facts = {**current.facts, "replayed": digest}
            current.history = None
            current.save(update_fields=["facts", "history"])


class _Signs:
    """Shows how far a replay has come, and stops it when it was canceled."""

    def __init__(
        self, experiment: Experiment, job: ClaimedJob, place: int, of: int
    ) -> None:
        self.experiment, self.job, self.place, self.of = experiment, job, place, of
        self._last = 0.0

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_SIGNS:
            return
        self._last = now
        self.job.beat(
            done=int(STEPS * (self.place + done)),
            total=STEPS * (self.of + 1),
            message=_("Variant {number} of {of}.").format(
                number=self.place + 1, of=self.of
            ),
        )
        current = Experiment.objects.only("status").get(pk=self.experiment.pk)
        if not current.is_open:
            raise ExperimentClosed


def _replay(
    experiment: Experiment,
    variant: ExperimentVariant,
    books: Books,
    system: str,
    signs: _Signs,
) -> None:
    """Replay one variant and keep what came out, all of it or nothing."""
    asked = VariedRules(tuple(map(tuple, variant.parameters)))
    began = time.monotonic()
    found = replay_books(
        books,
        asked.varied(),
        label=variant.label,
        system=system,
        beside=not asked.changes,
        sign=signs,
    )
    replay = found.replay
    result = {
        "drift": [_look(level) for level in replay.levels],
        "periods": len(replay.levels),
        "predicted": sum(1 for one in replay.predictions if one == one),
        "seconds": round(time.monotonic() - began, 2),
    }
    packed = {
        "predictions": pack(_laid_out(replay)),
        "replay": to_bytes(_without_columns(found)),
    }
    digest = sha256(column_bytes("d", replay.predictions)).hexdigest()
    done = STEPS * (signs.place + 1)
    with signs.job.part(done=done, total=STEPS * (signs.of + 1)):
        refuse_closed(experiment.pk)
        keep_outcome(variant, result=result, digest=digest, **packed)


def _look(level: Level) -> dict[str, Any]:
    """Return a level as the pages have the state of a pool; floors are not counted."""
    return {
        "day": date.fromordinal(level.day).isoformat(),
        "everybody": [None, None, level.players, level.mean, level.spread, None],
        "classes": [],
        "ages": [],
        "bonus_points": level.bonus_points,
    }


def _laid_out(replay: Replay) -> Columns:
    """Return predictions and ratings as those of any other variant are kept."""
    return Columns(
        predictions=replay.predictions,
        white_ratings=replay.one_ratings,
        black_ratings=replay.other_ratings,
        final_ratings=replay.ended.rating,
    )


def _without_columns(found: Replayed) -> Replayed:
    """Return what is kept beside `_laid_out`."""
    none = array("d")
    bare = replace(found.replay, predictions=none, one_ratings=none, other_ratings=none)
    return replace(found, replay=bare)


def _kept(variant: ExperimentVariant, games: int) -> Replayed:
    """Return a replay as it was kept; the control comes first and tells the games."""
    found = from_bytes(replay_of(variant))
    columns = columns_of(variant, games or len(found.played.one))
    whole = replace(
        found.replay,
        predictions=columns.predictions,
        one_ratings=array("f", columns.white_ratings),
        other_ratings=array("f", columns.black_ratings),
    )
    return replace(found, replay=whole)


def _finish(
    experiment: Experiment, members: Members, asked: Asked, job: ClaimedJob
) -> None:
    assert asked.chosen is not None  # noqa: S101
    variants = variants_of(experiment)
    job.beat(
        done=STEPS * len(variants),
        total=STEPS * (len(variants) + 1),
        message=_("Comparing the variants."),
    )
    replayed: list[Replayed] = []
    for variant in variants:
        games = len(replayed[0].played.one) if replayed else 0
        replayed.append(_kept(variant, games))
    answer = answer_of(asked.chosen.system, members, replayed)
    if not answer.control.holds:
        said = map(str, on_control(answer.control))
        raise NoGames(" ".join([*said, *answer.control.faults[:1]]))
    history = answer.history()
    kept = keep(Found(history, {}))
    results = _results(answer, history, asked, variants)
    with job.commit(_("Done.")):
        current = refuse_closed(experiment.pk)
        current.status = Experiment.Status.DONE
        current.finished_at = timezone.now()
        current.message = ""
        current.history = kept
        current.results = results
        current.results_digest = _digest(variants)
        current.facts = {
            **current.facts,
            **program(),
            "history": history.digest(),
        }
        current.save()


def _results(
    answer: Answer,
    history: History,
    asked: Asked,
    variants: list[ExperimentVariant],
) -> dict[str, Any]:
    """Return what the pages show: as of any experiment, and what only this one has."""
    warm_up_days = asked.warm_up_days or 0
    first_day = (history.first_day or 0) + warm_up_days
    done = [
        Done(
            variant.number,
            variant.system,
            tuple(map(tuple, variant.parameters)),
            *_laid_out(replay),
        )
        for variant, replay in zip(variants, answer.replays, strict=True)
    ]
    on = measurement_of(answer, history, first_day, asked.least_games)
    results = measured_results(on, CONTROL, Plan(warm_up_days=warm_up_days), done)
    results["years"] = years_record(by_year(on.measured, on.columns, CONTROL))
    results["changes"] = changes_of(history, done, asked)
    results["our_rules"] = {
        "control": {
            "lines": answer.control.lines,
            "equal": answer.control.equal,
        },
        **beside_the_rules(answer, on.between()),
        "reconstructed": [one.varied.is_reconstructed for one in answer.replays],
    }
    return results


def _digest(variants: list[ExperimentVariant]) -> str:
    """Name all that came out: equal digests, equal bits."""
    seal = sha256()
    for one in variants:
        seal.update(one.digest.encode())
    return seal.hexdigest()


def program() -> dict[str, Any]:
    """Say with what it was run, for who wants to repeat it elsewhere."""
    return {
        "laboratory": LABORATORY_VERSION,
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
