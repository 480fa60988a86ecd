"""Two people, or two workers, at the same moment: what must be done once is."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event as Signal
from threading import Timer
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from events.formats.dbf.writer import write_report
from events.models import Event, RatingFee, Submission
from events.records.exceptions import DuplicateUpload, NotPossible, VersionConflict
from events.records.jobs import RATE_SECTION
from events.records.services.fees import charge_sections
from events.reports.services.submissions import (
    receive_submission,
    set_event,
    submit_report,
)
from events.review.queries.newcomers import newcomer_fingerprint
from events.review.services.acceptance import accept_report
from events.review.services.bulk_acceptance import bulk_accept
from events.review.services.newcomers import assign_member_ids
from players.claims.services.claims import (
    CODE_DIGITS,
    MAX_TRIES,
    ClaimRefused,
    claim_member,
    code_of,
    try_code,
)
from players.claims.services.invitation_lists import receive_list
from players.identity.services import merge_players
from players.imports.kinds import ImportRefused
from players.imports.services.actions import apply_intake
from players.imports.services.feed import import_batch
from players.imports.services.runner import apply
from players.members.newcomers import match_newcomers
from players.members.services import MemberIdRefused, enter_member
from players.models import Claim, Intake, Invitation, Player, PlayerMerge
from ratings.foreign.services import rate_if_eligible
from ratings.ledger import tasks
from ratings.ledger.services.projection import rebuild
from ratings.ledger.services.rating import rate_foreign_result, rate_section
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings_site.common.audit.services import entries_about
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.jobs.services import (
    ClaimedJob,
    claim,
    enqueue,
    perform,
    run_due_jobs,
)
from ratings_site.common.models import Job
from tests.concurrency import (
    needs_two_connections,  # noqa: F401
    run_concurrently,
    wait_for_lock_waiters,
)
from tests.events.foreign.factories import foreign_staff
from tests.events.newcomers.reports import SAM, pending_report
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
    upload,
)
from tests.players.imports.files import ADA, received
from tests.ratings.foreign.factories import list_with_masters, master, ready

TIMES = 4

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def td():
    return make_td()


def report_of_two(td, name: str = "May Open"):
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)]
    return event_report(td, [section_report(players, swiss_rows(2, 1))], name=name)


def submitted(td, name: str = "May Open") -> Submission:
    submission = upload(td, report_of_two(td, name))
    return submit_report(submission_id=submission.pk, actor=td)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_members_of_staff_accept_one_report(td, attempt):
    submission = submitted(td)
    staff = [make_staff(), make_staff()]

    first, second = run_concurrently(
        *(
            lambda actor=actor: accept_report(submission_id=submission.pk, actor=actor)
            for actor in staff
        )
    )

    event = Event.objects.get()
    assert (first, second) == (event, event)
    assert Job.objects.count() == event.sections.count() == 1
    assert entries_about(submission).filter(action="submission.accepted").count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_sections_of_an_event_are_charged_and_the_minimum_once(td, attempt):
    report = report_of_two(td)
    two = [replace(report.sections[0], number=number) for number in (1, 2)]
    reported = replace(report, sections=tuple(two))
    event = accepted_event(td, reported)
    RatingFee.objects.create(starts=report.starts, amount=2, minimum=3)

    def charge(section):
        with transaction.atomic():
            charge_sections(event, [section], reported)

    run_concurrently(*(lambda one=one: charge(one) for one in event.sections.all()))

    amounts = [int(one.amount) for one in event.charges.all()]
    # The first section was raised to 3, the second took that back.
    assert sorted(amounts) == [-1, 1, 2, 2]


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_clerks_accept_the_same_several_and_each_report_once(td, attempt):
    reports = [submitted(td, "One"), submitted(td, "Two"), submitted(td, "Three")]
    versions = {report.pk: report.version for report in reports}
    staff = [make_staff(), make_staff()]

    results = run_concurrently(
        *(
            lambda actor=actor: bulk_accept(versions=versions, actor=actor)
            for actor in staff
        )
    )

    entered = [event.submission_id for one in results for event in one.events]
    left_out = [
        (each.pk, each.why) for one in results for each in one.ineligible_reports
    ]
    assert sorted(entered) == sorted(versions)
    assert sorted(left_out) == sorted((pk, "decided") for pk in versions)
    assert Event.objects.count() == Job.objects.count() == len(reports)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_a_report_accepted_meanwhile_is_skipped(td, attempt):
    reports = [submitted(td, "One"), submitted(td, "Two")]
    versions = {report.pk: report.version for report in reports}
    clerk, other = make_staff(), make_staff()
    has_accepted, may_commit = Signal(), Signal()

    def one_by_one():
        with transaction.atomic():
            accept_report(submission_id=reports[0].pk, actor=other)
            has_accepted.set()
            assert may_commit.wait(timeout=10)

    def several():
        assert has_accepted.wait(timeout=10)
        Timer(0.3, may_commit.set).start()  # while this one waits for the row
        return bulk_accept(versions=versions, actor=clerk)

    _, done = run_concurrently(one_by_one, several)

    assert [event.submission_id for event in done.events] == [reports[1].pk]
    assert [(one.pk, one.why) for one in done.ineligible_reports] == [
        (reports[0].pk, "decided")
    ]
    reports[0].refresh_from_db()
    assert reports[0].decided_by == other


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_reports_accepted_at_once_get_different_event_ids(td, attempt):
    submissions = [submitted(td, "One"), submitted(td, "Two")]
    staff = make_staff()

    events = run_concurrently(
        *(
            lambda pk=submission.pk: accept_report(submission_id=pk, actor=staff)
            for submission in submissions
        )
    )

    assert sorted(event.event_id for event in events) == [
        "202405050004",
        "202405050014",
    ]


@pytest.mark.parametrize("attempt", range(TIMES))
def test_same_files_sent_twice_at_once_are_one_report(td, attempt):
    files = list(write_report(report_of_two(td)).items())

    results = run_concurrently(*[lambda: receive_submission(actor=td, files=files)] * 2)

    submission = Submission.objects.get()
    assert [r for r in results if isinstance(r, Submission)] == [submission]
    [refusal] = [r for r in results if not isinstance(r, Submission)]
    assert isinstance(refusal, DuplicateUpload)
    assert refusal.earlier == submission
    assert submission.files.count() == 3


@pytest.mark.parametrize("attempt", range(TIMES))
def test_of_two_edits_of_one_version_one_is_outdated(td, attempt):
    submission = upload(td, report_of_two(td))

    results = run_concurrently(
        *(
            lambda city=city: set_event(
                submission_id=submission.pk,
                actor=td,
                version=1,
                changes={"city": city},
            )
            for city in ("Rome", "Oslo")
        )
    )

    assert sorted(
        type(result) for result in results if isinstance(result, VersionConflict)
    ) == [VersionConflict]
    [saved] = [result for result in results if isinstance(result, Submission)]
    submission.refresh_from_db()
    assert submission.version == 2
    assert submission.content["city"] == saved.content["city"]
    edits = entries_about(submission).filter(action="submission.event_changed")
    assert edits.get().facts == {"city": saved.content["city"]}


@pytest.mark.parametrize("attempt", range(TIMES))
def test_edit_and_submission_at_once_do_not_lose_each_other(td, attempt):
    """Either the submitted report has the edit, or the TD gets an error."""
    submission = upload(td, report_of_two(td))

    edit, handed = run_concurrently(
        lambda: set_event(
            submission_id=submission.pk, actor=td, version=1, changes={"city": "Rome"}
        ),
        lambda: submit_report(submission_id=submission.pk, actor=td),
    )

    assert isinstance(handed, Submission)
    submission.refresh_from_db()
    assert submission.state == "submitted"
    assert (submission.content["city"] == "Rome") == isinstance(edit, Submission)


def current() -> set[tuple]:
    return set(
        PlayerRating.objects.values_list(
            "player", "system", "rating", "games", "record", "last_change"
        )
    )


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_workers_rate_one_section_once(td, attempt):
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(4)]
    report = event_report(td, [section_report(players, swiss_rows(4, 3))])
    section = accepted_event(td, report).sections.get()

    results = run_concurrently(*[lambda: rate_section(section_id=section.pk)] * 2)

    assert results == [section, section]
    assert section.calculations.count() == 1
    assert RatingChange.objects.filter(calculation__section=section).count() == 4
    projected = current()
    rebuild()
    assert current() == projected


@pytest.mark.parametrize("rate", [rate_foreign_result, rate_if_eligible])
@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_workers_rate_one_result_abroad_once(attempt, rate):
    list_with_masters()
    player = master()
    result = ready(foreign_staff(), player, [(2400, 2)])

    answers = run_concurrently(*[lambda: rate(result_id=result.pk)] * 2)

    assert not [one for one in answers if isinstance(one, Exception)]
    calculation = result.calculations.get()
    line = calculation.changes.get()
    assert (line.player, line.games) == (player, 1)
    result.refresh_from_db()
    assert result.status == "rated"
    assert PlayerRating.objects.get(player=player).last_change == line


@pytest.mark.parametrize("attempt", range(TIMES))
def test_one_of_two_workers_claims_the_job(td, attempt):
    report = report_of_two(td)
    section = accepted_event(td, report).sections.get()
    job = Job.objects.get()

    claims = run_concurrently(*[lambda: claim(job.pk)] * 2)

    [claimed] = [one for one in claims if isinstance(one, ClaimedJob)]
    assert claims.count(None) == 1
    perform(claimed)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 1)
    assert section.calculations.count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_sections_that_share_players_are_rated_one_after_the_other(td, attempt):
    """Each starts from what the other left: no change of a rating is lost."""
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(4)]
    events = [
        accepted_event(
            td,
            event_report(td, [section_report(pair, swiss_rows(2, 1))], name=name),
        )
        for name, pair in (("One", players[:2]), ("Two", players[1:3]))
    ]
    sections = [event.sections.get() for event in events]

    run_concurrently(
        *(lambda pk=section.pk: rate_section(section_id=pk) for section in sections)
    )

    first, second = Calculation.objects.filter(section__isnull=False).order_by("pk")
    shared = players[1]
    assert (
        second.changes.get(player=shared).pre_rating
        == first.changes.get(player=shared).post_rating
    )
    # The one that comes first in rating order is late if it came second.
    assert second.is_late == (second.section.event == events[0])
    projected = current()
    rebuild()
    assert current() == projected


@pytest.mark.parametrize("attempt", range(TIMES))
def test_work_asked_for_twice_at_once_is_queued_once(attempt):
    jobs = run_concurrently(*[lambda: enqueue("test", key="the same")] * 2)
    assert jobs == [Job.objects.get()] * 2


@pytest.mark.parametrize("time", range(TIMES))
def test_two_members_are_merged_into_each_other_once(time):
    staff, one, other = make_staff(), make_player(), make_player()

    def merge(kept: Player, merged: Player) -> PlayerMerge:
        return merge_players(
            kept_id=kept.pk, merged_id=merged.pk, actor=staff, reason="Same."
        )

    done = run_concurrently(lambda: merge(one, other), lambda: merge(other, one))
    assert sorted(type(answer).__name__ for answer in done) == [
        "MergeRefused",
        "PlayerMerge",
    ]
    assert Player.objects.filter(status="duplicate").count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_clerks_who_number_one_newcomer_make_one_member(td, attempt):
    _submission, newcomer = pending_report(td)
    clerks = [make_staff(), make_staff()]

    results = run_concurrently(
        *(
            lambda clerk=clerk: assign_member_ids(
                numbers={newcomer.pk: ""}, actor=clerk
            )
            for clerk in clerks
        )
    )

    member = Player.objects.get(family_name="Newman")
    assert [one for one in results if isinstance(one, list)] == [[member]]
    [refusal] = [one for one in results if not isinstance(one, list)]
    assert isinstance(refusal, NotPossible)
    assert str(refusal) == f"Sam Newman already has member ID {member.member_id}."


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_clerks_who_number_two_newcomers_give_two_numbers(td, attempt):
    newcomers = [
        pending_report(td, details=replace(SAM, given_name=name), name=name)[1]
        for name in ("Kim", "Lee")
    ]
    clerk = make_staff()

    results = run_concurrently(
        *(
            lambda pk=newcomer.pk: assign_member_ids(numbers={pk: ""}, actor=clerk)
            for newcomer in newcomers
        )
    )

    numbers = sorted(int(player.member_id) for [player] in results)
    assert numbers[1] == numbers[0] + 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_clerks_who_number_one_child_of_two_reports_give_one_number(td, attempt):
    newcomers = [pending_report(td, name=f"Quads {number}")[1] for number in (1, 2)]
    seen = {one.pk: newcomer_fingerprint(one, []) for one in newcomers}
    clerk = make_staff()

    results = run_concurrently(
        *(
            lambda pk=one.pk: assign_member_ids(
                numbers={pk: ""}, seen=seen, actor=clerk
            )
            for one in newcomers
        )
    )

    member = Player.objects.get(family_name="Newman")
    assert results == [[member], [member]]


@pytest.mark.parametrize("attempt", range(TIMES))
def test_number_and_acceptance_at_once_enter_each_section_once(td, attempt):
    submission, newcomer = pending_report(td)
    clerk = make_staff()

    results = run_concurrently(
        lambda: accept_report(submission_id=submission.pk, actor=clerk),
        lambda: assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk),
    )

    assert not [one for one in results if isinstance(one, Exception)]
    event = Event.objects.get()
    assert list(event.sections.values_list("number", flat=True)) == [1, 2]
    assert Job.objects.filter(kind=RATE_SECTION).count() == 2


@pytest.mark.parametrize("attempt", range(TIMES))
def test_clerk_and_feed_at_once_make_one_member_of_a_newcomer(td, attempt):
    submission, newcomer = pending_report(td)
    accept_report(submission_id=submission.pk, actor=make_staff())
    clerk = make_staff()
    sam = make_player(given_name="Sam", family_name="Newman", birth_date=SAM.birth_date)

    def feed():
        with transaction.atomic():
            return match_newcomers([sam])

    results = run_concurrently(
        feed, lambda: assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk)
    )

    newcomer.refresh_from_db()
    assert (results[0] == 1) != isinstance(results[1], list)
    entries = Event.objects.get().sections.get(number=2).entries
    assert entries.get(pairing_number=4).player == newcomer.resolved_to


def test_rating_that_finds_the_ratings_held_waits_and_loses_no_attempt(td, monkeypatch):
    """As while a rerate is published, or a list made."""
    monkeypatch.setattr(
        tasks, "lock_ratings", lambda: acquire_lock("ratings", seconds=1)
    )
    event = accepted_event(td, report_of_two(td))
    job = Job.objects.get(kind=RATE_SECTION)
    is_held, has_waited = Signal(), Signal()

    def publish() -> None:
        with transaction.atomic():
            acquire_lock("ratings")
            is_held.set()
            assert has_waited.wait(timeout=10)

    def rate() -> None:
        assert is_held.wait(timeout=10)
        perform(claim(job.pk))
        has_waited.set()

    run_concurrently(publish, rate)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 0)
    assert job.busy_since is not None
    Job.objects.update(run_after=timezone.now())
    run_due_jobs()
    assert event.sections.get().status == "rated"
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 1)


# --- Guessing ---
# Two that bring one member


def race_on_member(*later: Callable[[], Any]) -> list[Any]:
    """Have each action meet a member ID that is written but not committed.

    The first commits once all others wait for it; returns what they answered.
    """
    is_written = Signal()

    def first() -> None:
        with transaction.atomic():
            make_player("20000001", "Ada", "Adams")
            is_written.set()
            wait_for_lock_waiters(len(later))

    def after(act: Callable[[], Any]) -> Any:
        is_written.wait(timeout=10)
        return act()

    _, *answers = run_concurrently(
        first, *(lambda act=act: after(act) for act in later)
    )
    return answers


def start_import(intake: Intake) -> Intake:
    apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    intake.refresh_from_db()
    return intake


def test_file_that_brings_a_member_too_late_says_so():
    intake = start_import(received(ADA))
    race_on_member(lambda: apply(intake))
    intake.refresh_from_db()
    assert (intake.state, intake.problem) == ("ready", {"code": "entered_meanwhile"})
    assert Player.objects.count() == 1


def test_feed_that_brings_a_member_too_late_says_so():
    row = {"member_id": "20000001", "family_name": "Adams"}
    staff = make_staff()
    [answer] = race_on_member(
        lambda: import_batch(rows=[row], actor=staff, key_name="Ours")
    )
    assert isinstance(answer, ImportRefused)
    assert Intake.objects.count() == 0


def test_clerk_who_types_a_number_too_late_is_told():
    staff = make_staff()
    [answer] = race_on_member(
        lambda: enter_member(
            given_name="Ada",
            family_name="Adams",
            birth_date=None,
            state="",
            member_id="20000001",
            actor=staff,
        )
    )
    assert isinstance(answer, MemberIdRefused)
    assert Player.objects.count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_files_with_one_member_enter_it_once(attempt):
    one, other = map(start_import, [received(ADA), received(ADA)])
    run_concurrently(lambda: apply(one), lambda: apply(other))
    states = sorted(Intake.objects.values_list("state", "problem__code"))
    assert states == [("entered", None), ("ready", "changed_since")]
    assert Player.objects.count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_lists_with_one_member_invite_once(attempt):
    line = f"Member ID,Email\n{make_player().member_id},a@example.org\n".encode()
    staff = make_staff()
    lists = [
        receive_list(actor=staff, name=name, content=[line])
        for name in ("one.csv", "two.csv")
    ]
    run_due_jobs()
    one, other = map(start_import, lists)
    run_concurrently(lambda: apply(one), lambda: apply(other))
    assert set(Intake.objects.values_list("state", flat=True)) == {"entered"}
    assert Invitation.objects.count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_file_and_page_of_the_office_enter_a_member_once(attempt, client):
    intake = start_import(received(ADA))
    client.force_login(make_user("admin", is_staff=True, is_superuser=True))
    address = reverse("admin:players_player_add")
    form = {
        "member_id": "20000001",
        "given_name": "Ada",
        "family_name": "Adams",
        "residence": "USA",
        "reason_for_change": "By hand.",
        **{
            f"{lines}-{name}_FORMS": "0"
            for lines in (
                "contact",
                "guardian",
                "guardian_accounts",
                "memberships",
                "external_ratings",
            )
            for name in ("TOTAL", "INITIAL")
        },
    }
    _, answer = run_concurrently(
        lambda: apply(intake), lambda: client.post(address, form)
    )
    intake.refresh_from_db()
    assert Player.objects.count() == 1
    if intake.state == Intake.State.ENTERED:
        assert "already exists" in answer.content.decode()
    else:
        assert (answer.status_code, intake.problem["code"]) == (302, "changed_since")


def test_code_of_a_claim_is_tried_five_times_however_many_try_at_once():
    account = make_user()
    player = make_player()
    claim = claim_member(player_id=player.pk, as_guardian=False, actor=account)
    Claim.objects.update(mailed_at=timezone.now())
    wrong = str((int(code_of(claim)) + 1) % 10**CODE_DIGITS).zfill(CODE_DIGITS)

    def guess() -> None:
        try_code(claim_id=claim.pk, code=wrong, actor=account)

    for _ in range(25):  # a hundred guesses
        said = run_concurrently(*[guess] * TIMES)
        assert {type(one) for one in said} == {ClaimRefused}
    claim.refresh_from_db()
    assert (claim.tries, claim.state) == (MAX_TRIES, Claim.State.CODE)
    assert len(entries_about(player).filter(action="claim.wrong_code")) == MAX_TRIES
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code_of(claim), actor=account)


def test_failed_sign_ins_are_counted_together_and_told_once(settings):
    """The cache in the database counts for all connections, in any order."""
    cache.clear()
    settings.FAILED_SIGN_INS_PER_HOUR = 8
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "8/h/key"}
    user = make_user("ann", email="ann@example.org")
    wrong = {"login": "ann", "password": "wrong"}

    def guess() -> list[bool]:
        pages = [Client().post("/accounts/login/", wrong) for _ in range(4)]
        return [b"Too many failed" in page.content for page in pages]

    refused = [one for some in run_concurrently(*[guess] * TIMES) for one in some]
    assert (refused.count(False), refused.count(True)) == (8, 8)
    kept = entries_about(user).order_by("pk").values_list("action", flat=True)
    assert sorted(kept) == ["account.locked", *["account.sign_in_failed"] * 8]
    assert Job.objects.filter(kind="common.mail_account_letter").count() == 1
