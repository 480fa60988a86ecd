"""A worker publishes an approved rerate: completely, or not at all."""

import time
from datetime import date

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from ratings.models import Run
from ratings.rerates.services import execution, passes
from ratings.rerates.services.execution import approve_rerate
from ratings.rerates.services.publishing import (
    PreviewChanged,
    discard_rerate,
    preview_changes,
)
from ratings.rerates.services.staged_ledger import StagedLedger
from ratings.rerates.services.start import (
    RerateRefused,
    is_abandoned,
    retry_rerate,
    start_rerate,
)
from ratings_site.common.audit.services import entries_about
from ratings_site.common.db.locks import RatingsBusy, acquire_lock, lock_timeout
from ratings_site.common.jobs.services import MAX_ATTEMPTS, run_due_jobs
from ratings_site.common.models import Job
from tests.concurrency import run_concurrently
from tests.factories import make_td, make_user
from tests.ratings.rerates.factories import ledger, play, ratings
from tests.ratings.rerates.test_pages import (
    ACTIONS,
    office_with_a_late_event,
    ready,
    staff_client,
)

pytestmark = pytest.mark.django_db

FEBRUARY = date(2024, 2, 3)


@pytest.fixture
def members():
    return office_with_a_late_event()


def approved(run: Run, actor=None) -> Run:
    return approve_rerate(
        run_id=run.pk, actor=actor, reason="Looks right.", shown_pass=run.pass_number
    )


def run_jobs(run: Run) -> Run:
    run_due_jobs()
    run.refresh_from_db()
    return run


def audited_actions(run: Run) -> list[tuple]:
    found = entries_about(run).order_by("pk")
    return list(found.values_list("action", "actor", "reason"))[1:]


def test_click_records_who_and_why_and_a_worker_publishes(members):
    run, before = ready(), ratings()
    manager = make_user(is_superuser=True)
    assert approved(run, manager).status == "publishing"
    assert audited_actions(run) == [("rerate.approved", manager.pk, "Looks right.")]
    assert ratings() == before
    run = run_jobs(run)
    assert (run.status, run.message) == ("published", "")
    assert audited_actions(run)[1:] == [
        ("rerate.published", manager.pk, "Looks right.")
    ]
    assert ratings() != before
    call_command("audit", full=True)


def test_second_click_changes_nothing(members):
    run = ready()
    approved(run, make_user(is_superuser=True))
    approve_rerate(run_id=run.pk, actor=None, reason="Me too.", shown_pass=1)
    assert Job.objects.filter(kind="ratings.publish").count() == 1
    run = run_jobs(run)
    at = run.published_at
    again = approve_rerate(run_id=run.pk, actor=None, reason="Me too.", shown_pass=1)
    assert (again.published_at, again.publish_reason) == (at, "Looks right.")
    assert run_due_jobs() == 0
    assert [action for action, *_ in audited_actions(run)] == [
        "rerate.approved",
        "rerate.published",
    ]


def test_what_is_not_ready_or_not_as_shown_is_not_approved(members):
    run = ready()
    with pytest.raises(PreviewChanged, match="changed since you opened it"):
        approve_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=7)
    with pytest.raises(RerateRefused, match="Enter a reason"):
        approve_rerate(run_id=run.pk, actor=None, reason=" ", shown_pass=1)
    discard_rerate(run_id=run.pk, actor=None, reason="No.")
    with pytest.raises(RerateRefused, match="has been discarded"):
        approved(run)
    assert not Job.objects.filter(kind="ratings.publish").exists()


def test_preview_that_is_not_what_was_approved_is_not_published(members):
    run = ready()
    shown = run.summary["whole_changes"]
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    before = ledger(), ratings()
    run = run_jobs(run)
    assert (run.status, run.pass_number) == ("ready", 2)
    now = run.summary["whole_changes"]
    assert run.message.startswith("Not published: 1 report has arrived since ")
    assert f"ratings changed: {shown}, now {now}" in run.message
    assert run.message.endswith("Review it again, then publish.")
    assert (ledger(), ratings()) == before
    assert [action for action, *_ in audited_actions(run)] == [
        "rerate.approved",
        "rerate.not_published",
    ]
    approved(run)
    run = run_jobs(run)
    assert (run.status, run.message, run.progress.get("news")) == (
        "published",
        "",
        None,
    )
    call_command("audit", full=True)


