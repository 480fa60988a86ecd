"""Metrics for Prometheus (needs the extra `monitoring`).

What a process counts is kept in memory, or, with several web processes, in the files
of PROMETHEUS_MULTIPROC_DIR, so that each process can answer for all. What the database
knows is read when the metrics are.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime

from django.conf import settings
from django.db import Error
from django.db.models import Count
from django.utils import timezone
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from ratings_site.common.dashboard.queries import gauges, pending_items
from ratings_site.common.jobs.health import check_results
from ratings_site.common.jobs.nightly import last_nightly_end
from ratings_site.common.jobs.queries import open_job_counts, unretried_failures
from ratings_site.common.models import Office

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
PREFIX = "ratings_office_"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

_own = CollectorRegistry()
_requests = Histogram(
    f"{PREFIX}request_seconds",
    "Time to answer a request, by view; “-” for addresses without a page.",
    ["view", "method", "status"],
    buckets=BUCKETS,
    registry=_own,
)


def note_request(view: str, method: str, status: int, seconds: float) -> None:
    _requests.labels(view, method, f"{status // 100}xx").observe(seconds)


def current_metrics() -> bytes:
    """Return the metrics of all web processes and of the office, as text."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(_own)
    registry.register(OfficeCollector())
    return generate_latest(registry)


class OfficeCollector(Collector):
    """The office's queues, failures and checks, read from the database."""

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        yield _gauge(
            "check",
            "1 if a check of /health/ready passes, else 0.",
            "check",
            {name: float(passed) for name, passed in check_results().items()},
        )
        try:
            yield from _database_metrics(now)
        except Error:  # the checks say so
            return

    def describe(self) -> Iterator[Metric]:
        """Return nothing: registering must not read the database."""
        return iter(())


def _database_metrics(now: datetime) -> Iterator[Metric]:
    jobs = open_job_counts(now)
    yield _gauge(
        "jobs_waiting",
        "Jobs that are due and wait for a worker, by kind.",
        "kind",
        {kind: count for kind, (count, _age) in jobs.items()},
    )
    yield _gauge(
        "oldest_job_seconds",
        "How long the oldest of these jobs has been due, by kind.",
        "kind",
        {kind: age.total_seconds() for kind, (_count, age) in jobs.items()},
    )
    failures = unretried_failures().order_by().values_list("kind")
    yield _gauge(
        "jobs_failed",
        "Failed jobs that were not retried, by kind.",
        "kind",
        dict(failures.annotate(Count("pk"))),
    )
    pages: Counter[str] = Counter()
    for item in pending_items(now):
        pages[item.url.partition("?")[0]] += item.number
    yield _gauge(
        "pending_items",
        "Pending items of the office, by the page that lists them.",
        "page",
        pages,
    )
    Office.refresh()
    office = Office.current
    times = {
        "last_nightly": last_nightly_end(),
        "last_backup": office.backed_up_at if office else None,
    }
    for name, at in times.items():
        if at is not None:
            help_text = "Unix time of the end of the last one."
            yield GaugeMetricFamily(
                f"{PREFIX}{name}_timestamp_seconds", help_text, at.timestamp()
            )
    for name, (help_text, read) in gauges().items():
        yield GaugeMetricFamily(f"{PREFIX}{name}", help_text, read(now))
    yield GaugeMetricFamily(
        f"{PREFIX}read_only", "1 in maintenance mode, else 0.", Office.is_read_only()
    )
    yield _gauge("version", "1, with the version.", "version", {settings.VERSION: 1})


def _gauge(
    name: str, help_text: str, label: str, values: Mapping[str, float]
) -> GaugeMetricFamily:
    metric = GaugeMetricFamily(f"{PREFIX}{name}", help_text, labels=[label])
    for of, value in values.items():
        metric.add_metric([of], value)
    return metric
