"""Measure the interpreted replay: `python -m tests.tools.bench_replay`.

Replays a generated history and prints games per second.
`python -m tests.tools.bench_kernel` compares it with the compiled kernel.
"""

from __future__ import annotations

import random
import time
from bisect import bisect
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple, TypedDict

from ratings.engine.replay.arrays import (
    ADJUSTMENT,
    CEILING,
    CFC,
    FIDE,
    FLOOR,
    LOWERING,
    NEVER,
    OPENING,
    External,
    Grant,
    Matches,
    People,
    Program,
    Results,
    Side,
    States,
    World,
)
from ratings.engine.replay.driver import INTERPRETED, Kernel, replay
from ratings.engine.replay.rule_rows import RuleTable
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System

FIRST_DAY: Final = date(2020, 6, 1)
YEARS: Final = 6
GAMES_PER_PLAYER: Final = 21
PLAYERS_PER_REGION: Final = 500

# Systems of a section, and their percentage of sections.
SYSTEMS: Final[dict[tuple[System, ...], int]] = {
    (System.OTBR, System.OTBQ): 40,
    (System.OTBR,): 26,
    (System.OTBQ,): 16,
    (System.OTBB,): 9,
    (System.OLR,): 3,
    (System.OLQ,): 3,
    (System.OLB,): 3,
}


class Dates(TypedDict):
    """The days of an item, and the place of its rules in the table."""

    starts: int
    ends: int
    rules: int


