"""A rerate gives the ledger of an office that rated all sections in order."""

import math
from datetime import date

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from ratings.engine.replay.chain import BROKEN, PARTS, REMAINDER
from ratings.ledger.services.pending_rerates import add_edition_pending_rerate
from ratings.ledger.services.projection import ATTRIBUTES
from ratings.models import (
    Calculation,
    Floor,
    PlayerRating,
    RatingChange,
    RerateMark,
    Run,
    RunDifference,
)
from ratings.rerates.services import passes, players, replay, staged_ledger
from ratings.rerates.services.change_summary import failed_checks, invariants
from ratings.rerates.services.execution import run_rerate
from ratings.rerates.services.kernel_compiler import compiled_kernel
from ratings.rerates.services.ledger_columns import new_line_columns
from ratings.rerates.services.publishing import (
    PreviewChanged,
    discard_rerate,
    preview_counts,
    publish_rerate,
)
from ratings.rerates.services.staged_ledger import PassResult, StagedLedger
from ratings.rerates.services.start import RerateRefused, retry_rerate, start_rerate
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs.services import claim, run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from tests.factories import make_player, make_staff, make_td, make_user
from tests.ratings.lists.helpers import published as published_list
from tests.ratings.rerates.factories import (
    ledger,
    play,
    ratings,
    rolled_back,
    undo_published,
)

pytestmark = pytest.mark.django_db

MARCH, APRIL, MAY = date(2024, 3, 9), date(2024, 4, 6), date(2024, 5, 4)

# Time control, day, places of the players, in order of time.
EVENTS = [
    ("G/90;d5", MARCH, [0, 1, 2, 3]),
    ("G/60;d5", APRIL, [2, 3, 4, 5]),
    ("G/20;d3", MAY, [0, 1, 2, 5]),
]


@pytest.fixture
def office():
    """A TD, and members: established, provisional, and unrated ones."""
    td = make_td("td", "12000001")
    specs = [
        {"OTBR": (1800.0, 40), "OTBQ": (1700.0, 30)},
        {"OTBR": (1650.0, 60)},
        {"OTBR": (1400.0, 6)},
        {"OTBQ": (1300.0, 12)},
        {},
        {},
    ]
    players = [
        make_player(
            str(13000001 + number), ratings=spec, birth_date=date(2005, 1, 1 + number)
        )
        for number, spec in enumerate(specs)
    ]
    return td, players


def rated_in_this_order(office, order) -> None:
    td, players = office
    for place in order:
        time_control, day, places = EVENTS[place]
        play(
            td,
            [players[number] for number in places],
            ends=day,
            time_control=time_control,
        )


def rerate(**options) -> Run:
    run = start_rerate(actor=None, reason="The weekly rerate.", **options)
    run_due_jobs()
    run.refresh_from_db()
    return run


def published(**options) -> Run:
    run = rerate(**options)
    assert run.status == "ready", run.message
    return publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")


def events_in_order(office) -> tuple[dict, dict]:
    """The expected ledger if all reports had arrived in order."""
    with rolled_back():
        rated_in_this_order(office, [0, 1, 2])
        return ledger(), ratings()


@pytest.mark.parametrize("order", [[0, 2, 1], [2, 1, 0], [1, 2, 0]])
@pytest.mark.parametrize("options", [{}, {"whole_history": True}])
def test_late_events_end_as_if_they_had_come_in_order(office, order, options):
    wanted = events_in_order(office)
    rated_in_this_order(office, order)
    assert (ledger(), ratings()) != wanted
    run = published(**options)
    assert (ledger(), ratings()) == wanted
    assert [check["faults"] for check in run.summary["invariants"]] == [0] * 7
    assert not Calculation.objects.filter(is_current=True, is_late=True).exists()
    call_command("audit", full=True)


def test_late_events_end_with_granted_floors_as_if_they_had_come_in_order(office):
    _, players = office
    levels = {("13000002", "OTBR"): 1600, ("13000006", "OTBR"): 1700}
    for player, level in zip((players[1], players[5]), levels.values(), strict=True):
        Floor.objects.create(
            player=player,
            system="OTBR",
            kind="office",
            level=level,
            starts=MARCH,
            reason="A money prize.",
            granted_by=make_staff(),
        )
    wanted = events_in_order(office)
    assert {key: wanted[1][key]["floor"] for key in levels} == levels
    rated_in_this_order(office, [2, 1, 0])
    published()
    assert (ledger(), ratings()) == wanted


