"""The kernel gives the results of the readable engine, to the last bit."""

import os
from array import array
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.matches import MatchChange
from ratings.engine.replay import replay
from ratings.engine.replay.arrays import (
    ADJUSTMENT,
    CEILING,
    CFC,
    DONE,
    FIDE,
    FLOOR,
    FULL,
    LOWERING,
    NO_RULE,
    OPENING,
    External,
    Grant,
    Matches,
    People,
    Program,
    Results,
    Rows,
    States,
    World,
)
from ratings.engine.replay.kernel import years_before
from ratings.engine.replay.rule_rows import RuleTable
from ratings.engine.rules import rules_in_force
from tests.tools.bench_replay import generated_world, restarted

from .random_histories import small_history_world
from .reference import Reference, three_years_before

# The number of results that the big history has; CI may ask for more.
KERNEL_RESULTS = int(os.environ.get("KERNEL_RESULTS", "20000"))
# Rows per game in generated histories.
ROWS_PER_GAME = 0.68


def rows_of(results):
    """Return the rows as dictionaries, with None for NaN."""
    columns = [getattr(results.rows, name) for name in Rows._fields]
    return [
        {
            name: None if value != value else value
            for name, value in zip(Rows._fields, row, strict=True)
        }
        for row in zip(
            *(column[: results.rows_used] for column in columns), strict=True
        )
    ]


def replayed(world, *, room=20_000):
    """Replay all of *world*; return why it stopped and the rows."""
    results = Results.empty(room)
    stop = replay(world, 0, len(world.program), results)
    return stop.reason, rows_of(results)


def columns_of(*groups):
    """Return the bytes of all columns, to compare bits."""
    return [column.tobytes() for group in groups for column in group]


@settings(deadline=None)
@given(seed=st.integers(0, 2**32))
def test_kernel_gives_the_rows_of_the_readable_engine(seed):
    world = small_history_world(seed)
    expected = Reference(world).replay()
    assert replayed(world) == (DONE, expected)


def test_small_histories_have_everything_in_them():
    """Guard the test above: a case that never occurs is not compared."""
    rows = [row for seed in range(40) for row in replayed(small_history_world(seed))[1]]
    assert {row["formula"] for row in rows} == {1, 2, 3, 4}
    assert {row["system"] for row in rows} == set(range(6))
    assert {row["record"] for row in rows} == {0, 1, 2}
    assert any(row["pre_rating"] is None and row["initial_games"] for row in rows)
    assert any(row["formula"] == 1 and row["initial_games"] == 0 for row in rows)
    assert any(row["bonus"] for row in rows)
    assert any(row["floor_used"] and row["floor_used"] > 150 for row in rows)
    assert any(row["ceiling_used"] for row in rows)
    assert any(row["floor_request"] for row in rows)
    nets = [row for row in rows if row["match_net_180"]]
    assert any(row["match_net_180"] != row["match_net_3y"] for row in nets)
    assert any(abs(row["match_net_180"]) > 99.9 for row in nets)


def test_a_large_history_has_the_bits_of_the_readable_engine():
    world = generated_world(int(KERNEL_RESULTS / ROWS_PER_GAME))
    expected = Reference(world).replay()
    reason, rows = replayed(world, room=2 * KERNEL_RESULTS)
    assert reason == DONE
    assert len(rows) > 0.9 * KERNEL_RESULTS
    # Compared one by one: the difference of two lists of this length is no help.
    for row, wanted in zip(rows, expected, strict=True):
        assert row == wanted


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    cuts=st.lists(st.integers(0, 60), max_size=5),
    room=st.integers(36, 90),
)
def test_chunks_change_no_bit(seed, cuts, room):
    """However a history is divided into calls, and however often results are full."""
    whole = small_history_world(seed)
    results = Results.empty(20_000)
    replay(whole, 0, len(whole.program), results)

    cut = small_history_world(seed)
    last = len(cut.program)
    taken, item = [], 0
    small = Results.empty(room)
    for until in [*sorted(min(place, last) for place in cuts), last]:
        while item < until:
            item, reason = replay(cut, item, until, small)
            if reason == FULL:
                taken += rows_of(small)
                small.drain()
    taken += rows_of(small)
    assert taken == rows_of(results)
    states = columns_of(whole.states, whole.matches)
    assert columns_of(cut.states, cut.matches) == states


