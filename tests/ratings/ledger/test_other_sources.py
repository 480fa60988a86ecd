"""Adjustments, foreign events, pending rerates, lowered floors and merged members."""

import math
from datetime import date, timedelta

import pytest

from events.models import ForeignEvent, ForeignGame, ForeignResult
from players.members.rating_history import rating_history
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.player_states import load_states
from ratings.ledger.services.rating import (
    NotEstablished,
    apply_adjustment,
    rate_foreign_result,
)
from ratings.ledger.services.rating_inputs import read_section_facts
from ratings.models import (
    Adjustment,
    Calculation,
    Floor,
    FloorLowering,
    PlayerRating,
    RatingChange,
    RerateMark,
)
from tests.factories import (
    END,
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
)
from tests.ratings.ledger.reference_formulas import effective_games, expectancy

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def established(rating: float, *, games: int = 30, **fields) -> Player:
    player = make_player(birth_date=date(1990, 1, 1))
    open_rating(player, "OTBR", rating, games, **fields)
    return player


def rate(players: list[Player], rows: list[str], day: date):
    td = make_td()
    report = event_report(td, [section_report(players, rows)], starts=day, ends=day)
    return rated_event(td, report)


def current(player: Player) -> PlayerRating:
    return PlayerRating.objects.get(player=player, system="OTBR")


def marks() -> list[tuple[str, date]]:
    return list(RerateMark.objects.order_by("pk").values_list("kind", "from_day"))


# Pending rerates


def test_only_a_late_section_creates_a_pending_rerate():
    players = [established(1500.0), established(1600.0)]
    rate(players, ["W2W", "L1B"], END + 7 * DAY)
    assert marks() == []

    late = rate(players, ["L2W", "W1B"], END)

    section = late.sections.get()
    mark = RerateMark.objects.get()
    assert (mark.kind, mark.from_day, mark.section) == ("late", END, section)
    assert Calculation.objects.get(section=section).is_late


def test_player_and_event_signals_create_pending_rerates():
    player, staff = established(1500.0, as_of=date(2024, 2, 1)), make_staff()
    rating_history().history_changed(
        kind="birth_date",
        day=None,
        player=player,
        actor=staff,
        note="The birth date was corrected.",
    )
    mark = RerateMark.objects.get()
    assert (mark.kind, mark.from_day, mark.player, mark.left_by, mark.note) == (
        "birth_date",
        date(2024, 2, 1),  # the first day on which the player was rated
        player,
        staff,
        "The birth date was corrected.",
    )


def test_unrated_player_creates_no_pending_rerate():
    unrated = make_player()
    assert (
        add_pending_rerate(kind="residence", day=None, note="Moved.", player=unrated)
        is None
    )
    assert marks() == []


# Adjustments


def adjustment(player: Player, day: date, rating: float = 1777.5) -> Adjustment:
    return Adjustment.objects.create(
        player=player,
        system="OTBR",
        kind="reinstate",
        day=day,
        rating=rating,
        games=40,
        reason="The old book says so.",
        decided_by=make_staff(),
    )


def test_adjustment_in_order_sets_rating_and_games_and_keeps_what_was_counted():
    player = established(1500.0, wins=9, draws=4, losses=17, three_game_events=6)
    before = current(player).last_change

    calculation = apply_adjustment(adjustment_id=adjustment(player, END).pk)

    row, line = current(player), calculation.changes.get()
    assert (row.rating, row.games, row.rated_on) == (1777.5, 40, END)
    assert (row.wins, row.draws, row.losses, row.three_game_events) == (9, 4, 17, 6)
    assert (row.peak, row.last_change) == (1777.5, line)
    assert (line.formula, line.pre_rating, line.previous_id) == (
        "adjustment",
        1500.0,
        before.pk,
    )
    assert calculation.order_key == (END, Calculation.Rank.ADJUSTMENT, END, "", 0)
    assert marks() == []


def test_adjustment_before_a_later_result_waits_for_the_rerate():
    players = [established(1500.0), established(1600.0)]
    rate(players, ["W2W", "L1B"], END + 7 * DAY)
    rating = current(players[0]).rating

    assert apply_adjustment(adjustment_id=adjustment(players[0], END).pk) is None

    assert current(players[0]).rating == rating
    assert marks() == [("adjustment", END)]


# Foreign events


def abroad(
    player: Player,
    results: list[tuple[int | None, int]],
    *,
    youth: bool = False,
    starts: date = END,
    opponents: list[str] | None = None,
) -> ForeignResult:
    event = ForeignEvent.objects.create(
        name="World Youth",
        federation="GEO",
        starts=starts,
        ends=starts + 5 * DAY,
        is_youth=youth,
        list_date=date(2024, 5, 1),
    )
    result = ForeignResult.objects.create(event=event, player=player, status="ready")
    for number, (rating, half_points) in enumerate(results, start=1):
        ForeignGame.objects.create(
            result=result,
            round_number=number,
            opponent_name=(opponents or [f"Opponent {i}" for i in range(9)])[
                number - 1
            ],
            opponent_rating=rating,
            half_points=half_points,
        )
    return result