class History:
    """Writes a generated history: players with strengths, sections in date order."""

    def __init__(self, games: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.games = games
        self.players = max(60, games // GAMES_PER_PLAYER)
        self.people = People.empty()
        self.program = Program.empty()
        self.table = RuleTable()
        self.strengths: list[float] = []
        # The cumulated activity of the players.
        self.weights = [0.0]
        self.day = FIRST_DAY

    def write(self) -> World:
        for _ in range(self.players):
            self._add_player()
        self._add_openings()
        begun = len(self.program.sides.opponent)
        while (done := len(self.program.sides.opponent) - begun) < 2 * self.games:
            days = round(YEARS * 365.25 * done / (2 * self.games))
            self.day = FIRST_DAY + timedelta(days=days)
            self._add_item()
        matches = Matches.none(self.players)
        matches.reserve(4 * sum(self.program.items.is_match))
        states = States.unrated(self.players)
        return World(self.people, states, matches, self.program, self.table.rows)

    def _add_player(self) -> None:
        draw = self.random.random
        region = len(self.strengths) // PLAYERS_PER_REGION
        strength = min(
            2750.0, max(150.0, self.random.gauss(1250 + region % 7 * 30, 450))
        )
        born = date(2026, 1, 1) - timedelta(days=int(2500 + 22000 * draw() ** 2))
        self.people.add(
            birth_day=born.toordinal() if draw() < 0.9 else 0,
            adult_from=born.toordinal() + 6700 if draw() < 0.5 else NEVER,
            externals=self._externals(strength) if draw() < 0.06 else (),
            grants=self._grants(strength) if draw() < 0.02 else (),
        )
        self.strengths.append(strength)
        activity = self.random.lognormvariate(0.0, 1.15)
        self.weights.append(self.weights[-1] + activity)

    def _externals(self, strength: float) -> list[External]:
        begin = FIRST_DAY.toordinal()
        days = [begin + self.random.randint(-900, 2000) for _ in range(3)]
        return [
            External(
                FIDE if self.random.random() < 0.8 else CFC,
                day,
                float(round(strength - self.random.randint(0, 120))),
            )
            for day in days
        ]

    def _grants(self, strength: float) -> list[Grant]:
        begin = FIRST_DAY.toordinal() + self.random.randint(0, 1500)
        level = float(int(strength - 100) // 100 * 100)
        level = min(2000.0, max(100.0, level))
        system = self.random.choice([0, 0, 0, 1, 2])
        grants = [Grant(FLOOR, system, level, begin)]
        if self.random.random() < 0.4:
            lower = max(100.0, level - 100)
            grants.append(Grant(LOWERING, system, lower, begin + 300))
        if self.random.random() < 0.1:
            grants.append(Grant(CEILING, 0, strength + 20.5, begin, begin + 700))
        return grants

    def _add_openings(self) -> None:
        day = FIRST_DAY.toordinal()
        rules = self.table.place(rules_in_force(FIRST_DAY))
        for player, strength in enumerate(self.strengths):
            if self.random.random() > 0.3:
                continue
            games = int(self.random.lognormvariate(3.0, 1.3)) + 1
            rating = round(max(100.0, self.random.gauss(strength, 80)), 2)
            given = self.program.given.add(
                rating, games, record=0 if games > 6 else self.random.randint(0, 2)
            )
            self.program.add_assigned(
                OPENING, player, given, day=day, rules=rules, system=0
            )

    def _add_item(self) -> None:
        luck = self.random.random()
        if luck < 0.004:
            self._add_match()
        elif luck < 0.006:
            self._add_foreign_event()
        elif luck < 0.0063:
            self._add_adjustment()
        else:
            self._add_section()

    def _dates(self, *, most_days: int = 2) -> Dates:
        """Return start, end and rules of an item that ends today."""
        starts = self.day - timedelta(days=self.random.randint(0, most_days))
        starts = max(starts, FIRST_DAY)
        return {
            "starts": starts.toordinal(),
            "ends": self.day.toordinal(),
            "rules": self.table.place(rules_in_force(starts)),
        }

    def _add_section(self) -> None:
        size = min(220, 4 + int(self.random.lognormvariate(1.7, 1.1)))
        players = self._some_players(size)
        rounds = 3 if len(players) <= 4 else self.random.randint(3, 6)
        sides = self._played([self.strengths[one] for one in players], rounds)
        systems = self.random.choices(list(SYSTEMS), list(SYSTEMS.values()))[0]
        numbers = [list(System).index(system) for system in systems]
        is_dual = len(numbers) == 2
        self.program.add_section(
            players,
            sides,
            system_a=numbers[0],
            system_b=numbers[1] if is_dual else -1,
            lower_k=is_dual,
            **self._dates(most_days=self.random.choice([0, 1, 2, 60])),
        )

    def _some_players(self, size: int) -> list[int]:
        """Return players of a region, or for one section in 25 of the country."""
        begin, end = 0, self.players
        if self.random.random() > 0.04:
            regions = -(-self.players // PLAYERS_PER_REGION)
            begin = self.random.randrange(regions) * PLAYERS_PER_REGION
            end = min(self.players, begin + PLAYERS_PER_REGION)
        weights = self.weights
        low, high = weights[begin], weights[end]
        draws = [self.random.uniform(low, high) for _ in range(size)]
        chosen = {min(bisect(weights, draw, begin, end) - 1, end - 1) for draw in draws}
        players = sorted(chosen, key=lambda player: self.strengths[player])
        if len(players) < 2:
            players = [begin, begin + 1]
        return players

    def _played(self, strengths: Sequence[float], rounds: int) -> list[list[Side]]:
        """Pair neighbors in strength at random, some rounds long."""
        sides: list[list[Side]] = [[] for _ in strengths]
        for _ in range(rounds):
            key = [place + 6 * self.random.random() for place in range(len(sides))]
            order = sorted(range(len(sides)), key=key.__getitem__)
            for a, b in zip(order[::2], order[1::2], strict=False):
                if self.random.random() < 0.04:
                    continue
                score_a, score_b = self._scores(strengths[a] - strengths[b])
                sides[a].append((b, score_a))
                sides[b].append((a, score_b))
        return sides

    def _scores(self, difference: float) -> tuple[int, int]:
        luck = self.random.random()
        if luck < 0.12:
            return 1, 1
        if luck > 0.9995:
            return 0, 0
        expected = 1 / (1 + 10 ** (-difference / 400))
        return (2, 0) if self.random.random() < expected else (0, 2)

    def _add_match(self) -> None:
        a = self.random.randrange(self.players - 1)
        players = [a, a + 1]
        difference = self.strengths[a] - self.strengths[a + 1]
        scores = [self._scores(difference) for _ in range(self.random.randint(2, 8))]
        sides = [[(1, one) for one, _ in scores], [(0, other) for _, other in scores]]
        is_dual = self.random.random() < 0.3
        self.program.add_section(
            players,
            sides,
            system_a=0,
            system_b=1 if is_dual else -1,
            lower_k=is_dual,
            is_match=True,
            **self._dates(),
        )

    def _add_foreign_event(self) -> None:
        player = self.random.randrange(self.players)
        strength = self.strengths[player]
        results = []
        for _ in range(self.random.randint(1, 9)):
            rating = self.random.gauss(strength, 150)
            results.append((rating, self._scores(strength - rating)[0]))
        self.program.add_foreign_event(
            player, results, system=0, **self._dates(most_days=9)
        )

    def _add_adjustment(self) -> None:
        player = self.random.randrange(self.players)
        given = self.program.given.add(self.strengths[player], 30)
        rules = self.table.place(rules_in_force(self.day))
        day = self.day.toordinal()
        self.program.add_assigned(
            ADJUSTMENT, player, given, day=day, rules=rules, system=0
        )


def generated_world(games: int, seed: int = 20250210) -> World:
    """Return a history of about *games* games, typical for a national federation.

    40 % of the sections are rated in two systems, every tenth player of a section is
    new, and there are matches, foreign events, floors and adjustments.
    """
    return History(games, seed).write()


def restarted(world: World) -> World:
    """Return the same history before its first item."""
    players = len(world.people.birth_day)
    return world._replace(
        states=States.unrated(players),
        matches=Matches.none(players, len(world.matches.day)),
    )


class Measurement(NamedTuple):
    """One replay: games, rows written, and seconds of processor time."""

    games: int
    rows: int
    seconds: float

    @property
    def games_per_second(self) -> float:
        return self.games / self.seconds


def measure(world: World, at: Kernel = INTERPRETED, room: int = 200_000) -> Measurement:
    """Replay all of *world* with room for so many rows at a time."""
    world = restarted(world)
    results = Results.empty(room)
    item, last = 0, len(world.program)
    begun = time.process_time()
    while item < last:
        item = replay(world, item, last, results, at).item
        results.drain()
    seconds = time.process_time() - begun
    games = len(world.program.sides.opponent) // 2
    return Measurement(games, results.counts[0], seconds)


def main() -> None:
    world = generated_world(100_000)
    best = max((measure(world) for _ in range(3)), key=lambda run: run.games_per_second)
    print(f"{best.games_per_second:,.0f} games a second ({best.rows:,} rows)")


if __name__ == "__main__":
    main()
