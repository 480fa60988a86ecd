"""Nightly jobs are queued once a night, after NIGHTLY_AT, by any sweep."""

from datetime import UTC, datetime, time

import pytest

from ratings_site.common.jobs import nightly
from ratings_site.common.jobs.nightly import enqueue_nightly, register_nightly
from ratings_site.common.jobs.services import claim, handles, perform
from ratings_site.common.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]


@pytest.fixture(autouse=True)
def kinds(monkeypatch, settings):
    monkeypatch.setattr(nightly, "_kinds", set())
    settings.NIGHTLY_AT = time(3, 30)
    register_nightly("test.tidy")
    register_nightly("test.count")


def queued() -> list[tuple[str, str]]:
    return list(Job.objects.order_by("pk").values_list("kind", "key"))


def test_before_its_hour_nothing_is_queued():
    assert enqueue_nightly(now=datetime(2024, 5, 4, 3, 29, tzinfo=UTC)) == []
    assert queued() == []


def test_each_kind_is_queued_once_per_night():
    for hour in (4, 4, 23):
        enqueue_nightly(now=datetime(2024, 5, 4, hour, tzinfo=UTC))
    assert queued() == [("test.count", "2024-05-04"), ("test.tidy", "2024-05-04")]
    enqueue_nightly(now=datetime(2024, 5, 5, 4, tzinfo=UTC))
    assert queued()[2:] == [("test.count", "2024-05-05"), ("test.tidy", "2024-05-05")]


def test_work_that_is_done_is_not_queued_again():
    handles("test.tidy")(lambda job: None)
    [_, tidy] = enqueue_nightly(now=datetime(2024, 5, 4, 4, tzinfo=UTC))
    perform(claim(tidy.pk))
    assert enqueue_nightly(now=datetime(2024, 5, 4, 5, tzinfo=UTC)) == []
    assert Job.objects.get(pk=tidy.pk).state == "done"


def test_without_an_hour_there_is_no_nightly_run(settings):
    settings.NIGHTLY_AT = None
    assert enqueue_nightly(now=datetime(2024, 5, 4, 23, tzinfo=UTC)) == []


def test_queueing_takes_one_query_once_all_is_there(django_assert_num_queries):
    enqueue_nightly(now=datetime(2024, 5, 4, 4, tzinfo=UTC))
    with django_assert_num_queries(1):
        enqueue_nightly(now=datetime(2024, 5, 4, 4, tzinfo=UTC))
