"""Small histories in which every possible kind of item occurs often."""

from __future__ import annotations

import random
from datetime import date, timedelta

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
    Side,
    States,
    World,
)
from ratings.engine.replay.rule_rows import RuleTable
from ratings.engine.rules import rules_in_force

FIRST_DAY = date(2020, 6, 1)
# Rated in these systems; the lower K acts in the first where it is dual-rated.
SYSTEMS = [(0, 1), (0, 1), (0,), (1,), (2,), (3,), (4,), (5,)]


class SmallHistory:
    """Writes a history of few players with many ties, grants and matches."""

    def __init__(self, seed: int, items: int = 40, players: int = 9) -> None:
        self.random = random.Random(seed)
        self.items = items
        self.players = players
        self.people = People.empty()
        self.program = Program.empty()
        self.table = RuleTable()
        self.day = FIRST_DAY + timedelta(days=self.random.choice([0, 900, 1650]))

    def world(self) -> World:
        for _ in range(self.players):
            self._add_player()
        for player in range(self.players):
            if self.random.random() < 0.4:
                self._add_given(OPENING, player)
        for _ in range(self.items):
            self.day += timedelta(days=self.random.choice([0, 0, 3, 10, 40, 170]))
            self.random.choice(
                [self._add_section] * 6
                + [self._add_match] * 3
                + [self._add_foreign_event, self._add_adjustment]
            )()
        matches = Matches.none(self.players, room=4 * self.items)
        states = States.unrated(self.players)
        return World(self.people, states, matches, self.program, self.table.rows)

    def rating(self) -> float:
        # Whole hundreds make ties, and knots of the special formula that meet.
        return self.random.choice(
            [
                float(self.random.randint(1, 26) * 100),
                float(self.random.randint(100, 2700)),
                round(self.random.uniform(100, 2700), 2),
            ]
        )

    def _add_player(self) -> None:
        choice, randint = self.random.choice, self.random.randint
        born = date(randint(1940, 2017), randint(1, 12), randint(1, 28)).toordinal()
        begin = FIRST_DAY.toordinal()
        self.people.add(
            birth_day=choice([0, born, born, begin - 200]),
            adult_from=choice([NEVER, begin, begin + 800]),
            externals=[
                External(
                    choice([FIDE, CFC]),
                    begin + randint(-1500, 1500),
                    float(choice([1150, 1500, 1610, 2000, randint(1000, 2800)])),
                )
                for _ in range(choice([0, 0, 1, 4]))
            ],
            grants=[self._grant(begin) for _ in range(choice([0, 0, 1, 5]))],
        )

    def _grant(self, begin: int) -> Grant:
        choice = self.random.choice
        first = begin + self.random.randint(0, 1800)
        return Grant(
            kind=choice([FLOOR, FLOOR, CEILING, LOWERING]),
            system=choice([0, 0, 0, 1, 3]),
            level=float(choice([1200, 1500, 1700, 2000])),
            from_day=first,
            until=choice([NEVER, first + 400]),
        )

    def _rules(self, day: date) -> int:
        return self.table.place(rules_in_force(day))

    def _add_given(self, kind: int, player: int) -> None:
        games = self.random.choice([0, 1, 5, 8, 9, 25, 26, 60])
        rating = self.rating()
        peak = self.random.choice([float("nan"), float("nan"), rating + 150.5])
        wins = self.random.randint(0, 20)
        given = self.program.given.add(
            rating,
            games,
            record=self.random.choice([0, 0, 1, 2]),
            wins=wins,
            draws=wins // 2,
            losses=3,
            three_game_events=2,
            peak=peak,
        )
        self.program.add_assigned(
            kind,
            player,
            given,
            day=self.day.toordinal(),
            rules=self._rules(self.day),
            system=self.random.choice([0, 0, 1, 3]),
        )

    def _add_adjustment(self) -> None:
        self._add_given(ADJUSTMENT, self.random.randrange(self.players))

    def _add_section(self) -> None:
        count = self.random.randint(2, self.players)
        players = self.random.sample(range(self.players), count)
        sides: list[list[Side]] = [[] for _ in players]
        for _ in range(self.random.randint(1, 3 * count)):
            self._play(sides, *self.random.sample(range(count), 2))
        self._close(players, sides, is_match=False)

    def _add_match(self) -> None:
        # Always the same few, so that the windows fill.
        players = self.random.sample(range(3), 2)
        sides: list[list[Side]] = [[], []]
        for _ in range(self.random.randint(2, 8)):
            self._play(sides, 0, 1)
        self._close(players, sides, is_match=True)

    def _play(self, sides: list[list[Side]], a: int, b: int) -> None:
        scores = [(2, 0), (2, 0), (2, 0), (1, 1), (0, 2), (0, 0), (2, 1)]
        score_a, score_b = self.random.choice(scores)
        sides[a].append((b, score_a))
        sides[b].append((a, score_b))

    def _close(
        self, players: list[int], sides: list[list[Side]], *, is_match: bool
    ) -> None:
        systems = self.random.choice(SYSTEMS)
        starts = self.day - timedelta(days=self.random.choice([0, 2, 60]))
        starts = max(starts, FIRST_DAY)
        self.program.add_section(
            players,
            sides,
            starts=starts.toordinal(),
            ends=self.day.toordinal(),
            rules=self._rules(starts),
            system_a=systems[0],
            system_b=systems[1] if len(systems) == 2 else -1,
            is_match=is_match,
            lower_k=len(systems) == 2,
        )

    def _add_foreign_event(self) -> None:
        results = [
            (self.rating() + 0.25, self.random.choice([0, 1, 2, 2]))
            for _ in range(self.random.choice([1, 3, 4, 9]))
        ]
        self.program.add_foreign_event(
            self.random.randrange(self.players),
            results,
            starts=self.day.toordinal() - 5,
            ends=self.day.toordinal(),
            rules=self._rules(self.day - timedelta(days=5)),
            system=0,
            meetings=self.random.choice([1, 1, 2, 3]),
        )


def small_history_world(seed: int, *, items: int = 40, players: int = 9) -> World:
    return SmallHistory(seed, items, players).world()
