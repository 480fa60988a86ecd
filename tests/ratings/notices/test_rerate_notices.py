"""Notices to members about rerates and official lists, and their number of queries."""

from datetime import date, timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from players.models import Guardian, Player
from ratings.engine.systems import System
from ratings.models import RerateMark, Run, RunDifference
from ratings.notices import tasks as notice_tasks
from ratings.notices.messages import Move, rerated
from ratings.notices.tasks import NOTIFY_LIST, NOTIFY_RERATE
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import claim, enqueue, perform, run_due_jobs
from ratings_site.common.models import Job, Notice, User
from ratings_site.common.notices.services import BATCH_SIZE, save_preferences
from ratings_site.common.ui.formatting import ApproximateRating
from tests.factories import make_player, make_td, make_user
from tests.ratings.lists.helpers import JULY, published
from tests.ratings.rerates.factories import play, undo_published

pytestmark = pytest.mark.django_db

MARCH, APRIL = date(2024, 3, 9), date(2024, 4, 6)


@pytest.fixture
def td():
    return make_td()


def members(number: int = 4) -> list[Player]:
    return [
        make_player(
            given_name=f"Given{one}",
            ratings={"OTBR": (1500.0 + 40 * one, 40)},
            account=make_user(email=f"m{one}@example.org"),
        )
        for one in range(number)
    ]


