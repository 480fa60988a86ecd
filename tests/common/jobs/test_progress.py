"""The progress of a job: how much is done, and the time that remains."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from ratings_site.common.jobs.progress import duration, job_progress
from ratings_site.common.jobs.services import claim, enqueue, handles
from ratings_site.common.models import Job
from tests.common.jobs.test_jobs_page import text_of
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2024, 5, 22, 12, tzinfo=UTC)


def running(*, done: int = 0, total: int = 0, seconds: int = 60, **fields) -> Job:
    began = NOW - timedelta(seconds=seconds)
    job = Job(
        kind="test.work",
        key="1",
        state="running",
        run_after=began,
        started_at=began,
        done_steps=done,
        total_steps=total,
        **fields,
    )
    job.created_at = began
    return job


class TestDetails:
    @pytest.mark.parametrize(
        ("job", "percent", "details"),
        [
            ({}, None, ["running for 1 minute"]),
            ({"total": 400}, 0, ["0 of 400 steps", "running for 1 minute"]),
            (
                {"done": 100, "total": 400},
                25,
                ["100 of 400 steps", "running for 1 minute", "about 3 minutes left"],
            ),
            (
                {"done": 2, "total": 1_200, "seconds": 60},
                0,
                ["2 of 1,200 steps", "running for 1 minute", "about 9 hours left"],
            ),
            # A total of 100 is counted in percent.
            (
                {"done": 75, "total": 100},
                75,
                ["75%", "running for 1 minute", "about 20 seconds left"],
            ),
            # In the first two seconds an estimate would jump.
            (
                {"done": 1, "total": 400, "seconds": 1},
                0,
                ["1 of 400 steps", "running for 1 second"],
            ),
            (
                {"done": 400, "total": 400},
                100,
                ["400 of 400 steps", "running for 1 minute"],
            ),
        ],
    )
    def test_a_running_job_shows_steps_time_and_estimate(self, job, percent, details):
        shown = job_progress(running(**job), NOW)
        assert (shown["percent"], shown["details"]) == (percent, details)

    def test_a_waiting_job_shows_how_long_it_waits(self):
        job = running(seconds=130)
        job.state, job.started_at = "queued", None
        shown = job_progress(job, NOW)
        assert shown["sentence"] == "Waiting to start"
        assert (shown["percent"], shown["details"]) == (None, ["waiting for 2 minutes"])

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0, "0 seconds"),
            (0.4, "1 second"),
            (59.5, "1 minute"),
            (119 * 60, "1 hour"),
            (120 * 60, "2 hours"),
            (50 * 3600, "2 days"),
        ],
    )
    def test_a_length_of_time_has_one_unit(self, seconds, words):
        assert duration(timedelta(seconds=seconds)) == words


class TestStart:
    def test_a_claim_is_the_start_and_a_resumed_job_keeps_it(self):
        job = enqueue("test.work", key="1")
        assert job.started_at is None
        claimed = claim(job.pk, now=NOW + timedelta(days=9999))
        job.refresh_from_db()
        first = job.started_at
        assert first == NOW + timedelta(days=9999)
        claimed.beat(done=3, total=9)
        Job.objects.update(state="queued")
        assert claim(job.pk, now=first + timedelta(hours=1)) is not None
        job.refresh_from_db()
        assert job.started_at == first

    def test_progress_inside_a_transaction_comes_with_the_heartbeat(self):
        claimed = claim(enqueue("test.work", key="1").pk)
        claimed.beat(message="Importing")
        assert job_progress(Job.objects.get())["percent"] is None
        claimed.report(30, 120)
        claimed._send_heartbeat()
        shown = job_progress(Job.objects.get())
        assert (shown["percent"], shown["details"][0]) == (25, "30 of 120 steps")
        # Another attempt begins without it.
        Job.objects.update(state="queued")
        claim(claimed.id)
        assert job_progress(Job.objects.get())["percent"] is None

    def test_a_job_that_did_nothing_yet_starts_over(self):
        job = enqueue("test.work", key="1")
        claim(job.pk, now=NOW + timedelta(days=9999))
        Job.objects.update(state="queued")
        again = NOW + timedelta(days=9999, hours=1)
        claim(job.pk, now=again)
        job.refresh_from_db()
        assert job.started_at == again


class TestTodoList:
    @pytest.fixture
    def page(self):
        handles("test.with_page", page=lambda job: f"/office/somewhere/{job.key}/")(
            lambda job: None
        )

    def test_own_open_jobs_are_on_the_list_with_their_page(self, client, page):
        mine, other = make_staff("staff"), make_staff("other")
        job = enqueue("test.with_page", key="7", actor=mine)
        enqueue("test.with_page", key="8", actor=other)
        enqueue("test.with_page", key="9")
        Job.objects.filter(pk=job.pk).update(
            state="running", done_steps=1, total_steps=4, message="Reading"
        )
        client.force_login(mine)
        response = client.get("/office/")
        assert "Your running jobs With page Reading 1 of 4 steps" in text_of(response)
        text = response.content.decode()
        assert 'href="/office/somewhere/7/"' in text
        assert "/office/somewhere/8/" not in text
        assert f'hx-get="/office/jobs/{job.pk}/progress/"' in text

    def test_the_line_asks_for_the_whole_list_when_the_job_is_over(self, client, page):
        mine = make_staff("staff")
        job = enqueue("test.with_page", key="7", actor=mine)
        url = reverse("office:job_progress", args=[job.pk])
        client.force_login(mine)
        line = client.get(url)
        assert "Waiting to start" in text_of(line)
        assert "HX-Refresh" not in line
        Job.objects.update(state="done")
        assert client.get(url)["HX-Refresh"] == "true"
        assert "Your running jobs" not in text_of(client.get("/office/"))

    def test_lines_are_for_clerks(self, client):
        url = reverse("office:job_progress", args=[enqueue("test.work", key="1").pk])
        assert client.get(url)["Location"] == f"/accounts/login/?next={url}"
        client.force_login(make_user())
        assert client.get(url).status_code == 403