@pytest.mark.parametrize("one_in", [0, 10**12], ids=["named", "picked"])
def test_rerate_is_the_same_whether_players_are_named_or_picked(
    office, monkeypatch, one_in
):
    monkeypatch.setattr(players, "SMALL_SUBSET_DIVISOR", one_in)
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1, 0])
    published()
    assert (ledger(), ratings()) == wanted


def test_compiled_loops_give_the_same_lines_and_digests(
    office, monkeypatch, require_services
):
    if compiled_kernel() is None:
        assert not require_services, "numba is missing: make fast"
        pytest.skip("numba is not installed (make fast), so nothing is compiled.")
    wanted = events_in_order(office)
    monkeypatch.setattr(replay, "COMPILE_FROM_BYTES", 0)
    rated_in_this_order(office, [2, 1, 0])
    run = published(whole_history=True)
    assert (ledger(), ratings()) == wanted
    assert failed_checks(run) == []


def test_a_rerate_is_invisible_before_it_is_published(office):
    rated_in_this_order(office, [0, 2, 1])
    before = ledger(), ratings()
    run = rerate()
    assert run.status == "ready"
    assert RatingChange.objects.filter(calculation__run=run).exists()
    assert (ledger(), ratings()) == before


def test_replaying_an_office_in_order_writes_nothing(office):
    rated_in_this_order(office, [0, 1, 2])
    before = ledger(), ratings()
    run = published(whole_history=True)
    assert not run.calculation_set.exists()
    assert run.summary["kept"] == Calculation.objects.count()
    assert run.summary["ratings"] == 0
    assert (ledger(), ratings()) == before


def test_what_comes_out_the_same_is_kept(office):
    """The first event of March stays; April changes, and May because of it."""
    rated_in_this_order(office, [0, 2, 1])
    march = Calculation.objects.get(order_date=MARCH, section__isnull=False)
    run = published(from_day=MARCH)
    march.refresh_from_db()
    assert march.is_current
    days = set(run.calculation_set.values_list("order_date", flat=True))
    assert days == {APRIL, MAY}
    # Each replaced calculation names its run.
    replaced = Calculation.objects.filter(superseded_by=run)
    assert set(replaced.values_list("order_date", flat=True)) == {APRIL, MAY}


def test_second_rerate_is_refused_while_one_is_open(office):
    rated_in_this_order(office, [0, 2, 1])
    first = start_rerate(actor=None, reason="One.")
    with pytest.raises(RerateRefused, match="Publish or discard it first"):
        start_rerate(actor=None, reason="Two.")
    run_due_jobs()
    with pytest.raises(RerateRefused, match="is ready to publish"):
        start_rerate(actor=None, reason="Three.")
    discard_rerate(run_id=first.pk, actor=None, reason="Not now.")
    assert start_rerate(actor=None, reason="Four.").status == "queued"


def test_rerate_without_pending_rerates_needs_a_day(office):
    rated_in_this_order(office, [0, 1, 2])
    with pytest.raises(RerateRefused, match="Choose a start date, or replay the full"):
        start_rerate(actor=None, reason="Why not.")
    run = start_rerate(actor=None, reason="To see.", from_day=APRIL)
    assert run.from_day == APRIL


def test_rerate_begins_with_the_earliest_pending_rerate(office):
    rated_in_this_order(office, [0, 2, 1])
    run = start_rerate(actor=None, reason="From May.", from_day=MAY)
    assert run.from_day == APRIL