def test_calculations_divide_the_rows():
    world = small_history_world(7)
    results = Results.empty(20_000)
    replay(world, 0, len(world.program), results)
    done = results.calculations
    seen = []
    for number in range(results.calculations_used):
        rows = range(done.first_row[number], done.first_row[number + 1])
        assert len(rows) > 0
        assert {results.rows.item[row] for row in rows} == {done.item[number]}
        assert {results.rows.system[row] for row in rows} == {done.system[number]}
        seen += rows
    assert seen == list(range(results.rows_used))


def test_rows_are_numbered_over_the_whole_run():
    """A row refers to the player's row before, also when that was drained."""
    world = TwoPlayers()
    for day in (1, 2, 3):
        world.section([[(1, 2)], [(0, 0)]], day=date(2024, 5, day))
    results = Results.empty(4)
    stop = replay(world.world, 0, 3, results)
    assert (stop.item, stop.reason) == (2, FULL)
    results.drain()
    stop = replay(world.world, 2, 3, results)
    assert (stop.item, stop.reason) == (3, DONE)
    assert list(results.rows.previous_row[:2]) == [2, 3]
    assert [world.world.states.last_row[state] for state in (0, 6)] == [4, 5]


def test_many_people_are_as_if_added_one_by_one():
    externals = {
        1: [External(FIDE, 740_000, 1900.0), External(CFC, 730_000, 1800.0)],
        4: [External(FIDE, 735_000, 2100.0)],
    }
    grants = {0: [Grant(FLOOR, 0, 1800.0, 738_000)], 4: [Grant(LOWERING, 1, 1.0, 7)]}
    births, adult_from = array("i", range(6)), array("i", range(10, 16))
    one_by_one = People.empty()
    for number in range(6):
        one_by_one.add(
            birth_day=births[number],
            adult_from=adult_from[number],
            externals=externals.get(number, ()),
            grants=grants.get(number, ()),
        )
    assert People.of(births, adult_from, externals, grants) == one_by_one


class TwoPlayers:
    """Writes a history of two players rated 1500 after 40 games, in Regular."""

    def __init__(self, *, rating=1500.0, games=40, grants=(), peak=float("nan")):
        people = People.empty()
        people.add(grants=grants)
        people.add()
        self.table = RuleTable()
        self.world = World(
            people,
            States.unrated(2),
            Matches.none(2, room=20),
            Program.empty(),
            self.table.rows,
        )
        if rating is not None:
            for state in (0, 6):
                self.world.states.rating[state] = rating
                self.world.states.games[state] = games
                self.world.states.record[state] = 0
                self.world.states.peak[state] = peak
                self.world.states.rated_on[state] = date(2024, 1, 1).toordinal()

    def section(self, sides, *, day, is_match=False, system_b=-1):
        self.world.program.add_section(
            [0, 1],
            sides,
            starts=day.toordinal(),
            ends=day.toordinal(),
            rules=self.table.place(rules_in_force(day)),
            system_a=0,
            system_b=system_b,
            is_match=is_match,
            lower_k=system_b >= 0,
        )

    def given(self, kind, *, rating, games, day, peak=float("nan")):
        place = self.world.program.given.add(rating, games, peak=peak)
        self.world.program.add_assigned(
            kind,
            0,
            place,
            day=day.toordinal(),
            rules=self.table.place(rules_in_force(day)),
            system=0,
        )

    def rows(self):
        reason, rows = replayed(self.world)
        assert reason == DONE
        return rows


def losses(count):
    """Return the sides of so many games that player 0 loses against player 1."""
    return [[(1, 0)] * count, [(0, 2)] * count]


def test_a_lowering_ends_older_floors_and_the_peak():
    """Peak 1990 gives 1700 and the office 1800; lowered to 1600 on 10 May."""
    lowered = date(2024, 5, 10).toordinal()
    grants = [
        Grant(FLOOR, 0, 1800.0, date(2020, 1, 1).toordinal()),
        Grant(LOWERING, 0, 1600.0, lowered),
    ]
    history = TwoPlayers(rating=1810.0, grants=grants, peak=1990.0)
    for day in (9, 10, 11):
        history.section(losses(8), day=date(2024, 5, day))
    rows = [row for row in history.rows() if row["player"] == 0]
    assert [row["floor_given"] for row in rows] == [1800.0, 1600.0, 1600.0]
    # The peak begins again with what the player reaches on that day.
    assert [row["peak"] for row in rows] == [
        1990.0,
        rows[1]["post_rating"],
        rows[1]["post_rating"],
    ]
    assert rows[0]["floor_used"] == 1800.0
    assert rows[1]["post_rating"] < 1800.0


