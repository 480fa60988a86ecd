"""The page of background jobs, and manual retries."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.queries import LATEST_JOBS
from ratings_site.common.jobs.services import NotRetryable, enqueue, retry_failed
from ratings_site.common.jobs.views import JOBS_PER_PAGE
from ratings_site.common.models import AuditEntry, Job
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_staff, make_td, make_user

pytestmark = pytest.mark.django_db

JOBS = "/office/jobs/"


@pytest.fixture
def signed_in(client):
    client.force_login(make_staff("staff"))
    return client


def make_job(key: str = "1", state: str = "failed", **fields) -> Job:
    now = timezone.now()
    is_over = state in ("done", "failed")
    return Job.objects.create(
        kind="test.work",
        key=key,
        args={"what": key},
        state=state,
        run_after=now,
        finished_at=now if is_over else None,
        **fields,
    )


def retry_url(job: Job) -> str:
    return reverse("office:retry_job", args=[job.pk])


def test_failed_work_is_queued_again_and_audited(signed_in):
    job = make_job(attempts=6, message="The disk is full.")
    words = text_of(signed_in.get(JOBS))
    assert "Work 1 Failed 6 The disk is full." in words
    assert "Failed, not retried 1" in words

    assert signed_in.post(retry_url(job)).url == JOBS

    again = Job.objects.get(state="queued")
    assert (again.kind, again.key, again.args, again.attempts) == (
        "test.work",
        "1",
        {"what": "1"},
        0,
    )
    entry = AuditEntry.objects.get(action="job.retried")
    assert (str(entry.actor), entry.subject_id, entry.facts) == (
        "staff",
        str(again.pk),
        {"failed": "The disk is full."},
    )
    words = text_of(signed_in.get(JOBS))
    assert "Job queued again." in words
    assert "retried" in words
    assert "Failed, not retried 0" in words


@pytest.mark.parametrize("state", ["queued", "running", "done"])
def test_only_what_failed_is_tried_again(signed_in, state):
    job = make_job(state=state)
    response = signed_in.post(retry_url(job), follow=True)
    assert "has not failed. Nothing was done." in text_of(response)
    assert Job.objects.count() == 1
    assert not AuditEntry.objects.exists()
    with pytest.raises(NotRetryable):
        retry_failed(job_id=job.pk, actor=None)


def test_looking_at_the_address_does_nothing(signed_in):
    assert signed_in.get(retry_url(make_job())).url == JOBS
    assert Job.objects.count() == 1


def test_trying_again_takes_the_permission():
    job = make_job()
    with pytest.raises(NotAllowed, match="Can retry failed background jobs"):
        retry_failed(job_id=job.pk, actor=make_td())
    assert Job.objects.count() == 1


def test_jobs_of_one_state_can_be_shown(signed_in):
    make_job("good", state="done")
    make_job("bad")
    words = text_of(signed_in.get(JOBS, {"state": "failed"}))
    assert "Work bad" in words
    assert "Work good" not in words
    assert "No jobs with this status." in text_of(
        signed_in.get(JOBS, {"state": "running"})
    )
    response = signed_in.get(JOBS, {"state": "lost"})
    assert response.status_code == 422
    assert "not one of the available choices" in text_of(response)


def keys_on(client, **asked) -> list[str]:
    return [job.key for job, _shown in client.get(JOBS, asked).context["jobs"]]


def done_jobs(number: int) -> None:
    Job.objects.bulk_create(
        Job(kind="test.work", key=str(n), state="done", run_after=timezone.now())
        for n in range(number)
    )


def test_the_newest_come_first_and_the_list_ends(signed_in):
    done_jobs(LATEST_JOBS + 3)
    newest = [str(n) for n in range(LATEST_JOBS + 2, 2, -1)]
    assert keys_on(signed_in) == newest[:JOBS_PER_PAGE]
    assert (
        keys_on(signed_in, page="2", state="done")
        == newest[JOBS_PER_PAGE : 2 * JOBS_PER_PAGE]
    )
    assert keys_on(signed_in, page="99") == newest[-JOBS_PER_PAGE:]
    assert 'rel="next" href="?state=done&amp;page=2"' in (
        signed_in.get(JOBS, {"state": "done"}).content.decode()
    )


def test_what_failed_or_waits_stands_before_all_that_is_done(signed_in):
    make_job("mended")
    make_job("mended", state="done")
    make_job("failed")
    make_job("waits", state="queued")
    make_job("runs", state="running")
    done_jobs(LATEST_JOBS)
    assert keys_on(signed_in)[:4] == ["failed", "runs", "waits", str(LATEST_JOBS - 1)]
    assert keys_on(signed_in, state="failed") == ["failed", "mended"]


def test_progress_and_counts_are_shown(signed_in):
    began = timezone.now() - timedelta(minutes=1)
    make_job("long", state="running", done_steps=3, total_steps=12, started_at=began)
    enqueue("test.work", key="next")
    words = text_of(signed_in.get(JOBS))
    assert "Running 3 of 12 steps · running for 1 minute · about " in words
    assert "Waiting 1 Oldest from" in words


@pytest.mark.parametrize("number", [2, 40])
def test_the_page_takes_the_same_queries_for_any_number(
    signed_in, django_assert_num_queries, number
):
    for n in range(number):
        make_job(str(n))
    with django_assert_num_queries(12):
        response = signed_in.get(JOBS)
    shown = min(number, JOBS_PER_PAGE)
    assert response.content.count(b"Try again<span") == shown


def test_it_is_closed_to_all_but_staff(client):
    job = make_job(message="Secret.")
    for user in (make_td(), make_user("m"), make_user("s", is_staff=True)):
        client.force_login(user)
        for response in (client.get(JOBS), client.post(retry_url(job))):
            assert response.status_code == 403
            assert "Secret." not in text_of(response)
    assert Job.objects.count() == 1