@pytest.mark.parametrize(
    ("youth", "converted"),
    [
        (False, [-1073 + 1.5667 * 1900, 20 + 1.02 * 2100]),
        (True, [-453 + 1.2667 * 1900, 80 + 2100]),
    ],
)
def test_foreign_event_takes_the_standard_formula_once_without_unrated(
    youth, converted
):
    """The text's formula by hand; the opponent without a FIDE rating does not count."""
    player = established(1850.0, wins=10, three_game_events=4)
    result = abroad(player, [(1900, 2), (None, 2), (2100, 1)], youth=youth)

    rate_foreign_result(result_id=result.pk)

    expected = sum(expectancy(1850.0, opponent) for opponent in converted)
    k = 800 / (effective_games(1850.0, 30) + 2)
    line = RatingChange.objects.get(calculation__foreign=result)
    assert line.post_rating == pytest.approx(1850.0 + k * (1.5 - expected))
    assert (line.games, line.half_points, line.post_games) == (2, 3, 32)
    assert (line.wins, line.draws, line.losses, line.three_game_events) == (11, 1, 0, 4)
    assert line.intermediate is None
    result.refresh_from_db()
    assert result.status == "rated"
    assert current(player).rating == line.post_rating


@pytest.mark.parametrize(
    ("names", "has_bonus"),
    [(["A", "B", "C", "D"], True), (["A", "A", "A", "D"], False)],
)
def test_foreign_event_earns_the_bonus_unless_opponents_repeat(names, has_bonus):
    player = established(1850.0)
    result = abroad(player, [(2300, 2)] * 4, opponents=names)
    rate_foreign_result(result_id=result.pk)
    line = RatingChange.objects.get(calculation__foreign=result)
    opponent = 20 + 1.02 * 2300
    change = 800 / (effective_games(1850.0, 30) + 4)
    change *= 4 - 4 * expectancy(1850.0, opponent)
    bonus = max(0.0, change - 12 * math.sqrt(4)) if has_bonus else 0.0
    assert line.bonus == pytest.approx(bonus)
    assert (bonus > 0) == has_bonus


def test_late_foreign_event_creates_a_pending_rerate_once():
    players = [established(1850.0), established(1600.0)]
    rate(players, ["W2W", "L1B"], END + 20 * DAY)
    result = abroad(players[0], [(1900, 2)])

    rate_foreign_result(result_id=result.pk)
    rate_foreign_result(result_id=result.pk)

    calculation = Calculation.objects.get(foreign=result)
    assert calculation.is_late
    assert marks() == [("foreign", END + 5 * DAY)]


@pytest.mark.parametrize("games", [25, 26])
def test_only_an_established_rating_is_updated_from_abroad(games):
    player = established(1850.0, games=games)
    result = abroad(player, [(1900, 2)])
    if games > 25:
        assert rate_foreign_result(result_id=result.pk).status == "rated"
    else:
        with pytest.raises(NotEstablished, match="no established Regular rating"):
            rate_foreign_result(result_id=result.pk)
        assert not Calculation.objects.filter(foreign=result).exists()


# Lowered floors


def lower(player: Player, level: int, day: date) -> None:
    FloorLowering.objects.create(
        player=player,
        system="OTBR",
        level=level,
        starts=day,
        reason="Granted.",
        decided_by=make_staff(),
    )


def grant(player: Player, level: int, day: date) -> None:
    Floor.objects.create(
        player=player,
        system="OTBR",
        kind="office",
        level=level,
        starts=day,
        reason="Ruling.",
        granted_by=make_staff(),
    )


def test_lowering_ends_earlier_floors_and_restarts_the_peak():
    player = established(1500.0, peak=1850.0)
    grant(player, 1600, END - 30 * DAY)
    lower(player, 1500, END)
    for day, peak, floors in (
        (END - DAY, 1850.0, [1600]),
        (END, None, [1500]),
        (END + 30 * DAY, None, [1500]),
    ):
        state = load_states([player.pk], day=day)[player.pk]
        assert state.standings[System.OTBR].peak == peak
        assert state.floors[System.OTBR] == floors


def test_floor_granted_after_a_lowering_counts_beside_it():
    player = established(1500.0)
    lower(player, 1400, END)
    grant(player, 1300, END)
    grant(player, 1700, END - DAY)
    state = load_states([player.pk], day=END)[player.pk]
    assert sorted(state.floors[System.OTBR]) == [1300, 1400]


def test_rating_falls_below_the_old_floor_after_it_was_lowered():
    """Peak 1850 gives a floor of 1600, the player's rating; lowered to 1500."""
    player, rival = established(1600.0, peak=1850.0), established(1600.0)
    rate([player, rival], ["L2W", "W1B"], END)
    assert current(player).rating == 1600.0
    lower(player, 1500, END + DAY)

    rate([player, rival], ["L2W", "W1B"], END + DAY)

    row = current(player)
    assert row.rating < 1600.0
    assert (row.floor, row.peak) == (1500.0, row.rating)


# Merged members


def test_results_of_a_merged_member_count_for_the_one_who_is_kept():
    kept, rival = established(1500.0), established(1600.0)
    other = make_player()
    event = rate([other, rival], ["W2W", "L1B"], END)
    Player.objects.filter(pk=other.pk).update(status="duplicate", merged_into=kept)
    grant(other, 1400, END)

    facts = read_section_facts(event.sections.get())
    assert facts.persons == (kept.pk, rival.pk)
    assert load_states([kept.pk], day=END)[kept.pk].floors[System.OTBR] == [1400]
