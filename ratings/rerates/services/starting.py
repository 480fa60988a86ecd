"""Begin a rerate, and begin it again where it failed."""

from datetime import date

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from ratings.ledger.services.marks import mark_changed_edition
from ratings.models import Run
from ratings.rerates.services.arrivals import earliest_mark
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User

JOB_KIND = "ratings.rerate"
PUBLISH = "ratings.publish"
UNDO = "ratings.undo"
START_PERMISSION = "ratings.start_rerate"


class RerateRefused(Refusal):
    """This cannot be done with a rerate now; the message says why."""


def start_rerate(
    *,
    actor: User | None,
    reason: str,
    from_day: date | None = None,
    whole_history: bool = False,
) -> Run:
    """Queue a rerate and return it; a worker does it.

    It begins on *from_day*, or with the earliest open mark, whichever is earlier;
    with *whole_history* from nothing. Raises RerateRefused if a rerate is open
    already or there is nothing to begin with.
    """
    require(actor, START_PERMISSION)
    mark_changed_edition()
    run = Run(
        kind=Run.Kind.RERATE,
        status=Run.Status.QUEUED,
        from_day=None if whole_history else _first_day(from_day),
        edition=settings.RATING_EDITION,
        reason=said(reason),
        requested_by=actor,
    )
    with transaction.atomic():
        _refuse_second()
        _save_open(run)
        record("rerate.started", subject=run, actor=actor, reason=reason)
        wake(run)
    return run


def retry_rerate(*, run_id: int, actor: User | None, reason: str) -> Run:
    """Go on with a rerate that failed, or that its worker has given up."""
    require(actor, START_PERMISSION)
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).get(pk=run_id)
        if not (run.status == Run.Status.FAILED or (run.is_open and is_given_up(run))):
            only = _("Only a rerate that failed can be tried again.")
            raise RerateRefused(f"{run.standing()} {only}")
        if run.status == Run.Status.FAILED:
            _refuse_second()
        run.status, run.message = Run.Status.QUEUED, ""
        _save_open(run)
        record("rerate.retried", subject=run, actor=actor, reason=said(reason))
        wake(run)
    return run


def wake(run: Run) -> None:
    enqueue(JOB_KIND, key=str(run.pk), args={"run_id": run.pk})


def is_given_up(run: Run) -> bool:
    """Tell whether a run waits for a worker that will not come."""
    jobs = Job.objects.filter(kind__in=(JOB_KIND, PUBLISH, UNDO), key=str(run.pk))
    return run.is_at_work and not jobs.filter(state__in=Job.OPEN_STATES).exists()


def said(reason: str) -> str:
    if not reason.strip():
        raise RerateRefused(_("Say why; the reason is kept with the rerate."))
    return reason.strip()


def _first_day(from_day: date | None) -> date:
    days = [day for day in (from_day, earliest_mark()) if day is not None]
    if not days:
        raise RerateRefused(
            _(
                "No mark is open, so nothing asks for a rerate. Name a day to begin "
                "with, or replay the whole history."
            )
        )
    return min(days)


def _refuse_second() -> None:
    open_run = Run.objects.filter(
        kind=Run.Kind.RERATE, status__in=Run.OPEN_STATUSES
    ).first()
    if open_run is not None:
        first = _("Publish or discard it first.")
        raise RerateRefused(f"{open_run.standing()} {first}")


def _save_open(run: Run) -> None:
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError as error:  # somebody was quicker
        raise RerateRefused(
            _("A rerate is open already. Publish or discard it first.")
        ) from error
