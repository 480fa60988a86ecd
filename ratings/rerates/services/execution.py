"""The jobs of rerates: replay history, and publish as approved."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.models import Run
from ratings.rerates.services.change_summary import failed_checks, publish_denial_reason
from ratings.rerates.services.passes import is_complete, run_pass
from ratings.rerates.services.publishing import (
    OUTDATED,
    PUBLISH_PERMISSION,
    PreviewChanged,
    catch_up,
    changes_sentence,
    is_up_to_date,
    locked_run,
    make_public,
    preview_changes,
    refuse_unready,
    reviewed_preview,
)
from ratings.rerates.services.replay import CHUNK_ROWS
from ratings.rerates.services.start import (
    PUBLISH,
    RerateRefused,
    Snapshot,
    clean_reason,
)
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy, lock_ratings
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobLost, enqueue
from ratings_site.common.models import User

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


# Passes to catch up without the lock; after that it holds the lock.
MAX_CATCH_UPS = 3


def approve_rerate(
    *,
    run_id: int,
    actor: User | None,
    reason: str,
    shown_pass: int,
    with_arrivals: bool = False,
) -> Run:
    """Record the approval of a finished rerate, and queue its publication.

    *shown_pass* is the pass whose preview the person has reviewed; PreviewChanged is
    raised if there is a newer one. *with_arrivals* allows publishing although reports
    that arrive until then change its counts a little. A rerate that is being published
    already, or has been, does not change.
    """
    require_permission(actor, PUBLISH_PERMISSION)
    reason = clean_reason(reason)
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status in (Run.Status.PUBLISHING, Run.Status.PUBLISHED):
            return run
        refuse_unready(run)
        if shown_pass != run.pass_number:
            raise PreviewChanged(str(OUTDATED))
        if fault := publish_denial_reason(run):
            raise RerateRefused(fault)
        run.status, run.message = Run.Status.PUBLISHING, ""
        run.published_by, run.publish_reason = actor, reason
        run.save()
        record(
            "rerate.approved",
            subject=run,
            actor=actor,
            reason=reason,
            facts={"with_arrivals": with_arrivals},
        )
        preview = reviewed_preview(run, with_arrivals=with_arrivals)
        args = {"run_id": run.pk, "preview": preview}
        enqueue(PUBLISH, key=str(run.pk), args=args, actor=actor)
    return run


def publish_approved(*, run_id: int, preview: dict[str, Any], job: ClaimedJob) -> None:
    """Publish an approved rerate, or continue after a worker died.

    If new reports change the *preview* that was approved, or a check fails, it is not
    published: it becomes ready again, with the reason.
    """
    with job_guard(job, lambda why: _give_up_publishing(run_id, why)):
        _catch_up_in_steps(run_id, job)
        with job.commit():
            lock_ratings()
            _publish(_approved(run_id), preview)


def _catch_up_in_steps(run_id: int, job: ClaimedJob) -> None:
    run = Run.objects.get(pk=run_id)

    @contextmanager
    def part() -> Iterator[None]:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        with job.part(done=done, total=total, message=f"Pass {run.pass_number}"):
            _approved(run_id)
            yield

    for _pass in range(MAX_CATCH_UPS):
        if is_up_to_date(run):
            break
        catch_up(run, part)


def _approved(run_id: int) -> Run:
    run = locked_run(run_id)
    if run.status != Run.Status.PUBLISHING:
        raise RunClosed
    return run


def _publish(run: Run, shown: Mapping[str, Any]) -> None:
    """Move the flags, or return why not; the caller has locked the ratings."""
    catch_up(run, transaction.atomic)
    if denial_reason := publish_denial_reason(run):
        _return_for_review(run, _("Not published: {why}").format(why=denial_reason))
    elif news := preview_changes(shown, run):
        run.progress["news"] = news
        _return_for_review(run, changes_sentence(news))
    else:
        make_public(run, actor=run.published_by, reason=run.publish_reason)


def _return_for_review(run: Run, message: str) -> None:
    """Return the run for another review; after half a pass it is replayed first."""
    run.status = Run.Status.READY if is_complete(run) else Run.Status.FAILED
    run.message = message
    run.save(update_fields=["status", "message", "progress"])
    record("rerate.not_published", subject=run, actor=None, reason=run.message)


def _give_up_publishing(run_id: int, message: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHING:
            _return_for_review(run, _("Not published: {why}").format(why=message))
