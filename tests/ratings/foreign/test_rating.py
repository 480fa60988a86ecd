"""From ready results to the ledger: preview, batch, once and with a check."""

import math
from datetime import date

import pytest

from events.foreign.services.results import (
    accept_duplicate,
    correct_result,
    enter_result,
    exclude_result,
    restore_result,
)
from events.models import ForeignResult
from ratings.engine.rules import rules_in_force
from ratings.foreign.queries import converted_games, results_of
from ratings.foreign.services import (
    NotEligible,
    mark_ready,
    previews,
    rate_batch,
    rate_if_eligible,
    ready_results,
)
from ratings.models import (
    Calculation,
    Ceiling,
    PlayerRating,
    RatingChange,
    RerateMark,
)
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.events.foreign.factories import (
    foreign_staff,
    game,
    make_event,
    make_result,
)
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    rated_event,
    section_report,
)
from tests.ratings.foreign.factories import list_with_masters, master, rated, ready

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    list_with_masters()
    return foreign_staff()


def line_of(player):
    return RatingChange.objects.get(
        player=player, calculation__foreign__isnull=False, calculation__is_current=True
    )


def test_one_pass_by_hand(staff):
    """Worked with the text's own formulas (sections 2.1, 3, 4.2 and 6), step by step.

    FIDE 2400 → 20 + 1.02 × 2400 = 2468; FIDE 1900 → −1073 + 1.5667 × 1900 = 1903.73.
    N′ of 2300 with 60 games: 50 / √(0.662 + 0.00000739 × 269²) = 45.7...; the bonus
    begins at 12 √4 = 24 for an event of 2024.
    """
    player = master()
    result = ready(
        staff, player, [(2400, 2), (1900, 2), (None, 0), (2400, 1)], name="Lyon Open"
    )
    rate_if_eligible(result_id=result.pk)

    worth = 50 / math.sqrt(0.662 + 0.00000739 * (2569 - 2300) ** 2)
    k = 800 / (worth + 3)
    opponents = (20 + 1.02 * 2400, -1073 + 1.5667 * 1900, 20 + 1.02 * 2400)
    expected = sum(1 / (1 + 10 ** ((one - 2300) / 400)) for one in opponents)
    change = k * (2.5 - expected)
    bonus = max(0, change - 12 * math.sqrt(4))
    line = line_of(player)
    assert (line.games, line.half_points, line.formula) == (3, 5, "standard")
    assert line.k == pytest.approx(k)
    assert line.expected == pytest.approx(expected)
    assert line.bonus == pytest.approx(bonus)
    assert line.post_rating == pytest.approx(2300 + change + bonus)
    assert (line.pre_rating, line.pre_games, line.post_games) == (2300.0, 60, 63)
    assert (line.wins, line.draws, line.losses, line.three_game_events) == (2, 1, 0, 1)
    assert line.peak == line.post_rating
    standing = PlayerRating.objects.get(player=player, system="OTBR")
    assert standing.rating == line.post_rating
    assert standing.last_change == line


@pytest.mark.parametrize(
    ("day", "youth", "fide", "converted"),
    [
        (date(2024, 3, 1), False, 2000, -1073 + 1.5667 * 2000),
        (date(2024, 3, 1), False, 2001, 20 + 1.02 * 2001),
        (date(2024, 3, 1), True, 2000, -453 + 1.2667 * 2000),
        (date(2024, 3, 1), True, 2001, 80 + 2001),
        (date(2024, 2, 29), False, 2000, 180 + 0.94 * 2000),
        (date(2024, 2, 29), False, 2001, 20 + 1.02 * 2001),
        (date(2024, 2, 29), True, 2000, 560 + 0.76 * 2000),
        (date(2024, 2, 29), True, 2001, 80 + 2001),
    ],
)
def test_conversion_follows_the_first_day_and_the_kind(
    staff, day, youth, fide, converted
):
    result = make_result(
        staff, master(), [(fide, 2)], starts=day, ends=date(2024, 3, 2), is_youth=youth
    )
    shown = converted_games(
        result.games.all(), rules_in_force(day), is_youth=result.event.is_youth
    )
    assert [one.converted for one in shown] == [pytest.approx(converted)]


def test_opponents_without_a_rating_are_shown_and_not_counted(staff):
    result = make_result(staff, master(), [(None, 2), (2400, 1)])
    shown = converted_games(
        result.games.all(), rules_in_force(date(2024, 5, 4)), is_youth=False
    )
    assert [one.converted for one in shown] == [None, pytest.approx(2468)]


