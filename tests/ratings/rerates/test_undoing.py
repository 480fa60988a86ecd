"""A worker undoes a rerate on request: completely, or not at all."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from ratings.models import Run
from ratings.rerates.services import undo
from ratings.rerates.services.start import (
    RerateRefused,
    is_abandoned,
    retry_rerate,
)
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.approvals.services import approve
from ratings_site.common.audit.services import entries_about
from ratings_site.common.jobs.services import MAX_ATTEMPTS, run_due_jobs
from ratings_site.common.models import Job, PendingAct
from tests.factories import make_user
from tests.ratings.rerates.factories import ledger, ratings
from tests.ratings.rerates.test_pages import office_with_a_late_event
from tests.ratings.rerates.test_rerate import published, published_list

pytestmark = pytest.mark.django_db


@pytest.fixture
def manager():
    return make_user(is_superuser=True)


@pytest.fixture
def before(db):
    office_with_a_late_event()
    return ledger(), ratings()


def asked(run: Run, manager) -> Run | PendingAct:
    return undo_rerate(run_id=run.pk, actor=manager, reason="A wrong file.")


def run_jobs(run: Run) -> Run:
    run_due_jobs()
    run.refresh_from_db()
    return run


def audited_actions(run: Run) -> list[tuple]:
    found = entries_about(run).filter(action__contains="undo").order_by("pk")
    return list(found.values_list("action", "actor", "reason"))


def test_click_records_who_and_why_and_a_worker_takes_it_back(before, manager):
    run = published()
    rerated = ledger(), ratings()
    run = asked(run, manager)
    assert (run.status, run.is_being_undone) == ("published", True)
    assert audited_actions(run) == [("rerate.undo_asked", manager.pk, "A wrong file.")]
    assert (ledger(), ratings()) == rerated != before
    run = run_jobs(run)
    assert (run.status, run.undone_by, run.message) == ("undone", manager, "")
    assert audited_actions(run)[1:] == [("rerate.undone", manager.pk, "A wrong file.")]
    assert (ledger(), ratings()) == before
    call_command("audit", full=True)


def test_second_click_is_told_that_it_is_being_undone(before, manager):
    run = published()
    asked(run, manager)
    with pytest.raises(RerateRefused, match=f"Rerate {run.pk} is being undone"):
        asked(run, make_user(is_superuser=True))
    assert Job.objects.filter(kind="ratings.undo").count() == 1
    assert run_jobs(run).undone_by == manager


def test_what_another_rerate_rests_on_by_now_stays(before, manager):
    first = asked(published(), manager)
    job = Job.objects.filter(kind="ratings.undo")
    job.update(run_after=timezone.now() + timedelta(hours=1))
    second = published(whole_history=True)
    job.update(run_after=timezone.now())
    rerated = ledger(), ratings()
    first = run_jobs(first)
    assert (first.status, first.undone_by, first.undo_reason) == ("published", None, "")
    assert first.message == (
        f"Not undone: {second} is based on {first}. Undo {second} first."
    )
    assert audited_actions(first)[1:] == [("rerate.not_undone", None, first.message)]
    assert (ledger(), ratings()) == rerated


def test_list_published_meanwhile_needs_second_approval(before, manager):
    run = asked(published(), manager)
    rerated = ratings()
    Job.objects.filter(kind="ratings.undo").update(
        run_after=timezone.now() + timedelta(hours=1)
    )
    published_list()
    Job.objects.filter(kind="ratings.undo").update(run_after=timezone.now())
    run = run_jobs(run)
    assert "A list with these ratings has been published since" in run.message
    assert (run.status, ratings()) == ("published", rerated)
    act = asked(run, manager)
    approve(act_id=act.pk, actor=make_user(is_superuser=True))
    assert run_jobs(run).status == "undone"
    assert (ledger(), ratings()) == before


def test_what_fails_for_good_stays_published_and_can_be_tried_again(
    before, manager, monkeypatch
):
    run = asked(published(), manager)
    rerated = ledger(), ratings()
    with monkeypatch.context() as broken:
        broken.setattr(undo, "reproject", raise_disk_full)
        for _ in range(MAX_ATTEMPTS):
            Job.objects.filter(kind="ratings.undo").update(run_after=timezone.now())
            run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.message) == (
        "published",
        "Not undone: OSError: No space left.",
    )
    assert (ledger(), ratings()) == rerated
    asked(run, manager)
    assert run_jobs(run).status == "undone"
    assert (ledger(), ratings()) == before


def raise_disk_full(*args, **kwargs):
    raise OSError("No space left.")


def test_what_every_worker_died_of_can_be_asked_again(before, manager):
    run = asked(published(), manager)
    assert not is_abandoned(run)
    Job.objects.filter(kind="ratings.undo").update(state="failed")
    assert is_abandoned(run)
    with pytest.raises(RerateRefused, match="Only a failed rerate"):
        retry_rerate(run_id=run.pk, actor=manager, reason="Again.")
    asked(run, manager)
    assert run_jobs(run).status == "undone"
    assert (ledger(), ratings()) == before
