"""Health checks for load balancers and monitoring."""

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from redis import RedisError

from ratings_site.common.jobs.nightly import is_nightly_done
from ratings_site.common.jobs.queries import MAX_QUEUE_WAIT, longest_wait
from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import last_heartbeats
from ratings_site.common.models import Office
from ratings_site.common.web.requests import Middleware

MAX_HEARTBEAT_AGE = timedelta(minutes=1)
RETRY_AFTER_SECONDS = 30
BYTES_PER_MB = 1_000_000


class HealthMiddleware(Middleware):
    """Answer probes first, because they use any host name and no HTTPS."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = PROBES.get(request.path_info)
        if view is None:
            return self.get_response(request)
        response = view(request)
        response["Cache-Control"] = "no-store"
        return response


@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """Return 200 while the process responds."""
    return JsonResponse({"live": True, "version": settings.VERSION})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if all checks pass, else 503, with the result of each check."""
    checks = check_results()
    return _answer(all(checks.values()), {"ready": all(checks.values()), **checks})


def check_results() -> dict[str, bool]:
    """Return whether each check of /health/ready passes."""
    return {name: _passes(check) for name, check in CHECKS.items()}


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database responds and no job waits too long, else 503."""
    try:
        waiting = longest_wait(timezone.now())
    except Error:
        return _answer(False, {"healthy": False, "database": "away"})
    healthy = _is_paused() or waiting < MAX_QUEUE_WAIT
    return _answer(
        healthy,
        {
            "healthy": healthy,
            "database": connection.vendor,
            "worker": "embedded" if settings.EMBEDDED_WORKER else "separate",
            "oldest_waiting_job_seconds": round(waiting.total_seconds()),
        },
    )


def _answer(is_healthy: bool, content: dict[str, object]) -> JsonResponse:
    response = JsonResponse(
        {**content, "version": settings.VERSION}, status=200 if is_healthy else 503
    )
    if not is_healthy:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _passes(check: Callable[[datetime], bool]) -> bool:
    try:
        return check(timezone.now())
    except (Error, RedisError, OSError):
        return False


def _database(now: datetime) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _cache(now: datetime) -> bool:
    for cache in caches.all(initialized_only=False):
        cache.get("health")
    return True


def _workers(now: datetime) -> bool:
    """Return whether each queue has a worker with a recent heartbeat."""
    heard = last_heartbeats(QUEUES)
    return all(
        queue in heard and now - heard[queue] < MAX_HEARTBEAT_AGE for queue in QUEUES
    )


def _is_paused() -> bool:
    """Return whether maintenance mode is on, in which jobs are to wait."""
    Office.refresh_if_stale()
    return Office.is_read_only()


def _disk(now: datetime) -> bool:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return free >= settings.LEAST_FREE_MB * BYTES_PER_MB


CHECKS: dict[str, Callable[[datetime], bool]] = {
    "database": _database,
    "cache": _cache,
    "workers": _workers,
    "jobs": lambda now: _is_paused() or longest_wait(now) < MAX_QUEUE_WAIT,
    "nightly": lambda now: _is_paused() or is_nightly_done(now),
    "disk": _disk,
}
PROBES = {"/health/": health, "/health/live": live, "/health/ready": ready}
