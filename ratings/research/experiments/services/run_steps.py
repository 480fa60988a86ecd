"""What runs of all kinds of experiments share: progress, output, and the end."""

import platform
import time
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.engine import ENGINE_VERSION
from ratings.laboratory.experiment import LABORATORY_VERSION
from ratings.models import Experiment, ExperimentVariant
from ratings.research.experiments.services.lifecycle import (
    ExperimentClosed,
    lock_open_experiment,
)
from ratings.research.experiments.services.stored_columns import save_outcome
from ratings_site.common.jobs.services import ClaimedJob

# How often a run reports its progress and checks whether it was canceled.
SECONDS_BETWEEN_UPDATES = 0.5
# The steps of progress for each variant.
STEPS = 100


class VariantProgress:
    """Reports the progress of one of *of* variants, and stops it if it is canceled."""

    def __init__(
        self, experiment: Experiment, job: ClaimedJob, place: int, of: int
    ) -> None:
        self._experiment, self._job = experiment, job
        self._place, self._of = place, of
        self._total = STEPS * (of + 1)
        self._began = time.monotonic()
        self._last = 0.0

    def report(self, done: float) -> None:
        """Report so many of the variant's steps."""
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_UPDATES and self._last:
            return
        self._last = now
        self._job.beat(
            done=int(STEPS * self._place + done),
            total=self._total,
            message=_("Variant {number} of {of}.").format(
                number=self._place + 1, of=self._of
            ),
        )
        current = Experiment.objects.only("status").get(pk=self._experiment.pk)
        if not current.is_open:
            raise ExperimentClosed

    def seconds(self) -> float:
        return round(time.monotonic() - self._began, 2)

    def store(self, variant: ExperimentVariant, **outcome: Any) -> None:
        """Store the variant's output (see `save_outcome`), all of it or nothing."""
        with self._job.part(done=STEPS * (self._place + 1), total=self._total):
            lock_open_experiment(self._experiment.pk)
            save_outcome(variant, **outcome)


def tell_comparing(job: ClaimedJob, variants: int) -> None:
    job.beat(
        done=STEPS * variants,
        total=STEPS * (variants + 1),
        message=_("Comparing the variants."),
    )


def finish(
    experiment: Experiment,
    job: ClaimedJob,
    variants: Iterable[ExperimentVariant],
    *,
    facts: dict[str, Any],
    **values: Any,
) -> None:
    """Close an experiment with these *values* and *facts*."""
    with job.commit(_("Done.")):
        current = lock_open_experiment(experiment.pk)
        current.status = Experiment.Status.DONE
        current.finished_at = timezone.now()
        if current.standing_month:
            current.published_at = current.finished_at
        current.message = ""
        current.results_digest = _digest(variants)
        current.facts = {**current.facts, **_program(), **facts}
        for name, value in values.items():
            setattr(current, name, value)
        current.save()


def _digest(variants: Iterable[ExperimentVariant]) -> str:
    """Return a digest of all outputs: equal digests, equal bits."""
    return sha256("".join(one.digest for one in variants).encode()).hexdigest()


def _program() -> dict[str, Any]:
    """Return the versions it was run with, so that it can be repeated elsewhere."""
    return {
        "laboratory": LABORATORY_VERSION,
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