def test_another_edition_creates_a_pending_rerate(office, settings):
    rated_in_this_order(office, [0, 1, 2])
    assert add_edition_pending_rerate() is None
    before = ratings()
    settings.RATING_EDITION = "2020-09-02"

    mark = add_edition_pending_rerate()

    first_day = date(2024, 1, 1)  # of the opening entries
    assert (mark.kind, mark.from_day) == ("edition", first_day)
    assert mark.note == (
        "Ratings now follow the text of 2020-09-02 of the rating system."
    )
    assert add_edition_pending_rerate() is None
    published()
    current = Calculation.objects.filter(is_current=True)
    assert set(current.values_list("edition", flat=True)) == {"2020-09-02"}
    assert ratings() != before
    assert add_edition_pending_rerate() is None


def test_a_later_pending_rerate_does_not_hide_a_new_edition(office, settings):
    rated_in_this_order(office, [0, 1, 2])
    RerateMark.objects.create(kind="edition", from_day=MAY, note="The engine changed.")
    settings.RATING_EDITION = "2020-09-02"
    assert add_edition_pending_rerate().from_day == date(2024, 1, 1)


def test_rerate_takes_a_new_edition_in_without_a_restart(office, settings):
    rated_in_this_order(office, [0, 1, 2])
    settings.RATING_EDITION = "2020-09-02"
    run = published()
    assert [mark.kind for mark in run.marks.all()] == ["edition"]


def test_rerate_takes_a_reason(office):
    rated_in_this_order(office, [0, 2, 1])
    with pytest.raises(RerateRefused, match="Enter a reason"):
        start_rerate(actor=None, reason=" ")
    run = rerate()
    with pytest.raises(RerateRefused, match="Enter a reason"):
        publish_rerate(run_id=run.pk, actor=None, reason="")


def test_publishing_closes_the_pending_rerates_it_included(office):
    rated_in_this_order(office, [0, 2, 1])
    run = published()
    assert list(run.marks.values_list("kind", flat=True)) == ["late"]
    assert not RerateMark.objects.filter(run=None).exists()


def test_publishing_twice_changes_nothing(office):
    rated_in_this_order(office, [0, 2, 1])
    run = published()
    before = ledger(), ratings(), run.published_at
    again = publish_rerate(run_id=run.pk, actor=None, reason="Once more.")
    assert (ledger(), ratings(), again.published_at) == before
    assert AuditEntry.objects.filter(action="rerate.published").count() == 1


def test_what_arrives_before_publication_is_taken_in(office):
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1])
    run = rerate()
    assert run.pass_number == 1
    rated_in_this_order(office, [0])
    run = publish_rerate(run_id=run.pk, actor=None, reason="Both.")
    assert (ledger(), ratings()) == wanted
    assert run.pass_number == 2
    assert run.from_day == MARCH
    assert run.marks.count() == 2
    assert not RerateMark.objects.filter(run=None).exists()
    call_command("audit", full=True)


def test_preview_that_has_changed_is_looked_at_again(office):
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1])
    run = rerate()
    shown = run.summary["whole_changes"]
    rated_in_this_order(office, [0])
    before = ledger(), ratings()
    with pytest.raises(PreviewChanged) as changed:
        publish_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=1)
    run.refresh_from_db()
    now = run.summary["whole_changes"]
    assert now > shown
    said = str(changed.value)
    assert said.startswith("Not published: 1 report has arrived since ")
    assert f"(ratings changed: {shown}, now {now})" in said
    assert said.endswith("Review it again, then publish.")
    assert (run.status, run.pass_number) == ("ready", 2)
    assert (ledger(), ratings()) == before
    assert RerateMark.objects.filter(run=None).count() == 2

    run = publish_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=2)
    assert (run.status, run.pass_number) == ("published", 2)
    assert (ledger(), ratings()) == wanted


def test_what_arrives_without_changing_the_preview_is_published_with_it(office):
    td, _ = office
    rated_in_this_order(office, [0, 2, 1])
    run = rerate()
    shown = preview_counts(run.summary)
    strangers = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(4)]
    play(td, strangers, ends=MAY)
    run = publish_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=1)
    assert (run.status, run.pass_number) == ("published", 2)
    assert preview_counts(run.summary) == shown


def test_preview_renewed_by_another_must_be_reviewed_first(office):
    rated_in_this_order(office, [0, 2, 1])
    run = rerate()
    before = ratings()
    with pytest.raises(PreviewChanged, match="changed since you opened it"):
        publish_rerate(run_id=run.pk, actor=None, reason="Good.", shown_pass=7)
    assert ratings() == before


