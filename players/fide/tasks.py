"""Job handlers for FIDE lists."""

from django.db.models import Q
from django.urls import reverse

from players.fide.services.imports import (
    ImportCanceled,
    ListRefused,
    activate_list,
    check_gates,
    compare,
    delete_old_rows,
    stage,
)
from players.fide.services.lists import (
    IMPORT_FIDE_LIST,
    TIDY_FIDE_LISTS,
    ListUploadRefused,
    enqueue_cleanup,
    refuse_list,
)
from players.models import FideList
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Job
from ratings_site.common.uploads.services import register_uploads

register_uploads(
    name="fide", rows=FideList.objects.all(), done=~Q(state=FideList.State.LOADING)
)


def _page(job: Job) -> str:
    return reverse("players_office:fide_list", args=[job.key])


@handles(IMPORT_FIDE_LIST, queue=LONG, page=_page)
def import_fide_list_job(job: ClaimedJob) -> None:
    fide_list = FideList.objects.select_related("received_by").get(
        pk=job.args["list_id"]
    )
    if fide_list.state != FideList.State.LOADING:
        return
    try:
        if not fide_list.compared_to:
            stage(fide_list, job.beat)
            check_gates(fide_list)
        compare(fide_list, job.beat)
        with job.commit(f"Now the current list: {fide_list.rows:,} players."):
            activate_list(fide_list)
    except ListRefused as refusal:
        with job.commit(f"Rejected: {refusal}"):
            refuse_list(fide_list=fide_list, problems=refusal.problems)
    except (ImportCanceled, ListUploadRefused) as end:
        with job.commit(str(end)):
            enqueue_cleanup()


@handles(TIDY_FIDE_LISTS, queue=LONG)
def tidy_fide_lists_job(job: ClaimedJob) -> None:
    removed = delete_old_rows(job.beat)
    with job.commit(f"{removed:,} old rows removed."):
        pass