def late_event(td) -> tuple[list[Player], Run]:
    """A March event reported after April's, and the rerate that includes it."""
    players = members()
    play(td, players, ends=APRIL, name="April Open")
    play(td, [*players[:2], *outsiders()], ends=MARCH, name="March Open")
    mail.outbox.clear()
    Notice.objects.all().delete()
    run = start_rerate(actor=None, reason="A late event.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
    run_due_jobs()
    return players, Run.objects.get(pk=run.pk)


def outsiders() -> list[Player]:
    return [make_player(ratings={"OTBR": (1900.0, 60)}) for _ in range(2)]


def moved(run: Run) -> dict[int, tuple[int, int]]:
    return {
        row.player_id: (round(row.before), round(row.after))
        for row in run.differences.filter(player__account__isnull=False)
    }


def test_members_hear_what_a_rerate_changed_and_why(td):
    players, run = late_event(td)
    changes = moved(run)
    assert changes
    notices = {
        row.account_id: row for row in Notice.objects.filter(kind="ratings.rerated")
    }
    accounts = {player.pk: player for player in players}
    assert set(notices) == {accounts[pk].account_id for pk in changes}
    for pk, (before, after) in changes.items():
        notice = notices[accounts[pk].account_id]
        assert notice.title == (
            f"A rerate changed your regular rating from {before} to {after}"
        )
        assert notice.text.startswith("Why: March Open")
        assert notice.url == f"/rerates/{run.pk}/players/{accounts[pk].member_id}/"
    assert sorted((m.to[0], m.subject) for m in mail.outbox) == sorted(
        (accounts[pk].account.email, notices[accounts[pk].account_id].title)
        for pk in changes
    )


def test_undone_rerate_is_told_to_the_same_people(td):
    _, run = late_event(td)
    mail.outbox.clear()
    undo_published(run)
    changes = moved(run)
    told = Notice.objects.filter(key=f"undone:{run.pk}")
    assert {row.account.player.pk: row.text for row in told} == {
        pk: f"Regular: from {after} to {before}."
        for pk, (before, after) in changes.items()
    }
    assert len(mail.outbox) == len(changes)


def test_rerate_undone_before_its_notices_is_not_announced(td):
    _, run = late_event(td)
    Notice.objects.all().delete()
    run.status, run.undone_at, run.undo_reason = "undone", timezone.now(), "Wrong."
    run.save()
    enqueue(NOTIFY_RERATE, key="again", args={"run": run.pk})
    run_due_jobs()
    assert not Notice.objects.exists()


def test_what_happened_to_another_member_is_no_cause_in_ones_mailbox():
    players, run = many(3)
    RerateMark.objects.create(
        kind="birth_date",
        from_day=MARCH,
        player_id=players[0],
        note="The birth date of Given0 was corrected.",
        run=run,
    )
    RerateMark.objects.create(
        kind="edition", from_day=MARCH, note="Ratings follow a new text.", run=run
    )
    send_notices(run)
    texts = Notice.objects.order_by("account").values_list("text", flat=True)
    assert list(texts) == [
        "Why: The birth date of Given0 was corrected.",
        "Why: Ratings follow a new text.",
        "Why: Ratings follow a new text.",
    ]


def test_many_causes_are_cut_and_many_systems_are_one_notice():
    moves = [
        Move(System.OTBR, 1500.0, 1511.0),
        Move(System.OTBQ, None, ApproximateRating(600)),
    ]
    notes = ["One.", "Two.", "Three.", "Four.", "Five."]
    title, text = rerated(moves, [RerateMark(note=note) for note in notes])
    assert title == "A rerate changed your ratings"
    assert text == (
        "Regular: from 1500 to 1511.\nQuick: from unrated to about 600.\n\n"
        "Why: One.\nWhy: Two.\nWhy: Three.\nPlus 2 more reasons."
    )


def test_list_is_told_on_the_site_and_mailed_to_who_asked(td):
    players = members()
    play(td, players, ends=APRIL)
    mail.outbox.clear()
    save_preferences(players[0].account_id, {("ratings.listed", "mail"): True})
    published()
    run_due_jobs()
    told = Notice.objects.filter(kind="ratings.listed").order_by("account")
    assert [row.account_id for row in told] == [p.account_id for p in players]
    first = told[0]
    rating = players[0].official_ratings.get().rating
    assert first.title == f"Official rating list, June 2024: Regular {rating}"
    assert first.text == f"Regular: {rating}. Your first official rating."
    assert first.url == f"/players/{players[0].member_id}/lists/"
    assert [message.to for message in mail.outbox] == [[players[0].account.email]]

    published(JULY)
    run_due_jobs()
    second = Notice.objects.get(account=players[0].account, key="list:2024-07")
    assert second.text == f"Regular: {rating}. Same as on the previous list."


# A rerate that affects very many members


def many(number: int) -> tuple[list[int], Run]:
    """A published rerate that changed the ratings of many members with accounts."""
    users = User.objects.bulk_create(
        User(username=f"many{one}", email=f"{one}@example.org") for one in range(number)
    )
    players = []
    for one, user in enumerate(users):
        player = Player(
            member_id=str(30_000_000 + one),
            given_name=f"Given{one}",
            family_name="Many",
            birth_date=date(1990, 1, 1),
            account=user,
        )
        player.set_search_names()
        players.append(player)
    players = Player.objects.bulk_create(players)
    run = Run.objects.create(
        kind="rerate",
        status="published",
        published_at=timezone.now() - timedelta(minutes=1),
        publish_reason="So.",
    )
    RunDifference.objects.bulk_create(
        RunDifference(run=run, player=player, system="OTBR", before=1500, after=1510)
        for player in players
    )
    return [player.pk for player in players], run


def send_notices(run: Run) -> CaptureQueriesContext:
    job = enqueue(NOTIFY_RERATE, key=str(run.pk), args={"run": run.pk})
    with CaptureQueriesContext(connection) as queries:
        perform(claim(job.pk))
    return queries


def test_rerate_of_2000_members_is_told_in_few_queries(mailoutbox):
    players, run = many(2000)
    RerateMark.objects.create(kind="edition", from_day=MARCH, note="So.", run=run)
    Guardian.objects.create(player_id=players[0], email="parent@example.org")
    queries = send_notices(run)
    assert Notice.objects.count() == 2000
    assert User.objects.filter(unread_notices=1).count() == 2000
    lots = 2000 // BATCH_SIZE
    assert len(queries) <= 10 + 27 * lots
    assert Job.objects.filter(kind="common.mail_notices").count() == lots


def test_worker_that_dies_half_way_leaves_the_rest_to_the_next(monkeypatch, mailoutbox):
    _, run = many(BATCH_SIZE + 1)
    job = enqueue(NOTIFY_RERATE, key=str(run.pk), args={"run": run.pk})
    real, calls = notice_tasks.notify, []

    def dies(news, **how):
        calls.append(how)
        if len(calls) == 2:
            raise ConnectionError("The worker was killed.")
        return real(news, **how)

    with monkeypatch.context() as broken:
        broken.setattr(notice_tasks, "notify", dies)
        perform(claim(job.pk))
    assert Notice.objects.count() == BATCH_SIZE
    for _again in range(2):  # the second batch of emails is sent later
        Job.objects.update(run_after=timezone.now())
        run_due_jobs()
    assert Notice.objects.count() == len(mailoutbox) == BATCH_SIZE + 1


def test_list_job_that_runs_twice_tells_once(td):
    play(td, members(), ends=APRIL)
    Notice.objects.all().delete()
    published()
    run_due_jobs()
    before = Notice.objects.count()
    Job.objects.filter(kind=NOTIFY_LIST).update(state="queued")
    run_due_jobs()
    assert Notice.objects.count() == before == 4