def test_a_floor_granted_after_a_lowering_counts():
    grants = [
        Grant(LOWERING, 0, 1400.0, date(2024, 3, 1).toordinal()),
        Grant(FLOOR, 0, 1700.0, date(2024, 3, 1).toordinal()),
        Grant(FLOOR, 0, 1800.0, date(2024, 2, 28).toordinal()),
    ]
    history = TwoPlayers(rating=1705.0, grants=grants)
    history.section(losses(4), day=date(2024, 5, 1))
    assert history.rows()[0]["post_rating"] == 1700.0


def test_the_lowest_ceiling_in_force_applies():
    begin = date(2024, 5, 1).toordinal()
    grants = [
        Grant(CEILING, 0, 1520.0, begin, begin + 1),
        Grant(CEILING, 0, 1510.0, begin),
        Grant(CEILING, 0, 1200.0, begin - 9, begin - 1),
        Grant(CEILING, 1, 1100.0, begin),
    ]
    history = TwoPlayers(grants=grants)
    history.section([[(1, 2)] * 4, [(0, 0)] * 4], day=date(2024, 5, 1))
    row = history.rows()[0]
    assert (row["ceiling_given"], row["ceiling_used"]) == (1510.0, 1510.0)
    assert row["post_rating"] == 1510.0


def test_earlier_matches_use_up_the_limit_of_later_ones():
    """50, 50 and then nothing is left of the 100 points in 180 days.

    The day 180 days before 28 October is 1 May, and a match of that day is out.
    """
    history = TwoPlayers(games=9)
    won = [[(1, 2)] * 20, [(0, 0)] * 20]
    for day in (1, 2, 3):
        history.section(won, day=date(2024, 5, day), is_match=True)
    history.section(won, day=date(2024, 10, 28), is_match=True)
    rows = [row for row in history.rows() if row["player"] == 0]
    assert [row["post_rating"] for row in rows] == [1550.0, 1600.0, 1600.0, 1650.0]
    assert [row["match_net_180"] for row in rows] == [0.0, 50.0, 100.0, 50.0]
    assert [row["match_net_3y"] for row in rows] == [0.0, 50.0, 100.0, 100.0]


def test_a_dual_rated_newcomer_starts_both_systems_from_before():
    history = TwoPlayers(rating=None)
    day = date(2024, 5, 1)
    history.section([[(1, 2)] * 3, [(0, 0)] * 3], day=day, system_b=1)
    rows = history.rows()
    assert [row["system"] for row in rows] == [0, 0, 1, 1]
    # Both from the age of 15: the Regular result did not start the Quick one.
    assert [row["initial_rating"] for row in rows] == [750.0] * 4
    assert [row["post_rating"] for row in rows[:2]] == [
        row["post_rating"] for row in rows[2:]
    ]


def test_players_without_games_get_no_row():
    history = TwoPlayers()
    history.section([[], []], day=date(2024, 5, 1))
    assert history.rows() == []
    assert history.world.states.last_row[0] == -1


def test_an_opening_sets_everything_and_an_adjustment_keeps_the_peak():
    history = TwoPlayers(rating=None)
    history.given(OPENING, rating=1900.5, games=26, day=date(2024, 1, 1))
    history.given(ADJUSTMENT, rating=1700.0, games=30, day=date(2024, 2, 1))
    history.given(ADJUSTMENT, rating=1700.0, games=30, peak=1.5, day=date(2024, 3, 1))
    opened, adjusted, again = history.rows()
    assert (opened["formula"], opened["pre_rating"], opened["peak"]) == (
        3,
        None,
        1900.5,
    )
    assert (adjusted["formula"], adjusted["pre_rating"]) == (4, 1900.5)
    assert (adjusted["post_rating"], adjusted["peak"]) == (1700.0, 1900.5)
    assert (again["peak"], again["previous_row"]) == (1.5, 1)


def test_an_opening_of_25_games_makes_no_peak():
    history = TwoPlayers(rating=None)
    history.given(OPENING, rating=1900.5, games=25, day=date(2024, 1, 1))
    assert history.rows()[0]["peak"] is None


@pytest.mark.parametrize(
    ("rating", "games", "rated"),
    [(None, 0, []), (1500.0, 3, []), (1500.0, 25, []), (1500.0, 26, [0])],
)
def test_only_an_established_player_gets_a_row_abroad(rating, games, rated):
    history = TwoPlayers(rating=rating, games=games)
    day = date(2024, 5, 1)
    history.world.program.add_foreign_event(
        0,
        [(1800.0, 2)],
        starts=day.toordinal(),
        ends=day.toordinal(),
        rules=history.table.place(rules_in_force(day)),
        system=0,
    )
    assert [row["player"] for row in history.rows()] == rated