def test_with_leave_it_is_published_although_what_arrives_moves_it_a_little(members):
    run = ready()
    shown = run.summary["whole_changes"]
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approve_rerate(
        run_id=run.pk,
        actor=None,
        reason="Looks right.",
        shown_pass=run.pass_number,
        with_arrivals=True,
    )
    run = run_jobs(run)
    assert (run.status, run.pass_number) == ("published", 2)
    assert run.summary["whole_changes"] != shown
    call_command("audit", full=True)


@pytest.mark.parametrize(
    ("shown", "now", "comes_back"),
    [(0, 5, False), (0, 6, True), (1000, 1020, False), (1000, 979, True)],
)
def test_leave_ends_at_one_in_fifty_or_five(shown, now, comes_back):
    preview = {
        "counts": {"players": shown},
        "ready_at": timezone.now().isoformat(),
        "with_arrivals": True,
    }
    news = preview_changes(preview, Run(summary={"players": now}))
    assert (news and news["moved"]) == (
        {"players": [shown, now]} if comes_back else None
    )


def test_page_says_in_the_readers_language_why_it_came_back(client, members):
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    run = run_jobs(run)
    client = staff_client(client, *ACTIONS)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"
    page = client.get(reverse("ratings:office_rerate", args=[run.pk])).content.decode()
    assert "No se publicó: ha llegado 1 informe desde el" in page
    assert "has arrived" not in page


def test_check_that_fails_with_what_arrived_stops_it(members, monkeypatch):
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    before = ledger(), ratings()
    faults = [{"sentence": "Nobody loses games.", "faults": 3}]
    monkeypatch.setattr(passes, "invariants", lambda *_: faults)
    run = run_jobs(run)
    assert run.status == "ready"
    assert "Not published: " in run.message
    assert "“Nobody loses games.” failed 3 times" in run.message
    assert (ledger(), ratings()) == before


