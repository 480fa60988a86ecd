"""Bulk actions on many rows are background jobs."""

from datetime import date

import pytest

from players.identity.services import merge_players
from players.models import Player, PlayerMerge
from ratings.pages.my_data.services import delete_member_data
from ratings_site.common.approvals.bulk_actions import BULK_ACTIONS, MAX_AT_ONCE
from ratings_site.common.approvals.tasks import BULK_ACTION, enqueue_bulk_action
from ratings_site.common.jobs.services import page_of, run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list

pytestmark = pytest.mark.django_db

LIST = "/office/duplicates/"
SEVERAL = "/office/duplicates/several/"
REASON = "Looked through on Monday."
CONFIRM = {"act": "merge", "confirm": "yes", "reason": REASON}


@pytest.fixture
def staff(client):
    user = make_staff("clerk")
    client.force_login(user)
    return user


def pairs(number: int) -> list[tuple[Player, Player]]:
    names = [f"Name{chr(97 + one)}" for one in range(number)]
    return [
        tuple(make_player(family_name=name) for _ in range(2))  # type: ignore[misc]
        for name in names
    ]


def keys(some: list[tuple[Player, Player]]) -> list[str]:
    return [f"{kept.pk}:{merged.pk}" for kept, merged in some]


def enqueued(some, staff) -> Job:
    view = "players_office:duplicates"
    return enqueue_bulk_action(view, "merge", keys(some), REASON, staff)


def outcome(page) -> tuple[list[str], list[tuple[str, str]]]:
    found = page.context["outcome"]
    return (
        [one.note for one in found.done],
        [(one.name, one.sentence) for one in found.left_out],
    )


def notes(some) -> list[str]:
    return [f"{two.member_id} merged into {one.member_id}" for one, two in some]


def test_every_list_with_bulk_actions_is_known_to_the_workers():
    assert set(BULK_ACTIONS) == {
        "players_office:duplicates",
        "players_office:claims",
        "players_office:links",
        "events:newcomers",
    }


def test_few_rows_are_done_in_the_request(client, staff):
    some = pairs(MAX_AT_ONCE)
    page = client.post(SEVERAL, {**CONFIRM, "row": keys(some)})
    assert outcome(page) == (notes(some), [])
    assert not Job.objects.filter(kind=BULK_ACTION).exists()


def test_more_rows_are_a_job_whose_page_shows_progress_then_the_results(client, staff):
    some = pairs(MAX_AT_ONCE + 1)
    sent = {**CONFIRM, "row": keys(some)}
    response = client.post(f"{SEVERAL}?list=page%3D2", sent)
    job = Job.objects.get(kind=BULK_ACTION)
    assert response.url == f"/office/bulk-actions/{job.pk}/?list=page%3D2"
    assert not PlayerMerge.objects.exists()
    working = client.get(response.url).text
    assert "Merge 11 pairs" in working
    assert "Waiting to start" in working
    assert page_of(job) in client.get("/office/").text  # the clerk can come back
    Job.objects.filter(pk=job.pk).update(state="running", done_steps=4, total_steps=11)
    assert "4 of 11 steps" in client.get(response.url).text
    Job.objects.filter(pk=job.pk).update(state="queued")

    run_due_jobs()
    page = client.get(response.url)
    assert outcome(page) == (notes(some), [])
    assert page.context["done"] == "11 pairs merged or sent for approval"
    assert page.context["shown"].url == f"{LIST}?page=2"
    merges = AuditEntry.objects.filter(action="player.merged")
    assert {(one.actor, one.reason) for one in merges} == {(staff, REASON)}
    assert merges.count() == 11


def test_rows_that_cannot_be_done_are_listed_and_stop_no_other(client, staff):
    some = pairs(MAX_AT_ONCE + 1)
    job = enqueued(some, staff)
    kept, merged = some[3]
    merge_players(kept_id=kept.pk, merged_id=merged.pk, actor=staff, reason="Before.")
    run_due_jobs()
    done, left_out = outcome(client.get(page_of(job)))
    assert done == notes(some[:3] + some[4:])
    assert [name for name, _sentence in left_out] == [str(kept)]