def failing(run, written, ledger) -> list[dict]:
    """Checks of which two fail, as the preview has them."""
    return [
        {"sentence": "No rating is below 100.", "faults": 0},
        {"sentence": "Nobody loses games.", "faults": 1},
        {"sentence": "Each rating goes on.", "faults": 1234},
    ]


def test_a_rerate_with_a_failed_check_cannot_be_published(office, monkeypatch):
    rated_in_this_order(office, [0, 2, 1])
    monkeypatch.setattr(passes, "invariants", failing)
    run = rerate()
    before = ledger(), ratings()
    staff = make_user(is_superuser=True)
    with pytest.raises(RerateRefused) as refusal:
        publish_rerate(run_id=run.pk, actor=staff, reason="All the same.")
    said = str(refusal.value)
    assert "Discard it, run “manage.py audit”, and send" in said
    assert said.endswith(
        "“Nobody loses games.” failed 1 time. "
        "“Each rating goes on.” failed 1,234 times."
    )
    assert (ledger(), ratings()) == before
    run = discard_rerate(run_id=run.pk, actor=staff, reason="It is wrong.")
    assert run.status == "discarded"


def test_check_that_fails_only_with_what_arrived_stops_publishing_too(
    office, monkeypatch
):
    rated_in_this_order(office, [2, 1])
    run = rerate()
    rated_in_this_order(office, [0])
    before = ledger(), ratings()
    monkeypatch.setattr(passes, "invariants", failing)
    with pytest.raises(RerateRefused, match="failed 1,234 times"):
        publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == before
    run.refresh_from_db()
    # The page now shows the preview that fails.
    assert (run.status, run.pass_number) == ("ready", 2)
    assert run.summary["invariants"][2]["faults"] == 1234


def test_what_arrives_during_a_pass_makes_another_pass(office, monkeypatch):
    """The report of March arrives while the first pass is running."""
    wanted = events_in_order(office)
    rated_in_this_order(office, [2, 1])
    arriving = [0]
    plain = StagedLedger.finish

    def finish(staged_ledger, part):
        if arriving:
            rated_in_this_order(office, [arriving.pop()])
        return plain(staged_ledger, part)

    monkeypatch.setattr(StagedLedger, "finish", finish)
    run = rerate()
    assert (run.status, run.pass_number) == ("ready", 2)
    run = publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (run.pass_number, (ledger(), ratings())) == (2, wanted)


def test_current_rating_that_went_missing_is_there_after_publishing(office):
    rated_in_this_order(office, [0, 2, 1])
    run = rerate()
    moved = run.differences.exclude(before=None).exclude(after=None)
    lost = moved.order_by("pk").first()
    rating = {"player": lost.player_id, "system": lost.system}
    assert PlayerRating.objects.filter(**rating).delete()[0] == 1
    publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")
    assert PlayerRating.objects.get(**rating).rating == lost.after


def test_differences_are_kept_in_whole_numbers(office):
    other = make_player(ratings={"OTBB": (1600.0, 40)})
    rated_in_this_order(office, [0, 2, 1])
    before = ratings()
    run = rerate()
    # Another moves by less than a point.
    stays = PlayerRating.objects.get(player=other)
    figures = {name: getattr(stays, name) for name in ATTRIBUTES[1:]}
    near = run.differences.create(
        player=stays.player,
        system=stays.system,
        before=stays.rating,
        after=int(stays.rating + 0.5) + 0.25,
        **figures,
    )
    run = publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")
    after = ratings()
    changed = {
        key
        for key in before | after
        if key not in before
        or key not in after
        or int(before[key]["rating"] + 0.5) != int(after[key]["rating"] + 0.5)
    }
    found = {
        (row.player.member_id, row.system): (row.before, row.after)
        for row in RunDifference.objects.filter(run=run)
    }
    assert found.keys() == changed
    assert changed
    assert after[near.player.member_id, near.system]["rating"] == near.after
    for key, (old, new) in found.items():
        assert old == before.get(key, {}).get("rating")
        assert new == after.get(key, {}).get("rating")
    first = RunDifference.objects.filter(run=run).first().first_change
    assert first.calculation.run == run
    assert run.summary["whole_changes"] == len(changed)


