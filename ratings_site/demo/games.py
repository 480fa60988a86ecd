"""Random games, paired as a Swiss or round robin, with results by hidden strength."""

import random
from collections.abc import Mapping, Sequence

from players.models import Player

Rows = list[list[str]]


class Games:
    """The games of a section: *rows* has the results of each player."""

    def __init__(
        self,
        players: Sequence[Player],
        strengths: Mapping[str, float],
        chance: random.Random,
    ) -> None:
        self.strengths = [strengths[player.member_id] for player in players]
        self.chance = chance
        self.rows: Rows = [[] for _ in players]

    def play_swiss(self, rounds: int) -> None:
        """Play a Swiss; avoid repeated pairings if possible."""
        scores = [0.0] * len(self.rows)
        met: set[tuple[int, int]] = set()
        for round_number in range(rounds):
            order = sorted(range(len(scores)), key=lambda seat: (-scores[seat], seat))
            while order:
                white = order.pop(0)
                black = next((o for o in order if (white, o) not in met), order[0])
                order.remove(black)
                met |= {(white, black), (black, white)}
                if (white + round_number) % 2:
                    white, black = black, white
                score = self._play(white, black)
                scores[white] += score
                scores[black] += 1 - score

    def play_round_robin(self) -> None:
        """Play a round robin of an even number of players, by the circle method."""
        circle = list(range(len(self.rows)))
        half = len(circle) // 2
        for round_number in range(len(circle) - 1):
            for pair in zip(circle[:half], reversed(circle[half:]), strict=True):
                self._play(*(pair if round_number % 2 else pair[::-1]))
            circle.insert(1, circle.pop())

    def _play(self, white: int, black: int) -> float:
        """Add one game to the rows of both players; return the score of White."""
        score = _result(self.strengths[white], self.strengths[black], self.chance)
        codes = {1.0: "WL", 0.5: "DD", 0.0: "LW"}[score]
        self.rows[white].append(f"{codes[0]}{black + 1}W")
        self.rows[black].append(f"{codes[1]}{white + 1}B")
        return score


def _result(white: float, black: float, chance: random.Random) -> float:
    expected = 1 / (1 + 10 ** ((black - white) / 400))
    draws = 0.3 * (1 - abs(2 * expected - 1))
    point = chance.random()
    if point < draws:
        return 0.5
    return 1.0 if point < draws + expected * (1 - draws) else 0.0
