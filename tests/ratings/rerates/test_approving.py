"""A rerate that is approved is published by a worker: wholly, or not at all."""

import time
from datetime import date

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from ratings.models import Run
from ratings.rerates.services import approving, passes, running
from ratings.rerates.services.approving import approve_rerate
from ratings.rerates.services.publishing import PreviewChanged, discard_rerate
from ratings.rerates.services.shadow import Shadow
from ratings.rerates.services.shown import Preview
from ratings.rerates.services.starting import (
    RerateRefused,
    is_given_up,
    retry_rerate,
    start_rerate,
)
from ratings_site.common.audit.services import entries_about
from ratings_site.common.database.locks import RatingsBusy, hold, waiting_at_most
from ratings_site.common.jobs.services import MAX_ATTEMPTS, work_off
from ratings_site.common.models import Job
from tests.factories import make_td, make_user
from tests.races import at_once
from tests.ratings.rerates.offices import ledger, play, ratings
from tests.ratings.rerates.test_pages import (
    ACTS,
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


def worked_off(run: Run) -> Run:
    work_off()
    run.refresh_from_db()
    return run


def acts_on(run: Run) -> list[tuple]:
    found = entries_about(run).order_by("pk")
    return list(found.values_list("action", "actor", "reason"))[1:]


def test_click_records_who_and_why_and_a_worker_publishes(members):
    run, before = ready(), ratings()
    manager = make_user(is_superuser=True)
    assert approved(run, manager).status == "publishing"
    assert acts_on(run) == [("rerate.approved", manager.pk, "Looks right.")]
    assert ratings() == before
    run = worked_off(run)
    assert (run.status, run.message) == ("published", "")
    assert acts_on(run)[1:] == [("rerate.published", manager.pk, "Looks right.")]
    assert ratings() != before
    call_command("audit", full=True)


def test_second_click_changes_nothing(members):
    run = ready()
    approved(run, make_user(is_superuser=True))
    approve_rerate(run_id=run.pk, actor=None, reason="Me too.", shown_pass=1)
    assert Job.objects.filter(kind="ratings.publish").count() == 1
    run = worked_off(run)
    at = run.published_at
    again = approve_rerate(run_id=run.pk, actor=None, reason="Me too.", shown_pass=1)
    assert (again.published_at, again.publish_reason) == (at, "Looks right.")
    assert work_off() == 0
    assert [action for action, *_ in acts_on(run)] == [
        "rerate.approved",
        "rerate.published",
    ]


def test_what_is_not_ready_or_not_as_shown_is_not_approved(members):
    run = ready()
    with pytest.raises(PreviewChanged, match="changed since you opened it"):
        approve_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=7)
    with pytest.raises(RerateRefused, match="Say why"):
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
    run = worked_off(run)
    assert (run.status, run.pass_number) == ("ready", 2)
    now = run.summary["whole_changes"]
    assert run.message.startswith("Not published: 1 report has arrived since ")
    assert f"ratings changed: {shown}, now {now}" in run.message
    assert run.message.endswith("Look at it again and publish.")
    assert (ledger(), ratings()) == before
    assert [action for action, *_ in acts_on(run)] == [
        "rerate.approved",
        "rerate.not_published",
    ]
    approved(run)
    run = worked_off(run)
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
    run = worked_off(run)
    assert (run.status, run.pass_number) == ("published", 2)
    assert run.summary["whole_changes"] != shown
    call_command("audit", full=True)


@pytest.mark.parametrize(
    ("shown", "now", "comes_back"),
    [(0, 5, False), (0, 6, True), (1000, 1020, False), (1000, 979, True)],
)
def test_leave_ends_at_one_in_fifty_or_five(shown, now, comes_back):
    preview = Preview({"players": shown}, None, timezone.now(), with_arrivals=True)
    news = preview.news(Run(summary={"players": now}))
    assert (news and dict(news.moved)) == (
        {"players": (shown, now)} if comes_back else None
    )


def test_page_says_in_the_readers_language_why_it_came_back(client, members):
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    run = worked_off(run)
    client = staff_client(client, *ACTS)
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
    run = worked_off(run)
    assert run.status == "ready"
    assert "Not published: " in run.message
    assert "“Nobody loses games.” fails 3 times" in run.message
    assert (ledger(), ratings()) == before


