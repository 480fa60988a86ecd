"""Coverage of ranges, and false alarms of calibration: `make ranges`.

The long form of the study in the suite: many made-up federations of 100 players and 18
months; how often ranges hold, one by one and all at once, by how games are taken to
hang together; how often tables of calibration mark a band where nothing is wrong, and
where favorites score 3 points in 100 less; and which advantage of White is found where
one was planted. Numbers may be named: of federations, of tables and of federations with
the advantage, `python -m tests.tools.ranges 200 100 20`.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from statistics import fmean

from ratings.laboratory.calibration import expectancy_bands
from ratings.laboratory.experiment import Newcomers, Plan
from ratings.laboratory.training import trained_advantage
from tests.ratings.laboratory.coverage_study import (
    MORE,
    OURS,
    WAYS,
    Study,
    is_off,
    study,
    world,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history

FEDERATION = Federation(players=100, months=18)
FEDERATIONS, TABLES, PLANTED = 2000, 1000, 60
WHITE = 40.0
GAMES, FAULT = 10_000, 0.03


def lines_of(found: Study) -> Iterator[str]:
    """Yield a table in Markdown: how often each range held, and its mean error."""
    names = found.ways[OURS]
    spreads = " | ".join(f"{name} ({names[name].spread:.3f})" for name in names)
    yield f"| Clusters | {spreads} |"
    yield "|---" * (1 + len(names)) + "|"
    for way, by_name in found.ways.items():
        cells = [f"{one.held:.0%} ({one.error:.3f})" for one in by_name.values()]
        yield f"| {way} | {' | '.join(cells)} |".replace("%", " %")


def flagged_bands(tables: int, fault: float) -> float:
    """Return the share of tables of GAMES games each that flag a band."""
    return fmean(
        is_off(expectancy_bands(*world(GAMES, seed=seed, fault=fault)))
        for seed in range(tables)
    )


def estimated_advantages(federations: int) -> Iterator[str]:
    """Yield which advantage is found, and how often its range holds the planted one."""
    everything = Plan(newcomers=Newcomers.COMMON, training=1.0)
    for spread, months in product((180.0, 300.0), (12, 36)):
        planted = Federation(players=300, months=months, spread=spread, white=WHITE)
        found = [
            trained_advantage(
                generate_history(replace(planted, seed=seed)).history, everything
            )
            for seed in range(federations)
        ]
        mean = fmean(one.points for one in found)
        held = fmean(abs(one.points - WHITE) < 1.96 * one.error for one in found)
        yield (
            f"White's {WHITE:g} points, spread {spread:g}, {months} months: {mean:.1f} "
            f"found, ranges held {held:.0%}"
        )


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    federations, tables, planted = given or (FEDERATIONS, TABLES, PLANTED)
    found = study(FEDERATION, federations, variants=MORE, ways=WAYS)
    print("\n".join(lines_of(found)))
    print(f"{len(MORE) - 1} differences, all at once: {found.at_once:.1%}")
    print(f"Tables that mark a band, nothing wrong: {flagged_bands(tables, 0.0):.1%}")
    print(
        "Tables that mark a band, favorites 3 in 100: "
        f"{flagged_bands(tables, FAULT):.1%}"
    )
    print("\n".join(estimated_advantages(planted)))


if __name__ == "__main__":
    main()
