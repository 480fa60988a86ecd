"""What the worker does for FIDE lists."""

from players.fide.jobs import IMPORT_FIDE_LIST, TIDY_FIDE_LISTS
from players.fide.services.imports import (
    GivenUp,
    ListRefused,
    check_gates,
    compare,
    put_in_force,
    stage,
    tidy,
)
from players.fide.services.lists import ListNotTaken, queue_tidying, refuse_list
from players.models import FideList
from ratings_site.common.jobs.lanes import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles


@handles(IMPORT_FIDE_LIST, lane=LONG)
def import_fide_list_job(job: ClaimedJob) -> None:
    fide_list = FideList.objects.select_related("received_by").get(
        pk=job.args["list_id"]
    )
    if fide_list.state != FideList.State.LOADING:
        return

    def beat(done: int, total: int, message: str) -> None:
        job.beat(done=done, total=total, message=message)

    try:
        if not fide_list.compared_to:
            stage(fide_list, beat)
            check_gates(fide_list)
        compare(fide_list, beat)
        with job.commit(f"In use: {fide_list.rows:,} players."):
            put_in_force(fide_list)
    except ListRefused as refusal:
        with job.commit(f"Refused: {refusal}"):
            refuse_list(fide_list=fide_list, problems=refusal.problems)
    except (GivenUp, ListNotTaken) as end:
        with job.commit(str(end)):
            queue_tidying()


@handles(TIDY_FIDE_LISTS, lane=LONG)
def tidy_fide_lists_job(job: ClaimedJob) -> None:
    def beat(done: int, total: int, message: str) -> None:
        job.beat(done=done, total=total, message=message)

    removed = tidy(beat)
    with job.commit(f"{removed:,} old rows removed."):
        pass
