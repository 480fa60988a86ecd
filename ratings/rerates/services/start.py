"""Start a rerate, or retry one that failed; the data that a pass has seen."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Self

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from ratings.ledger.services.pending_rerates import add_edition_pending_rerate
from ratings.models import Calculation, RerateMark, Run
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The pending rerates and the newest calculation when a pass began to read.

    It is taken before anything else is read, so whatever is committed later counts as
    an arrival, even if the pass has read it in part. *published* is the newest rerate
    that was published and not undone, 0 if none was.
    """

    marks: frozenset[int]
    calculation: int
    published: int

    @classmethod
    def now(cls) -> Self:
        rated = _rated_as_it_arrived().order_by("-run_id", "-pk")
        newest = rated.values_list("pk", flat=True).first()
        published = (
            Run.objects.filter(kind=Run.Kind.RERATE, status=Run.Status.PUBLISHED)
            .order_by("-published_at", "-pk")
            .values_list("pk", flat=True)
            .first()
        )
        marks = frozenset(RerateMark.objects.pending().values_list("pk", flat=True))
        return cls(marks, newest or 0, published or 0)

    @classmethod
    def stored(cls, progress: Mapping[str, Any]) -> Self | None:
        seen = progress.get("seen")
        if not seen:
            return None
        marks, calculation = frozenset(seen["marks"]), seen["calculation"]
        return cls(marks, calculation, seen.get("published", 0))

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"marks": sorted(self.marks)}


def _rated_as_it_arrived() -> QuerySet[Calculation]:
    """Return the calculations of the one incremental run.

    As a range with equal ends: with equality, PostgreSQL may look for the newest past
    all that rerates have written.
    """
    incremental = Run.objects.filter(kind=Run.Kind.INCREMENTAL).values("pk")[:1]
    return Calculation.objects.filter(run__gte=incremental, run__lte=incremental)


def reports_since(seen: Snapshot | None) -> int:
    """Return how many reports have arrived since a pass began to read."""
    came = _rated_as_it_arrived().filter(pk__gt=seen.calculation if seen else 0)
    counted = came.aggregate(number=Count("section__event", distinct=True))
    number: int = counted["number"]
    return number


JOB_KIND = "ratings.rerate"
PUBLISH = "ratings.publish"
UNDO = "ratings.undo"
START_PERMISSION = "ratings.start_rerate"


class RerateRefused(Refusal):
    """This cannot be done with a rerate now; the message says why."""


def earliest_pending_day() -> date | None:
    """Return the first day of the earliest pending rerate, None if there is none."""
    return RerateMark.objects.pending().first_day()


def replay_start(from_day: date | None) -> date | None:
    """Return the day to replay from: this one, or an earlier pending rerate's."""
    earliest = earliest_pending_day()
    if from_day is None or earliest is None:
        return from_day
    return min(from_day, earliest)


def start_rerate(
    *,
    actor: User | None,
    reason: str,
    from_day: date | None = None,
    whole_history: bool = False,
) -> Run:
    """Queue a rerate and return it; a worker runs it.

    It begins on *from_day*, or at the earliest pending rerate, whichever is earlier;
    with *whole_history* at the beginning. Raises RerateRefused if a rerate is open
    already or there is nothing to begin with.
    """
    require_permission(actor, START_PERMISSION)
    add_edition_pending_rerate()
    run = Run(
        kind=Run.Kind.RERATE,
        status=Run.Status.QUEUED,
        from_day=None if whole_history else _first_day(from_day),
        edition=settings.RATING_EDITION,
        reason=clean_reason(reason),
        requested_by=actor,
    )
    with transaction.atomic():
        _refuse_second()
        _save_open(run)
        record("rerate.started", subject=run, actor=actor, reason=reason)
        enqueue_run(run, actor)
    return run


def retry_rerate(*, run_id: int, actor: User | None, reason: str) -> Run:
    """Continue a rerate that failed, or that its worker has abandoned."""
    require_permission(actor, START_PERMISSION)
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).get(pk=run_id)
        if not (run.status == Run.Status.FAILED or (run.is_open and is_abandoned(run))):
            only = _("Only a failed rerate can be tried again.")
            raise RerateRefused(f"{run.standing()} {only}")
        if run.status == Run.Status.FAILED:
            _refuse_second()
        run.status, run.message = Run.Status.QUEUED, ""
        _save_open(run)
        record("rerate.retried", subject=run, actor=actor, reason=clean_reason(reason))
        enqueue_run(run, actor)
    return run


def enqueue_run(run: Run, actor: User | None) -> None:
    enqueue(JOB_KIND, key=str(run.pk), args={"run_id": run.pk}, actor=actor)


def open_job_of(run: Run) -> Job | None:
    """Return the waiting or running job of a run."""
    jobs = Job.objects.filter(kind__in=(JOB_KIND, PUBLISH, UNDO), key=str(run.pk))
    return jobs.filter(state__in=Job.OPEN_STATES).first()


def is_abandoned(run: Run) -> bool:
    """Return whether a run waits for a worker that will not come."""
    return run.is_active and open_job_of(run) is None


def clean_reason(reason: str) -> str:
    if not reason.strip():
        raise RerateRefused(_("Enter a reason. It is saved with the rerate."))
    return reason.strip()


def _first_day(from_day: date | None) -> date:
    days = [day for day in (from_day, earliest_pending_day()) if day is not None]
    if not days:
        raise RerateRefused(
            _(
                "There are no pending rerates. Choose a start date, or replay the "
                "full history."
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
    except IntegrityError as error:  # another request was first
        raise RerateRefused(
            _("Another rerate is open. Publish or discard it first.")
        ) from error
