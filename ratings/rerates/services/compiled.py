"""The replay kernel at compiled speed, where the optional numba is installed.

The kernel's source is loaded a second time, as a module of its own in which every
function is compiled; the interpreted kernel stays what it is. No fast arithmetic is
allowed, so both give the same bits.
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
from ratings_site.common.database.binary_copy import squeeze

# Everything that is compiled in; what was kept is of no use once one has changed.
SOURCES = (arrays, chain, kernel, layout, numbers, pairings, parameters, rule_rows)
# Parameters that stand for many columns. To hand those over costs more than most
# functions do with them, so functions that have one are merged into their callers.
GROUPS = {"world", "people", "states", "matches", "results"}

Compile = Callable[[Callable[..., Any]], Any]
Loop = Callable[..., None]

# The loops beside the kernel, and the types of the columns that each is given.
LOOPS: dict[Loop, str] = {
    layout.lay_out: "iiiiHHBqibi",
    chain.follow: "ibqdibdibBqqqidibqq",
    pairings.pair: "bibbqiqibibidiqdqiibiiidddq",
    gather: "BiqB",
    squeeze: "BqBq",
}


@cache
def compiled_kernel() -> Kernel | None:
    """Return the compiled kernel, or None where numba is not installed.

    The first use compiles, which takes a minute (`make_ready` does it beforehand). What
    was compiled is kept for every later process, under DATA_DIR or where
    NUMBA_CACHE_DIR says.
    """
    # A library of vector functions would compute powers with other bits.
    os.environ["NUMBA_DISABLE_INTEL_SVML"] = "1"
    try:
        import numba
        import numpy
    except ImportError:
        return None

    # The kernel allocates nothing, so nobody need count references to its columns,
    # and never divides by zero, so it need not look. It lets other threads run.
    options = {"_nrt": False, "error_model": "numpy", "nogil": True}

    def compile_(function: Callable[..., Any]) -> Any:
        is_merged = GROUPS & inspect.signature(function).parameters.keys()
        inline = "always" if is_merged else "never"
        return numba.njit(inline=inline, **options)(function)

    def view(columns: Any) -> Any:
        """Show columns as numpy arrays of the same memory."""
        if isinstance(columns, tuple):
            return type(columns)(*map(view, columns))
        return numpy.asarray(columns)

    numba.config.CACHE_DIR = str(_place_to_keep())
    copy = _compiled_copy(kernel, compile_)
    # Compiled code cannot call `math.fsum`; this is the same sum as a loop.
    copy.total = _compiled_copy(numbers, compile_).sum_in_place
    replay_items = numba.njit(cache=True, **options)(copy.replay_items.py_func)
    return Kernel("compiled", replay_items, numpy.array, view)


@cache
def compiled_loop(loop: Loop) -> Loop | None:
    """Return one of the `LOOPS` compiled, or None where numba is not installed."""
    if compiled_kernel() is None:
        return None
    import numba
    import numpy

    compiled = numba.njit(cache=True, nogil=True, _nrt=False)(loop)

    def run(*columns: Any) -> None:
        compiled(*map(numpy.asarray, columns))

    run.compiled = compiled  # type: ignore[attr-defined]
    return run


def loop_for(loop: Loop, kernel: Kernel) -> Loop:
    """Return one of the `LOOPS` at the speed of this kernel."""
    if kernel is INTERPRETED:
        return loop
    return compiled_loop(loop) or loop


def make_ready() -> bool:
    """Compile all there is to compile, or load it; False where numba is missing.

    Nothing is replayed: a call with empty columns is enough for the compiler.
    """
    kernel = compiled_kernel()
    if kernel is None:
        return False
    nobody = World(
        People.empty(),
        States.unrated(0),
        Matches.none(0),
        Program.empty(),
        RuleTable().rows,
    )
    replay(nobody, 0, 0, Results.empty(1), kernel)
    for loop, types in LOOPS.items():
        # As many numbers as any loop reads even where there is nothing to do.
        loop_for(loop, kernel)(*(array(code, [0, 0, 0]) for code in types))
    return True


def _place_to_keep() -> Path:
    """Return a folder of these very sources; the library compares only one of them.

    This one says how they are compiled.
    """
    digest = hashlib.sha256()
    for source in (*SOURCES, sys.modules[__name__]):
        digest.update(inspect.getsource(source).encode())
    chosen = os.environ.get("NUMBA_CACHE_DIR") or settings.DATA_DIR / "compiled"
    return Path(chosen) / digest.hexdigest()[:16]


def _compiled_copy(module: ModuleType, compile_: Compile) -> ModuleType:
    """Load a module's source again and compile each of its functions.

    A function is compiled when it is first called, and finds the others by name in
    the copy, where they are compiled, too.
    """
    spec = importlib.util.find_spec(module.__name__)
    if spec is None or spec.loader is None:
        raise ImportError(
            _("The source of {name} cannot be found.").format(name=module.__name__)
        )
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    for name, function in inspect.getmembers(copy, inspect.isfunction):
        if function.__module__ == copy.__name__:
            setattr(copy, name, compile_(function))
    return copy