def test_discarded_while_it_is_being_published(members):
    run, before = ready(), ratings()
    approved(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Stop.")
    assert run_jobs(run).status == "discarded"
    assert ratings() == before
    assert Job.objects.get(kind="ratings.publish").state == "done"


class Killed(BaseException):
    """Simulates a killed process."""


def raise_killed(*args, **kwargs):
    raise Killed


def kill_points() -> list[tuple]:
    """Where a worker may die: while catching up, and on both sides of the flags."""
    return [
        (StagedLedger, "finish"),
        (passes, "_summary"),
        (execution, "lock_ratings"),
        (execution, "make_public"),
        (execution, "_publish"),
    ]


@pytest.mark.parametrize("where", kill_points(), ids=lambda where: where[1])
def test_worker_killed_at_any_step_leaves_nothing_and_another_publishes(
    members, monkeypatch, where
):
    run = ready()
    play(make_td(), members, ends=date(2024, 6, 1), name="June Open")
    approved(run)
    before = ledger(), ratings()
    counts = run.summary["whole_changes"]
    with monkeypatch.context() as dying:
        dying.setattr(*where, raise_killed)
        with pytest.raises(Killed):
            run_due_jobs()
    assert (ledger(), ratings()) == before
    run.refresh_from_db()
    assert run.status == "publishing"
    Job.objects.filter(state="running").update(state="queued")
    run = run_jobs(run)
    if run.status == "ready":  # new reports changed the preview; it was not approved
        assert run.summary["whole_changes"] != counts
        assert (ledger(), ratings()) == before
        approved(run)
        run = run_jobs(run)
    assert run.status == "published"
    call_command("audit", full=True)


def test_publication_that_fails_for_good_gives_a_whole_preview_back(
    members, monkeypatch
):
    run, before = ready(), ratings()
    approved(run)
    monkeypatch.setattr(execution, "make_public", raise_disk_full)
    fail_for_good()
    run.refresh_from_db()
    assert run.status == "ready"
    assert run.message == "Not published: OSError: No space left."
    assert ratings() == before


def test_publication_that_fails_in_a_pass_has_to_be_replayed(members, monkeypatch):
    """Half a pass is no preview: it cannot be approved."""
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    before = ledger(), ratings()
    with monkeypatch.context() as broken:
        broken.setattr(passes, "_summary", raise_disk_full)
        fail_for_good()
    run.refresh_from_db()
    assert run.status == "failed"
    assert (ledger(), ratings()) == before
    retry_rerate(run_id=run.pk, actor=None, reason="The disk is larger now.")
    run = run_jobs(run)
    approved(run)
    assert run_jobs(run).status == "published"
    call_command("audit", full=True)


def raise_disk_full(*args, **kwargs):
    raise OSError("No space left.")


def fail_for_good() -> None:
    for _ in range(MAX_ATTEMPTS):
        Job.objects.filter(kind="ratings.publish").update(run_after=timezone.now())
        run_due_jobs(limit=1)


def test_publication_that_every_worker_died_of_can_be_tried_again(members):
    run = ready()
    run = approved(run)
    assert not is_abandoned(run)
    Job.objects.filter(kind="ratings.publish").update(state="failed")
    assert is_abandoned(run)
    retry_rerate(run_id=run.pk, actor=None, reason="The machine is up again.")
    assert run_jobs(run).status == "ready"
    approved(run)
    assert run_jobs(run).status == "published"


def test_page_shows_progress_and_the_end(members, client):
    run = ready()
    staff_client(client, *ACTIONS)
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    page = client.post(
        publish, {"reason": "Looks right.", "shown_pass": "1"}, follow=True
    ).content.decode()
    assert "Approved. The new ratings will be current shortly." in page
    assert "Publishing" in page
    assert "“Looks right.”" in page
    assert "/publish/" not in page
    assert "/discard/" in page
    progress = reverse("ratings:rerate_progress", args=[run.pk])
    answer = client.get(progress)
    assert "be current in a moment" in answer.content.decode()
    assert "HX-Refresh" not in answer
    run_due_jobs()
    assert client.get(progress)["HX-Refresh"] == "true"
    page = client.get(reverse("ratings:office_rerate", args=[run.pk])).content.decode()
    assert "Published" in page
    assert "Public page" in page


def test_page_says_how_far_the_catching_up_is_and_why_it_was_not_published(
    members, client, monkeypatch
):
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    staff_client(client, *ACTIONS)
    address = reverse("ratings:office_rerate", args=[run.pk])
    pages = []
    finish = StagedLedger.finish

    def looking(staged_ledger, part):
        pages.append(client.get(address).content.decode())
        return finish(staged_ledger, part)

    monkeypatch.setattr(StagedLedger, "finish", looking)
    run_due_jobs()
    [page] = pages
    assert "New reports are added first." in page
    assert 'value="100"' in page
    page = client.get(address).content.decode()
    assert "Not published: 1 report has arrived since" in page
    assert "/publish/?pass=2" in page


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_others_write_ratings_while_it_catches_up(members, monkeypatch):
    """Another connection locks the ratings in the middle of catching up."""
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    run = ready()
    play(make_td(), members[:2], ends=date(2024, 6, 1), name="June Open")
    approved(run)
    finish, answers = StagedLedger.finish, []

    def take_ratings() -> str:
        with transaction.atomic():
            acquire_lock("ratings", seconds=1)
        return "taken"

    def finish_while_others_write(staged_ledger, part):
        answers.extend(run_concurrently(take_ratings))
        return finish(staged_ledger, part)

    monkeypatch.setattr(StagedLedger, "finish", finish_while_others_write)
    run_due_jobs()
    assert answers == ["taken"]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_catching_up_waits_for_no_piece_that_waits_for_it(members, monkeypatch):
    """The retiring step comes late: sums ran by then, and waited for it."""
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    run = ready()
    play(make_td(), members[:2], ends=date(2024, 6, 1), name="June Open")
    approved(run)
    retire = StagedLedger._retire

    def arrive_late(staged_ledger, part):
        time.sleep(0.5)
        with transaction.atomic(), lock_timeout(2):
            retire(staged_ledger, part)

    monkeypatch.setattr(StagedLedger, "_retire", arrive_late)
    run_due_jobs()
    [job] = Job.objects.filter(kind="ratings.publish")
    assert (job.state, job.attempts) == ("done", 1)


def test_rerate_goes_on_waiting_for_the_ratings_on_its_last_attempt(
    members, monkeypatch
):
    run = start_rerate(actor=None, reason="The weekly rerate.", whole_history=True)
    Job.objects.filter(key=str(run.pk)).update(attempts=MAX_ATTEMPTS - 1)

    def held() -> None:
        raise RatingsBusy("ratings is locked by another worker.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(execution, "lock_ratings", held)
        run_due_jobs(limit=1)
    run.refresh_from_db()
    assert run.status == "running"
    Job.objects.update(run_after=timezone.now())
    assert run_jobs(run).status == "ready"
