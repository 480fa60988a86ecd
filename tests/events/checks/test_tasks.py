"""Pending reports are counted again when records have changed."""

from datetime import time

import pytest
from django.utils import timezone

from events.checks.services import findings_of
from events.models import Submission
from events.reports.services.submissions import submit_report
from players.identity.services import undo_merge
from players.models import Player
from ratings_site.common.jobs.nightly import enqueue_nightly
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.events.reports.test_report_pages import quad
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    upload,
)

pytestmark = pytest.mark.django_db

RECOUNT = "events.recount_findings"


@pytest.fixture
def td():
    return make_td()


def submitted(td, **event) -> Submission:
    submission = upload(td, quad(td, **event))
    return submit_report(submission_id=submission.pk, actor=td)


def counts(submission: Submission) -> dict[str, int]:
    return Submission.objects.get(pk=submission.pk).finding_counts


def member_of(submission: Submission) -> Player:
    entry = submission.content["sections"][0]["entries"][0]
    return Player.objects.get(member_id=entry["member_id"])


def test_pending_reports_are_recounted_nightly(td, settings):
    settings.NIGHTLY_AT = time(0)
    changed, same = submitted(td), submitted(td, name="Other Open")
    before = counts(same)
    somebody = member_of(changed)
    Player.objects.filter(pk=somebody.pk).update(status="deceased")
    enqueue_nightly(now=timezone.now())
    Job.objects.exclude(kind=RECOUNT).delete()
    run_due_jobs()
    assert counts(changed)["error"] == 1
    assert counts(same) == before
    assert Job.objects.get().state == Job.State.DONE


def test_merge_and_its_undoing_reach_what_waits(td):
    submission = submitted(td)
    before = counts(submission)
    merge = merge_with_approval(make_player(), member_of(submission))
    run_due_jobs()
    assert counts(submission)["error"] == 1
    undo_merge(merge_id=merge.pk, actor=make_staff(), reason="Twins.")
    run_due_jobs()
    assert counts(submission) == before


def test_many_merges_are_one_recount(td, monkeypatch):
    looks = []
    submitted(td)
    for _ in range(3):
        merge_with_approval(make_player(), make_player())
    monkeypatch.setattr(
        "events.checks.services.findings_of",
        lambda submission: looks.append(submission.pk) or findings_of(submission),
    )
    run_due_jobs()
    jobs = Job.objects.filter(kind=RECOUNT)
    assert [job.state for job in jobs] == [Job.State.DONE] * 3
    assert len(looks) == 1


def test_decided_reports_keep_what_they_were_decided_on(td):
    submission = submitted(td)
    Submission.objects.update(state="withdrawn", finding_counts={"note": 7})
    merge_with_approval(make_player(), member_of(submission))
    run_due_jobs()
    assert counts(submission) == {"note": 7}
