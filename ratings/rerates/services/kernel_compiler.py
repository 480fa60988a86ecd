"""Compile the replay kernel, if the optional numba is installed.

The kernel's source is loaded a second time, as a module of its own in which every
function is compiled; the interpreted kernel does not change. Fast math is not allowed,
so both give the same bits.
"""

import hashlib
import importlib.util
import inspect
import os
import sys
from array import array
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from ratings.engine import numbers, parameters
from ratings.engine.replay import (
    INTERPRETED,
    Kernel,
    arrays,
    chain,
    kernel,
    layout,
    pairings,
    replay,
    rule_rows,
)
from ratings.engine.replay.arrays import (
    Matches,
    People,
    Program,
    Results,
    States,
    World,
)
from ratings.engine.replay.rule_rows import RuleTable
from ratings.ledger.services.digests import gather
from ratings_site.common.db.binary_copy import pack_rows

# All compiled sources; the cache is invalid once one of them changes.
SOURCES = (arrays, chain, kernel, layout, numbers, pairings, parameters, rule_rows)
# Parameters that group many columns. Passing them costs more than most functions do
# with them, so functions that have one are inlined.
GROUPS = {"world", "people", "states", "matches", "results"}

Compile = Callable[[Callable[..., Any]], Any]
Loop = Callable[..., None]

# The other compiled loops, and the types of their columns.
LOOPS: dict[Loop, str] = {
    layout.lay_out: "iiiiHHBqibi",
    chain.check_chain: "ibqdibdibBqqqidibqq",
    pairings.pair: "bibbqiqibibidiqdqiibiiidddq",
    gather: "BiqB",
    pack_rows: "BqBq",
}


@cache
def compiled_kernel() -> Kernel | None:
    """Return the compiled kernel, or None if numba is not installed.

    The first use compiles, which takes a minute (`warm_up` does it beforehand). The
    result is cached for later processes, under DATA_DIR or NUMBA_CACHE_DIR.
    """
    # A library of vector functions would compute powers with other bits.
    os.environ["NUMBA_DISABLE_INTEL_SVML"] = "1"
    try:
        import numba
        import numpy
    except ImportError:
        return None

    # The kernel allocates nothing, so reference counts are not needed, and never
    # divides by zero, so no check is needed. It releases the GIL.
    options: dict[str, Any] = {"_nrt": False, "error_model": "numpy", "nogil": True}

    def compile_(function: Callable[..., Any]) -> Any:
        is_merged = GROUPS & inspect.signature(function).parameters.keys()
        inline: Any = "always" if is_merged else "never"
        return numba.njit(inline=inline, **options)(function)

    def view(columns: Any) -> Any:
        """Show columns as numpy arrays of the same memory."""
        if isinstance(columns, tuple):
            return type(columns)(*map(view, columns))
        return numpy.asarray(columns)

    numba.config.CACHE_DIR = str(_cache_dir())  # type: ignore[attr-defined]
    copy: Any = _compiled_copy(kernel, compile_)
    # Compiled code cannot call `math.fsum`; this is the same sum as a loop.
    copy.total = _compiled_copy(numbers, compile_).sum_in_place

    def cached(name: str) -> Any:
        return numba.njit(cache=True, **options)(getattr(copy, name).py_func)

    loops = cached("replay_items"), cached("fill_floors")
    return Kernel("compiled", *loops, numpy.array, view)


@cache
def compiled_loop(loop: Loop) -> Loop | None:
    """Return one of the `LOOPS` compiled, or None if numba is not installed."""
    if compiled_kernel() is None:
        return None
    import numba
    import numpy

    options: dict[str, Any] = {"nogil": True, "_nrt": False}
    compiled = numba.njit(cache=True, **options)(loop)

    def run(*columns: Any) -> None:
        compiled(*map(numpy.asarray, columns))

    run.compiled = compiled  # type: ignore[attr-defined]
    return run


def loop_for(loop: Loop, kernel: Kernel) -> Loop:
    """Return one of the `LOOPS`, compiled if this kernel is."""
    if kernel is INTERPRETED:
        return loop
    return compiled_loop(loop) or loop


def warm_up() -> bool:
    """Compile the kernel and all loops, or load them; False if numba is missing.

    Nothing is replayed: a call with empty columns is enough for the compiler.
    """
    kernel = compiled_kernel()
    if kernel is None:
        return False
    empty = World(
        People.empty(),
        States.unrated(0),
        Matches.none(0),
        Program.empty(),
        RuleTable().rows,
    )
    replay(empty, 0, 0, Results.empty(1), kernel)
    floors = (empty.people, empty.states, empty.rules, array("i"), array("d"))
    kernel.fill_floors(*map(kernel.view, floors))
    for loop, types in LOOPS.items():
        # As many numbers as any loop reads even without work.
        loop_for(loop, kernel)(*(array(code, [0, 0, 0]) for code in types))
    return True


def _cache_dir() -> Path:
    """Return a cache folder for exactly these sources; numba compares only one.

    This module is among them, because it sets the compiler options.
    """
    digest = hashlib.sha256()
    for source in (*SOURCES, sys.modules[__name__]):
        digest.update(inspect.getsource(source).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR") or settings.DATA_DIR / "compiled"
    return Path(chosen) / digest.hexdigest()[:16]


def _compiled_copy(module: ModuleType, compile_: Compile) -> ModuleType:
    """Load a module's source again and compile each of its functions.

    A function is compiled when it is first called, and finds the others by name in the
    copy, where they are compiled, too.
    """
    spec = importlib.util.find_spec(module.__name__)
    if spec is None or spec.loader is None:
        raise ImportError(
            _("The source code of {name} can’t be found.").format(name=module.__name__)
        )
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    for name, function in inspect.getmembers(copy, inspect.isfunction):
        if function.__module__ == copy.__name__:
            setattr(copy, name, compile_(function))
    return copy
