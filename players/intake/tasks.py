"""What the worker does for files that move in."""

from collections.abc import Iterator
from contextlib import contextmanager

from players.intake.jobs import EMPTY_INTAKES, ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.intake.services import emptying, performing
from players.models import Intake
from ratings_site.common.database.bulk import look_at_tables
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.services import (
    MAX_ATTEMPTS,
    ClaimedJob,
    JobLost,
    handles,
)

# So many rows at once make a database look things up in another way.
MANY = 10_000


def _intake(job: ClaimedJob, state: str) -> Intake | None:
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    return rows.filter(pk=job.args["intake_id"], state=state).first()


@contextmanager
def _gives_back(job: ClaimedJob) -> Iterator[None]:
    """Give the file back to the office when the last attempt fails too."""
    try:
        yield
    except JobLost:
        raise
    except Exception:
        if job.attempt >= MAX_ATTEMPTS:
            performing.give_back(job.args["intake_id"])
        raise


@handles(READ_INTAKE, lane=LONG)
def read_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.READING)
    if intake is None:
        return

    def beat(done: int, total: int, message: str) -> None:
        job.beat(done=done, total=total, message=message)

    with _gives_back(job):
        refusal = performing.read(intake, beat)
        with job.commit(f"{intake.rows_read:,} rows read."):
            performing.note_read(intake, refusal)


@handles(ENTER_INTAKE, lane=LONG)
def enter_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.ENTERING)
    if intake is None:
        return
    rows = intake.new + intake.changed
    job.beat(done=0, total=100, message=f"{rows:,} rows are entered, all at once")
    with _gives_back(job), job.commit(f"{rows:,} rows entered."):
        performing.enter(intake)
    if rows >= MANY:
        look_at_tables()


@handles(UNDO_INTAKE, lane=LONG)
def undo_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.UNDOING)
    if intake is None:
        return
    job.beat(done=0, total=100, message="All of it is undone at once")
    with _gives_back(job), job.commit("Looked at."):
        performing.undo(intake)


@handles(EMPTY_INTAKES, lane=LONG)
def empty_intakes_job(job: ClaimedJob) -> None:
    with job.commit():
        emptying.empty_old_intakes()
        emptying.throw_old_files_away()
