"""Run a rerate in a job: passes through history until no new report arrives."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ratings.models import Run
from ratings.rerates.services.change_summary import failed_checks
from ratings.rerates.services.passes import run_pass
from ratings.rerates.services.publishing import make_public
from ratings.rerates.services.replay import CHUNK_ROWS
from ratings.rerates.services.snapshot import Snapshot
from ratings_site.common.db.locks import RatingsBusy, lock_ratings
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobLost

# After so many passes the remaining reports are included at publication.
MAX_PASSES = 5


class RunClosed(Exception):
    """The run no longer has the expected status: it was discarded, or is done."""


class _NewArrivals(Exception):
    """New reports have arrived since the pass began."""


def run_rerate(*, run_id: int, job: ClaimedJob, chunk_rows: int = CHUNK_ROWS) -> None:
    """Run a queued rerate, or continue one whose worker died, until it is ready."""
    with job_guard(job, lambda why: _fail(run_id, why)):
        _work(run_id, job, chunk_rows)


@contextmanager
def job_guard(job: ClaimedJob, give_up: Callable[[str], None]) -> Iterator[None]:
    """Keep a run's job alive, and *give_up* with the reason after its last attempt."""
    try:
        with job.keep_alive():
            yield
    except RunClosed:
        return
    except (RatingsBusy, JobLost):
        raise  # the job goes on: it waits, or another worker has it
    except Exception as error:
        if job.attempt >= MAX_ATTEMPTS:
            give_up(f"{type(error).__name__}: {error}")
        raise


def _work(run_id: int, job: ClaimedJob, chunk_rows: int) -> None:
    run = _begin_run(run_id, job)

    @contextmanager
    def part() -> Iterator[None]:
        # Ownership is checked last: the check blocks other parts, which are written in
        # parallel.
        with transaction.atomic():
            yield
            _refuse_closed(run_id)
            done, total = run.progress.get("done", 0), run.progress.get("total", 0)
            with job.part(done=done, total=total, message=f"Pass {run.pass_number}"):
                pass

    for number in range(1, MAX_PASSES + 1):
        run_pass(run, part, chunk_rows=chunk_rows)
        try:
            _finish(run, job, is_last=number == MAX_PASSES)
        except _NewArrivals:
            continue
        break


def _begin_run(run_id: int, job: ClaimedJob) -> Run:
    with transaction.atomic():
        run = _refuse_closed(run_id)
        run.status = Run.Status.RUNNING
        run.save(update_fields=["status"])
        with job.part():
            return run


def _refuse_closed(run_id: int) -> Run:
    # This lock allows writing rows that point to the run.
    held = Run.objects.select_for_update(of=("self",), no_key=True)
    run = held.get(pk=run_id)
    if run.status not in (Run.Status.QUEUED, Run.Status.RUNNING):
        raise RunClosed(run.standing())
    return run


def _finish(run: Run, job: ClaimedJob, *, is_last: bool) -> None:
    with job.commit("Ready."):
        lock_ratings()
        _refuse_closed(run.pk)
        if Snapshot.now() != Snapshot.stored(run.progress) and not is_last:
            raise _NewArrivals
        run.status = Run.Status.READY
        run.ready_at = timezone.now()
        run.message = ""
        run.save()
        changes = run.summary["whole_changes"]
        if _is_auto_published(run) and Snapshot.now() == Snapshot.stored(run.progress):
            make_public(
                run,
                actor=None,
                reason=f"automatically: {changes} ratings change in whole numbers",
            )


def _is_auto_published(run: Run) -> bool:
    most = settings.RERATE_AUTO_PUBLISH_UP_TO
    return most > 0 and run.summary["whole_changes"] <= most and not failed_checks(run)


def _fail(run_id: int, message: str) -> None:
    Run.objects.filter(
        pk=run_id, status__in=(Run.Status.QUEUED, Run.Status.RUNNING)
    ).update(status=Run.Status.FAILED, message=message)