def test_result_without_a_rated_opponent_is_not_rated(staff):
    result = make_result(staff, master(), [(None, 2)])
    with pytest.raises(NotEligible, match="No opponent has a FIDE rating"):
        mark_ready(actor=staff, result_id=result.pk)
    result.refresh_from_db()
    assert result.status == "draft"


def test_double_is_refused_until_staff_say_why_it_counts(staff):
    player = master()
    games = [(2400, 2), (2350, 1)]
    first = ready(staff, player, games)
    second = make_result(staff, player, games, name="Festival")
    with pytest.raises(NotEligible, match="2 games with the same opponents"):
        mark_ready(actor=staff, result_id=second.pk)
    accept_duplicate(actor=staff, result_id=second.pk, reason="Two rounds a day")
    assert mark_ready(actor=staff, result_id=second.pk).status == "ready"
    assert ForeignResult.objects.get(pk=first.pk).status == "ready"


def test_preview_is_what_rating_then_does(staff):
    """Two events of one member: the second starts where the first ends."""
    ada, eve = master(1), master(2, rating=2201.0)
    ready(staff, ada, [(2450, 2), (2500, 2), (2480, 2), (2350, 1)])
    ready(staff, ada, [(2400, 0), (2420, 0)], name="Lyon Open", ends=date(2024, 5, 20))
    ready(staff, eve, [(2300, 2), (None, 2)], name="Lyon Open", ends=date(2024, 5, 20))
    shown = previews(ready_results())
    for one in shown:
        rate_if_eligible(result_id=one.result.pk)
    columns = (
        "pre_rating",
        "post_rating",
        "post_games",
        "k",
        "expected",
        "bonus",
        "floor_given",
        "floor_used",
        "peak",
        "wins",
        "losses",
    )
    written = {
        one.calculation.foreign_id: one
        for one in RatingChange.objects.filter(calculation__foreign__isnull=False)
    }
    assert len(shown) == len(written) == 3
    for one in shown:
        kept = written[one.result.pk]
        assert [getattr(one.line, name) for name in columns] == [
            getattr(kept, name) for name in columns
        ]


def test_preview_says_what_cannot_be_rated(staff):
    player = make_player(ratings={"OTBR": (2300.0, 25)})
    result = make_result(staff, player, [(2400, 2)])
    ForeignResult.objects.update(status="ready")
    (shown,) = previews(ready_results())
    assert (shown.result, shown.line, shown.problem) == (
        result,
        None,
        "No established Regular rating.",
    )


def test_ceiling_applies(staff):
    player = master()
    Ceiling.objects.create(
        player=player,
        system="OTBR",
        level=2310,
        starts=date(2024, 1, 1),
        reason="Reviewed",
        imposed_by=staff,
    )
    result = ready(staff, player, [(2700, 2)] * 4)
    rate_if_eligible(result_id=result.pk)
    line = line_of(player)
    assert (line.ceiling_given, line.ceiling_used, line.post_rating) == (
        2310,
        2310,
        2310,
    )


def test_floor_applies(staff):
    # The peak of 2300 gives the highest floor there is: 2100.
    player = master(rating=2300.0, games=30)
    result = ready(staff, player, [(1600, 0)] * 25)
    rate_if_eligible(result_id=result.pk)
    line = line_of(player)
    assert (line.floor_given, line.floor_used, line.post_rating) == (2100, 2100, 2100)


def test_batch_rates_each_result_once(staff):
    results = [
        ready(staff, master(number), [(2400, 2)], name=f"Open {number}")
        for number in range(3)
    ]
    ids = [one.pk for one in results]
    job = rate_batch(actor=staff, result_ids=ids)
    assert rate_batch(actor=staff, result_ids=ids).pk == job.pk
    run_due_jobs()
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "Rated 3.")
    assert Calculation.objects.filter(foreign__in=ids, is_current=True).count() == 3
    lines = RatingChange.objects.filter(calculation__foreign__in=ids).count()
    with pytest.raises(NotEligible, match="None of these results is ready"):
        rate_batch(actor=staff, result_ids=ids)
    # A worker that repeats the job finds nothing left to do.
    Job.objects.filter(pk=job.pk).update(state="queued")
    run_due_jobs()
    assert RatingChange.objects.filter(calculation__foreign__in=ids).count() == lines
    assert set(ForeignResult.objects.values_list("status", flat=True)) == {"rated"}


def test_batch_goes_on_past_what_cannot_be_rated(staff):
    good = ready(staff, master(1), [(2400, 2)])
    bad = ready(staff, master(2), [(2400, 2)])
    bad.player.memberships.all().delete()
    job = rate_batch(actor=staff, result_ids=[bad.pk, good.pk])
    run_due_jobs()
    job.refresh_from_db()
    states = dict(ForeignResult.objects.values_list("pk", "status"))
    assert states == {good.pk: "rated", bad.pk: "draft"}
    assert job.state == "failed"
    assert "No membership on May 12, 2024" in job.message


