"""Jobs of the laboratory."""

from django.db.models import Q
from django.urls import reverse

from ratings.models import GamesFile
from ratings.research.experiments.plans import JOB_KIND
from ratings.research.experiments.services.runner import run_experiment
from ratings_site.common.jobs.queues import LONG
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import Job
from ratings_site.common.uploads.services import register_uploads

register_uploads(
    name="games", rows=GamesFile.objects.all(), done=Q(), received_at="sent_at"
)


def _page(job: Job) -> str:
    return reverse("ratings:experiment", args=[job.key])


@handles(JOB_KIND, queue=LONG, page=_page)
def experiment_job(job: ClaimedJob) -> None:
    run_experiment(experiment_id=job.args["experiment_id"], job=job)
