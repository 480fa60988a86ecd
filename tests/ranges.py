"""Do ranges cover, does calibration speak? `make ranges` prints what the paper says.

The long form of the study in the suite: many made-up federations of 100 players and 18
months; how often ranges hold, one by one and all at once, by how games are taken to
hang together; and how often tables of calibration mark a band where nothing is wrong,
and where favorites score 3 points in 100 less. Numbers may be named: of federations and
of tables, `python -m tests.ranges 200 100`.
"""

import sys
from collections.abc import Iterator
from statistics import fmean

from ratings.laboratory.calibration import by_expectancy
from tests.ratings.laboratory.coverage_study import (
    MORE,
    OURS,
    WAYS,
    Study,
    is_off,
    study,
    world,
)
from tests.ratings.laboratory.synthetic import Federation

FEDERATION = Federation(players=100, months=18)
FEDERATIONS, TABLES = 2000, 1000
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


def marked(tables: int, fault: float) -> float:
    """Return the share of tables of GAMES games each that mark a band."""
    return fmean(
        is_off(by_expectancy(*world(GAMES, seed=seed, fault=fault)))
        for seed in range(tables)
    )


def main() -> None:
    federations, tables = [int(text) for text in sys.argv[1:]] or (FEDERATIONS, TABLES)
    found = study(FEDERATION, federations, variants=MORE, ways=WAYS)
    print("\n".join(lines_of(found)))
    print(f"{len(MORE) - 1} differences, all at once: {found.at_once:.1%}")
    print(f"Tables that mark a band, nothing wrong: {marked(tables, 0.0):.1%}")
    print(f"Tables that mark a band, favorites 3 in 100: {marked(tables, FAULT):.1%}")


if __name__ == "__main__":
    main()
