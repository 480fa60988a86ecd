"""The jobs of rerates: replay history, publish as approved, and undo."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.ledger.queries.published_ratings import lists_since
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.projection import reproject
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings.rerates.services.change_summary import (
    failed_checks,
    final_calculations,
    publish_denial_reason,
)
from ratings.rerates.services.passes import is_complete, run_pass
from ratings.rerates.services.publishing import (
    OUTDATED,
    PUBLISH_PERMISSION,
    PreviewChanged,
    analyze_if_many,
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
    UNDO,
    RerateRefused,
    Snapshot,
    clean_reason,
    is_abandoned,
)
from ratings.signals import rerate_undone
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import RatingsBusy, lock_ratings
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobLost, enqueue
from ratings_site.common.models import PendingAct, User

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
        enqueue(PUBLISH, key=str(run.pk), args=args)
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
        _give_back(run, _("Not published: {why}").format(why=denial_reason))
    elif news := preview_changes(shown, run):
        run.progress["news"] = news
        _give_back(run, changes_sentence(news))
    else:
        make_public(run, actor=run.published_by, reason=run.publish_reason)


def _give_back(run: Run, message: str) -> None:
    """Return the run for another review; after half a pass it is replayed first."""
    run.status = Run.Status.READY if is_complete(run) else Run.Status.FAILED
    run.message = message
    run.save(update_fields=["status", "message", "progress"])
    record("rerate.not_published", subject=run, actor=None, reason=run.message)


def _give_up_publishing(run_id: int, message: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHING:
            _give_back(run, _("Not published: {why}").format(why=message))


UNDO_BY_TWO = "rerates.undo"
UNDO_PERMISSION = "ratings.undo_rerate"


def undo_rerate(*, run_id: int, actor: User, reason: str) -> Run | PendingAct:
    """Queue the undo of the newest published rerate for a worker.

    If its ratings are in an official list, a second approval is needed; then the
    pending approval is returned instead of the run.
    """
    require_permission(actor, UNDO_PERMISSION)
    with transaction.atomic():
        run = locked_run(run_id)
        _refuse(undo_denial_reason(run))
        if not _is_in_a_list(run):
            return _ask(run, actor=actor, reason=clean_reason(reason), by_two=False)
        return propose(
            UNDO_BY_TWO,
            title=f"Undo {run}, whose ratings are in an official list",
            payload={"run_id": run.pk},
            actor=actor,
            reason=clean_reason(reason),
            url=reverse("ratings:office_rerate", args=[run.pk]),
        )


@register_approved_action(UNDO_BY_TWO, permission=UNDO_PERMISSION)
def undo_as_approved(act: ApprovedAction) -> Run:
    with transaction.atomic():
        run = locked_run(act.payload["run_id"])
        _refuse(undo_denial_reason(run))
        return _ask(run, actor=act.approved_by, reason=act.reason, by_two=True)


def undo_denial_reason(run: Run) -> str:
    """Return why a rerate cannot be undone now; empty if it can."""
    if run.is_being_undone and not is_abandoned(run):
        return run.standing()
    return _undo_block_reason(run)


def _is_in_a_list(run: Run) -> bool:
    """Return whether an official list was published with the rerate's ratings."""
    return run.published_at is not None and lists_since(run.published_at).exists()


def run_undo(*, run_id: int, by_two: bool, job: ClaimedJob) -> None:
    """Undo a rerate as requested; *by_two* says that a second person approved.

    If that is no longer possible, it does not change and gets the reason. Undoing it
    twice changes nothing.
    """
    with job_guard(job, lambda why: _give_up_undo(run_id, why)), job.commit():
        lock_ratings()
        run = _locked_run_for_undo(run_id)
        if denial_reason := _undo_block_reason(run) or _approval_reason(run, by_two):
            _reject_undo(run, denial_reason)
        else:
            _restore_ratings(run)


def _refuse(denial_reason: str) -> None:
    if denial_reason:
        raise RerateRefused(denial_reason)


def _ask(run: Run, *, actor: User, reason: str, by_two: bool) -> Run:
    run.undone_by, run.undo_reason, run.message = actor, reason, ""
    run.save(update_fields=["undone_by", "undo_reason", "message"])
    record("rerate.undo_asked", subject=run, actor=actor, reason=reason)
    enqueue(UNDO, key=str(run.pk), args={"run_id": run.pk, "by_two": by_two})
    return run


def _locked_run_for_undo(run_id: int) -> Run:
    run = locked_run(run_id)
    if not run.is_being_undone:
        raise RunClosed
    return run


def _undo_block_reason(run: Run) -> str:
    if run.kind != Run.Kind.RERATE or run.status != Run.Status.PUBLISHED:
        only = _("Only a published rerate can be undone.")
        return f"{run.standing()} {only}"
    newer = Run.objects.filter(
        kind=Run.Kind.RERATE,
        status=Run.Status.PUBLISHED,
        published_at__gt=run.published_at,
    ).first()
    if newer is None:
        return ""
    return _("{newer} is based on {run}. Undo {newer} first.").format(
        newer=newer, run=run
    )


def _approval_reason(run: Run, by_two: bool) -> str:
    if by_two or not _is_in_a_list(run):
        return ""
    return _(
        "A list with these ratings has been published since. Try again to request "
        "a second approval."
    )


def _reject_undo(run: Run, denial_reason: str) -> None:
    run.undone_by, run.undo_reason = None, ""
    run.message = _("Not undone: {why}").format(why=denial_reason)
    run.save(update_fields=["undone_by", "undo_reason", "message"])
    record("rerate.not_undone", subject=run, actor=None, reason=run.message)


def _give_up_undo(run_id: int, why: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.is_being_undone:
            _reject_undo(run, why)


def _restore_ratings(run: Run) -> None:
    final_calculations(run).update(is_current=False)
    restored = Calculation.objects.filter(superseded_by=run).exclude(run=run)
    players = _players_of(run)
    analyze_if_many(restored.update(is_current=True, superseded_by=None))
    reproject(players)
    run.marks.update(run=None)
    _add_later_pending_rerate(run)
    run.status, run.undone_at = Run.Status.UNDONE, timezone.now()
    run.save()
    record("rerate.undone", subject=run, actor=run.undone_by, reason=run.undo_reason)
    rerate_undone.send(sender=Run, run=run)


def _players_of(run: Run) -> set[int]:
    """Return the players whose lines the run has written or replaced."""
    players: set[int] = set()
    for calculations in (
        final_calculations(run),
        Calculation.objects.filter(superseded_by=run),
    ):
        lines = RatingChange.objects.filter(
            calculation__in=calculations.order_by().values("pk")
        )
        players.update(
            lines.order_by().values_list("player_id", flat=True).distinct().iterator()
        )
    return players


def rated_since(run: Run) -> QuerySet[Calculation]:
    """Return the calculations that started from a published rerate's ratings."""
    return Calculation.objects.filter(
        is_current=True,
        run__kind=Run.Kind.INCREMENTAL,
        created_at__gte=run.published_at,
    )


def first_affected_day(run: Run) -> date | None:
    """Return the first day of sources rated from a rerate's ratings."""
    days = rated_since(run).order_by("order_date").values_list("order_date", flat=True)
    return days.first()


def _add_later_pending_rerate(run: Run) -> None:
    """Add a pending rerate for sources rated from the undone ratings."""
    first = first_affected_day(run)
    if first is not None:
        add_pending_rerate(
            kind=RerateMark.Kind.UNDO,
            day=first,
            note=f"{run} was undone after events had been rated from its ratings.",
            actor=run.undone_by,
        )
