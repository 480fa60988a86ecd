"""Metrics, read with Prometheus's own parser."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import enqueue, record_heartbeat
from ratings_site.common.models import Job, Office

parser = pytest.importorskip("prometheus_client.parser")
pytestmark = pytest.mark.django_db
TOKEN = "a token of the monitoring system"


@pytest.fixture
def scrape(settings):
    settings.METRICS_TOKEN = TOKEN
    settings.LEAST_FREE_MB = 0
    record_heartbeat(QUEUES)
    client = Client()

    def read(**headers: str) -> dict[tuple[str, ...], float]:
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.headers["Cache-Control"] == "no-store"
        samples = [
            sample
            for family in parser.text_string_to_metric_families(answer.text)
            for sample in family.samples
        ]
        return {(one.name, *one.labels.values()): one.value for one in samples}

    read.client = client
    return read


def test_requests_are_counted_by_view_without_their_addresses(scrape, office):
    name = "ratings_office_request_seconds_count"
    for path in ("/players/?q=Somebody", "/players/99999999/"):
        scrape.client.get(path)
    found = scrape()
    by_view = {key[1:]: value for key, value in found.items() if key[0] == name}
    assert by_view["GET", "4xx", "ratings:profile"] == 1
    assert not [
        key for key in found if "Somebody" in str(key) or "99999999" in str(key)
    ]


def test_unknown_methods_are_counted_together(scrape):
    for method in ("BREW", "WHEN", "GET"):
        scrape.client.generic(method, "/health/live")
    name = "ratings_office_request_seconds_count"
    methods = {key[1] for key in scrape() if key[0] == name}
    assert {"GET", "other"} <= methods
    assert methods.isdisjoint({"BREW", "WHEN"})


def test_queues_failures_and_their_ages_are_told(scrape):
    now = timezone.now()
    job = enqueue("common.trial", key="1")
    Job.objects.filter(pk=job.pk).update(run_after=now - timedelta(seconds=90))
    Job.objects.create(
        kind="common.broken",
        key="2",
        state=Job.State.FAILED,
        finished_at=now,
        run_after=now,
        message="No.",
    )
    found = scrape()
    assert found["ratings_office_jobs_waiting", "common.trial"] == 1
    assert 90 <= found["ratings_office_oldest_job_seconds", "common.trial"] < 100
    assert found["ratings_office_jobs_failed", "common.broken"] == 1
    assert found["ratings_office_check", "database"] == 1
    assert found["ratings_office_check", "jobs"] == 1
    assert found["ratings_office_pending_rerates",] == 0


def test_the_age_of_a_backup_is_told_once_there_is_one(scrape, office):
    name = "ratings_office_last_backup_timestamp_seconds"
    assert (name,) not in scrape()
    call_command("record_backup")
    assert scrape()[name,] == pytest.approx(timezone.now().timestamp(), abs=5)


def test_a_dead_database_leaves_the_checks(scrape, monkeypatch):
    from django.db import OperationalError

    from ratings_site.common.monitoring import metrics

    def dead(now):
        raise OperationalError

    monkeypatch.setattr(metrics, "open_job_counts", dead)
    found = scrape()
    assert ("ratings_office_check", "cache") in found
    assert not [key for key in found if key[0].startswith("ratings_office_jobs")]


@pytest.mark.parametrize("header", [None, "Bearer wrong", TOKEN, "Bearer", "Bearer é"])
def test_metrics_need_the_token(scrape, header):
    headers = {"Authorization": header} if header else {}
    answer = scrape.client.get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert "ratings_office" not in answer.text


def test_without_a_token_there_are_no_metrics(client, settings):
    settings.METRICS_TOKEN = ""
    assert (
        client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    )


def test_metrics_are_read_by_any_host_name(scrape, settings):
    settings.SECURE_SSL_REDIRECT = True
    scrape.client.defaults["HTTP_HOST"] = "10.0.0.7:8001"
    assert scrape()["ratings_office_read_only",] == 0


def test_maintenance_shows(scrape, office):
    call_command("maintenance", "on", reason="An upgrade.")
    try:
        assert scrape()["ratings_office_read_only",] == 1
    finally:
        call_command("maintenance", "off")
        Office.refresh()