def test_a_later_attempt_goes_on_after_the_last_row(client, staff, monkeypatch):
    some = pairs(3)
    job = enqueued(some, staff)
    _permission, acts = BULK_ACTIONS["players_office:duplicates"]
    merge = acts["merge"].do
    done = []

    def merge_then_die(row, actor, reason):
        if len(done) == 2:
            raise SystemExit
        done.append(row.key)
        return merge(row, actor, reason)

    object.__setattr__(acts["merge"], "do", merge_then_die)
    try:
        with pytest.raises(SystemExit):
            run_due_jobs()
    finally:
        object.__setattr__(acts["merge"], "do", merge)
    assert PlayerMerge.objects.count() == 2
    Job.objects.filter(pk=job.pk).update(state="queued")
    run_due_jobs()
    assert PlayerMerge.objects.count() == 3
    assert outcome(client.get(page_of(job))) == (notes(some), [])


def test_sent_twice_it_is_one_job(staff):
    some = pairs(2)
    assert enqueued(some, staff) == enqueued(some, staff)
    assert enqueued(some[:1], staff) != enqueued(some, staff)


def test_a_failed_job_says_why(client, staff):
    job = enqueued(pairs(2), staff)
    Job.objects.filter(pk=job.pk).update(state="failed", message="No disk space.")
    page = client.get(page_of(job))
    assert outcome(page) == ([], [("Merge 2 pairs", "No disk space.")])


def test_results_are_for_staff_with_the_permission_of_the_list(client, staff):
    job = enqueued(pairs(2), staff)
    run_due_jobs()
    colleague = make_staff()
    client.force_login(colleague)
    assert len(outcome(client.get(page_of(job)))[0]) == 2
    for user in (make_user(), make_user(is_staff=True)):
        client.force_login(user)
        assert client.get(page_of(job)).status_code == 403
    client.logout()
    assert client.get(page_of(job)).status_code == 302


def test_permission_that_was_taken_away_meanwhile_counts(client, staff):
    job = enqueued(pairs(2), staff)
    staff.groups.clear()
    run_due_jobs()
    assert not PlayerMerge.objects.exists()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", 1)
    assert job.message == (
        "You need the permission “Can merge two members and undo a merge” for this."
    )


def test_names_of_private_members_are_in_the_results(client, staff):
    import_list([Person(1, "Noether, Emmy", 2104)])
    player = make_player(
        given_name="Emmy", family_name="Noether", birth_date=date(1982, 3, 23)
    )
    Player.objects.filter(pk=player.pk).update(is_private=True)
    page = client.post("/office/links/several/", {"act": "link all"})
    (row,) = page.context["listed"]
    view = "players_office:links"
    job = enqueue_bulk_action(view, "link", [row.key], REASON, staff)
    run_due_jobs()
    found = client.get(page_of(job)).context["outcome"]
    assert [(one.name, one.note) for one in found.done] == [
        ("Emmy Noether", "FIDE ID 1")
    ]


def test_results_go_with_the_name_of_a_deleted_member(client, staff, settings):
    settings.FORGET_NAMES = True
    some, others = pairs(3), pairs(2)
    jobs = [enqueued(some[:2], staff), enqueued([some[2], *others[1:]], staff)]
    run_due_jobs()
    manager = make_user("manager", is_staff=True, is_superuser=True)
    kept = some[0][0]
    delete_member_data(player_id=kept.pk, actor=manager, reason="Asked by letter.")
    gone, other = (client.get(page_of(job)) for job in jobs)
    assert outcome(gone) == (
        [],
        [("Merge 2 pairs", "The results were deleted with the data of a member.")],
    )
    assert len(outcome(other)[0]) == 2
    assert "Namea" not in str(Job.objects.filter(kind=BULK_ACTION).values_list("args"))