def test_what_a_published_rerate_changed_stays_written(office):
    rated_in_this_order(office, [0, 2, 1])
    run = published()
    kept = list(run.differences.values())
    with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
        run.differences.all().delete()
    assert kept == list(run.differences.values()) != []


def test_undo_restores_ratings_and_pending_rerates(office):
    rated_in_this_order(office, [0, 2, 1])
    before = ledger(), ratings()
    run = published()
    staff = make_user(is_superuser=True)
    undo_published(run, staff)
    assert (ledger(), ratings()) == before
    assert RerateMark.objects.filter(run=None).count() == 1
    # The same pending rerates give the same result again.
    with pytest.raises(RerateRefused, match="Only a published rerate"):
        undo_rerate(run_id=run.pk, actor=staff, reason="Again.")
    published()
    call_command("audit", full=True)


def test_ratings_after_an_undone_rerate_create_a_pending_rerate(office):
    wanted = events_in_order(office)
    rated_in_this_order(office, [1, 0])
    run = published()
    rated_in_this_order(office, [2])
    undo_published(run)
    kinds = RerateMark.objects.filter(run=None).values_list("kind", "from_day")
    assert set(kinds) == {("late", MARCH), ("undo", MAY)}
    call_command("audit")
    published()
    assert (ledger(), ratings()) == wanted


def test_only_the_newest_published_rerate_can_be_undone(office):
    rated_in_this_order(office, [2, 1])
    first = published()
    rated_in_this_order(office, [0])
    second = published()
    staff = make_user(is_superuser=True)
    with pytest.raises(RerateRefused, match=f"Undo Rerate {second.pk} first"):
        undo_rerate(run_id=first.pk, actor=staff, reason="Sorry.")


def test_rerate_that_a_list_rests_on_is_undone_by_two(office):
    rated_in_this_order(office, [0, 2, 1])
    before = ratings()
    run = published()
    rerated = ratings()
    published_list()
    first, second = make_user(is_superuser=True), make_user(is_superuser=True)

    act = undo_rerate(run_id=run.pk, actor=first, reason="A wrong file.")

    run.refresh_from_db()
    assert (act.status, run.status, ratings()) == ("waiting", "published", rerated)
    with pytest.raises(
        ApprovalRefused, match="You proposed this, so another person must approve it"
    ):
        approve(act_id=act.pk, actor=first)
    approve(act_id=act.pk, actor=second)
    run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.undone_by, run.undo_reason) == (
        "undone",
        second,
        "A wrong file.",
    )
    assert ratings() == before != rerated


def test_list_older_than_a_rerate_needs_no_second_approval(office):
    published_list()
    rated_in_this_order(office, [0, 2, 1])
    run = published()
    undo_published(run)


def test_small_rerate_publishes_itself_where_the_office_says_so(office, settings):
    rated_in_this_order(office, [0, 2, 1])
    settings.RERATE_AUTO_PUBLISH_UP_TO = 100
    run = rerate()
    assert run.status == "published"
    assert run.publish_reason.startswith("automatically: ")
    assert run.published_by is None
    assert not RerateMark.objects.filter(run=None).exists()


def test_large_rerate_waits_for_a_person(office, settings):
    rated_in_this_order(office, [0, 2, 1])
    settings.RERATE_AUTO_PUBLISH_UP_TO = 1
    assert rerate().status == "ready"


def test_discarded_rerate_keeps_pending_rerates_open(office):
    rated_in_this_order(office, [0, 2, 1])
    before = ledger(), ratings()
    run = rerate()
    assert run.differences.exists()
    discard_rerate(run_id=run.pk, actor=None, reason="We wait for more.")
    assert (ledger(), ratings()) == before
    assert not run.differences.exists()
    assert RerateMark.objects.filter(run=None).count() == 1
    with pytest.raises(RerateRefused, match="has been discarded"):
        publish_rerate(run_id=run.pk, actor=None, reason="After all.")


