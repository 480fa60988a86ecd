"""A rerate that a manager approves: a worker publishes it, in steps.

What has arrived is caught up with while others go on writing ratings. Only then are
these held, for the moment in which the flags move.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from ratings.models import Run
from ratings.rerates.services.effects import why_not_publish
from ratings.rerates.services.passes import has_ended
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
from ratings.rerates.services.running import RunClosed, at_work
from ratings.rerates.services.shown import Preview
from ratings.rerates.services.starting import PUBLISH, RerateRefused, said
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.jobs.services import ClaimedJob, enqueue
from ratings_site.common.models import User

# So often it catches up while others write ratings; then while they wait.
MOST_PASSES = 3


def approve_rerate(
    *,
    run_id: int,
    actor: User | None,
    reason: str,
    shown_pass: int,
    with_arrivals: bool = False,
) -> Run:
    """Record that somebody wants a finished rerate published, and queue it.

    *shown_pass* is the pass whose preview the person has looked at; if there is a
    newer one, PreviewChanged is raised. *with_arrivals* is the leave to publish
    although what arrives until then moves its counts a little. A rerate that is being
    published already, or has been, stays as it is.
    """
    require(actor, PUBLISH_PERMISSION)
    reason = said(reason)
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status in (Run.Status.PUBLISHING, Run.Status.PUBLISHED):
            return run
        refuse_unready(run)
        if shown_pass != run.pass_number:
            raise PreviewChanged(str(OUTDATED))
        if fault := why_not_publish(run):
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
    """Publish an approved rerate, or go on where a worker died.

    If what has arrived changes the *preview* that was approved, or a check fails, it
    is not published: it is ready again, and says why.
    """
    with at_work(job, lambda why: _give_up(run_id, why)):
        _catch_up_in_steps(run_id, job)
        with job.commit():
            hold_ratings()
            _finish(_approved(run_id), Preview.stored(preview))


def _catch_up_in_steps(run_id: int, job: ClaimedJob) -> None:
    run = Run.objects.get(pk=run_id)

    @contextmanager
    def part() -> Iterator[None]:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        with job.part(done=done, total=total, message=f"Pass {run.pass_number}"):
            _approved(run_id)
            yield

    for _pass in range(MOST_PASSES):
        if is_up_to_date(run):
            break
        catch_up(run, part)


def _approved(run_id: int) -> Run:
    run = locked_run(run_id)
    if run.status != Run.Status.PUBLISHING:
        raise RunClosed
    return run


def _finish(run: Run, shown: Preview) -> None:
    """Move the flags, or say why not; the ratings are held by the caller."""
    catch_up(run, transaction.atomic)
    if why_not := why_not_publish(run):
        _give_back(run, _("Not published: {why}").format(why=why_not))
    elif news := shown.news(run):
        run.progress["news"] = news.as_json()
        _give_back(run, str(news))
    else:
        make_public(run, actor=run.published_by, reason=run.publish_reason)


def _give_back(run: Run, message: str) -> None:
    """Let somebody look at it again; after half a pass history is replayed first."""
    run.status = Run.Status.READY if has_ended(run) else Run.Status.FAILED
    run.message = message
    run.save(update_fields=["status", "message", "progress"])
    record("rerate.not_published", subject=run, actor=None, reason=run.message)


def _give_up(run_id: int, message: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHING:
            _give_back(run, _("Not published: {why}").format(why=message))
