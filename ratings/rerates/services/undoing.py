"""Take a published rerate back: asked for on a page, done by a worker."""

from datetime import date

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.ledger.queries.published import lists_since
from ratings.ledger.services.marks import leave_mark
from ratings.ledger.services.projection import reproject
from ratings.models import Calculation, RatingChange, RerateMark, Run
from ratings.rerates.services.effects import final_calculations
from ratings.rerates.services.publishing import locked_run, look_if_many
from ratings.rerates.services.running import RunClosed, at_work
from ratings.rerates.services.starting import UNDO, RerateRefused, is_given_up, said
from ratings.signals import rerate_undone
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.jobs.services import ClaimedJob, enqueue
from ratings_site.common.models import PendingAct, User

UNDO_BY_TWO = "rerates.undo"
UNDO_PERMISSION = "ratings.undo_rerate"


def undo_rerate(*, run_id: int, actor: User, reason: str) -> Run | PendingAct:
    """Have the newest published rerate taken back: a worker does it.

    If its ratings have gone into an official list, a second person has to approve;
    then the waiting act is returned instead of the run.
    """
    require(actor, UNDO_PERMISSION)
    with transaction.atomic():
        run = locked_run(run_id)
        _refuse(why_not_undo(run))
        if not _is_in_a_list(run):
            return _ask(run, actor=actor, reason=said(reason), by_two=False)
        return propose(
            UNDO_BY_TWO,
            title=f"Undo {run}, whose ratings are in an official list",
            payload={"run_id": run.pk},
            actor=actor,
            reason=said(reason),
            url=reverse("ratings:office_rerate", args=[run.pk]),
        )


@second_person(UNDO_BY_TWO, permission=UNDO_PERMISSION)
def undo_as_approved(act: Approved) -> Run:
    with transaction.atomic():
        run = locked_run(act.payload["run_id"])
        _refuse(why_not_undo(run))
        return _ask(run, actor=act.approved_by, reason=act.reason, by_two=True)


def why_not_undo(run: Run) -> str:
    """Say why nobody can ask for a rerate to be taken back now; empty if one can."""
    if run.is_being_undone and not is_given_up(run):
        return run.standing()
    return _why_not_taken_back(run)


def _is_in_a_list(run: Run) -> bool:
    """Tell whether an official list was published with the rerate's ratings."""
    return lists_since(run.published_at).exists()


def undo_asked(*, run_id: int, by_two: bool, job: ClaimedJob) -> None:
    """Take back a rerate as somebody has asked; *by_two* is a second person's leave.

    If it cannot be any more, it stays as it is and says why. Taking back what was
    taken back already changes nothing.
    """
    with at_work(job, lambda why: _give_up(run_id, why)), job.commit():
        hold_ratings()
        run = _asked(run_id)
        if why_not := _why_not_taken_back(run) or _why_not_alone(run, by_two):
            _stays(run, why_not)
        else:
            _take_back(run)


def _refuse(why_not: str) -> None:
    if why_not:
        raise RerateRefused(why_not)


def _ask(run: Run, *, actor: User, reason: str, by_two: bool) -> Run:
    run.undone_by, run.undo_reason, run.message = actor, reason, ""
    run.save(update_fields=["undone_by", "undo_reason", "message"])
    record("rerate.undo_asked", subject=run, actor=actor, reason=reason)
    enqueue(UNDO, key=str(run.pk), args={"run_id": run.pk, "by_two": by_two})
    return run


def _asked(run_id: int) -> Run:
    run = locked_run(run_id)
    if not run.is_being_undone:
        raise RunClosed
    return run


def _why_not_taken_back(run: Run) -> str:
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
    return _("{newer} rests on {run}. Undo {newer} first.").format(newer=newer, run=run)


def _why_not_alone(run: Run, by_two: bool) -> str:
    if by_two or not _is_in_a_list(run):
        return ""
    return _(
        "A list with its ratings has been published since. Ask again: then a second "
        "person decides."
    )


def _stays(run: Run, why_not: str) -> None:
    run.undone_by, run.undo_reason = None, ""
    run.message = _("Not undone: {why}").format(why=why_not)
    run.save(update_fields=["undone_by", "undo_reason", "message"])
    record("rerate.not_undone", subject=run, actor=None, reason=run.message)


def _give_up(run_id: int, why: str) -> None:
    with transaction.atomic():
        run = locked_run(run_id)
        if run.is_being_undone:
            _stays(run, why)


def _take_back(run: Run) -> None:
    final_calculations(run).update(is_current=False)
    restored = Calculation.objects.filter(superseded_by=run).exclude(run=run)
    players = _players_of(run)
    look_if_many(restored.update(is_current=True, superseded_by=None))
    reproject(players)
    run.marks.update(run=None)
    _mark_what_came_after(run)
    run.status, run.undone_at = Run.Status.UNDONE, timezone.now()
    run.save()
    record("rerate.undone", subject=run, actor=run.undone_by, reason=run.undo_reason)
    rerate_undone.send(sender=Run, run=run)


def _players_of(run: Run) -> set[int]:
    """Return whose lines the run has written or replaced."""
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
    """Return what was rated from a published rerate's ratings."""
    return Calculation.objects.filter(
        is_current=True,
        run__kind=Run.Kind.INCREMENTAL,
        created_at__gte=run.published_at,
    )


def day_to_mark(run: Run) -> date | None:
    """Return the first day of what was rated from the ratings of a rerate."""
    days = rated_since(run).order_by("order_date").values_list("order_date", flat=True)
    return days.first()


def _mark_what_came_after(run: Run) -> None:
    """Mark what was rated from the ratings that are taken back."""
    first = day_to_mark(run)
    if first is not None:
        leave_mark(
            kind=RerateMark.Kind.UNDO,
            day=first,
            note=f"{run} was undone after events had been rated from its ratings.",
            actor=run.undone_by,
        )