def test_discarded_while_it_is_being_published(members):
    run, before = ready(), ratings()
    approved(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Stop.")
    assert worked_off(run).status == "discarded"
    assert ratings() == before
    assert Job.objects.get(kind="ratings.publish").state == "done"


class Killed(BaseException):
    """As if the process had been killed."""


def killed(*args, **kwargs):
    raise Killed


def steps() -> list[tuple]:
    """Where a worker may die: in the catching up, and on both sides of the flags."""
    return [
        (Shadow, "finish"),
        (passes, "_summary"),
        (approving, "hold_ratings"),
        (approving, "make_public"),
        (approving, "_finish"),
    ]


@pytest.mark.parametrize("where", steps(), ids=lambda where: where[1])
def test_worker_killed_at_any_step_leaves_nothing_and_another_publishes(
    members, monkeypatch, where
):
    run = ready()
    play(make_td(), members, ends=date(2024, 6, 1), name="June Open")
    approved(run)
    before = ledger(), ratings()
    counts = run.summary["whole_changes"]
    with monkeypatch.context() as dying:
        dying.setattr(*where, killed)
        with pytest.raises(Killed):
            work_off()
    assert (ledger(), ratings()) == before
    run.refresh_from_db()
    assert run.status == "publishing"
    Job.objects.filter(state="running").update(state="queued")
    run = worked_off(run)
    if run.status == "ready":  # what came changed the preview; it was not approved
        assert run.summary["whole_changes"] != counts
        assert (ledger(), ratings()) == before
        approved(run)
        run = worked_off(run)
    assert run.status == "published"
    call_command("audit", full=True)


def test_publication_that_fails_for_good_gives_a_whole_preview_back(
    members, monkeypatch
):
    run, before = ready(), ratings()
    approved(run)
    monkeypatch.setattr(approving, "make_public", no_disk)
    fail_for_good()
    run.refresh_from_db()
    assert run.status == "ready"
    assert run.message == "Not published: OSError: No space left."
    assert ratings() == before


def test_publication_that_fails_in_a_pass_has_to_be_replayed(members, monkeypatch):
    """Half a pass is no preview: nobody may approve it."""
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    before = ledger(), ratings()
    with monkeypatch.context() as broken:
        broken.setattr(passes, "_summary", no_disk)
        fail_for_good()
    run.refresh_from_db()
    assert run.status == "failed"
    assert (ledger(), ratings()) == before
    retry_rerate(run_id=run.pk, actor=None, reason="The disk is larger now.")
    run = worked_off(run)
    approved(run)
    assert worked_off(run).status == "published"
    call_command("audit", full=True)


def no_disk(*args, **kwargs):
    raise OSError("No space left.")


def fail_for_good() -> None:
    for _ in range(MAX_ATTEMPTS):
        Job.objects.filter(kind="ratings.publish").update(run_after=timezone.now())
        work_off(limit=1)


def test_publication_that_every_worker_died_of_can_be_tried_again(members):
    run = ready()
    run = approved(run)
    assert not is_given_up(run)
    Job.objects.filter(kind="ratings.publish").update(state="failed")
    assert is_given_up(run)
    retry_rerate(run_id=run.pk, actor=None, reason="The machine is up again.")
    assert worked_off(run).status == "ready"
    approved(run)
    assert worked_off(run).status == "published"


def test_page_shows_progress_and_the_end(members, client):
    run = ready()
    staff_client(client, *ACTS)
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    page = client.post(
        publish, {"reason": "Looks right.", "shown_pass": "1"}, follow=True
    ).content.decode()
    assert "Approved: a worker makes these ratings the current ones." in page
    assert "Being published" in page
    assert "“Looks right.”" in page
    assert "/publish/" not in page
    assert "/discard/" in page
    progress = reverse("ratings:rerate_progress", args=[run.pk])
    answer = client.get(progress)
    assert "become the current ones in a moment" in answer.content.decode()
    assert "HX-Refresh" not in answer
    work_off()
    assert client.get(progress)["HX-Refresh"] == "true"
    page = client.get(reverse("ratings:office_rerate", args=[run.pk])).content.decode()
    assert "Published" in page
    assert "What everybody sees" in page


def test_page_says_how_far_the_catching_up_is_and_why_it_was_not_published(
    members, client, monkeypatch
):
    run = ready()
    play(make_td(), members, ends=FEBRUARY, name="February Open")
    approved(run)
    staff_client(client, *ACTS)
    address = reverse("ratings:office_rerate", args=[run.pk])
    pages = []
    finish = Shadow.finish

    def looking(shadow, part):
        pages.append(client.get(address).content.decode())
        return finish(shadow, part)

    monkeypatch.setattr(Shadow, "finish", looking)
    work_off()
    [page] = pages
    assert "What has arrived since is taken in first." in page
    assert 'value="100"' in page
    page = client.get(address).content.decode()
    assert "Not published: 1 report has arrived since" in page
    assert "/publish/?pass=2" in page


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_others_write_ratings_while_it_catches_up(members, monkeypatch):
    """Another connection takes the ratings in the middle of the catching up."""
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    run = ready()
    play(make_td(), members[:2], ends=date(2024, 6, 1), name="June Open")
    approved(run)
    finish, answers = Shadow.finish, []

    def take_them() -> str:
        with transaction.atomic():
            hold("ratings", seconds=1)
        return "taken"

    def finish_while_others_write(shadow, part):
        answers.extend(at_once(take_them))
        return finish(shadow, part)

    monkeypatch.setattr(Shadow, "finish", finish_while_others_write)
    work_off()
    assert answers == ["taken"]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_catching_up_waits_for_no_piece_that_waits_for_it(members, monkeypatch):
    """What retires comes late: sums had the job by then, and waited for it."""
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    run = ready()
    play(make_td(), members[:2], ends=date(2024, 6, 1), name="June Open")
    approved(run)
    retire = Shadow._retire

    def come_late(shadow, part):
        time.sleep(0.5)
        with transaction.atomic(), waiting_at_most(2):
            retire(shadow, part)

    monkeypatch.setattr(Shadow, "_retire", come_late)
    work_off()
    [job] = Job.objects.filter(kind="ratings.publish")
    assert (job.state, job.attempts) == ("done", 1)


def test_rerate_goes_on_waiting_for_the_ratings_on_its_last_attempt(
    members, monkeypatch
):
    run = start_rerate(actor=None, reason="The weekly rerate.", whole_history=True)
    Job.objects.filter(key=str(run.pk)).update(attempts=MAX_ATTEMPTS - 1)

    def held() -> None:
        raise RatingsBusy("ratings is held by another worker.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(running, "hold_ratings", held)
        work_off(limit=1)
    run.refresh_from_db()
    assert run.status == "running"
    Job.objects.update(run_after=timezone.now())
    assert worked_off(run).status == "ready"
