"""What the worker does for files that move in."""

from players.intake.jobs import ENTER_INTAKE, READ_INTAKE, UNDO_INTAKE
from players.intake.services import performing
from players.models import Intake
from ratings_site.common.jobs.services import ClaimedJob, handles


def _intake(job: ClaimedJob, state: str) -> Intake | None:
    rows = Intake.objects.select_related("received_by", "decided_by", "undone_by")
    return rows.filter(pk=job.args["intake_id"], state=state).first()


@handles(READ_INTAKE)
def read_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.READING)
    if intake is None:
        return

    def beat(done: int, total: int, message: str) -> None:
        job.beat(done=done, total=total, message=message)

    refusal = performing.read(intake, beat)
    with job.commit(f"{intake.rows_read:,} rows read."):
        performing.note_read(intake, refusal)


@handles(ENTER_INTAKE)
def enter_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.ENTERING)
    if intake is None:
        return
    rows = intake.new + intake.changed
    job.beat(done=0, total=100, message=f"{rows:,} rows are entered, all at once")
    with job.commit(f"{rows:,} rows entered."):
        performing.enter(intake)


@handles(UNDO_INTAKE)
def undo_intake_job(job: ClaimedJob) -> None:
    intake = _intake(job, Intake.State.UNDOING)
    if intake is None:
        return
    job.beat(done=0, total=100, message="All of it is undone at once")
    with job.commit("Looked at."):
        performing.undo(intake)