def test_worker_notices_that_its_run_was_discarded(office):
    rated_in_this_order(office, [0, 2, 1])
    run = start_rerate(actor=None, reason="Go.")
    discard_rerate(run_id=run.pk, actor=None, reason="Stop.")
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == "discarded"
    assert not run.calculation_set.exists()
    assert Job.objects.get(kind="ratings.rerate").state == "done"


def test_another_worker_goes_on_with_what_the_first_has_written(office):
    """The first worker dies between two chunks; its rows are used, not doubled."""
    wanted = events_in_order(office)
    rated_in_this_order(office, [0, 2, 1])
    run = start_rerate(actor=None, reason="Go.", from_day=MARCH)
    job = claim(Job.objects.get(kind="ratings.rerate").pk)
    with pytest.raises(Killed):
        run_rerate(run_id=run.pk, job=DiesAfter(job, parts=6), chunk_rows=1)
    written = set(run.calculation_set.values_list("pk", flat=True))
    assert written
    Job.objects.update(state="queued")
    run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.pass_number) == ("ready", 2)
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")
    assert (ledger(), ratings()) == wanted
    still = run.calculation_set.filter(is_current=True)
    assert written <= set(still.values_list("pk", flat=True))


def test_failed_rerate_says_why_and_can_be_tried_again(office, monkeypatch):
    rated_in_this_order(office, [0, 2, 1])
    run = start_rerate(actor=None, reason="Go.")
    with monkeypatch.context() as broken:
        broken.setattr(StagedLedger, "finish", _raise_disk_full)
        for _ in range(6):
            Job.objects.filter(key=str(run.pk)).update(run_after=run.created_at)
            run_due_jobs(limit=1)
    run.refresh_from_db()
    assert (run.status, run.message) == ("failed", "OSError: No space left.")
    retry_rerate(run_id=run.pk, actor=None, reason="The disk is larger now.")
    run_due_jobs()
    run.refresh_from_db()
    assert (run.status, run.message) == ("ready", "")


def _raise_disk_full(staged_ledger, part):
    raise OSError("No space left.")


class Killed(BaseException):
    """Simulates a killed process."""


class DiesAfter:
    """A claimed job whose worker dies after so many parts of its work."""

    def __init__(self, job, parts: int) -> None:
        self._job, self._left = job, parts
        self.attempt, self.keep_alive = job.attempt, job.keep_alive

    def part(self, **progress):
        if self._left == 0:
            raise Killed
        self._left -= 1
        return self._job.part(**progress)


def test_checks_find_stored_lines_that_were_not_computed(office):
    rated_in_this_order(office, [0, 2, 1])
    run = rerate()
    written = PassResult()
    lines = RatingChange.objects.filter(calculation__run=run)
    for line in lines:
        sums = [
            1,
            line.player_id,
            (line.previous_id or 0) % REMAINDER,
            line.pre_games,
            line.post_games,
            math.floor((line.pre_rating or 0) * PARTS),
            math.floor(line.post_rating * PARTS),
            0,
        ]
        for place, number in enumerate(sums):
            written.sums[place] += number
    assert [check["faults"] for check in invariants(run, written)] == [0] * 7
    # Rated before, but with no line before it.
    RatingChange.objects.create(
        calculation=lines[0].calculation,
        player=make_player("13000100"),
        pre_rating=1490.0,
        pre_games=3,
        post_rating=1500.0,
        post_games=6,
        formula="standard",
        record="mixed",
    )
    written.sums[BROKEN] = 5
    faults = [check["faults"] for check in invariants(run, written)]
    # All sums differ but that of the lines before.
    assert faults == [0, 0, 5, 1, 0, 6, 0]


def test_one_stored_number_that_was_not_computed_is_found(office, monkeypatch):
    rated_in_this_order(office, [0, 2, 1])

    def with_wrong_number(*rows):
        columns = new_line_columns(*rows)
        columns["post_rating"][0] += 0.01
        return columns

    monkeypatch.setattr(staged_ledger, "new_line_columns", with_wrong_number)
    run = rerate()
    assert failed_checks(run) == [
        {"sentence": "Stored ratings match the calculated ones.", "faults": 1}
    ]