def test_result_that_is_left_out_meanwhile_is_not_rated(staff):
    result = ready(staff, master(), [(2400, 2)])
    rate_batch(actor=staff, result_ids=[result.pk])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    run_due_jobs()
    assert not Calculation.objects.filter(foreign=result).exists()


def test_result_counted_again_before_a_rerate_is_not_rated_twice(staff):
    result = rated(staff, master(), [(2400, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    restore_result(actor=staff, result_id=result.pk, reason="Standard after all")
    mark_ready(actor=staff, result_id=result.pk)
    rate_if_eligible(result_id=result.pk)
    result.refresh_from_db()
    assert result.status == "rated"
    assert RatingChange.objects.filter(calculation__foreign=result).count() == 1
    notes = RerateMark.objects.order_by("pk").values_list("note", flat=True)
    assert (
        notes.last()
        == f"The result of {result.player.name} in Paris Open counts again."
    )


def test_late_event_is_rated_from_current_ratings_with_a_pending_rerate(staff):
    player, other = master(1), master(2)
    section = section_report([player, other], ["D2W", "D1B"])
    td = make_td()
    later = {"starts": date(2024, 6, 1), "ends": date(2024, 6, 2)}
    rated_event(td, event_report(td, [section], **later))
    present = PlayerRating.objects.get(player=player, system="OTBR").rating
    result = ready(staff, player, [(2400, 2)])
    rate_if_eligible(result_id=result.pk)
    line = line_of(player)
    assert line.pre_rating == present
    assert line.calculation.is_late
    mark = RerateMark.objects.get(player=player)
    assert (mark.kind, mark.from_day) == ("foreign", date(2024, 5, 12))


def test_event_in_order_creates_no_pending_rerate(staff):
    result = ready(staff, master(), [(2400, 2)])
    rate_if_eligible(result_id=result.pk)
    assert not RerateMark.objects.exists()
    assert not Calculation.objects.get(foreign=result).is_late


def test_correction_of_a_rated_result_creates_a_pending_rerate(staff):
    player = master()
    result = ready(staff, player, [(2400, 2)])
    rate_if_eligible(result_id=result.pk)
    before = line_of(player).post_rating
    correct_result(
        actor=staff,
        result_id=result.pk,
        games=[game(1, 0, rating=2400)],
        reason="It was lost",
    )
    mark = RerateMark.objects.get()
    assert (mark.kind, mark.player, mark.from_day, mark.run) == (
        "foreign",
        player,
        result.event.ends,
        None,
    )
    assert line_of(player).post_rating == before


def test_rating_needs_the_permission_at_every_step(staff):
    result = make_result(staff, master(), [(2400, 2)])
    for act in (
        lambda actor: mark_ready(actor=actor, result_id=result.pk),
        lambda actor: rate_batch(actor=actor, result_ids=[result.pk]),
        lambda actor: enter_result(
            actor=actor,
            event_id=result.event_id,
            player=result.player,
            games=[game(1, 2, rating=2000)],
        ),
    ):
        with pytest.raises(NotAllowed):
            act(make_user(is_staff=True))


@pytest.mark.parametrize("members", [2, 6])
def test_queries_of_the_preview_do_not_grow(staff, django_assert_num_queries, members):
    event = make_event(staff)
    for number in range(members):
        ready(staff, master(number), [(2400, 2)], event=event)
    results = ready_results()
    with django_assert_num_queries(8):
        assert len(previews(results)) == members


def rerated(staff):
    run = start_rerate(actor=None, reason="Follow the marks")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Checked")


def test_rerate_takes_the_corrected_games(staff):
    player = master()
    result = rated(staff, player, [(2400, 2)])
    correct_result(
        actor=staff,
        result_id=result.pk,
        games=[game(1, 0, rating=2400)],
        reason="It was lost",
    )
    rerated(staff)
    line = line_of(player)
    assert (line.half_points, line.losses) == (0, 1)
    assert line.post_rating < 2300
    (shown,) = results_of(result.event)
    assert not shown.is_changed
    assert [one.game.half_points for one in shown.games] == [0]


def test_rerate_drops_what_was_left_out(staff):
    player = master()
    result = rated(staff, player, [(2400, 2)])
    exclude_result(actor=staff, result_id=result.pk, reason="Rapid games")
    rerated(staff)
    assert not Calculation.objects.filter(foreign=result, is_current=True).exists()
    assert PlayerRating.objects.get(player=player, system="OTBR").rating == 2300.0
