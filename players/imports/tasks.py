"""Job handlers for imports."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.models import Q
from django.urls import reverse

from players.imports.kinds import EMPTY_INTAKES, ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.imports.services import purge, runner
from players.models import Intake
from ratings_site.common.db.bulk import analyze_tables
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import MAX_ATTEMPTS, ClaimedJob, JobLost, handles
from ratings_site.common.models import Job
from ratings_site.common.uploads.services import register_uploads

# This many rows change the query plans of a database.
ANALYZE_THRESHOLD = 10_000


def _intake(job: ClaimedJob, state: str) -> Intake | None:
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    return rows.filter(pk=job.args["intake_id"], state=state).first()


def _page(job: Job) -> str:
    return reverse("players_office:intake", args=[job.key])


@contextmanager
def _reopen_on_failure(job: ClaimedJob) -> Iterator[None]:
    """Return the file to the office if the last attempt fails."""
    try:
        yield
    except JobLost:
        raise
    except Exception:
        if job.attempt >= MAX_ATTEMPTS:
            runner.reopen_failed(job.args["intake_id"])
        raise


for _kind in Intake.Kind.values:
    register_uploads(
        name=_kind,
        rows=Intake.objects.filter(kind=_kind),
        done=Q(state__in=[Intake.State.REFUSED, *purge.DONE]),
    )


@handles(READ_INTAKE, queue=LONG, page=_page)
def read_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.READING)
    if intake is None:
        return
    with _reopen_on_failure(job):
        refusal = runner.read(intake, job.beat)
        with job.commit(f"{intake.rows_read:,} rows checked."):
            runner.save_read_result(intake, refusal)


@handles(ENTER_INTAKE, queue=LONG, page=_page)
def enter_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.ENTERING)
    if intake is None:
        return
    rows, intake.on_progress = intake.new + intake.changed, job.report
    job.beat(message="Importing")
    with _reopen_on_failure(job), job.keep_alive(), job.commit(f"{rows:,} imported."):
        runner.apply(intake)
    if rows >= ANALYZE_THRESHOLD:
        analyze_tables()


@handles(UNDO_INTAKE, queue=LONG, page=_page)
def undo_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.UNDOING)
    if intake is None:
        return
    intake.on_progress = job.report
    job.beat(message="Undoing the import")
    with _reopen_on_failure(job), job.keep_alive(), job.commit("Import undone."):
        runner.undo(intake)


@handles(EMPTY_INTAKES, queue=LONG)
def empty_intakes_job(job: ClaimedJob) -> None:
    with job.commit():
        purge.purge_old_intakes()
