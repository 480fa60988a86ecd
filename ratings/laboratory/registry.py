"""Every system of the laboratory by its key, and every kind of published case."""

from __future__ import annotations

from collections.abc import Mapping

from . import implied_expectation, measures, performance, scales, tables
from .cases import Case
from .protocol import Status, System
from .systems import (
    ccla,
    chessmetrics,
    clarke,
    correspondence,
    draws,
    dwz,
    ecf,
    elo,
    elo_mmr,
    fide,
    glicko,
    glicko2,
    glicko_boost,
    harkness,
    ics,
    ingo,
    online_arena,
    openskill,
    regression,
    stephenson,
    trueskill,
    undefined,
    universal,
    us_chess,
    whole_history,
)

_MODULES = (
    us_chess,
    fide,
    online_arena,
    elo,
    glicko,
    glicko2,
    stephenson,
    glicko_boost,
    draws,
    openskill,
    trueskill,
    elo_mmr,
    whole_history,
    chessmetrics,
    universal,
    dwz,
    ecf,
    clarke,
    ingo,
    harkness,
    correspondence,
    ccla,
    ics,
    regression,
    undefined,
)

SYSTEMS: Mapping[str, System] = {
    system.about.key: system for module in _MODULES for system in module.SYSTEMS
}
RUNNABLE: Mapping[str, System] = {
    key: system
    for key, system in SYSTEMS.items()
    if system.about.status is not Status.UNDEFINED
}
"""The systems that can be begun; the others stand in the catalog only."""

# A module without published cases has no `CASES`.
CASES: Mapping[str, Case] = {
    kind: case
    for module in (
        *_MODULES,
        implied_expectation,
        measures,
        performance,
        scales,
        tables,
    )
    for kind, case in getattr(module, "CASES", {}).items()
}