def test_a_missing_rule_stops_the_replay_before_the_section():
    """A blend has no rule before June 2020; nothing of that section is entered."""
    history = TwoPlayers()
    history.section([[(1, 2)], [(0, 0)]], day=date(2020, 5, 30))
    history.world.program.add_section(
        [0, 1],
        [[(1, 2)], [(0, 0)]],
        starts=date(2020, 5, 31).toordinal(),
        ends=date(2020, 5, 31).toordinal(),
        rules=history.table.place(rules_in_force(date(2020, 5, 31))),
        system_a=0,
        system_b=1,
    )
    results = Results.empty(100)
    stop = replay(history.world, 0, 2, results)
    assert (stop.item, stop.reason) == (1, NO_RULE)
    assert (results.rows_used, results.calculations_used) == (2, 1)
    assert history.world.states.last_row[0] == 0


@pytest.mark.parametrize(
    ("day", "is_known"), [(date(2013, 5, 7), False), (date(2013, 5, 8), True)]
)
def test_effective_games_have_a_first_day(day, is_known):
    history = TwoPlayers()
    history.section([[(1, 2)], [(0, 0)]], day=day)
    assert replayed(history.world)[0] == (DONE if is_known else NO_RULE)


def test_results_without_space_for_one_item_are_refused():
    history = TwoPlayers()
    history.section([[(1, 2)], [(0, 0)]], day=date(2024, 5, 1))
    with pytest.raises(ValueError, match="too little for item 0"):
        replay(history.world, 0, 1, Results.empty(1))


def test_a_full_log_of_matches_stops_the_replay():
    history = TwoPlayers()
    won = [[(1, 2)] * 2, [(0, 0)] * 2]
    for day in range(1, 13):
        history.section(won, day=date(2024, 5, day), is_match=True)
    results = Results.empty(100)
    stop = replay(history.world, 0, 12, results)
    assert (stop.item, stop.reason) == (10, FULL)
    results.drain()
    history.world.matches.reserve(4)
    stop = replay(history.world, 10, 12, results)
    assert (stop.item, stop.reason) == (12, DONE)


def test_a_section_of_any_size_fits_the_workspace():
    """600 players, one of whom plays all the others, and a match of 200 games."""
    people, table = People.empty(), RuleTable()
    players = [people.add(birth_day=700_000 + 20 * number) for number in range(600)]
    day = date(2024, 5, 4).toordinal()
    program = Program.empty()
    rules = table.place(rules_in_force(date(2024, 5, 4)))
    hub = [(other, other % 3) for other in players[1:]]
    others = [[(0, 2 - other % 3)] for other in players[1:]]
    program.add_section(
        players, [hub, *others], starts=day, ends=day, rules=rules, system_a=0
    )
    program.add_section(
        [0, 1],
        [[(1, 2), (1, 1)] * 100, [(0, 0), (0, 1)] * 100],
        starts=day,
        ends=day,
        rules=rules,
        system_a=0,
        is_match=True,
    )
    matches = Matches.none(600, room=2000)
    for _ in range(900):
        matches.add(0, day - 100, 0.01)
    world = World(people, States.unrated(600), matches, program, table.rows)
    reference = Reference(world)
    for _ in range(900):
        reference.standings[0, 0].matches.append(
            MatchChange(date.fromordinal(day - 100), 0.01)
        )
    expected = reference.replay()
    assert replayed(world) == (DONE, expected)
    assert expected[-2]["match_net_180"] == 9.0


def test_a_replay_can_be_done_again_from_the_start():
    world = small_history_world(3)
    first = replayed(world)
    again = restarted(world)
    assert replayed(again) == first


@given(st.dates(date(1904, 1, 1), date(2200, 1, 1)))
def test_three_years_before_is_the_same_date(day):
    assert years_before(day.toordinal(), 3) == three_years_before(day).toordinal()


@given(st.integers(1904, 2200), st.sampled_from([(2, 28), (2, 29), (3, 1), (12, 31)]))
def test_three_years_before_the_ends_of_february_and_the_year(year, month_day):
    try:
        day = date(year, *month_day)
    except ValueError:
        day = date(year, 1, 1)
    assert years_before(day.toordinal(), 3) == three_years_before(day).toordinal()
