"""Measure the speed of the engine: `python -m tests.tools.bench_engine`.

Rates generated sections of 4 to 60 players with 3 to 6 rounds and prints how many
player-events (one competitor with games in one system) it rates per second.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from ratings.engine.inputs import Competitor, Game, Kind, RatingInput, Record
from ratings.engine.rules import rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control

_DAY = date(2024, 5, 4)
_RECORDS = (Record.MIXED, Record.MIXED, Record.MIXED, Record.ALL_WINS)


class Measurement(NamedTuple):
    """One run: player-events rated, and seconds of processor time."""

    player_events: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.player_events / self.seconds


def generated_section(randomness: random.Random) -> RatingInput:
    """Return a typical section: mostly small, a fifth under the special formula.

    Its players are near each other in strength, as in a class section; pairings are
    random, and the stronger player wins more often.
    """
    size = min(60, 4 + int(randomness.expovariate(1 / 14)))
    level = randomness.gauss(1200, 400)
    competitors = tuple(
        _competitor(number, level, randomness) for number in range(size)
    )
    rounds = randomness.randint(3, 6)
    return RatingInput(
        system=System.OTBR,
        kind=Kind.SWISS,
        time_control=parse_time_control("G/60;d5"),
        start_date=_DAY,
        end_date=_DAY,
        competitors=competitors,
        games=tuple(_games(competitors, rounds, randomness)),
    )


def _competitor(number: int, level: float, randomness: random.Random) -> Competitor:
    luck = randomness.random()
    rating = max(100.0, randomness.gauss(level, 250))
    if luck < 0.1:
        born = date(2024 - randomness.randint(6, 40), 3, 1)
        return Competitor(number, None, record=Record.NONE, birth_date=born)
    if luck < 0.2:
        record = randomness.choice(_RECORDS)
        return Competitor(number, rating, randomness.randint(1, 8), record)
    return Competitor(number, rating, randomness.randint(9, 400))


def _games(
    competitors: Sequence[Competitor], rounds: int, randomness: random.Random
) -> list[Game]:
    games = []
    for _ in range(rounds):
        order = list(competitors)
        randomness.shuffle(order)
        for a, b in zip(order[::2], order[1::2], strict=False):
            games.append(Game(a.id, b.id, *_scores(a, b, randomness)))
    return games


def _scores(a: Competitor, b: Competitor, randomness: random.Random) -> tuple[int, int]:
    difference = (a.rating or 700.0) - (b.rating or 700.0)
    expected = 1 / (1 + 10 ** (-difference / 400))
    if randomness.random() < 0.12:
        return 1, 1
    return (2, 0) if randomness.random() < expected else (0, 2)


def measure(sections: int = 1000, seed: int = 20250210) -> Measurement:
    """Rate *sections* generated sections and return the measurement."""
    randomness = random.Random(seed)
    cards = [generated_section(randomness) for _ in range(sections)]
    rules = rules_in_force(_DAY)
    begun = time.process_time()
    results = [rate_section(rating_input, rules) for rating_input in cards]
    seconds = time.process_time() - begun
    events = [rated for result in results for rated in result if rated.games]
    return Measurement(len(events), seconds)


def main() -> None:
    best = max((measure() for _ in range(3)), key=lambda run: run.per_second)
    print(f"{best.per_second:,.0f} player-events a second")


if __name__ == "__main__":
    main()
