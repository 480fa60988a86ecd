"""Each alarm has a section of the runbook, and rests on metrics that exist."""

import re

import pytest
import yaml
from django.conf import settings
from django.utils import timezone

from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import enqueue, record_heartbeat
from ratings_site.common.models import Job, Office

DOCS = settings.BASE_DIR / "docs"
# Prometheus's own, about its scrapes.
OWN = {"up"}
WORDS_OF_PROMQL = {
    *("sum", "max", "by", "le", "and", "on", "or", "absent", "time", "rate"),
    "histogram_quantile",
}


def rules() -> list[dict[str, str]]:
    written = yaml.safe_load((DOCS / "production/alerts.yml").read_text())
    return [rule for group in written["groups"] for rule in group["rules"]]


def test_each_alarm_has_a_section_and_each_section_an_alarm():
    runbook = (DOCS / "runbook.md").read_text()
    sections = re.split(r"^## (\w+)$", runbook, flags=re.M)[1:]
    assert sections[::2] == [rule["alert"] for rule in rules()]
    for name, text in zip(sections[::2], sections[1::2], strict=True):
        assert "**Look:**" in text, name
        assert "**Do:**" in text, name


@pytest.mark.django_db
def test_each_metric_of_an_alarm_exists():
    metrics = pytest.importorskip("ratings_site.common.monitoring.metrics")
    record_heartbeat(QUEUES)
    enqueue("docs.trial", key="1")
    failed = {"state": Job.State.FAILED, "run_after": timezone.now()}
    Job.objects.create(kind="docs.broken", key="2", **failed)
    Office.objects.create(pk=1, name="A", backed_up_at=timezone.now())
    metrics.note_request("home", "GET", 200, 0.1)
    names = set(re.findall(r"^(\w+)", metrics.current_metrics().decode(), re.M))
    for rule in rules():
        expression = re.sub(r"\{[^}]*\}|\[[^]]*\]", "", rule["expr"])
        used = set(re.findall(r"[a-z_]+", expression)) - WORDS_OF_PROMQL
        assert used, rule["alert"]
        assert used <= names | OWN, rule["alert"]
        # A sum has no labels to match, so `and` would give nothing.
        assert not re.search(r"\band (?!on\(\))", rule["expr"]), rule["alert"]
