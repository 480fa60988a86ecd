"""A made-up federation whose true strengths are known, to test systems against.

Nothing can predict its games better than the true strengths: the oracle.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ratings.laboratory.history import History, HistoryBuilder

_FIRST_YEAR: Final = 2020
_EVENT_SIZE: Final = 20
_MEAN: Final = 1500.0


@dataclass(frozen=True)
class Federation:
    """How a made-up federation plays; strengths are in rating points.

    Strengths begin with the standard deviation *spread* and move each month by one of
    *drift*. Players join one after the other in the first *newcomers_per_month* of the
    months, and each enters an event in some months only: from one in ten to all of
    them. An event has *rounds* rounds; *draws* is the share of drawn games between
    equals, *white* White's advantage.
    """

    players: int = 1500
    months: int = 36
    rounds: int = 4
    newcomers_per_month: float = 0.8
    spread: float = 180.0
    drift: float = 20.0
    draws: float = 0.3
    white: float = 0.0
    seed: int = 27


@dataclass(frozen=True)
class SyntheticHistory:
    """A made-up history, with White's true expected score in each of its games."""

    history: History
    oracle: array[float]


def generate_history(federation: Federation = Federation()) -> SyntheticHistory:
    """Play a federation's months and return its history, always the same for a seed.

    >>> small = generate_history(Federation(players=40, months=3))
    >>> len(small.history), len(small.oracle) == len(small.history)
    (77, True)
    """
    randomness = random.Random(federation.seed)
    builder = HistoryBuilder()
    strengths = [
        randomness.gauss(_MEAN, federation.spread) for _ in range(federation.players)
    ]
    for number in range(federation.players):
        builder.player(str(number), birth_year=_FIRST_YEAR - randomness.randint(7, 80))
    keenness = [randomness.uniform(0.1, 1.0) for _ in strengths]
    oracle = array("d")
    for month in range(federation.months):
        entries = [
            player
            for player in range(_members(federation, month))
            if randomness.random() < keenness[player]
        ]
        _play_month(builder, oracle, strengths, entries, month, federation, randomness)
        for player in range(federation.players):
            strengths[player] += randomness.gauss(0.0, federation.drift)
    return SyntheticHistory(builder.build(), oracle)


def coin(history: History) -> array[float]:
    """Return predictions without any knowledge: even chances in every game."""
    return array("d", [0.5]) * len(history)


def _members(federation: Federation, month: int) -> int:
    """Return how many have joined by a month; a third is there from the beginning."""
    months = max(1.0, federation.newcomers_per_month * federation.months)
    share = min(1.0, 1 / 3 + 2 / 3 * month / months)
    return round(share * federation.players)


def _play_month(
    builder: HistoryBuilder,
    oracle: array[float],
    strengths: Sequence[float],
    order: list[int],
    month: int,
    federation: Federation,
    randomness: random.Random,
) -> None:
    """Play the events of a month, in the order of their days."""
    randomness.shuffle(order)
    starts = range(0, len(order), _EVENT_SIZE)
    days = sorted(randomness.randint(1, 28) for _ in starts)
    for start, day_of_month in zip(starts, days, strict=True):
        entries = order[start : start + _EVENT_SIZE]
        day = date(_FIRST_YEAR + month // 12, month % 12 + 1, day_of_month).toordinal()
        event = builder.event(f"{month}-{start}")
        for white, black in _pairings(entries, federation.rounds):
            expected = _expected(strengths[white] - strengths[black] + federation.white)
            points = _result(expected, federation.draws, randomness.random())
            builder.game(white, black, points, day, event)
            oracle.append(expected)


def _pairings(entries: Sequence[int], rounds: int) -> Iterator[tuple[int, int]]:
    """Yield the rounds: upper half against lower, moved on by one each round.

    A small event has fewer rounds, so that no pair meets twice.
    """
    half = len(entries) // 2
    for shift in range(min(rounds, half)):
        for place in range(half):
            pair = entries[place], entries[half + (place + shift) % half]
            yield pair if shift % 2 == 0 else pair[::-1]


def _expected(difference: float) -> float:
    return 1.0 / (1.0 + math.pow(10.0, -difference / 400.0))


def _result(expected: float, draws: float, luck: float) -> float:
    """Return White's points; their mean is *expected*, whatever the share of draws."""
    drawn = draws * 4.0 * expected * (1.0 - expected)
    won = expected - drawn / 2
    if luck < won:
        return 1.0
    return 0.5 if luck < won + drawn else 0.0
