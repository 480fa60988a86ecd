"""How fast the laboratory is: `make bench-laboratory GAMES=1000000`. Prints figures.

Each system predicts and learns a made-up history of so many games; the packages
glicko2 and openskill learn a part of the same games where they are installed. Systems
named after the number run alone:
`python -m tests.tools.bench_laboratory 100000 glicko2`.
"""

import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from ratings.laboratory.experiment import Newcomers, Outcome, Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.protocol import Shape, Status, System
from ratings.laboratory.registry import SYSTEMS
from tests.ratings.laboratory.synthetic import Federation, generate_history

GAMES = 1_000_000
FEWER_GAMES = 50_000  # for the packages, and for systems that rate the pool at once
NO_PREDICTIONS = Plan(first_test_day=10_000_000)


def games_to_history(games: int) -> History:
    """Return a made-up history of about so many games over three years."""
    usual = Federation()
    per_player = len(generate_history(usual).history) / usual.players
    players = max(40, round(games / per_player))
    return generate_history(Federation(players=players)).history


def timed(work: Callable[[], object], times: int = 1) -> tuple[float, object]:
    """Return the seconds of the fastest of so many *times*, and what came out."""
    fastest = float("inf")
    for _ in range(times):
        begun = time.process_time()
        result = work()
        fastest = min(fastest, time.process_time() - begun)
    return fastest, result


def measure(system: System, history: History) -> float:
    """Return how many seconds a system takes to predict and to learn.

    All players start at 1500, because under some systems a new player needs a rated
    opponent to get a rating.
    """
    seeds = dict.fromkeys(range(len(history.ids)), 1500.0)
    plan = Plan(warm_up_days=0, newcomers=Newcomers.OURS, seeds=seeds)
    seconds, _ = timed(lambda: run(system, None, history, plan))
    return seconds


# --- The packages ---


def package(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        print(f"{name} is not installed (the extra “compare” has it): no ratio to it.")
        return None


def rate_with_glicko2(player_class: type, history: History) -> list:
    """Return the package's players after *history*, period by period."""
    players = [player_class() for _ in history.ids]
    games, seen = history.games, set()
    for period in history.periods(1):
        cards: dict[int, tuple[list, list, list]] = defaultdict(lambda: ([], [], []))
        for game in range(period.start, period.stop):
            white, black = games.white[game], games.black[game]
            points = games.points[game]
            for one, other, score in (
                (white, black, points),
                (black, white, 1 - points),
            ):
                ratings, deviations, scores = cards[one]
                ratings.append(players[other].rating)
                deviations.append(players[other].rd)
                scores.append(score)
        for player in seen - cards.keys():
            players[player].did_not_compete()
        for player, rating_input in cards.items():
            players[player].update_player(*rating_input)
        seen |= cards.keys()
    return players


def corrected_player_class(player_class: type) -> type:
    """Return the package's player with φ² where it has the rating by mistake (step 5).

    Version 2.1.0 searches the new volatility with μ² in place of φ².
    """

    class Corrected(player_class):
        def _f(self, x, delta, v, a):
            self_rating = self._Player__rating
            self._Player__rating = self._Player__rd
            value = super()._f(x, delta, v, a)
            self._Player__rating = self_rating
            return value

    return Corrected


def rate_with_openskill(openskill_models: ModuleType, history: History) -> list:
    model = openskill_models.PlackettLuce()
    players = [model.rating() for _ in history.ids]
    games = history.games
    for white, black, points in zip(
        games.white, games.black, games.points, strict=True
    ):
        [[players[white]], [players[black]]] = model.rate(
            [[players[white]], [players[black]]], scores=[points, 1 - points]
        )
    return players


def compare_with_glicko2(history: History) -> None:
    """Print the ratio of our Glicko-2 to the package's, and how equal they are."""
    module = package("glicko2")
    if module is None or "glicko2" not in SYSTEMS:
        return
    theirs, plain = timed(lambda: rate_with_glicko2(module.Player, history), 3)
    ours, outcome = timed(
        lambda: run(SYSTEMS["glicko2"], None, history, NO_PREDICTIONS), 3
    )
    exact = rate_with_glicko2(corrected_player_class(module.Player), history)
    games = len(history)
    print(
        f"Glicko-2 on {games:,} games, learning only: {games / ours:,.0f} games a "
        f"second, package {games / theirs:,.0f}: {theirs / ours:.1f} times as fast."
    )
    print(
        f"  Greatest difference: {difference(outcome, exact):.1e} rating points with "
        f"the package's step 5 corrected, {difference(outcome, plain):.1e} as it is."
    )


def difference(outcome: Outcome, players: list) -> float:
    return max(
        abs(standing.rating - player.rating)
        for standing, player in zip(outcome.standings(), players, strict=True)
        if standing is not None
    )


def openskill_rate(history: History) -> float | None:
    """Print and return how many games a second openskill learns."""
    if package("openskill") is None:
        return None
    models = import_module("openskill.models")
    seconds, _ = timed(lambda: rate_with_openskill(models, history))
    rate = len(history) / seconds
    print(f"openskill on {len(history):,} games: {rate:,.0f} games a second.")
    return rate


def print_systems(
    keys: list[str], history: History, pools: History, yardstick: float | None
) -> None:
    """Print a line for each system, with its ratio to openskill where that is here."""
    print(f"{'system':<28} {'games':>10} {'seconds':>8} {'games/second':>13} openskill")
    for key in keys:
        whole = SYSTEMS[key].about.shape is Shape.WHOLE_POOL
        used = pools if whole else history
        seconds = measure(SYSTEMS[key], used)
        rate = len(used) / seconds
        ratio = f"{rate / yardstick:8.1f}×" if yardstick else f"{'-':>9}"
        print(f"{key:<28} {len(used):>10,} {seconds:>8.2f} {rate:>13,.0f} {ratio}")


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    keys = sys.argv[2:] or [
        key
        for key, system in SYSTEMS.items()
        if system.about.status is not Status.UNDEFINED
    ]
    small = games_to_history(min(games, FEWER_GAMES))
    compare_with_glicko2(small)
    yardstick = openskill_rate(small)
    history = games_to_history(games)
    print(f"{len(history):,} games of {len(history.ids):,} players in 36 months")
    print_systems(keys, history, small, yardstick)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"Peak memory: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
