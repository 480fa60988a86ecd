"""Rows are added up; rows that do not continue the one before are counted as broken."""

import math
from array import array

import pytest

from ratings.engine.replay import replay
from ratings.engine.replay.arrays import SYSTEMS, Results, States
from ratings.engine.replay.chain import (
    BROKEN,
    LINES,
    PARTS,
    PLAYERS,
    POST_RATINGS,
    PREVIOUS,
    REMAINDER,
    ChainEnds,
    chain_columns,
    check_chain,
    new_sums,
)
from tests.tools.bench_replay import restarted

from .random_histories import small_history_world


class ReplayedHistory:
    """A small history, replayed in two chunks and followed."""

    def __init__(self, seed=3, own=b"\1", loop=check_chain):
        world = restarted(small_history_world(seed))
        players = len(world.people.birth_day)
        self.ids = array("q", range(1000, 1000 + players))
        self.ends = ChainEnds.beginning(world.states, 0)
        self.first_lines = array("q", [0]) * (players * SYSTEMS)
        self.sums = new_sums()
        self.rows = []
        self.results = Results.empty(9000)
        half = len(world.program) // 2
        self.lines = array("q", range(10**13, 10**13 + 9000))
        for first, last in ((0, half), (half, len(world.program))):
            replay(world, first, last, self.results)
            self._follow(own * self.results.rows_used, loop)
            self.results.drain()

    def _follow(self, own, loop):
        rows, used = self.results.rows, self.results.rows_used
        self.rows += zip(*(column[:used] for column in rows), strict=True)
        self.names = rows._fields
        self.ends.reserve(used)
        loop(
            *chain_columns(rows),
            bytearray(own),
            self.results.counts,
            self.ids,
            self.lines,
            *self.ends,
            self.first_lines,
            self.sums,
        )

    def column(self, name):
        place = self.names.index(name)
        return [row[place] for row in self.rows]


def test_rows_of_a_replay_add_up_and_none_is_broken():
    done = ReplayedHistory()
    before = [done.lines[row] for row in done.column("previous_row") if row >= 0]
    assert before
    assert done.sums[LINES] == len(done.rows) > 100
    assert done.sums[PLAYERS] == sum(1000 + one for one in done.column("player"))
    assert done.sums[PREVIOUS] == sum(line % REMAINDER for line in before)
    ratings = done.column("post_rating")
    assert done.sums[POST_RATINGS] == sum(math.floor(PARTS * one) for one in ratings)
    assert list(done.ends.rating) == ratings
    assert done.sums[BROKEN] == 0


def test_rows_that_are_not_the_run_s_own_are_not_added_up():
    done = ReplayedHistory(own=b"\0")
    assert not any(done.sums)
    assert not any(done.first_lines)
    assert list(done.ends.rating) == done.column("post_rating")


def test_the_first_line_of_each_state_is_kept():
    done = ReplayedHistory()
    first = {}
    states = zip(done.column("player"), done.column("system"), strict=True)
    for line, (player, system) in zip(done.lines, states, strict=False):
        first.setdefault(player * SYSTEMS + system, line)
    found = {state: line for state, line in enumerate(done.first_lines) if line}
    assert found == first


@pytest.mark.parametrize(
    ("column", "value"),
    [("pre_rating", 1500.25), ("pre_games", 41), ("pre_record", 1), ("player", 1)],
)
def test_a_row_that_does_not_go_on_from_the_one_before_is_broken(column, value):
    """The one before ended with 1500.0 after 40 games, mixed, for the same player."""
    states = States.unrated(2)
    states.rating[0], states.games[0], states.last_row[0] = 1500.0, 40, 0
    results = Results.empty(1)
    results.counts[0] = 1
    row = {"pre_rating": 1500.0, "pre_games": 40, "pre_record": states.record[0]}
    for name, number in row.items():
        getattr(results.rows, name)[0] = number

    def broken():
        ends, sums = ChainEnds.beginning(states, 1), new_sums()
        ends.reserve(1)
        check_chain(
            *chain_columns(results.rows),
            bytearray(b"\1"),
            results.counts,
            array("q", [7, 9]),
            array("q", [100, 101]),
            *ends,
            array("q", [0]) * (2 * SYSTEMS),
            sums,
        )
        return sums[BROKEN]

    assert broken() == 0
    getattr(results.rows, column)[0] = value
    assert broken() == 1
