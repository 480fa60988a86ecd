"""Sections rated in a batch, as by the worker, get the same ratings as one by one."""

import random
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from events.models import Section
from events.records.jobs import RATE_SECTION
from events.records.services.packing import pack_section
from players.models import ExternalRating
from ratings.ledger.services.projection import rebuild
from ratings.ledger.services.rating_order import in_rating_order
from ratings.ledger.services.sections import rate_sections
from ratings.ledger.tasks import MAX_BATCH_SIZE
from ratings.models import (
    CalculationInputs,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
    PlayerRating,
    RatingChange,
    RerateMark,
)
from ratings_site.common.jobs.services import claim, perform, run_due_jobs
from ratings_site.common.models import AuditEntry, Job
from tests.factories import (
    END,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    open_rating,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
# Columns with primary keys, which differ from one run to the next.
NUMBERS = {"id", "calculation_id", "previous_id"}


def play(td, clerk, players, rows, *, day=END, **section):
    report = event_report(
        td, [section_report(players, rows, **section)], starts=day, ends=day
    )
    return accepted_event(td, report, staff=clerk).sections.get()


def random_spring_events() -> list[Section]:
    """Accept reports of all kinds, of players whose ratings depend on each other."""
    chance = random.Random(12)
    td, clerk = make_td(), make_staff()
    known = [
        make_player(ratings={"OTBR": (1400.0 + 60 * n, 9 + 4 * n)}) for n in range(8)
    ]
    new = [make_player(birth_date=END - timedelta(days=4000)) for _ in range(3)]
    ExternalRating.objects.create(
        player=new[0], body="FIDE", rating=1900, games=40, list_date=END - 40 * DAY
    )
    twin = make_player()
    merge_with_approval(known[7], twin)
    grants(known, clerk)
    people = [*known, *new]
    sections = [
        play(
            td,
            clerk,
            chance.sample(people, 6),
            swiss_rows(6, 3),
            day=END + DAY * chance.randrange(6),
            time_control=chance.choice(["G/90;d5", "G/45;d5", "G/10;d0"]),
        )
        for _ in range(14)
    ]
    for day in (1, 1, 4):  # the limits of a match include earlier matches
        rows = ["W2W W2B W2W W2B", "L1B L1W L1B L1W"]
        match = play(td, clerk, known[2:4], rows, day=END + DAY * day, kind_letter="M")
        sections.append(match)
    return sections


def grants(known, clerk) -> None:
    """Grant a floor, one that is lowered later, and a ceiling."""
    for player, level in ((known[3], 1500), (known[4], 1600)):
        Floor.objects.create(
            player=player,
            system="OTBR",
            kind="office",
            reason="Past strength.",
            level=level,
            starts=END + DAY,
            granted_by=clerk,
        )
    lowering = {"player": known[4], "system": "OTBR", "level": 1500}
    request = FloorRequest.objects.create(
        player=known[4],
        system="OTBR",
        floor=1600,
        day=END,
        status="granted",
        reason="Old.",
        decision_reason="Old.",
    )
    FloorLowering.objects.create(
        **lowering,
        starts=END + 3 * DAY,
        request=request,
        reason="Old.",
        decided_by=clerk,
    )
    Ceiling.objects.create(
        player=known[5],
        system="OTBR",
        level=1705,
        starts=END + 2 * DAY,
        reason="Too fast.",
        imposed_by=clerk,
    )


def ledger_rows() -> list:
    """Return all rows that rating wrote, with references by content."""
    lines = RatingChange.objects.order_by(
        "calculation__section", "calculation__system", "player"
    ).select_related("calculation")
    source_of = {
        line.pk: (line.calculation.section_id, line.calculation.opening_id)
        for line in lines
    }
    return [
        [
            (
                line.calculation.section_id,
                line.calculation.system,
                line.calculation.inputs_digest,
                line.calculation.is_late,
                source_of.get(line.previous_id),
                {
                    field.attname: getattr(line, field.attname)
                    for field in RatingChange._meta.concrete_fields
                    if field.attname not in NUMBERS
                },
            )
            for line in lines
        ],
        list(
            CalculationInputs.objects.order_by(
                "calculation__section", "calculation__system"
            ).values_list("calculation__section", "document")
        ),
        current(),
        list(FloorRequest.objects.order_by("pk").values_list("player", "section")),
        list(AuditEntry.objects.filter(action="section.rated").values_list("facts")),
    ]


def current() -> list:
    rows = PlayerRating.objects.order_by("player", "system")
    return list(rows.values("player", "system", "rating", "peak", "floor", "games"))


def test_many_at_once_are_rated_to_the_last_bit_as_one_by_one():
    sections = [section.pk for section in random_spring_events()]
    with transaction.atomic():
        for pk in in_rating_order(sections):
            assert rate_sections([pk]) == {}
        one_by_one = ledger_rows()
        transaction.set_rollback(True)

    assert rate_sections(sections) == {}

    assert ledger_rows() == one_by_one
    assert len(one_by_one[0]) > 90
    assert not RerateMark.objects.exclude(kind="merge").exists()
    projected = current()
    rebuild()
    assert current() == projected


def test_a_burst_is_rated_in_order_without_pending_rerates():
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(4)]
    td, clerk = make_td(), make_staff()
    for back in range(5):  # the latest is accepted first
        play(td, clerk, players, swiss_rows(4, 3), day=END + DAY * (10 - back))

    perform(claim(Job.objects.filter(kind=RATE_SECTION).first().pk))

    assert not RerateMark.objects.exists()
    assert set(Section.objects.values_list("status", flat=True)) == {"rated"}
    jobs = Job.objects.filter(kind=RATE_SECTION)
    assert set(jobs.values_list("state", "message")) == {("done", "Rated.")}


