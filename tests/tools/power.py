"""The power of a year of games: `make power`. Prints the table of docs/laboratory.md.

Made-up federations of several sizes play two years; the first warms up, the second is
predicted. The standard errors of differences come from their games, by events and by
players; from them follow the least differences that would show in 80 of 100 such years.
Sizes may be named: `python -m tests.tools.power 10000 100000`.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ratings.laboratory.comparison import (
    PRIMARY_MEASURE,
    MeasuredGames,
    Value,
    predicted_by_all,
)
from ratings.laboratory.confidence_intervals import detectable_difference
from ratings.laboratory.experiment import Newcomers, Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.protocol import System
from ratings.laboratory.registry import SYSTEMS
from tests.ratings.laboratory.synthetic import Federation, generate_history

SIZES: Final = (10_000, 100_000, 1_000_000)
# A federation of so many players plays this many games in its second year.
PLAYERS, GAMES_OF_THEIRS = 1_500, 19_450
SEED: Final = 5
STARTS_AT: Final = 1500.0
# The best B is looked for between these three.
MULTIPLIERS: Final = (6.0, 10.0, 14.0)

ELO, OURS = SYSTEMS["elo.logistic"], SYSTEMS["uschess.2025_07"]
VARIANTS: Final[Mapping[str, tuple[System, dict[str, float]]]] = {
    "Glicko": (SYSTEMS["glicko"], {}),
    "K = 24": (ELO, {"k": 24.0}),
    "K = 32": (ELO, {"k": 32.0}),
    "B = 12": (OURS, {"bonus_multiplier": 12.0}),
    **{f"B = {b:g}": (OURS, {"bonus_multiplier": b}) for b in MULTIPLIERS},
}
DIFFERENCES: Final = (("Glicko", "K = 24"), ("K = 32", "K = 24"), ("B = 12", "B = 10"))


@dataclass(frozen=True)
class Detection:
    """A difference in scaled deviance as one year shows it.

    *least* is the smallest that would show in 80 of 100 such years.
    """

    name: str
    value: float
    error: float
    least: float


@dataclass(frozen=True)
class Power:
    """The results of a year: detectable differences, and the resolution of B.

    *best* is the B that predicts best, *nearest* how far another must lie from it to
    show in 80 of 100 years; None where the deviance has no least value.
    """

    games: int
    players: int
    events: int
    seen: Sequence[Detection]
    best: float | None
    nearest: float | None


def power_of(players: int, seed: int = SEED) -> Power:
    """Return the results of the second year of a generated federation."""
    history = generate_history(
        Federation(players=players, months=24, newcomers_per_month=0.5, seed=seed)
    ).history
    columns = dict(_predictions(history))
    measured = MeasuredGames(history, predicted_by_all(columns))
    values = {name: measured.of(PRIMARY_MEASURE, one) for name, one in columns.items()}
    events, people = measured.clusters.counts
    best, nearest = located(measured, [values[f"B = {b:g}"] for b in MULTIPLIERS])
    return Power(
        games=len(measured.games),
        players=people,
        events=events,
        seen=[
            _seen(measured, f"{one} less {other}", values[one].minus(values[other]))
            for one, other in DIFFERENCES
        ],
        best=best,
        nearest=nearest,
    )


def _predictions(history: History) -> Iterator[tuple[str, Sequence[float]]]:
    seeds = dict.fromkeys(range(len(history.ids)), STARTS_AT)
    plan = Plan(newcomers=Newcomers.OURS, seeds=seeds, warm_up_days=365)
    for name, (system, changes) in VARIANTS.items():
        yield (
            name,
            run(system, system.parameters(**changes), history, plan).predictions,
        )


def _seen(measured: MeasuredGames, name: str, difference: Value) -> Detection:
    error = measured.clusters.error(difference.terms) or 0.0
    least = detectable_difference(error, measured.factor)
    return Detection(name, difference.value, error, least)


def located(
    measured: MeasuredGames, values: Sequence[Value]
) -> tuple[float | None, float | None]:
    """Return the best B, and how far from it another must lie to be seen as worse.

    Near the best the deviance is a parabola, D = D₀ + c(B − best)². Two values of B
    differ by c times their distance times twice that of their middle from the best,
    and the noise grows with their distance alike: so what a year tells is how far the
    middle lies from the best, however near the two are to each other.
    """
    low, middle, high = values
    step = MULTIPLIERS[1] - MULTIPLIERS[0]
    slope = high.minus(low)
    curve = (high.value - 2 * middle.value + low.value) / step**2 / 2
    if curve <= 0:
        return None, None
    best = MULTIPLIERS[1] - slope.value / (2 * step) / (2 * curve)
    error = (measured.clusters.error(slope.terms) or 0.0) / (2 * step)
    return best, detectable_difference(error, measured.factor) / (2 * curve)


def lines_of(powers: Sequence[Power]) -> Iterator[str]:
    """Yield a table in Markdown: differences with errors, least ones in brackets."""
    names = [one.name for one in powers[0].seen]
    yield "| Games | Players | Events | " + " | ".join(names) + " | Best B |"
    yield "|---" * (4 + len(names)) + "|"
    for one in powers:
        differences = [
            f"{seen.value:+.3f} ± {seen.error:.3f} ({seen.least:.3f})"
            for seen in one.seen
        ]
        best = (
            "none"
            if one.best is None
            else f"{one.best:.1f}, from {one.nearest:.1f} away"
        )
        cells = [f"{one.games:,}", f"{one.players:,}", f"{one.events:,}"]
        line = "| " + " | ".join([*cells, *differences, best]) + " |"
        yield line.replace("-", "−")


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or SIZES
    powers = [power_of(round(PLAYERS * games / GAMES_OF_THEIRS)) for games in sizes]
    print("\n".join(lines_of(powers)))


if __name__ == "__main__":
    main()
