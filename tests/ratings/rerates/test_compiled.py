"""The compiled kernel gives the bits of the interpreted one."""

import math
import os
from array import array
from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import settings as at_most
from hypothesis import strategies as st

from events.records.packed_section import UnpackedSection, pack, split_columns
from ratings.engine.replay import chain, layout, replay
from ratings.engine.replay.arrays import Program, Results
from ratings.ledger.services.digests import gather
from ratings.rerates.services import kernel_compiler
from ratings.rerates.services.games import Games
from ratings.rerates.services.kernel_compiler import LOOPS, compiled_kernel, loop_for
from ratings.rerates.services.players import PlayerIndex
from ratings_site.common.db.binary_copy import (
    numpy,
    pack_numbers,
    pack_rows,
    pack_texts,
    rows_of,
)
from tests.hypothesis_settings import example_count
from tests.ratings.engine.replay.random_histories import small_history_world
from tests.ratings.engine.replay.test_chain import ReplayedHistory
from tests.tools.bench_replay import generated_world, restarted

# In one process, so that the kernel is compiled once.
pytestmark = pytest.mark.xdist_group("compiled")

# The number of results that the big history has; CI may ask for more.
KERNEL_RESULTS = int(os.environ.get("KERNEL_RESULTS", "5000"))
ROWS_PER_GAME = 0.68


@pytest.fixture(scope="module")
def kernel(require_services):
    found = compiled_kernel()
    if found is None:
        if require_services:
            pytest.fail("numba is not installed: make fast")
        pytest.skip("numba is not installed (make fast), so nothing is compiled.")
    return found


def columns_after(world, room, *kernels):
    """Replay *world*; return why it stopped and the bytes of every column."""
    results = Results.empty(room)
    stop = replay(world, 0, len(world.program), results, *kernels)
    groups = (results.rows, results.calculations, world.states, world.matches)
    columns = {
        f"{type(group).__name__}.{name}": getattr(group, name).tobytes()
        for group in groups
        for name in group._fields
    }
    return stop, list(results.counts), columns


def test_a_large_history_has_the_same_bits(kernel):
    world = generated_world(int(KERNEL_RESULTS / ROWS_PER_GAME))
    room = 2 * KERNEL_RESULTS
    interpreted = columns_after(restarted(world), room)
    assert interpreted[1][1] > 0.9 * KERNEL_RESULTS
    assert columns_after(restarted(world), room, kernel) == interpreted


@at_most(max_examples=example_count(40), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_small_histories_with_many_ties_have_the_same_bits(kernel, seed):
    world = small_history_world(seed)
    again = restarted(world)
    assert columns_after(again, 9000, kernel) == columns_after(world, 9000)


def test_either_kernel_can_go_on_where_the_other_stopped(kernel):
    """Both work on the same columns, so a run may switch between them."""
    world = small_history_world(11, items=60)
    expected = columns_after(restarted(world), 9000)
    results = Results.empty(9000)
    replay(world, 0, 20, results, kernel)
    replay(world, 20, 40, results)
    stop = replay(world, 40, len(world.program), results, kernel)
    assert (stop, list(results.counts)) == expected[:2]
    assert results.rows.post_rating.tobytes() == expected[2]["Rows.post_rating"]


def test_powers_and_exponentials_are_those_of_the_interpreter(kernel):
    """Compiled code must call the same library as the interpreter."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def powers(numbers):
        return [(10.0**number, math.exp(number)) for number in numbers]

    numbers = [place / 9973.0 - 8.0 for place in range(100_000)]
    expected = [(10.0**number, math.exp(number)) for number in numbers]
    assert powers(numba.typed.List(numbers)) == expected


def test_a_changed_source_is_recompiled(tmp_path, monkeypatch):
    """Code compiled before a constant changed must not be used after."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    before = kernel_compiler._cache_dir()
    monkeypatch.setattr(kernel_compiler, "SOURCES", kernel_compiler.SOURCES[:-1])
    after = kernel_compiler._cache_dir()
    assert before.parent == after.parent == tmp_path
    assert before != after


def test_compiled_code_is_kept_with_the_data(tmp_path, monkeypatch, settings):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    settings.DATA_DIR = tmp_path
    assert kernel_compiler._cache_dir().parent == tmp_path / "compiled"


def test_rows_are_followed_with_the_same_bits(kernel):
    by_hand, by_machine = (
        ReplayedHistory(),
        ReplayedHistory(loop=loop_for(chain.check_chain, kernel)),
    )
    assert by_machine.sums == by_hand.sums
    assert by_machine.ends == by_hand.ends
    assert by_machine.first_lines == by_hand.first_lines


def test_rows_are_squeezed_to_the_same_bytes(kernel):
    """As by numpy; fields are missing, shorter, and as wide as can be."""
    ratings, keys = numpy.array([math.nan, 1500.25, math.nan]), numpy.array([7, 0, 0])
    columns = [
        pack_numbers(">i8", numpy.array([1, 2**62, -5])),
        pack_numbers(">f8", ratings, numpy.isnan(ratings)),
        pack_texts(["a", "bc", ""], [1, 0, 2]),
        pack_numbers(">i4", keys, keys == 0),
        pack_texts(["", "ab" * 200, "c"]),
        pack_numbers(">i1", numpy.array([True, False, True])),
    ]
    by_numpy = rows_of(columns)
    assert bytes(rows_of(columns, pack_rows)) == by_numpy
    assert bytes(rows_of(columns, loop_for(pack_rows, kernel))) == by_numpy


def test_nothing_is_left_to_compile_for_the_first_rerate(kernel):
    """The command compiles for the exact types of columns that a rerate passes."""
    call_command("compile_replay", stdout=StringIO())
    lay_out = loop_for(layout.lay_out, kernel)
    loops = [loop_for(loop, kernel).compiled for loop in LOOPS]
    kinds = (kernel.replay_items, *loops)
    compiled_before = [list(one.signatures) for one in kinds]
    world = small_history_world(3)
    replay(world, 0, len(world.program), Results.empty(9000), kernel)
    games = Games()
    games.add(split_columns(pack(one_game())))
    games.lay_out(Program.empty(), PlayerIndex.of([7, 9], owner={}), lay_out)
    ReplayedHistory(loop=loop_for(chain.check_chain, kernel))
    rows_of([pack_texts(["", "ab"])], loop_for(pack_rows, kernel))
    assert gathered(loop_for(gather, kernel)) == gathered(gather)
    assert [list(one.signatures) for one in kinds] == compiled_before


def gathered(gather) -> bytes:
    """Two columns of two calculations, which have two lines and one."""
    columns = [array("d", [1.5, 2.5, 3.5]), array("b", [7, 8, 9])]
    out = bytearray(27)
    for column, part in zip(columns, ([8, 0, 9], [1, 8, 9]), strict=True):
        numbers = memoryview(column).cast("B")
        gather(numbers, array("i", [0, 2, 3]), array("q", part), out)
    ratings, games = columns
    first = ratings[:2].tobytes() + games[:2].tobytes()
    assert out == first + ratings[2:].tobytes() + games[2:].tobytes()
    return bytes(out)


def one_game() -> UnpackedSection:
    day = date(2024, 5, 4)
    return UnpackedSection(
        kind="swiss",
        is_online=False,
        starts=day,
        ends=day,
        time_control="G/60;d5",
        players=array("q", [7, 9]),
        first=array("H", [0]),
        second=array("H", [1]),
        scores=b"\6",
    )