def test_more_than_are_committed_together_are_all_rated_in_order():
    td, clerk = make_td(), make_staff()
    pair = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(2)]
    many = MAX_BATCH_SIZE + 3
    for back in range(many):
        play(td, clerk, pair, ["W2W", "L1B"], day=END + DAY * (many - back))
    first_accepted = Job.objects.filter(kind=RATE_SECTION).earliest("pk")

    perform(claim(first_accepted.pk))  # the last in rating order

    assert not RerateMark.objects.exists()
    assert Section.objects.filter(status="rated").count() == many


def test_one_that_cannot_be_rated_fails_alone():
    td, clerk = make_td(), make_staff()
    pairs = [[make_player(ratings={"OTBR": (1500.0, 30)}) for _ in "ab"] for _ in "abc"]
    good, bad, other = [play(td, clerk, pair, ["W2W", "L1B"]) for pair in pairs]
    Section.objects.filter(pk=bad.pk).update(starts=END.replace(year=2013, month=1))
    bad.refresh_from_db()
    pack_section(bad)

    perform(claim(Job.objects.get(args={"section_id": bad.pk}).pk))

    states = {
        job.args["section_id"]: job for job in Job.objects.filter(kind=RATE_SECTION)
    }
    assert {pk: job.state for pk, job in states.items()} == {
        good.pk: "done",
        bad.pk: "failed",
        other.pk: "done",
    }
    assert "is not known" in states[bad.pk].message
    ready = Section.objects.filter(status=Section.Status.READY)
    assert [section.pk for section in ready] == [bad.pk]


def test_a_job_that_failed_before_holds_up_no_other():
    td, clerk = make_td(), make_staff()
    pairs = [[make_player(ratings={"OTBR": (1500.0, 30)}) for _ in "ab"] for _ in "ab"]
    tried, fresh = [play(td, clerk, pair, ["W2W", "L1B"]) for pair in pairs]
    Job.objects.filter(args={"section_id": tried.pk}).update(attempts=1)

    perform(claim(Job.objects.get(args={"section_id": fresh.pk}).pk))

    assert Section.objects.get(pk=fresh.pk).status == "rated"
    assert Section.objects.get(pk=tried.pk).status == "ready"
    run_due_jobs()
    assert Section.objects.get(pk=tried.pk).status == "rated"


def test_who_claimed_what_another_rated_finds_nothing_to_do(caplog):
    td, clerk = make_td(), make_staff()
    pairs = [[make_player(ratings={"OTBR": (1500.0, 30)}) for _ in "ab"] for _ in "ab"]
    first, second = [play(td, clerk, pair, ["W2W", "L1B"]) for pair in pairs]
    mine = claim(Job.objects.get(args={"section_id": first.pk}).pk)
    waits = claim(Job.objects.get(args={"section_id": second.pk}).pk)

    perform(mine)
    perform(waits)

    assert caplog.records == []
    for section in (first, second):
        assert section.calculations.count() == 1
    jobs = Job.objects.filter(kind=RATE_SECTION)
    assert list(jobs.values_list("state", "attempts")) == [("done", 1)] * 2


@pytest.mark.parametrize("number", [2, 12])
def test_queries_do_not_grow_with_the_sections(number):
    td, clerk = make_td(), make_staff()
    for _ in range(number):
        pair = [make_player(birth_date=None) for _ in "ab"]
        for player in pair:
            open_rating(player, "OTBR", 1500.0, 30)
        play(td, clerk, pair, ["W2W", "L1B"])
    sections = list(Section.objects.values_list("pk", flat=True))
    with CaptureQueriesContext(connection) as queries:
        rate_sections(sections)
    assert len(queries) <= 36
