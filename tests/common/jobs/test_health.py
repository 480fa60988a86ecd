"""Health checks."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.cache import caches
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from redis import ConnectionError as RedisAway

from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.queries import MAX_QUEUE_WAIT
from ratings_site.common.jobs.queues import LETTERS, QUEUES, RATINGS
from ratings_site.common.jobs.services import enqueue, record_heartbeat
from ratings_site.common.models import Job

pytestmark = pytest.mark.django_db

CHECKS = ("database", "cache", "workers", "jobs", "nightly", "disk")
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def enough_disk_space(settings):
    settings.LEAST_FREE_MB = 0


def failing(client: Client) -> list[str]:
    answer = client.get("/health/ready")
    said = answer.json()
    assert set(said) == {"ready", "version", *CHECKS}
    assert said["ready"] is (answer.status_code == 200)
    assert answer.headers.get("Retry-After") == (None if said["ready"] else "30")
    return [name for name in CHECKS if said[name] is False]


def test_an_office_with_all_it_needs_is_ready(client):
    record_heartbeat(QUEUES)
    assert failing(client) == []


def test_a_queue_without_a_worker_is_not_ready(client):
    assert failing(client) == ["workers"]
    record_heartbeat([RATINGS, LETTERS])
    assert failing(client) == ["workers"]


@pytest.mark.parametrize(("seconds", "fails"), [(59, []), (61, ["workers"])])
def test_a_worker_is_heard_within_a_minute(client, seconds, fails):
    with time_machine.travel(NOON, tick=False) as clock:
        record_heartbeat(QUEUES)
        clock.shift(seconds)
        assert failing(client) == fails


def test_a_job_that_waits_too_long_is_not_ready(client):
    record_heartbeat(QUEUES)
    job = enqueue("test", key="a")
    assert failing(client) == []
    long_ago = timezone.now() - MAX_QUEUE_WAIT
    Job.objects.filter(pk=job.pk).update(run_after=long_ago)
    assert failing(client) == ["jobs"]


@pytest.mark.parametrize(
    ("state", "hours", "fails"),
    [
        ("done", 7, []),
        ("queued", 5, []),
        ("queued", 7, ["nightly"]),
        ("failed", 7, ["nightly"]),
        ("failed", 24 + 5, ["nightly"]),
    ],
)
def test_the_nights_work_is_done_in_six_hours(client, settings, state, hours, fails):
    settings.NIGHTLY_AT = NOON.time()
    with time_machine.travel(NOON, tick=False) as clock:
        jobs = [job.pk for job in enqueue_nightly()]
        assert jobs
        clock.shift(timedelta(hours=hours))
        Job.objects.filter(pk__in=jobs[1:]).update(state="done")
        Job.objects.filter(pk=jobs[0]).update(
            state=state, run_after=timezone.now(), finished_at=timezone.now()
        )
        record_heartbeat(QUEUES)
        assert failing(client) == fails


def test_a_missed_nightly_run_is_not_ready(client, settings):
    settings.NIGHTLY_AT = NOON.time()
    with time_machine.travel(NOON, tick=False) as clock:
        enqueue("test", key="a")
        Job.objects.update(state="done")
        clock.shift(timedelta(days=2))
        record_heartbeat(QUEUES)
        assert failing(client) == ["nightly"]
        Job.objects.all().delete()  # a new office has had no night yet
        assert failing(client) == []


def test_a_disk_with_too_little_space_is_not_ready(client, settings):
    record_heartbeat(QUEUES)
    settings.LEAST_FREE_MB = 10**12
    assert failing(client) == ["disk"]


def test_redis_that_is_away_is_not_ready(client, monkeypatch):
    record_heartbeat(QUEUES)

    def away(*_, **__):
        raise RedisAway("refused")

    monkeypatch.setattr(type(caches["pages"]), "get", away)
    assert failing(client) == ["cache"]


def test_a_database_that_is_away_is_said(client, monkeypatch):
    def away(*_, **__):
        raise OperationalError("away")

    monkeypatch.setattr(connection, "cursor", away)
    assert {"database", "workers", "jobs"} <= set(failing(client))
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()["healthy"]) == (503, False)
    assert client.get("/health/live").json()["live"] is True


@pytest.mark.parametrize("probe", ["/health/", "/health/live", "/health/ready"])
def test_probes_come_by_any_host_and_without_https(settings, probe):
    """Request a probe as one on the machine does, bypassing the proxy."""
    settings.SECURE_SSL_REDIRECT = True
    record_heartbeat(QUEUES)
    version = tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"]
    answer = Client().get(probe, headers={"host": "10.0.0.7:8001"})
    assert (answer.status_code, answer.json()["version"]) == (200, version)
    assert answer["Cache-Control"] == "no-store"
    assert Client().get("/", headers={"host": "10.0.0.7:8001"}).status_code == 400


def test_pages_name_the_version(client, settings):
    assert f"Version {settings.VERSION}" in client.get("/").content.decode()
