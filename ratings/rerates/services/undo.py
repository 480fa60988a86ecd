"""Undo a published rerate: its ratings go back to what they were before."""

from datetime import date

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.ledger.queries.published_ratings import lists_since
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.projection import reproject
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings.rerates.services.change_summary import final_calculations
from ratings.rerates.services.execution import RunClosed, job_guard
from ratings.rerates.services.publishing import analyze_if_many, locked_run
from ratings.rerates.services.start import (
    UNDO,
    RerateRefused,
    clean_reason,
    is_abandoned,
)
from ratings.signals import rerate_undone
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import ApprovedAction, register_approved_action
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.jobs.services import ClaimedJob, enqueue
from ratings_site.common.models import PendingAct, User

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
    args = {"run_id": run.pk, "by_two": by_two}
    enqueue(UNDO, key=str(run.pk), args=args, actor=actor)
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
