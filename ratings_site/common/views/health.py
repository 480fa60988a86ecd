"""The health page, for whatever watches the office."""

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from ratings_site.common.models import Job
from ratings_site.common.queries import WORKERS_PATIENCE


def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers and no job waits too long, else 503."""
    now = timezone.now()
    oldest = (
        Job.objects.filter(state=Job.State.QUEUED, run_after__lte=now)
        .order_by("run_after")
        .values_list("run_after", flat=True)
        .first()
    )
    waiting = (now - oldest).total_seconds() if oldest else 0.0
    healthy = waiting < WORKERS_PATIENCE.total_seconds()
    return JsonResponse(
        {
            "healthy": healthy,
            "database": connection.vendor,
            "worker": "embedded" if settings.EMBEDDED_WORKER else "separate",
            "oldest_waiting_job_seconds": round(waiting),
        },
        status=200 if healthy else 503,
    )
