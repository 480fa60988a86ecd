"""Approve a rerate: a worker publishes it, in steps.

New reports are included while others continue to write ratings. Only then are the
ratings locked, while the flags move.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from ratings.models import Run
from ratings.rerates.services.approved_preview import Preview
from ratings.rerates.services.change_summary import publish_denial_reason
from ratings.rerates.services.execution import RunClosed, job_guard
from ratings.rerates.services.passes import is_complete
from ratings.rerates.services.publishing import (
    OUTDATED,
    PUBLISH_PERMISSION,
    PreviewChanged,
    catch_up,
    is_up_to_date,
    locked_run,
    make_public,
    refuse_unready,
)
from ratings.rerates.services.start import PUBLISH, RerateRefused, clean_reason
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.jobs.services import ClaimedJob, enqueue
from ratings_site.common.models import User

# Passes to catch up without the lock; after that it holds the lock.
MAX_PASSES = 3


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
        preview = Preview.of(run, with_arrivals=with_arrivals)
        args = {"run_id": run.pk, "preview": preview.as_json()}
        enqueue(PUBLISH, key=str(run.pk), args=args)
    return run


def publish_approved(*, run_id: int, preview: dict[str, Any], job: ClaimedJob) -> None:
    """Publish an approved rerate, or continue after a worker died.

    If new reports change the *preview* that was approved, or a check fails, it is not
    published: it becomes ready again, with the reason.
    """
    with job_guard(job, lambda why: _give_up(run_id, why)):
        _catch_up_in_steps(run_id, job)
        with job.commit():
            lock_ratings()
            _finish(_approved(run_id), Preview.stored(preview))


def _catch_up_in_steps(run_id: int, job: ClaimedJob) -> None:
    run = Run.objects.get(pk=run_id)

    @contextmanager
    def part() -> Iterator[None]:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        with job.part(done=done, total=total, message=f"Pass {run.pass_number}"):
            _approved(run_id)
            yield

    for _pass in range(MAX_PASSES):
        if is_up_to_date(run):
            break
        catch_up(run, part)


def _approved(run_id: int) -> Run:
    run = locked_run(run_id)
    if run.status != Run.Status.PUBLISHING:
        raise RunClosed
    return run


def _finish(run: Run, shown: Preview) -> None:
    """Move the flags, or return why not; the caller has locked the ratings."""
    catch_up(run, transaction.atomic)
    if denial_reason := publish_denial_reason(run):
        _give_back(run, _("Not published: {why}").format(why=denial_reason))
    elif news := shown.news(run):
        run.progress["news"] = news.as_json()
        _give_back(run, str(news))
    else:
        make_public(run, actor=run.published_by, reason=run.publish_reason)


def _give_back(run: Run, message: str) -> None:
    """Return the run for another review; after half a pass it is replayed first."""
    run.status = Run.Status.READY if is_complete(run) else Run.Status.FAILED
    run.message = message
    run.save(update_fields=["status", "message", "progress"])
    record("rerate.not_published", subject=run, actor=None, reason=run.message)


def _give_up(run_id: int, message: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHING:
            _give_back(run, _("Not published: {why}").format(why=message))
