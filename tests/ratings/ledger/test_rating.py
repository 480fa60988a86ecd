"""An accepted section becomes lines in the ledger, by the specification."""

import json
import math
from datetime import date, timedelta

import pytest
from django.db import connection

from events.models import Event, Section
from events.records.services.packing import pack_section
from events.reports.services.submissions import (
    override_findings,
    set_section,
    submit_report,
)
from events.review.services.acceptance import accept_report
from players.models import ExternalRating, Membership, MembershipType, Player
from ratings.engine import ENGINE_VERSION
from ratings.engine.rules import rules_in_force
from ratings.engine.section_json import rate_json
from ratings.ledger.services.digests import lines_digest
from ratings.ledger.services.rating import rate_section
from ratings.models import (
    Calculation,
    CalculationInputs,
    Ceiling,
    Floor,
    PlayerRating,
    RatingChange,
)
from ratings_site.common.audit.services import entries_about
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.factories import (
    END,
    START,
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)
from tests.ratings.ledger.reference_formulas import (
    both_passes,
    effective_games,
    expectancy,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
# 1 beats 2 and 3 and draws with 4; 2 beats 4 and draws with 3; 3 draws with 4.
FOUR_TABLE = ["W2W W3B D4W", "L1B W4W D3W", "D4W L1W D2B", "D3B L2B D1B"]
FOUR_TABLE_GAMES = [
    (0, 1, 1),
    (2, 3, 0.5),
    (0, 2, 1),
    (1, 3, 1),
    (0, 3, 0.5),
    (1, 2, 0.5),
]
# 1 loses to all others, who have no other game.
LOSES_TO_ALL = ["L2W L3W L4W", "W1B U0 U0", "U0 W1B U0", "U0 U0 W1B"]


def established(rating: float, *, games: int = 30, system: str = "OTBR", **fields):
    """A player imported with *rating*; *fields* are those of the opening entry."""
    player = make_player(birth_date=date(1990, 1, 1))
    open_rating(player, system, rating, games, **fields)
    return player


def rate(players: list[Player], rows: list[str], *, section=None, **report) -> Event:
    td = make_td()
    reported = section_report(players, rows, **(section or {}))
    return rated_event(td, event_report(td, [reported], **report))


def rate_online(players: list[Player], rows: list[str]) -> Event:
    """A file cannot say that a section was online; the TD does on the page."""
    td = make_td()
    reported = section_report(players, rows, time_control="G/5;d0")
    submission = upload(td, event_report(td, [reported]))
    set_section(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        changes={"online": True},
    )
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    return event


def change_of(player: Player, event: Event, system: str = "OTBR") -> RatingChange:
    return RatingChange.objects.get(
        player=player, calculation__section__event=event, calculation__system=system
    )


def current(player: Player, system: str = "OTBR") -> PlayerRating:
    return PlayerRating.objects.get(player=player, system=system)


# The formulas


def test_established_players_are_rated_in_two_passes_of_the_standard_formula():
    before = [(1500.0, 30), (1620.0, 12), (1710.5, 40), (1400.0, 26)]
    players = [established(rating, games=games) for rating, games in before]

    event = rate(players, FOUR_TABLE)

    changes = [change_of(player, event) for player in players]
    assert [change.post_rating for change in changes] == pytest.approx(
        both_passes(before, FOUR_TABLE_GAMES), abs=1e-9
    )
    first = changes[0]
    assert (first.pre_rating, first.pre_games) == (1500.0, 30)
    assert (first.half_points, first.games, first.post_games) == (5, 3, 33)
    assert first.formula == "standard"
    assert first.effective_games == pytest.approx(effective_games(1500, 30))
    assert first.k == pytest.approx(800 / (effective_games(1500, 30) + 3))
    assert first.bonus > 0
    assert (first.wins, first.draws, first.losses) == (2, 1, 0)
    assert first.three_game_events == 1


def test_re_entered_member_is_rated_once_with_all_games():
    before = [(1500.0, 30), (1620.0, 12), (1710.5, 40)]
    players = [established(rating, games=games) for rating, games in before]
    one, two, three = players
    # No. 1 loses to 2, leaves, and comes back as no. 4 to beat 3.
    td = make_td()
    report = event_report(
        td,
        [
            section_report(
                [one, two, three, one], ["L2W U0", "W1B U0", "U0 L4W", "U0 W3B"]
            )
        ],
    )
    submission = upload(td, report)
    override_findings(
        submission_id=submission.pk,
        actor=td,
        finding_keys=["entry.member_repeated|s1|p4||member_id"],
        reason="Re-entered on Sunday.",
    )
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()

    assert RatingChange.objects.filter(calculation__section__event=event).count() == 3
    change = change_of(one, event)
    assert (change.games, change.half_points, change.post_games) == (2, 2, 32)
    expected = both_passes(before, [(0, 1, 0), (0, 2, 1)])
    assert [change_of(player, event).post_rating for player in players] == (
        pytest.approx(expected, abs=1e-9)
    )


def test_byes_and_forfeits_are_not_rated():
    players = [established(1500.0), established(1600.0), established(1550.0)]
    rows = ["W2W X3 B0", "L1B H0 F3", "H0 F1 X2"]

    event = rate(players, rows)

    assert [change_of(player, event).post_rating for player in players[:2]] == (
        pytest.approx(both_passes([(1500, 30), (1600, 30)], [(0, 1, 1)]), abs=1e-9)
    )
    one = change_of(players[0], event)
    assert (one.games, one.half_points, one.wins, one.three_game_events) == (1, 2, 1, 0)
    assert not RatingChange.objects.filter(
        player=players[2], calculation__section__event=event
    ).exists()
    assert current(players[2]).rating == 1550.0


# Newcomers


def test_newcomer_of_a_dual_section_starts_in_both_systems_from_before_it():
    newcomer = established(1500.0, games=20, system="OTBB")
    rival = established(1600.0, games=30)
    open_rating(rival, "OTBQ", 1700.0, 30)

    event = rate([newcomer, rival], ["W2W", "L1B"], section={"time_control": "G/60;d5"})

    # Section 2: G = 5 from blitz in either system, 125 days, age 33 at that rating.
    days = (END - date(2024, 1, 1)).days
    strength = (1500 - 1300) / 350
    weight = 5 * math.exp(0.06 * (strength - 6) * days / 365.25)
    for system, rival_rating in (("OTBR", 1600.0), ("OTBQ", 1700.0)):
        change = change_of(newcomer, event, system)
        assert (change.pre_rating, change.pre_games) == (None, 0)
        assert change.initial_rating == 1500.0
        assert change.initial_games == math.ceil(weight) == 5
        assert (change.formula, change.post_games) == ("special", 6)
        # Step 4 of the rival, then f(R) = 5 PWe(R, 1500) + PWe(R, rival) - 3.5 = 0.
        k = 800 / (effective_games(rival_rating, 30) + 1)
        rival_step_4 = rival_rating - k * expectancy(rival_rating, 1500)
        assert change.post_rating == pytest.approx(
            (5 * 1500 + rival_step_4 + 400) / 6, abs=1e-9
        )


def test_newcomer_without_any_rating_starts_by_age_on_the_end_date():
    child = make_player(birth_date=date(2014, 5, 5))
    rival = established(600.0)

    event = rate([child, rival], ["D2W", "D1B"])

    change = change_of(child, event)
    age = (END - date(2014, 5, 5)).days / 365.25
    assert change.initial_rating == pytest.approx(50 * age, abs=1e-9)
    assert (change.pre_rating, change.pre_games, change.initial_games) == (None, 0, 0)
    assert change.post_games == 1


def test_fide_list_in_force_on_the_end_date_is_taken():
    newcomer = make_player()
    for list_date, rating in (
        (END - 30 * DAY, 1850),
        (END, 1900),
        (END + DAY, 2200),
    ):
        ExternalRating.objects.create(
            player=newcomer, body="FIDE", list_date=list_date, rating=rating
        )

    event = rate([newcomer, established(1900.0)], ["D2W", "D1B"])

    change = change_of(newcomer, event)
    # -1073 + 1.5667 x 1900 = 1903.73, Game Factor 5, not stale.
    assert (change.initial_rating, change.initial_games) == (1904.0, 5)


def test_list_that_came_after_the_section_is_left_aside():
    newcomer = make_player()
    ExternalRating.objects.create(
        player=newcomer, body="FIDE", list_date=END + DAY, rating=2200
    )

    event = rate([newcomer, established(1900.0)], ["D2W", "D1B"])

    change = change_of(newcomer, event)
    assert (change.initial_rating, change.initial_games) == (1300.0, 0)


@pytest.mark.parametrize(
    ("residence", "start"),
    # -856 + 1.41 x 1700 = 1541, Game Factor 5.
    [("CAN", (1541.0, 5)), ("USA", (1300.0, 0))],
)
def test_cfc_rating_counts_for_residents_of_canada_only(residence, start):
    newcomer = make_player(residence=residence)
    day = date(2025, 3, 1)
    ExternalRating.objects.create(
        player=newcomer, body="CFC", list_date=day, rating=1700
    )

    event = rate([newcomer, established(1500.0)], ["D2W", "D1B"], starts=day, ends=day)

    change = change_of(newcomer, event)
    assert (change.initial_rating, change.initial_games) == start


# Floors and ceilings


def test_absolute_floor_counts_the_games_of_the_event_itself():
    counts = {"wins": 3, "draws": 1, "losses": 20, "three_game_events": 9}
    low = established(130.0, **counts)
    others = [established(130.0) for _ in range(3)]

    event = rate([low, *others], ["L2W L3W D4W", "W1B U0 U0", "U0 W1B U0", "U0 U0 D1B"])

    change = change_of(low, event)
    # 100 + 4 x 3 + 2 x (1 + 1) + (9 + 1)
    assert (change.floor_given, change.floor_used, change.post_rating) == (
        126,
        126,
        126,
    )
    assert current(low).floor == 126
    assert (change.wins, change.draws, change.losses) == (3, 2, 22)
    assert change.three_game_events == 10


def test_absolute_floor_is_100_online():
    low = established(130.0, system="OLB", wins=30)
    others = [established(130.0, system="OLB") for _ in range(3)]

    event = rate_online([low, *others], LOSES_TO_ALL)

    change = change_of(low, event, "OLB")
    assert (change.floor_given, change.floor_used, change.post_rating) == (
        100,
        100,
        100,
    )
    assert current(low, "OLB").floor == 100


@pytest.mark.parametrize(
    ("peak", "floor"),
    # 1659 - 200 = 1459, at or just below: 1400. 1599.4 - 200 = 1399: 1300.
    [(1659.0, 1400), (1600.0, 1400), (1599.5, 1400), (1599.4, None)],
)
def test_peak_floor_holds(peak, floor):
    faded = established(1405.0, peak=peak)
    others = [established(1405.0) for _ in range(3)]

    event = rate([faded, *others], LOSES_TO_ALL)

    change = change_of(faded, event)
    assert change.floor_used == floor
    assert (change.post_rating == 1400) == (floor is not None)


def test_peak_grows_with_established_ratings_only():
    climber = established(1500.0, games=24)
    rival = established(1500.0, games=30)
    assert current(climber).peak is None

    rate([climber, rival], ["W2W", "L1B"])
    assert (current(climber).games, current(climber).peak) == (25, None)
    assert (current(rival).rating < 1500.0, current(rival).peak) == (True, 1500.0)

    event = rate([climber, rival], ["L2W", "W1B"], starts=END + DAY, ends=END + DAY)
    assert current(climber).peak == change_of(climber, event).post_rating


@pytest.mark.parametrize(
    ("starts", "ends", "acts"),
    [
        (END, None, True),
        (START, END, True),
        (END + DAY, None, False),
        (START - DAY, START, False),
    ],
)
def test_granted_floor_and_ceiling_apply_on_their_days(starts, ends, acts):
    held, capped = established(1510.0), established(1510.0)
    by = make_staff()
    days = {"system": "OTBR", "starts": starts, "ends": ends, "reason": "ruling"}
    Floor.objects.create(player=held, kind="money", level=1500, granted_by=by, **days)
    Ceiling.objects.create(player=capped, level=1515, imposed_by=by, **days)

    event = rate([held, capped], ["L2W", "W1B"])

    low, high = both_passes([(1510, 30), (1510, 30)], [(0, 1, 0)])
    floored, ceiled = change_of(held, event), change_of(capped, event)
    if acts:
        assert (floored.floor_used, floored.post_rating) == (1500, 1500)
        assert (ceiled.ceiling_used, ceiled.post_rating) == (1515, 1515)
    else:
        assert (floored.floor_used, ceiled.ceiling_used) == (None, None)
        assert [floored.post_rating, ceiled.post_rating] == pytest.approx([low, high])


# State carried from event to event


def test_record_of_wins_is_carried_until_it_breaks():
    winner, rival = make_player(), established(1300.0)

    first = rate([winner, rival], ["W2W", "L1B"])
    assert (current(winner).record, current(winner).games) == ("all_wins", 1)

    day = END + 7 * DAY
    before, rival_before = current(winner), current(rival)
    second = rate([winner, rival], ["W2W", "L1B"], starts=day, ends=day)
    after = change_of(winner, second)
    assert (after.pre_rating, after.pre_games) == (before.rating, 1)
    assert (after.record, after.post_games, after.wins) == ("all_wins", 2, 2)
    # With only wins, f is zero from the strongest opponent + 400 on (section 4.1).
    k = 800 / (effective_games(rival_before.rating, rival_before.games) + 1)
    step_4 = rival_before.rating - k * expectancy(rival_before.rating, before.rating)
    assert after.post_rating == pytest.approx(max(before.rating, step_4 + 400))

    third = rate([winner, rival], ["D2W", "D1B"], starts=day + DAY, ends=day + DAY)
    assert change_of(winner, third).record == "mixed"
    assert change_of(winner, third).formula == "special"
    assert current(winner).games == 3
    assert change_of(winner, first).record == "all_wins"


def test_all_losses_are_carried_likewise():
    loser, rival = make_player(), established(1300.0)

    rate([loser, rival], ["L2W", "W1B"])
    assert current(loser).record == "all_losses"

    rate([loser, rival], ["W2W", "L1B"], starts=END + DAY, ends=END + DAY)
    assert current(loser).record == "mixed"
    assert (current(loser).wins, current(loser).losses) == (1, 1)


def test_all_wins_is_told_for_each_system_by_itself():
    player, rival = make_player(), established(1300.0)
    open_rating(rival, "OTBQ", 1300.0, 30)

    rate([player, rival], ["W2W", "L1B"])
    rate(
        [player, rival],
        ["L2W", "W1B"],
        section={"time_control": "G/15;d0"},
        starts=END + DAY,
        ends=END + DAY,
    )

    assert current(player, "OTBR").record == "all_wins"
    assert current(player, "OTBQ").record == "all_losses"


# Order


def test_late_section_creates_a_pending_rerate_and_uses_current_ratings():
    shared, other, third = established(1500.0), established(1600.0), established(1550.0)
    newer = rate([shared, other], ["W2W", "L1B"])
    day = START - 7 * DAY

    late = rate([shared, third], ["W2W", "L1B"], starts=day, ends=day)

    calculation = Calculation.objects.get(section__event=late)
    assert calculation.is_late is True
    assert change_of(shared, late).pre_rating == change_of(shared, newer).post_rating
    entry = entries_about(late.sections.get()).get(action="section.rated")
    assert entry.facts == {"late": True}


def test_section_among_strangers_to_later_ones_is_not_late():
    rate([established(1500.0), established(1600.0)], ["W2W", "L1B"])
    day = START - 7 * DAY

    event = rate(
        [established(1500.0), established(1600.0)], ["W2W", "L1B"], starts=day, ends=day
    )

    assert Calculation.objects.get(section__event=event).is_late is False


def test_opening_entry_of_the_same_day_comes_first():
    player = established(1500.0, as_of=END)
    event = rate([player, established(1600.0)], ["W2W", "L1B"])
    assert Calculation.objects.get(section__event=event).is_late is False


def test_sections_of_an_event_are_rated_in_rating_order():
    player, other = established(1500.0), established(1600.0)
    td = make_td()
    sunday = section_report([player, other], ["W2W", "L1B"], starts=END, ends=END)
    saturday = section_report(
        [player, other], ["L2W", "W1B"], number=2, starts=START, ends=START
    )
    event = accepted_event(td, event_report(td, [sunday, saturday]))

    # The worker may pick the later section first.
    rate_section(section_id=event.sections.get(number=1).pk)

    first = Calculation.objects.get(section__event=event, section__number=2)
    second = Calculation.objects.get(section__event=event, section__number=1)
    assert first.pk < second.pk
    assert (first.is_late, second.is_late) == (False, False)
    assert (
        second.changes.get(player=player).pre_rating
        == first.changes.get(player=player).post_rating
    )


def test_rating_a_rated_section_changes_nothing():
    event = rate([established(1500.0), make_player()], ["W2W", "L1B"])
    section = event.sections.get()
    ledger = list(RatingChange.objects.values())
    ratings = list(PlayerRating.objects.values())

    rate_section(section_id=section.pk)

    assert list(RatingChange.objects.values()) == ledger
    assert list(PlayerRating.objects.values()) == ratings
    assert entries_about(section).filter(action="section.rated").count() == 1


def test_section_that_cannot_be_rated_says_why_and_waits():
    """Effective games before May 2013 are not in the texts."""
    players = [established(1500.0), established(1600.0)]
    td = make_td()
    report = event_report(td, [section_report(players, ["W2W", "L1B"])])
    event = accepted_event(td, report)
    Section.objects.update(starts=date(2013, 1, 1))  # no report gets so far
    pack_section(event.sections.get())
    run_due_jobs()

    job = Job.objects.get()
    assert (job.state, job.attempts) == ("failed", 1)
    assert "effective-games formula is not known" in job.message
    assert event.sections.get().status == Section.Status.READY
    assert not Calculation.objects.filter(section__isnull=False).exists()


# Reproducing


def test_stored_inputs_give_the_stored_result_again():
    newcomer = established(1500.0, games=20, system="OTBB")
    ExternalRating.objects.create(
        player=newcomer, body="FIDE", list_date=END, rating=1900
    )
    players = [
        newcomer,
        established(1600.0, peak=1800.0),
        make_player(),
        established(1999.9),
    ]
    event = rate(players, FOUR_TABLE, section={"time_control": "G/60;d5"})
    assert CalculationInputs.objects.count() == 2

    for calculation in Calculation.objects.filter(section__event=event):
        document = calculation.inputs.document
        rules = rules_in_force(calculation.rules_day, calculation.edition)
        assert calculation.inputs_digest == lines_digest(
            list(calculation.changes.order_by("pk")),
            source_digest=calculation.section.packed.digest,
            system=calculation.system,
            rules=rules,
        )
        assert calculation.engine_version == ENGINE_VERSION

        answer, faults = rate_json(json.loads(document))
        assert faults == []
        again = {one["id"]: one for one in answer["players"]}
        stored = {
            change.player_id: {
                "initial": change.initial_rating,
                "initial_games": change.initial_games,
                "effective_games": change.effective_games,
                "formula": change.formula,
                "score": change.half_points / 2,
                "games": change.games,
                "expected": change.expected,
                "k": change.k,
                "bonus": change.bonus,
                "intermediate": change.intermediate,
                "post": change.post_rating,
                "post_games": change.post_games,
                "floor": change.floor_used,
                "ceiling": change.ceiling_used,
            }
            for change in calculation.changes.all()
        }
        assert len(stored) == 4
        for player_id, line in stored.items():
            assert {name: again[player_id][name] for name in line} == line


def test_digest_tells_other_inputs_apart():
    players = [established(1500.0), established(1600.0)]
    first = rate(players, ["W2W", "L1B"])
    second = rate(players, ["W2W", "L1B"], starts=END + DAY, ends=END + DAY)
    digests = Calculation.objects.filter(section__event__in=[first, second])
    assert len(set(digests.values_list("inputs_digest", flat=True))) == 2


# SQLite takes so many lines in one statement.
@pytest.mark.parametrize("players", [4, 26])
def test_rating_takes_the_same_queries_for_any_size(players, django_assert_num_queries):
    td = make_td()
    members = [established(1500.0 + place) for place in range(players)]
    event = accepted_event(
        td, event_report(td, [section_report(members, swiss_rows(players, 3))])
    )
    section = event.sections.get()
    # PostgreSQL asks for the lock.
    expected = {"sqlite": 38, "postgresql": 39}[connection.vendor]
    with django_assert_num_queries(expected):
        rate_section(section_id=section.pk)
    assert RatingChange.objects.filter(calculation__section=section).count() == players


# Matches


def rate_match(players, row, day):
    td = make_td()
    section = section_report(players, row, kind_letter="M")
    return rated_event(td, event_report(td, [section], starts=day, ends=day))


def test_matches_together_move_a_rating_by_at_most_100_in_180_days():
    """Wins of 50, 50 and then nothing more; after 180 days there is room again."""
    players = [established(1500.0, games=26), established(1895.0, games=26)]
    rows = ["W2W W2B W2W W2B", "L1B L1W L1B L1W"]
    posts = []
    for day in (
        date(2024, 5, 4),
        date(2024, 5, 5),
        date(2024, 5, 6),
        date(2024, 10, 31),  # 180 days after the first match: its 50 count no more
        date(2024, 11, 1),
    ):
        rate_match(players, rows, day)
        posts.append(PlayerRating.objects.get(player=players[0], system="OTBR").rating)
    assert posts == [1550.0, 1600.0, 1600.0, 1650.0, 1700.0]


def test_later_membership_does_not_make_an_adult():
    member = make_player(birth_date=None)
    kind, _ = MembershipType.objects.get_or_create(name="Adult", is_adult=True)
    Membership.objects.create(
        player=member, type=kind, starts=date(2040, 1, 1), expires=date(2041, 1, 1)
    )
    opponents = [established(750.0), established(750.0)]
    td = make_td()
    rows = ["D2W D3B", "D1B U0", "U0 D1W"]
    rated_event(td, event_report(td, [section_report([member, *opponents], rows)]))
    change = RatingChange.objects.get(player=member, calculation__section__isnull=False)
    assert change.initial_rating == 750.0


def test_section_that_cannot_be_rated_does_not_hold_up_its_siblings():
    players = [established(1500.0 + 10 * n) for n in range(4)]
    td = make_td()
    report = event_report(
        td,
        [
            section_report(players[:2], ["W2W", "L1B"], number=1),
            section_report(players[2:], ["W2W", "L1B"], number=2),
        ],
    )
    event = accepted_event(td, report)
    event.sections.filter(number=1).update(starts=date(2013, 1, 1))
    pack_section(event.sections.get(number=1))
    run_due_jobs()
    assert dict(event.sections.values_list("number", "status")) == {
        1: "ready",
        2: "rated",
    }
